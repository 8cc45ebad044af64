import ErrorBus
import Foundation
import Testing

/// `bus-node chaos` as a person runs it: real processes, real sockets, real deaths.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct ChaosRunTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory
            .appending(path: "errorbus-chaos-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// Three levels over unix sockets of this test alone.
    private func topology(presenters: String = "[terminal]") throws -> String {
        let path = folder.appending(path: "topology.yaml").path
        try """
        version: 1
        defaults: { whenUnreachable: hold, abandonAfter: 15s }
        nodes:
          centre: { listen: ["ipc://centre"], presenters: \(presenters) }
          relay-1: { next: centre, listen: ["ipc://relay-1"] }
          relay-2: { next: centre, listen: ["ipc://relay-2"] }
          worker-1: { next: relay-1 }
          worker-2: { next: relay-1 }
          worker-3: { next: relay-2 }
          worker-4: { next: relay-2 }
        """.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    private struct Ending {
        let status: Int32
        let output: String
        let errors: String
    }

    private func run(_ arguments: [String]) async throws -> Ending {
        let chaos = try Launched(arguments)
        let status = try await chaos.ending()
        return Ending(status: status, output: chaos.output.value, errors: chaos.errors.value)
    }

    @Test("Chaos gate over A01-A40: ten seconds of faults lose, double and misroute nothing")
    func shortRun() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let svg = folder.appending(path: "run.svg")
        let ending = try await run([
            "chaos", "--topology", try topology(), "--seed", "20260117",
            "--duration", "10s", "--presentations", "200", "--json", "--svg", svg.path,
        ])
        #expect(ending.status == 0, "\(ending.errors)\n\(ending.output)")
        let counts = try JSONValue.parse(
            Array(ending.output.trimmingCharacters(in: .newlines).utf8))
        #expect(counts["seed"] == 20_260_117)
        #expect(counts["presented"] == 200)
        #expect(counts["completed"] == counts["answered"])
        let completed = try #require(counts["completed"]?.integerValue)
        let died = try #require(counts["originDied"]?.integerValue)
        #expect(completed + died == 200)
        #expect(completed >= 50, "most of it died: nothing was shown")
        for name in [
            "lost", "duplicateCompletions", "duplicatePrompts", "misrouted", "attemptsOverOne",
            "attemptsUnchosen", "disagreements", "duplicateDecisions", "notOffered", "unsettled",
            "untrueResults", "openAtEnd",
        ] {
            #expect(counts[name] == 0, "\(name)")
        }
        #expect(counts["faults"]?.integerValue ?? 0 > 10)
        #expect(counts["kills"]?.integerValue ?? 0 > 0)
        let picture = try String(contentsOf: svg, encoding: .utf8)
        #expect(picture.contains("all invariants hold"))
        #expect(picture.contains("relay-1-to-centre"))
    }

    @Test("A picture that cannot be written leaves the result of the run")
    func pictureNotWritten() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let ending = try await run([
            "chaos", "--topology", try topology(), "--duration", "1s", "--presentations", "4",
            "--faults", "delay", "--json", "--svg", folder.appending(path: "none/run.svg").path,
        ])
        #expect(ending.status == 73, "\(ending.errors)\n\(ending.output)")
        #expect(ending.errors.contains("cannot be written"))
        #expect(ending.output.contains("\"presented\":4"))
    }

    @Test("A soak names the folder of its logs before it begins, for a run that is interrupted")
    func soakFolder() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let soak = try Launched(["soak", "--topology", try topology()])
        let isSaid = await soak.says("processes; warming up\n")
        soak.send(SIGINT)
        _ = try await soak.ending()
        #expect(isSaid, "\(soak.errors.value)")
        let first = try #require(soak.errors.value.split(separator: "\n").first)
        let logs = String(try #require(first.split(separator: " ").last))
        #expect(first == "bus-node soak: logs in \(logs)")
        #expect(logs.hasPrefix("/tmp/bus-node-chaos-"))
        try? FileManager.default.removeItem(atPath: logs)
    }

    @Test("An unusable chaos run is refused: 64 for the command line, 78 for the topology")
    func refusals() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let good = try topology()
        for (arguments, text) in [
            (["--faults", "fire"], "drop"), (["--duration", "0s"], "1s"),
            (["--presentations", "0"], "1 to"),
        ] {
            let ending = try await run(["chaos", "--topology", good] + arguments)
            #expect(ending.status == 64)
            #expect(ending.errors.contains(text), "\(ending.errors)")
        }
        let mute = try topology(presenters: "[]")
        let ending = try await run(["chaos", "--topology", mute])
        #expect(ending.status == 78)
    }
}
