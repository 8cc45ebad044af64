import ErrorBus

/// What a request came to.
struct APIResponse: Hashable, Sendable {
    let status: Int
    /// Nil for none.
    let json: JSONValue?

    init(_ status: Int, _ json: JSONValue?) {
        self.status = status
        self.json = json
    }

    init(_ problem: ProxyProblem) {
        self.init(
            problem.status,
            ["error": .string(problem.description), "status": .integer(Int64(problem.status))])
    }
}
