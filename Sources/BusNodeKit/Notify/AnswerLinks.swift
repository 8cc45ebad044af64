import ErrorBus
import Foundation
import HTTPTypes
import Logging
import Synchronization

/// The links of a node's hooks that answer: makes links, and finds the visitor who answers by an
/// opened one.
final class AnswerLinks: Sendable {
    /// The page that a link opens, and the path of its button's request.
    static let path = "/answer"
    static let actPath = "/api/v1/answer"
    /// The most options of one message that have a link; the others have the ordinary link.
    static let countMax = 10
    /// The longest text that a receiver shows for a link.
    private static let titleScalarMax = 70

    /// An option with its link, for a message.
    struct Offer: Hashable, Sendable {
        let option: String
        /// The title, not escaped.
        let title: String
        let url: String
    }

    private let url: String
    private let hooks: [NodeName: AnswerLinkSettings]
    private let users: ConsoleUsers
    private let key: FollowedFiles<ConsoleToken>
    private let badLinks = Mutex(BadLinks())

    /// - Parameters:
    ///   - file: The file of the key.
    ///   - url: The address of the console.
    /// - Throws: When the key cannot be read.
    init(
        _ file: String, of hooks: [HookSettings], for url: String, _ users: ConsoleUsers,
        logger: Logger
    ) throws(Failure) {
        self.url = url
        self.hooks = Dictionary(
            uniqueKeysWithValues: hooks.compactMap { hook in
                hook.answerLinks.map { (hook.name, $0) }
            })
        self.users = users
        let words = FollowedFiles<ConsoleToken>.Words(
            success:
                "notify: the key of links that answer read again; links of another key are void",
            failure: "notify: no link answers until the file of their key can be used",
            failureLevel: .error)
        key = try FollowedFiles([file], words, logger: logger) { () throws(Failure) in
            do throws(FileRefusal) { return try ConsoleToken(reading: file) } catch {
                throw Failure(error.status, "console linkKey \(file.shown()): \(error.text)")
            }
        }
    }

    /// The links of a message: one for each option that the user may choose and that asks for
    /// nothing else. None if the message is about several presentations, or about none that waits
    /// for an answer, or if it is sent so late that they have expired.
    ///
    /// - Parameter now: The time of the try; nil: that of the message.
    func offers(
        in message: NotifyMessage, of hook: NodeName, at now: Moment? = nil
    ) -> [Offer] {
        guard let settings = hooks[hook], case .notice(let notice) = message.content,
            notice.count == 1, HookSettings.Event.awaitingAnswer.contains(notice.event),
            let item = notice.item,
            let key = key.current, let user = try? users.user(named: settings.user)
        else { return [] }
        let visitor = ConsoleVisitor(user: user)
        let left = item.deadline.map { message.madeAt.instant.duration(to: $0) }
        let time = min(settings.time, left ?? settings.time)
        let age = now.map { message.madeAt.instant.duration(to: $0.instant) } ?? .zero
        guard visitor.may(.answer), time > max(age, .zero) else { return [] }
        return item.report.options.filter { $0.isAnswered(byLinkOf: visitor) }
            .prefix(Self.countMax).map { option in
                let link = AnswerLink(
                    option.id, of: item, as: user.name, for: hook,
                    until: (message.madeAt + time).date)
                let title = item.report.title(of: option.id) ?? option.id
                return Offer(
                    option: option.id, title: title.clipped(Self.titleScalarMax),
                    url: "\(url)\(Self.path)?link=\(link.text(signedWith: key.text))")
            }
    }

    /// Reads a link that a client has sent.
    ///
    /// - Parameter address: The address of the client.
    /// - Throws: When the text is no link, or was made with a former key or for another user; when
    ///   too many such texts came from there.
    func link(
        _ text: String, from address: String, at now: ContinuousClock.Instant = .now
    ) throws(APIProblem) -> AnswerLink {
        guard let key = key.current else { throw Self.noKey }
        // A good link is never refused: others at its address, as behind one proxy, may send bad
        // ones.
        if let link = AnswerLink(text, signedWith: key.text), hooks[link.hook]?.user == link.user {
            return link
        }
        let refusal: APIProblem = badLinks.withLock { bad in
            guard !bad.isAboveLimit(address, at: now) else { return Self.tooManyBad }
            bad.came(from: address, at: now)
            return Self.unknown
        }
        throw refusal
    }

    /// The visitor who answers by a link now.
    ///
    /// - Throws: When the link has expired; when its user was removed, or may no longer answer.
    func visitor(
        of link: AnswerLink, at now: Date = .now
    ) throws(APIProblem) -> ConsoleVisitor {
        guard !link.hasExpired(at: now) else { throw Self.expired }
        guard let user = try users.user(named: link.user) else {
            throw APIProblem(
                .forbidden, "unknownUser",
                "this link answers as \(link.user), who is no longer a user of this console; "
                    + "answer in the console")
        }
        let visitor = ConsoleVisitor(user: user)
        try visitor.require(.answer)
        return visitor
    }

    // MARK: Refusals

    static let unknown = APIProblem(
        .notFound, "unknownLink",
        "this is no link of this console: it was cut or changed on its way, or its key or its user "
            + "was replaced since; answer in the console")

    private static let expired = APIProblem(
        .gone, "linkExpired", "this link has expired; answer in the console")

    private static let noKey = APIProblem(
        .serviceUnavailable, "noLinkKey",
        "the file of the key of links cannot be used; the log of this node says why")

    private static let tooManyBad = APIProblem(
        .tooManyRequests, "tooManyBadLinks",
        "links: the limit of \(BadLinks.countMax) invalid ones from one address is reached; try "
            + "again in \(BadLinks.time.components.seconds) s, or answer in the console")

    static func used(_ answer: String) -> APIProblem {
        APIProblem(
            .conflict, "linkUsed", "this link answers once, and was used: \(answer)")
    }

    static let changed = APIProblem(
        .conflict, "notSeen",
        "the presentation has changed since the message; read it in the console, and answer there"
    )
}

extension ErrorReport.Option {
    /// Whether a link alone can choose the option, since it asks for nothing beside the choice.
    fileprivate func isAnswered(byLinkOf visitor: ConsoleVisitor) -> Bool {
        fields.isEmpty && !needsTwoPeople && !needsSignature
            && (role != .destructive || visitor.may(.destructive))
    }
}
