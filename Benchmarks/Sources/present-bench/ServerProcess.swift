import ErrorBus
import Foundation
import Glibc

/// Another process of this executable, listening on a tcp port of the loopback interface.
struct ServerProcess: Sendable {
    let endpoint: Endpoint
    /// Its public key; nil without keys.
    let key: PublicKey?
    private let process: Process
    /// Closed when this process ends, however it ends; the other one ends with it.
    private let input: Pipe

    /// - Parameter next: Its parent's; with one it is a relay.
    /// - Parameter listen: Where, for one that takes another's place.
    /// - Parameter holds: Whether its presenter waits for ``answerAll()``, in place of a policy.
    /// - Parameter worker: The key of the worker that it knows; nil for links without keys.
    static func start(
        _ name: String, next: Endpoint? = nil, listen: Endpoint? = nil, holds: Bool = false,
        worker: PublicKey? = nil
    ) throws -> ServerProcess {
        let process = Process()
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments =
            ["serve", "--name", name] + (next.map { ["--next", $0.description] } ?? [])
            + (listen.map { ["--listen", $0.description] } ?? [])
            + (holds ? ["--holds"] : []) + (worker.map { ["--worker=\($0)"] } ?? [])
        let input = Pipe()
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let said = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        let words = said.split(separator: " ")
        guard let endpoint = words.first else {
            throw BenchFailure("\(name) ended before it listened")
        }
        return ServerProcess(
            endpoint: try Endpoint(String(endpoint)),
            key: words.dropFirst().first.flatMap(PublicKey.init),
            process: process, input: input)
    }

    func resources() throws -> Resources { try Resources(of: process.processIdentifier) }

    /// Answers every presentation that waits, and those to come.
    func answerAll() throws {
        try input.fileHandleForWriting.write(contentsOf: Data("answer\n".utf8))
    }

    /// Ends it without a word, as a crash does.
    func kill() {
        _ = Glibc.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    func stop() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}

/// Why there are no figures.
struct BenchFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
