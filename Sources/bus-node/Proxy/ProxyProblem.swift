/// Why a proxy or its API refuses something: the HTTP status and a sentence.
struct ProxyProblem: Error, Hashable, CustomStringConvertible {
    let status: Int
    let description: String

    static func badRequest(_ text: String) -> ProxyProblem { .init(status: 400, description: text) }
    static func notFound(_ text: String) -> ProxyProblem { .init(status: 404, description: text) }
    static func conflict(_ text: String) -> ProxyProblem { .init(status: 409, description: text) }
}
