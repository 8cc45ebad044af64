import ErrorBus
import Foundation

/// Another process of this executable, listening on a tcp port of the loopback interface.
struct ServerProcess: Sendable {
    let endpoint: Endpoint
    private let process: Process
    /// Closed when this process ends, however it ends; the other one ends with it.
    private let input: Pipe

    static func start(_ name: String, next: Endpoint? = nil) throws -> ServerProcess {
        let process = Process()
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments =
            ["serve", "--name", name] + (next.map { ["--next", $0.description] } ?? [])
        let input = Pipe()
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let said = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard !said.isEmpty else { throw BenchFailure("\(name) ended before it listened") }
        return ServerProcess(endpoint: try Endpoint(said), process: process, input: input)
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
