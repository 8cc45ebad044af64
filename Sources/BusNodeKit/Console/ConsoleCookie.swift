/// The cookie in which a browser keeps the token of one console.
///
/// Browsers send the cookies of a host to all its ports. The name has the port of the address, so
/// that consoles on one host do not replace each other's.
struct ConsoleCookie: Hashable, Sendable {
    let name: String

    /// - Parameter host: As in the request: what the browser took the console's address to be.
    init(at host: String?) {
        let port = host?.wholeMatch(of: /.*:([0-9]+)/)?.1
        name = port.map { "errorbus-\($0)" } ?? "errorbus"
    }

    /// The value of Set-Cookie that keeps a token; with nil, the one that removes it.
    func setting(_ token: String?) -> String {
        "\(name)=\(token ?? ""); HttpOnly; SameSite=Strict; Path=/"
            + (token == nil ? "; Max-Age=0" : "")
    }

    /// The values in a request: several, when one was set for a part of the host's name too.
    func values(in cookies: [String]) -> [Substring] {
        cookies.flatMap { $0.split(separator: ";") }.compactMap { pair in
            let parts = pair.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0].drop(while: { $0 == " " }) == name else { return nil }
            return parts[1]
        }
    }
}
