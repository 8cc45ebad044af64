import ErrorBus
import Foundation
import HTTPTypes
import Logging

/// The users of a console, from a file that only its owner can read.
///
/// A line has a name, permissions and `sha256:` with the hash of the token, or `proxy` for a user
/// without one; `nothing` in place of permissions shuts the user out; `#` begins a comment. The
/// console uses a changed file from the next request on.
final class ConsoleUsers: Sendable {
    /// The users, in the order of the file.
    struct List: Sendable {
        var users: [ConsoleUser] = []
        fileprivate var byHash: [String: ConsoleUser] = [:]
        fileprivate var byName: [String: ConsoleUser] = [:]
    }

    private static let byteCountMax = 1 << 20
    static let countMax = 1_000
    private static let hashPrefix = "sha256:"
    private static let proxyWord = "proxy"

    let file: String
    private let followed: FollowedFiles<List>

    /// - Throws: When the file is missing, can be read by others, or is invalid.
    init(_ file: String, logger: Logger) throws(Failure) {
        self.file = file
        let words = FollowedFiles<List>.Words(
            success: "console: users read again",
            failure: "console: no one is admitted until the file of users can be used",
            failureLevel: .error)
        followed = try FollowedFiles([file], words, logger: logger) { () throws(Failure) in
            do throws(FileRefusal) { return try Self.read(file) } catch {
                throw Failure(error.status, "console users \(file.shown()): \(error.text)")
            }
        }
    }

    /// The user with a token; nil for any other token, and for a user who is shut out.
    ///
    /// - Throws: 503 while the file cannot be used: then no one enters.
    func user(showing token: some StringProtocol) throws(APIProblem) -> ConsoleUser? {
        let user = try usable.byHash[ConsoleUser.hash(of: token)]
        return user?.isShutOut == true ? nil : user
    }

    /// The user of that name; nil for any other name, and for a user who is shut out.
    ///
    /// - Parameter permissions: The permissions under a name that the file does not have; nil: such
    ///   a name is no user's.
    /// - Throws: As for a token.
    func user(
        named name: String, otherwise permissions: Set<ConsolePermission>? = nil
    ) throws(APIProblem) -> ConsoleUser? {
        if let user = try usable.byName[name] { return user.isShutOut ? nil : user }
        return permissions.map { ConsoleUser(name: name, permissions: $0, tokenHash: nil) }
    }

    /// Whether the file shuts a name out.
    func shutsOut(_ name: String) -> Bool { followed.current?.byName[name]?.isShutOut == true }

    /// Whether the file has this user, unchanged.
    func has(_ user: ConsoleUser) -> Bool { followed.current?.byName[user.name] == user }

    private var usable: List {
        get throws(APIProblem) {
            guard let list = followed.current else {
                throw APIProblem(
                    .serviceUnavailable, "noUsers",
                    "the file of users cannot be used; the log of this node says why")
            }
            return list
        }
    }

    // MARK: The file

    static func read(_ file: String) throws(FileRefusal) -> List { try list(try text(of: file)) }

    static func text(of file: String) throws(FileRefusal) -> String {
        try PrivateFile.text(of: file, byteCountMax: byteCountMax)
    }

    /// Refuses a text that could not be read as a file of users.
    static func check(_ text: String) throws(FileRefusal) {
        guard text.utf8.count <= byteCountMax else {
            throw FileRefusal(
                status: .badConfiguration, found: "more than \(byteCountMax) bytes",
                allowed: "at most \(byteCountMax)")
        }
        _ = try list(text)
    }

    static func list(_ text: String) throws(FileRefusal) -> List {
        var list = List()
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            let words = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace)
            if words.isEmpty { continue }
            func refusal(_ found: String, _ allowed: String) -> FileRefusal {
                FileRefusal(
                    status: .badConfiguration, found: "line \(index + 1): \(found)",
                    allowed: allowed)
            }
            guard words.count == 3 else {
                throw refusal(
                    "\(words.count) words",
                    "NAME PERMISSIONS \(hashPrefix)HASH, or \(proxyWord) in place of the hash")
            }
            guard ConsoleUser.isName(words[0]) else {
                throw refusal("the name \(String(words[0]).shown())", ConsoleUser.nameAllowed)
            }
            let isShutOut = words[1] == ConsoleUser.nothing
            let found: Set<ConsolePermission>? =
                isShutOut ? [] : ConsoleUser.permissions(words[1])
            guard let permissions = found else {
                throw refusal(
                    "the permissions \(String(words[1]).shown())", ConsoleUser.permissionsAllowed)
            }
            let hash = hash(words[2])
            guard hash != nil || words[2] == proxyWord else {
                throw refusal(
                    "no hash of a token",
                    "\(hashPrefix) and 64 hexadecimal digits, or \(proxyWord)")
            }
            let user = ConsoleUser(
                name: String(words[0]), permissions: permissions, tokenHash: hash,
                isShutOut: isShutOut)
            guard list.byName.updateValue(user, forKey: user.name) == nil else {
                throw refusal("\(user.name) again", "each name once")
            }
            guard hash.flatMap({ list.byHash.updateValue(user, forKey: $0) }) == nil else {
                throw refusal("the token of another user", "a token for each")
            }
            list.users.append(user)
            guard list.users.count <= countMax else {
                throw refusal("more than \(countMax) users", "at most \(countMax)")
            }
        }
        return list
    }

    /// The hash in a word; nil for anything but the hash of a token.
    private static func hash(_ word: Substring) -> String? {
        let hash = word.dropFirst(hashPrefix.count)
        guard word.hasPrefix(hashPrefix), hash.utf8.count == 64,
            hash.allSatisfy({ $0.isHexDigit && !$0.isUppercase })
        else { return nil }
        return String(hash)
    }

    /// A user as a line of the file.
    static func line(_ user: ConsoleUser) -> String {
        "\(user.name) \(user.permissionText) "
            + (user.tokenHash.map { hashPrefix + $0 } ?? proxyWord)
    }

    /// The name in a line; nil for a comment.
    static func name(in line: some StringProtocol) -> String? {
        line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace).first.map { String($0) }
    }
}

/// The admission to a console.
enum ConsoleAdmission: Sendable {
    /// Admission by one token, which all share.
    case token(ConsoleToken)
    /// Admission by the token of a user.
    case users(ConsoleUsers)

    /// The visitor with a token; nil for a token that admits no one.
    func visitor(showing token: some StringProtocol) throws(APIProblem) -> ConsoleVisitor? {
        switch self {
        case .token(let own): own.matches(token) ? .unnamed : nil
        case .users(let users): try users.user(showing: token).map { ConsoleVisitor(user: $0) }
        }
    }

    /// Whether a visitor that was admitted before is still admitted, with the same permissions.
    func admits(_ visitor: ConsoleVisitor) -> Bool {
        switch self {
        case .token: true
        case .users(let users): visitor.user.map(users.has) ?? false
        }
    }

    /// A text for the log, without the token that it may hold.
    func hidden(in text: String) -> String {
        switch self {
        case .token(let own): own.hidden(in: text)
        case .users: text.replacing(/[A-Za-z0-9_~+=.-]{40,}/, with: "TOKEN")
        }
    }
}
