import Crypto
import ErrorBus
import Foundation
import HTTPTypes

extension ConsolePermission {
    /// The act that needs the permission, after "may not".
    fileprivate var act: String {
        switch self {
        case .answer: "answer, claim, undo or write notes"
        case .destructive: "choose a destructive option"
        case .silence: "make or end silences"
        case .administer: "send messages of hooks again, or save views for everyone"
        }
    }
}

/// A user of a console: a name, permissions, and the hash of a token, unless only a proxy or an
/// identity provider names the user.
package struct ConsoleUser: Hashable, Sendable {
    package let name: String
    package let permissions: Set<ConsolePermission>
    /// SHA-256 of the token, in hexadecimal; nil for a user without a token, whom a proxy or a
    /// provider has to name.
    let tokenHash: String?
    /// Whether the console refuses the user, whatever token, proxy or group of a provider admits.
    package let isShutOut: Bool

    /// - Parameter token: A random token, so that its hash cannot be guessed.
    package init(name: String, permissions: Set<ConsolePermission>, token: String) {
        self.init(name: name, permissions: permissions, tokenHash: Self.hash(of: token))
    }

    init(
        name: String, permissions: Set<ConsolePermission>, tokenHash: String?,
        isShutOut: Bool = false
    ) {
        self.name = name
        self.permissions = permissions
        self.tokenHash = tokenHash
        self.isShutOut = isShutOut
    }

    static func hash(of token: some StringProtocol) -> String {
        SHA256.hash(data: Data(token.utf8)).hex
    }

    /// The label by which clients compare people whom an identity provider names: it stays when a
    /// person takes another name, and does not show the identity.
    static func label(of identity: String) -> String {
        String(hash(of: "person \(identity)").prefix(16))
    }

    /// Whether only a proxy or a provider admits the user.
    package var isOnlyProxied: Bool { tokenHash == nil && !isShutOut }

    /// The permissions in their order, or `see` or `nothing`.
    package var permissionText: String {
        if isShutOut { return Self.nothing }
        let words = ConsolePermission.allCases.filter(permissions.contains).map(\.rawValue)
        return words.isEmpty ? ConsolePermission.seesOnly : words.joined(separator: ",")
    }

    /// The word in place of permissions for a user who is shut out.
    package static let nothing = "nothing"

    package static let permissionsAllowed =
        "\(nothing), \(ConsolePermission.seesOnly), or words of "
        + ConsolePermission.allCases.map(\.rawValue).joined(separator: ", ")
        + " with commas between"
    package static let nameAllowed = "1 to 64 characters of A-Z a-z 0-9 . _ @ + -"

    package static func isName(_ text: some StringProtocol) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                default: "._@+-".utf8.contains(byte)
                }
            }
    }

    /// The permissions in a text; nil for anything but words of permissions and `see`.
    package static func permissions(_ text: some StringProtocol) -> Set<ConsolePermission>? {
        // `see` among others is true of every user, and says no more.
        let words = text.split(separator: ",", omittingEmptySubsequences: false)
            .filter { $0 != ConsolePermission.seesOnly }
        let permissions = words.compactMap { ConsolePermission(rawValue: String($0)) }
        return permissions.count == words.count ? Set(permissions) : nil
    }
}

/// The sender of a request that was admitted to a console.
struct ConsoleVisitor: Hashable, Sendable {
    /// The user; nil with one token that all share: such a person gives a name with each act.
    let user: ConsoleUser?
    /// The sign-in of a browser; nil for a client that shows its token in each request.
    var session: ConsoleSessions.Label?
    /// Whether a proxy named the user.
    var isProxied = false
    /// The name of the identity provider that named the user, for people; nil without a provider.
    var provider: String?
    /// The identity of the user at the provider, whatever the name; nil without a provider.
    var identity: String?

    static let unnamed = ConsoleVisitor(user: nil)

    /// The person who signed in; nil if people give names of their own.
    var person: SignedInPerson? { user.map { SignedInPerson($0.name, identity: identity) } }

    func may(_ permission: ConsolePermission) -> Bool {
        user.map { $0.permissions.contains(permission) } ?? true
    }

    /// Refuses a visitor without a permission.
    ///
    /// - Parameter act: The act that needs the permission, after "may not"; nil for that of the
    ///   permission.
    func require(
        _ permission: ConsolePermission, to act: String? = nil
    ) throws(APIProblem) {
        guard let user, !may(permission) else { return }
        throw APIProblem(
            .forbidden, "notAllowed",
            "\(user.name) may not \(act ?? permission.act): found the permissions "
                + "\(user.permissionText), expected also \(permission.rawValue)")
    }

    /// The author of an act: the user, whatever the request says, which may only agree.
    func name(in fields: BodyFields) throws(APIProblem) -> String {
        guard let user else { return try fields.name("by") }
        if fields["by"] != nil {
            let found = try fields.name("by")
            guard found == user.name else {
                throw APIProblem(
                    .forbidden, "notYou",
                    "by: found \(found.shown()), but you are \(user.name)")
            }
        }
        return user.name
    }
}

extension ConsoleVisitor {
    /// The JSON of the visitor. The name is null if people give their own.
    ///
    /// - Parameter signOut: The address at which people sign out whom a proxy names.
    func json(signOut: String?) -> JSONValue {
        [
            "name": .text(user?.name), "person": .text(identity.map(ConsoleUser.label)),
            "isProxied": .bool(isProxied),
            "signOut": .text(isProxied ? signOut : nil), "provider": .text(provider),
            "may": .array(ConsolePermission.allCases.filter(may).map { .string($0.rawValue) }),
        ]
    }
}
