import Foundation
import Subprocess
import SystemPackage
import Testing

/// The shipped nodes in simulated worlds. The simulator takes over the process that it runs in, so
/// it is a program of its own: this starts it and reads its verdict.
struct NodeSimulationTests {
    @Test(
        "F8 F9 F12 F13 F15 F16 F17 C1 C2 C3 C5 C6 C7 C8 C9 C10 C11 C12 C13 C14 in 300 worlds",
        .timeLimit(.minutes(10)))
    func seeds() async throws {
        let run = try await Simulator.run(["--seeds", "300"])
        if run.status != .exited(0) { for line in run.lines { print(line) } }
        try #require(run.status == .exited(0), "\(run.lines.joined(separator: "\n"))")
        #expect(run.lines.last?.hasPrefix("node-simulator: 300 seeds, 0 failed;") == true)
    }

    @Test("Everything holds in worlds that failed once", arguments: try FoundSeeds.all())
    func found(seed: String) async throws {
        let run = try await Simulator.run(["--seed", seed])
        #expect(run.status == .exited(0), "\(run.lines.joined(separator: "\n"))")
    }

    @Test("A seed gives the same run to the byte, and another seed another one")
    func determinism() async throws {
        let arguments = ["--seeds", "12", "--first", "4100", "--trace", "--jobs"]
        let first = try await Simulator.run(arguments + ["1"]).traces
        #expect(first.count == 12)
        #expect(Set(first.map { $0.split(separator: " ").dropFirst(3).first }).count == 12)
        #expect(try await Simulator.run(arguments + ["4"]).traces == first)
    }

    @Test("Arguments that mean nothing are refused")
    func arguments() async throws {
        #expect(try await Simulator.run(["--seeds", "many"]).status == .exited(2))
        #expect(try await Simulator.run(["--first"]).status == .exited(2))
        #expect(try await Simulator.run(["--seeds", "2", "--verbose"]).status == .exited(2))
    }
}

/// Reads `found-seeds.txt`: one seed a line, then what it showed.
private enum FoundSeeds {
    static func all() throws -> [String] {
        let url = try #require(
            Bundle.module.url(forResource: "found-seeds", withExtension: "txt"))
        return try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
            .filter { !$0.hasPrefix("#") }
            .compactMap { $0.split(separator: " ").first.map(String.init) }
    }
}

/// One run of `node-simulator`, which is built beside the test bundle.
private struct Simulator {
    let status: TerminationStatus
    let lines: [String]

    var traces: [String] { lines.filter { $0.contains(": trace ") } }

    static func run(_ arguments: [String]) async throws -> Simulator {
        let here = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let program = URL(fileURLWithPath: here).deletingLastPathComponent()
            .appending(path: "node-simulator")
        let result = try await Subprocess.run(
            .path(FilePath(program.path)), arguments: Arguments(arguments),
            output: .string(limit: 64 << 20), error: .currentStandardError)
        return Simulator(
            status: result.terminationStatus,
            lines: result.standardOutput.split(separator: "\n").map(String.init))
    }
}
