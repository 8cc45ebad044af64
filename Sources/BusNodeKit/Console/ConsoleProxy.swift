import ErrorBus
import HTTPTypes
import Logging

/// The reverse proxy that a console trusts to say who sends a request.
struct ConsoleProxy: Sendable {
    static let secretHeader = "ErrorBus-Proxy-Secret"

    /// The claim of a request about its user, and the peer that it comes from.
    struct Claim: Hashable, Sendable {
        /// The address of the peer.
        var peer = ""
        /// The values of the user's header, and of ``secretHeader``.
        var names: [String] = []
        var secrets: [String] = []
    }

    let settings: ConsoleProxySettings
    private let secret: FollowedFiles<ConsoleToken>

    /// - Throws: When the file of the secret is missing, can be read by others, or is invalid.
    init(_ settings: ConsoleProxySettings, logger: Logger) throws(Failure) {
        self.settings = settings
        let file = settings.secretFile
        let words = FollowedFiles<ConsoleToken>.Words(
            success: "console: the proxy's secret read again",
            failure: "console: the proxy admits no one until the file of its secret can be used",
            failureLevel: .error)
        secret = try FollowedFiles([file], words, logger: logger) { () throws(Failure) in
            do throws(FileRefusal) { return try ConsoleToken(reading: file) } catch {
                throw Failure(error.status, "console proxy secret \(file.shown()): \(error.text)")
            }
        }
    }

    func claim(in fields: HTTPFields, from peer: String) -> Claim {
        func values(_ name: String) -> [String] {
            HTTPField.Name(name).map { fields[values: $0] } ?? []
        }
        return Claim(
            peer: peer, names: values(settings.header), secrets: values(Self.secretHeader))
    }

    /// The name of the user that the proxy vouches for; nil if the request claims none.
    ///
    /// - Throws: When another sender claims a user, or the claim is ambiguous.
    func name(in claim: Claim) throws(APIProblem) -> String? {
        if claim.names.isEmpty, claim.secrets.isEmpty { return nil }
        let header = settings.header
        guard settings.from.contains(where: { $0.contains(claim.peer) }) else {
            let from = settings.from.map(\.description).joined(separator: ", ")
            throw APIProblem(
                .forbidden, "notProxy",
                "\(header): found in a request from \(claim.peer), allowed only from the proxy "
                    + "at \(from); leave it out, or correct proxy.from")
        }
        guard let secret = secret.current else {
            throw APIProblem(
                .serviceUnavailable, "noProxySecret",
                "the file of the proxy's secret cannot be used; the log of this node says why")
        }
        guard claim.secrets.count == 1, secret.matches(claim.secrets[0]) else {
            let found = claim.secrets.isEmpty ? "none" : "another"
            throw APIProblem(
                .forbidden, "proxySecret",
                "\(Self.secretHeader): found \(found), expected that of proxy.secret, once; let "
                    + "the proxy send it")
        }
        guard claim.names.count < 2 else {
            throw APIProblem(
                .forbidden, "proxyHeader",
                "\(header): found \(claim.names.count) times, expected once; let the proxy "
                    + "replace what clients send")
        }
        // So some proxies say that the person has not signed in.
        return claim.names.first { !$0.isEmpty }
    }

    /// The visitor with the name that the proxy vouches for; nil if the request claims none.
    func visitor(
        in claim: Claim, of users: ConsoleUsers
    ) throws(APIProblem) -> ConsoleVisitor? {
        guard let name = try name(in: claim) else { return nil }
        // A string's equality takes some other characters for letters: a name is compared by bytes.
        guard ConsoleUser.isName(name), let user = try users.user(named: name) else {
            throw APIProblem(
                .forbidden, "unknownUser",
                "\(settings.header): found \(name.shown()), \(Self.refusal(of: name, by: users))")
        }
        return ConsoleVisitor(user: user, isProxied: true)
    }

    /// The reason why a name is no user's, and what to do.
    private static func refusal(of name: String, by users: ConsoleUsers) -> String {
        let unknown = "who is not in this console's file of users"
        guard ConsoleUser.isName(name) else {
            return "\(unknown); a name has \(ConsoleUser.nameAllowed)"
        }
        guard !users.shutsOut(name) else {
            return "whom this console's file of users shuts out; ask its administrator"
        }
        return "\(unknown); add the user with bus-node users add FILE \(name) --proxy"
    }
}
