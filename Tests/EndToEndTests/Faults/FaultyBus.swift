import Foundation
import Glibc
import Testing

/// A person at `central`, a relay, and a worker whose command fails until a file is there: nodes
/// and links of it go away and come back.
final class FaultyBus: Sendable {
    let sandbox: Sandbox

    /// - Parameter relayNext: The relay's parents, in order.
    init(relayNext: [String] = ["central"], abandonAfter: String = "60s", extra: String = "")
        throws
    {
        sandbox = try Sandbox()
        try sandbox.write(
            "topology.yaml",
            """
            version: 1
            defaults: { abandonAfter: \(abandonAfter) }
            nodes:
              central:
                listen: [ipc://$DIR/central.sock]
                presenters: [terminal]
                journal: $DIR/central.sqlite
                events: $DIR/central.jsonl
              second:
                listen: [ipc://$DIR/second.sock]
                presenters: [terminal]
                events: $DIR/second.jsonl
              relay:
                next: [\(relayNext.joined(separator: ", "))]
                listen: [ipc://$DIR/relay.sock]
            \(extra)
            """)
    }

    /// A node with a person in front of it.
    func presenter(
        _ name: String = "central", at pty: Pty
    ) async throws -> Launched {
        try await sandbox.start(name, input: .terminal(pty))
    }

    func relay() async throws -> Launched { try await sandbox.start("relay") }

    /// Fails until ``mend()``; each run leaves a line.
    func worker(to node: String = "relay") throws -> Launched {
        try Launched([
            "exec", "--to", sandbox.endpoint(node), "--grace", "60s", "--", "sh", "-c",
            "echo run >>\(sandbox.path("runs")); test -e \(sandbox.path("flag"))",
        ])
    }

    /// What the person does before answering "retry".
    func mend() throws { try sandbox.write("flag", "") }

    /// How often the worker's command ran.
    var runCount: Int {
        let text = (try? sandbox.read("runs")) ?? ""
        return text.split(separator: "\n").count
    }

    /// What `central` has written down, by the kind of event.
    func events(_ kind: String, of node: String = "central") -> Int {
        let text = (try? sandbox.read("\(node).jsonl")) ?? ""
        return text.components(separatedBy: "\"event\":\"\(kind)\"").count - 1
    }
}

extension Pty {
    static let question = "[r] Retry"

    /// How often the prompt was shown.
    var questionCount: Int { screen.value.components(separatedBy: Self.question).count - 1 }
}

extension Launched {
    /// Dies at once, and is gone when this returns.
    func die(_ signal: Int32 = SIGKILL) async throws {
        send(signal)
        #expect(try await ending() == 128 + signal)
    }
}
