import Foundation
import Testing

/// The shipped nodes in simulated worlds. The simulator takes over the process that it runs in, so
/// it is a program of its own: this starts it and reads its verdict.
struct NodeSimulationTests {
    @Test("Everything holds in 300 worlds, but for what is known", .timeLimit(.minutes(10)))
    func seeds() throws {
        let run = try Simulator.run(["--seeds", "300"])
        for line in run.lines.dropLast() where run.status != 0 || line.hasPrefix("known") {
            print(line)
        }
        try #require(run.status == 0, "\(run.lines.joined(separator: "\n"))")
        #expect(run.lines.last?.hasPrefix("node-simulator: 300 seeds, 0 failed;") == true)
    }

    @Test("A seed gives the same run to the byte, and another seed another one")
    func determinism() throws {
        let arguments = ["--seeds", "12", "--first", "4100", "--trace", "--jobs"]
        let first = try Simulator.run(arguments + ["1"]).traces
        #expect(first.count == 12)
        #expect(Set(first.map { $0.split(separator: " ").dropFirst(3).first }).count == 12)
        #expect(try Simulator.run(arguments + ["4"]).traces == first)
    }

    @Test("Arguments that mean nothing are refused")
    func arguments() throws {
        #expect(try Simulator.run(["--seeds", "many"]).status == 2)
        #expect(try Simulator.run(["--first"]).status == 2)
        #expect(try Simulator.run(["--seeds", "2", "--verbose"]).status == 2)
    }
}

/// One run of `node-simulator`, which is built beside the test bundle.
private struct Simulator {
    let status: Int32
    let lines: [String]

    var traces: [String] { lines.filter { $0.contains(": trace ") } }

    static func run(_ arguments: [String]) throws -> Simulator {
        let here = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: here).deletingLastPathComponent()
            .appending(path: "node-simulator")
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Simulator(
            status: process.terminationStatus,
            lines: String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init))
    }
}
