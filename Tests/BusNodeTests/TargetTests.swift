import ArgumentParser
import Logging
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import bus_node

struct TargetTests {
    @Test("A duration beyond the longest is refused with the longest")
    func tooLong() throws {
        #expect(try Target.duration("3650d", option: "--deadline") == .seconds(3650 * 86_400))
        #expect {
            _ = try Target.duration("3651d", option: "--deadline")
        } throws: { error in
            let failure = error as? Failure
            return failure?.status == .usage && failure?.text.contains("at most 3650d") == true
        }
    }

    @Test("A command refuses a key for an endpoint, which has none")
    func keyOfEndpoint() throws {
        let choice = try NodeChoice.parse(["--to", "tcp://127.0.0.1:7701", "--key", "client"])
        #expect {
            _ = try choice.chosen(missing: "no node")
        } throws: { error in
            let failure = error as? Failure
            return failure?.status == .usage
                && failure?.text.hasPrefix("--key: not allowed with an endpoint") == true
        }
    }

    @Test("A picture takes a key only for the nodes that it asks")
    func keyOfPicture() throws {
        try Graph.parse(["t.yaml", "--live", "--key", "ops"]).check()
        let still = try Graph.parse(["t.yaml", "--key", "ops"])
        #expect {
            try still.check()
        } throws: { error in
            (error as? Failure)?.status == .usage
        }
    }

    @Test(
        "A command in the place of a node has its name and key, and refuses others",
        arguments: ["--name", "--key"])
    func inPlace(option: String) throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(
            "version: 1\nnodes: { a: { listen: \"ipc://a\", presenters: [terminal] }, "
                + "b: { next: a } }", to: "t.yaml")
        func leaf(_ name: String) throws -> Target.Leaf {
            try Target.parse(["--topology", file, "--node", "b", option, name])
                .leaf(origin: nil, command: "present", logger: Logger(label: "test"))
        }
        _ = try leaf("b")
        #expect {
            _ = try leaf("c")
        } throws: { error in
            let failure = error as? Failure
            return failure?.status == .usage
                && failure?.text.hasPrefix("\(option): found \"c\", allowed: b: ") == true
        }
    }

    @Test(
        "Where no node can be reached, the topology alone says that a command fails by that",
        arguments: [("hold", false), ("presentLocally", false), ("fail", true)])
    func failsByTopology(policy: String, fails: Bool) throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(
            """
            version: 1
            defaults: { whenUnreachable: \(policy), deadline: 5m }
            nodes:
              a: { listen: "ipc://a", presenters: [terminal] }
              b: { next: a }
            """, to: "t.yaml")
        // The command is a child of the one, and in the place of the other.
        for node in ["a", "b"] {
            let leaf = try Target.parse(["--topology", file, "--node", node])
                .leaf(origin: nil, command: "present", logger: Logger(label: "test"))
            #expect(leaf.failsByTopology == fails, "\(node)")
            #expect(leaf.deadline == .seconds(300), "\(node)")
        }
    }

    @Test("A client of a node that listens reads none of the secrets of its console and hooks")
    func clientOfConsole() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(
            """
            version: 1
            nodes:
              a:
                listen: "ipc://a"
                presenters:
                  - console: { listen: "127.0.0.1:*", token: file:none, url: "http://127.0.0.1" }
                notify: [{ name: chat, url: "http://127.0.0.1:9/x", secret: file:none }]
            """, to: "t.yaml")
        for command in ["exec", "present"] {
            _ = try Target.parse(["--topology", file, "--node", "a"])
                .leaf(origin: nil, command: command, logger: Logger(label: "test"))
        }
    }

    @Test(
        "A length that a silence cannot have is refused before it is sent",
        arguments: ["60d", "10y", "0s", "999ms", "4000d"])
    func silence(text: String) throws {
        #expect(InboxSilenceAdd.lengths == SilenceTable.durationRange)
        for allowed in ["1s", "30d"] {
            _ = try Target.duration(allowed, option: "--for", in: InboxSilenceAdd.lengths)
        }
        let refusal =
            "--for: found \"\(text)\", allowed: 1s to 30d, as a whole number and ms, s, m, h or d"
        #expect {
            _ = try Target.duration(text, option: "--for", in: InboxSilenceAdd.lengths)
        } throws: { error in
            (error as? Failure)?.text == refusal
        }
    }
}
