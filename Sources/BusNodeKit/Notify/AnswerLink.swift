import Crypto
import ErrorBus
import Foundation
import OrderedCollections

/// A link of a hook's message that answers one presentation with one option. A person who has the
/// link answers as its user, once, until it expires. Does no I/O.
struct AnswerLink: Hashable, Sendable {
    /// The longest text that is read as a link: the names and ids in a link are short.
    static let byteCountMax = 1_024
    /// The text in front of the signed bytes, so that the key signs nothing else alike.
    private static let purpose = Data("ErrorBus answer link 1\n".utf8)

    let hook: NodeName
    /// The user as whom the link answers.
    let user: String
    let presentation: PresentationID
    let option: String
    /// The digest of the message's report.
    let digest: String
    /// The end of the link's time, in milliseconds since 1970.
    let until: Int64

    init(
        _ option: String, of item: InboxItem, as user: String, for hook: NodeName, until: Date
    ) {
        self.hook = hook
        self.user = user
        presentation = item.id
        self.option = option
        digest = Self.digest(of: item.report)
        self.until = Int64((until.timeIntervalSince1970 * 1_000).rounded(.down))
    }

    /// Reads a link; nil for a text that this key has not signed.
    init?(_ text: String, signedWith key: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard text.utf8.count <= Self.byteCountMax, parts.count == 2,
            let body = Data(base64URL: parts[0]), let code = Data(base64URL: parts[1]),
            // In a time that does not depend on where they differ.
            HMAC<SHA256>.isValidAuthenticationCode(
                code, authenticating: Self.purpose + body, using: Self.symmetric(key)),
            let fields = (try? JSONValue.parse(Array(body)))?.arrayValue, fields.count == 6,
            let hook = fields[0].stringValue.flatMap({ NodeName($0) }),
            let user = fields[1].stringValue,
            let presentation = fields[2].stringValue.flatMap({ PresentationID($0) }),
            let option = fields[3].stringValue, let digest = fields[4].stringValue,
            let until = fields[5].integerValue
        else { return nil }
        self.hook = hook
        self.user = user
        self.presentation = presentation
        self.option = option
        self.digest = digest
        self.until = until
    }

    func text(signedWith key: String) -> String {
        let code = HMAC<SHA256>.authenticationCode(
            for: Self.purpose + body, using: Self.symmetric(key))
        return "\(body.base64URL).\(Data(code).base64URL)"
    }

    private var body: Data {
        let fields: JSONValue = [
            hook.json, .string(user), .string(presentation.description), .string(option),
            .string(digest), .integer(until),
        ]
        return Data(fields.encoded())
    }

    /// The id of the link's answer: the inbox takes each id once, also after an undo and after a
    /// restart.
    var answer: UniqueID? {
        let digits = SHA256.hash(data: Self.purpose + body).prefix(16).hex
        return UniqueID(
            digits.replacing(/^(.{8})(.{4})(.{4})(.{4})/) { match in
                "\(match.1)-\(match.2)-\(match.3)-\(match.4)-"
            })
    }

    func hasExpired(at now: Date) -> Bool {
        Int64((now.timeIntervalSince1970 * 1_000).rounded(.down)) >= until
    }

    /// Whether a report is still the report of the message.
    func isAbout(_ report: ErrorReport) -> Bool { digest == Self.digest(of: report) }

    private static func digest(of report: ErrorReport) -> String {
        Data(SHA256.hash(data: Data(report.payload())).prefix(16)).base64URL
    }

    private static func symmetric(_ key: String) -> SymmetricKey {
        SymmetricKey(data: Data(key.utf8))
    }
}

/// The counts of invalid links from each address: above the limit a console refuses further ones
/// from there for a while. Does no I/O.
struct BadLinks: Sendable {
    /// The most invalid links of one address, in ``time``.
    static let countMax = 20
    static let time = Duration.seconds(60)
    /// The most addresses; above it the oldest is forgotten.
    static let addressMax = 1_024

    private struct Entry {
        var count: Int
        let due: ContinuousClock.Instant
    }

    /// The addresses, the oldest first.
    private var entries: OrderedDictionary<[UInt8], Entry> = [:]

    func isAboveLimit(_ address: String, at now: ContinuousClock.Instant) -> Bool {
        guard let entry = entries[Self.network(of: address)] else { return false }
        return now < entry.due && entry.count >= Self.countMax
    }

    mutating func came(from address: String, at now: ContinuousClock.Instant) {
        // All wait equally long: the oldest ends first.
        while let first = entries.values.first, first.due <= now { entries.removeFirst() }
        let network = Self.network(of: address)
        if entries[network] == nil, entries.count >= Self.addressMax { entries.removeFirst() }
        entries[network, default: Entry(count: 0, due: now + Self.time)].count += 1
    }

    private static func network(of address: String) -> [UInt8] {
        AddressRange.network(of: address) ?? Array(address.utf8)
    }
}
