import Crypto
import Foundation

// The token in a browser's cookie. It is sealed together with the label of the sign-in, under a key
// that comes from the hash of the token: a copy of the cookie shows no token, and is of no other
// sign-in than its own, so that it is of no use after that.
extension ConsoleAdmission {
    /// The sign in front of a sealed token and after the name of its user, which no token has.
    private static let mark: Character = "!"

    /// The text that a browser keeps in place of its token.
    ///
    /// - Throws: When the token admits no one.
    func sealed(_ token: String, in label: ConsoleSessions.Label) throws -> String {
        guard let visitor = try visitor(showing: token) else { throw ConsoleGate.unauthorized }
        let box = try ChaChaPoly.seal(
            Data(token.utf8), using: Self.cookieKey(ConsoleUser.hash(of: token)),
            authenticating: Data(label.utf8))
        return "\(Self.mark)\(visitor.user?.name ?? "")\(Self.mark)\(box.combined.base64URL)"
    }

    /// The token in the text of a cookie; nil if it was sealed for another sign-in, or under a
    /// token that was replaced. A text that is not sealed is a token, as in cookies of earlier
    /// versions and of scripts.
    func token(
        in cookie: Substring, of label: ConsoleSessions.Label?
    ) throws(APIProblem) -> Substring? {
        guard cookie.first == Self.mark else { return cookie }
        let words = cookie.dropFirst()
            .split(separator: Self.mark, omittingEmptySubsequences: false)
        guard words.count == 2, let label, let combined = Data(base64URL: words[1]),
            let known = try tokenHash(of: String(words[0])),
            let box = try? ChaChaPoly.SealedBox(combined: combined),
            let token = try? ChaChaPoly.open(
                box, using: Self.cookieKey(known), authenticating: Data(label.utf8))
        else { return nil }
        return String(decoding: token, as: UTF8.self)[...]
    }

    /// The hash of the token of a user, or of the one that all share.
    private func tokenHash(of user: String) throws(APIProblem) -> String? {
        switch self {
        case .token(let own): user.isEmpty ? ConsoleUser.hash(of: own.text) : nil
        case .users(let users): try users.user(named: user)?.tokenHash
        }
    }

    private static func cookieKey(_ tokenHash: String) -> SymmetricKey {
        SymmetricKey(data: Data(SHA256.hash(data: Data("ErrorBus cookie 1\n\(tokenHash)".utf8))))
    }
}
