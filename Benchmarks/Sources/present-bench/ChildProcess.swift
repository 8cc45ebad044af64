import Foundation
import Glibc

/// Another process of this executable. It ends with its standard input, and so with this process,
/// however that ends.
struct ChildProcess: Sendable {
    private let process: Process
    private let input: Pipe
    private let output: Pipe

    init(_ arguments: [String]) throws {
        process = Process()
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = arguments
        input = Pipe()
        output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    var id: Int32 { process.processIdentifier }

    /// The next that it says, which is one short line.
    func said() throws -> String {
        let data = output.fileHandleForReading.availableData
        guard !data.isEmpty else {
            throw BenchFailure("\(process.arguments?.first ?? "a process") has ended too early")
        }
        return String(decoding: data, as: UTF8.self)
    }

    func say(_ word: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data("\(word)\n".utf8))
    }

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
