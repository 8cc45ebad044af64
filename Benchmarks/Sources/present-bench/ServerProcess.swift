import ErrorBus
import Foundation
import Glibc

/// Another process of this executable, listening on a tcp port of the loopback interface.
struct ServerProcess: Sendable {
    /// How often a port that somebody else took meanwhile is replaced by another.
    private static let triesMax = 5

    let endpoint: Endpoint
    private let process: Process
    /// Closed when this process ends, however it ends; the other one ends with it.
    private let input: Pipe

    static func start(_ name: String, next: Endpoint? = nil) async throws -> ServerProcess {
        for _ in 1...triesMax {
            if let server = try launch(name, next: next) { return server }
        }
        throw BenchFailure("\(name) did not start in \(triesMax) tries")
    }

    /// Nil when it ended instead of getting ready.
    private static func launch(_ name: String, next: Endpoint?) throws -> ServerProcess? {
        let endpoint = try Endpoint("tcp://127.0.0.1:\(try freePort())")
        let process = Process()
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments =
            ["serve", "--name", name, "--listen", endpoint.description]
            + (next.map { ["--next", $0.description] } ?? [])
        let input = Pipe()
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        // Empty when it ended.
        guard !output.fileHandleForReading.availableData.isEmpty else { return nil }
        return ServerProcess(endpoint: endpoint, process: process, input: input)
    }

    /// A port that nobody listens on at this moment.
    private static func freePort() throws -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw BenchFailure("socket: error \(errno)") }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0
                    ? getsockname(descriptor, address, &length) : -1
            }
        }
        guard status == 0 else { throw BenchFailure("no free port: error \(errno)") }
        return UInt16(bigEndian: address.sin_port)
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
