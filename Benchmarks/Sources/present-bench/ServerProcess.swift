import ErrorBus

/// Another process of this executable, listening on a tcp port of the loopback interface.
struct ServerProcess: Sendable {
    let endpoint: Endpoint
    /// Its public key; nil without keys.
    let key: PublicKey?
    private let process: ChildProcess

    /// - Parameter next: Its parent's; with one it is a relay.
    /// - Parameter listen: Where, for one that takes another's place.
    /// - Parameter holds: Whether its presenter waits for ``answerAll()``, in place of a policy.
    /// - Parameter maxOpen: The presentations that it has open at once; 0: as many as a node has
    ///   by itself.
    /// - Parameter worker: The key of the worker that it knows; nil for links without keys.
    static func start(
        _ name: String, next: Endpoint? = nil, listen: Endpoint? = nil, holds: Bool = false,
        maxOpen: Int = 0, worker: PublicKey? = nil
    ) throws -> ServerProcess {
        let process = try ChildProcess(
            ["serve", "--name", name, "--max-open", "\(maxOpen)"]
                + (next.map { ["--next", $0.description] } ?? [])
                + (listen.map { ["--listen", $0.description] } ?? [])
                + (holds ? ["--holds"] : []) + (worker.map { ["--worker=\($0)"] } ?? []))
        let words = try process.said().split(whereSeparator: \.isWhitespace)
        guard let endpoint = words.first else {
            throw BenchFailure("\(name) did not say where it listens")
        }
        return ServerProcess(
            endpoint: try Endpoint(String(endpoint)),
            key: words.dropFirst().first.flatMap(PublicKey.init), process: process)
    }

    func resources() throws -> Resources { try Resources(of: process.id) }

    /// Answers every presentation that waits, and those to come.
    func answerAll() throws { try process.say("answer") }

    /// Ends it without a word, as a crash does.
    func kill() { process.kill() }

    func stop() { process.stop() }
}
