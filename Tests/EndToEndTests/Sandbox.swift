import Foundation
import Glibc
import Testing

/// A folder of one test and the nodes that run in it.
final class Sandbox: Sendable {
    /// A deadline to be passed by what a person is asked, and longer ones for a machine too busy to
    /// ask before it. A test takes them in turn until a person was asked.
    static let deadlines = ["1s", "4s", "16s", "64s"]

    let folder: String

    init() throws {
        // Short: the path of an ipc endpoint has at most 107 bytes.
        let base = FileManager.default.temporaryDirectory.path
        folder = "\(base)/eb-\(String(UInt32.random(in: 0...UInt32.max), radix: 36))"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func path(_ name: String) -> String { "\(folder)/\(name)" }
    func endpoint(_ name: String) -> String { "ipc://\(folder)/\(name).sock" }
    func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

    /// Writes a file; `$DIR` in it is this folder.
    @discardableResult
    func write(_ name: String, _ text: String) throws -> String {
        try text.replacingOccurrences(of: "$DIR", with: folder)
            .write(toFile: path(name), atomically: true, encoding: .utf8)
        return path(name)
    }

    func read(_ name: String) throws -> String {
        try String(contentsOfFile: path(name), encoding: .utf8)
    }

    /// Everything that processes wrote here, by file.
    func files() throws -> [String: String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        let found = names.compactMap { name in
            FileManager.default.contents(atPath: path(name))
                .map { (name, String(decoding: $0, as: UTF8.self)) }
        }
        return Dictionary(uniqueKeysWithValues: found)
    }

    /// A topology of one node `central` with these presenters, and `relay` below it.
    func writeTopology(presenters: String, extra: String = "") throws {
        try write(
            "topology.yaml",
            """
            version: 1
            nodes:
              central:
                listen: [ipc://$DIR/central.sock]
                presenters:
                  - \(presenters)
                events: $DIR/central.jsonl
            \(extra)
              relay:
                next: central
                listen: [ipc://$DIR/relay.sock]
            """)
    }

    /// A topology of `central` alone: by policy it answers everything with `retry`, or it has this
    /// presenter.
    func writeTopology(
        listening endpoint: String, presenter: String = "policy: policy.yaml"
    ) throws {
        try write("policy.yaml", "rules: [{ match: {}, answer: retry }]")
        try write(
            "topology.yaml",
            """
            version: 1
            nodes:
              central:
                listen: ["\(endpoint)"]
                presenters: [\(presenter)]
            """)
    }

    /// Starts a node and waits until it is up.
    func start(
        _ node: String, input: Launched.Input = .none, options: [String] = [],
        environment: [String: String] = [:]
    ) async throws -> Launched {
        let ready = "ready-\(node)-\(UInt32.random(in: 0...UInt32.max))"
        let launched = try Launched(
            [
                "run", "--topology", path("topology.yaml"), "--node", node, "--ready-file",
                path(ready),
            ] + options, input: input, environment: environment)
        let isUp = await eventually { self.exists(ready) }
        try #require(isUp, "\(node) is not up; it said: \(launched.errors.value)")
        return launched
    }

    func present(_ arguments: String..., input: Launched.Input = .none) throws -> Launched {
        try Launched(
            ["present", "--to", endpoint("relay"), "--domain", "test", "--description", "Boom"]
                + arguments, input: input)
    }

    /// Presents what can be repeated, to the node that listens there.
    func presentRetry(to endpoint: String) throws -> Launched {
        try Launched(
            ["present", "--to", endpoint, "--description", "Boom", "--option", "retry=Retry"])
    }

    func exec(_ options: [String] = [], _ command: String..., input: Launched.Input = .none) throws
        -> Launched
    {
        try Launched(
            ["exec", "--to", endpoint("relay")] + options + ["--"] + command, input: input)
    }
}

/// Whether the condition comes true, for states that no process reports.
func eventually(_ condition: @escaping @Sendable () -> Bool) async -> Bool {
    let isTrue = Observed(false)
    let timer = DispatchSource.makeTimerSource(queue: .global())
    timer.schedule(deadline: .now(), repeating: .milliseconds(20))
    timer.setEventHandler { if condition() { isTrue.update { $0 = true } } }
    timer.resume()
    defer { timer.cancel() }
    return await isTrue.becomes { $0 }
}
