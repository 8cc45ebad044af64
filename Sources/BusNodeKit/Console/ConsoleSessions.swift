import Foundation
import Logging
import Synchronization

/// The sign-ins that browsers have ended by signing out: the console no longer accepts their
/// cookies.
final class ConsoleSessions: Sendable {
    /// The label of a sign-in, which its cookie has beside the token. A later sign-in has a greater
    /// label; those of earlier versions, and of an identity provider's sessions, are in no order,
    /// and below all others.
    typealias Label = String

    /// The most ended sign-ins of one user of the file that are remembered one by one. Above it all
    /// sign-ins of that user up to the oldest of these have ended. Of people who share one token
    /// they count together.
    static let endedCountMax = 1_000

    private struct Ended {
        var labels: Set<Label> = []
        var labelsOfUsers: [String?: Set<Label>] = [:]
        /// The label up to which all sign-ins of a user have ended.
        var marks: [String?: Label] = [:]

        /// The label up to which all sign-ins that may be of a user have ended: those of unknown
        /// users may be of any.
        func mark(of user: String?) -> Label? {
            let users: [String?] = [user, nil]
            return users.compactMap { marks[$0] }.max()
        }

        func has(_ label: Label, of user: String?) -> Bool {
            labels.contains(label) || mark(of: user).map { label <= $0 } ?? false
        }
    }

    private let endedCountMax: Int
    private let now: @Sendable () -> Date
    private let ended = Mutex(Ended())
    private let store = Mutex<JournalSignOuts?>(nil)

    init(
        endedCountMax: Int = ConsoleSessions.endedCountMax,
        now: @escaping @Sendable () -> Date = { .now }
    ) {
        self.endedCountMax = endedCountMax
        self.now = now
    }

    /// - Parameter mark: A label that the new one is greater than.
    static func newLabel(after mark: Label? = nil, at now: Date = .now) -> Label {
        let markedAt = mark.flatMap { mark in
            mark.hasPrefix("~") ? Int64(mark.dropFirst().prefix(timeDigits), radix: 36) : nil
        }
        let random = ConsoleToken.generated().text.prefix(16)
        return time(max(milliseconds(now), (markedAt ?? 0) + 1)) + random
    }

    /// A label for a new sign-in of a user: greater than all that have ended, even if the clock was
    /// set back.
    func newLabel(of user: String?) -> Label {
        Self.newLabel(after: ended.withLock { $0.mark(of: user) }, at: now())
    }

    /// A label for a session of an identity provider, which ends with its key. As one of an unknown
    /// user that has ended it is below the sign-ins with a token, and so ends none of them.
    static func newProviderLabel() -> Label { String(ConsoleToken.generated().text.prefix(16)) }

    private static let timeDigits = 9

    private static func milliseconds(_ time: Date) -> Int64 {
        Int64(max(0, time.timeIntervalSince1970) * 1_000)
    }

    /// The beginning of the labels of a moment. Labels in no order have no `~`.
    private static func time(_ milliseconds: Int64) -> String {
        let digits = String(milliseconds, radix: 36)
        return "~" + String(repeating: "0", count: max(0, timeDigits - digits.count)) + digits
    }

    /// Keeps ended sign-ins in the node's journal, and restores those of its earlier lives.
    func keep(in store: JournalSignOuts) throws {
        for row in try store.signOuts() { end(row.label, of: row.user) }
        self.store.withLock { $0 = store }
    }

    /// Ends a sign-in for the rest of this life of the node.
    ///
    /// - Parameter user: The name of the user; nil if people share one token.
    /// - Returns: Whether it went on.
    @discardableResult
    func end(_ label: Label, of user: String?) -> Bool {
        // A greater label was made up: it is no reason to end sign-ins that are still to come.
        let latest = Self.time(Self.milliseconds(now())) + "~"
        return ended.withLock { ended in
            guard !ended.has(label, of: user) else { return false }
            ended.labels.insert(label)
            var own = ended.labelsOfUsers.removeValue(forKey: user) ?? []
            own.insert(label)
            if own.count > endedCountMax, let oldest = own.min() {
                own.remove(oldest)
                ended.labels.remove(oldest)
                let mark = min(oldest, latest)
                ended.marks[user] = max(mark, ended.marks[user] ?? mark)
            }
            ended.labelsOfUsers[user] = own
            return true
        }
    }

    /// Ends a sign-in, also for later lives of a node with a journal.
    func endForGood(_ label: Label, of user: String?) async {
        guard end(label, of: user), let store = store.withLock(\.self) else { return }
        do {
            try await store.keep(label, of: user)
        } catch {
            store.journal.logger.warning(
                "journal: sign-out not written; after a restart its cookie counts again",
                metadata: ["problem": "\(error)"])
        }
    }

    /// Whether a sign-in goes on; also true of a client that shows its token in each request.
    func has(_ label: Label?, of user: String?) -> Bool {
        label.map { label in ended.withLock { !$0.has(label, of: user) } } ?? true
    }
}
