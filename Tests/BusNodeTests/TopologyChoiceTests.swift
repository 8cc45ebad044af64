import ArgumentParser
import Testing

@testable import BusNodeKit
@testable import bus_node

/// Which topology is meant: every command that reads one finds it in the same ways.
struct TopologyChoiceTests {
    private func path(
        _ file: String?, _ topology: String?, _ environment: [String: String] = [:]
    ) throws -> String {
        try TopologyChoice.path(file: file, topology: topology, environment: environment)
    }

    @Test("As an argument, as an option, by the environment; the former come first")
    func found() throws {
        let environment = ["BUS_NODE_TOPOLOGY": "e.yaml"]
        #expect(try path("a.yaml", nil, environment) == "a.yaml")
        #expect(try path(nil, "a.yaml", environment) == "a.yaml")
        #expect(try path("a.yaml", "a.yaml") == "a.yaml")
        #expect(try path(nil, nil, environment) == "e.yaml")
    }

    @Test("An empty variable counts as not set")
    func empty() {
        #expect {
            try path(nil, nil, ["BUS_NODE_TOPOLOGY": ""])
        } throws: { error in
            (error as? Failure)?.text.hasPrefix("no topology: ") == true
        }
    }

    @Test("None and two are refused", arguments: [[nil, nil], ["a.yaml", "b.yaml"]])
    func refused(words: [String?]) {
        #expect {
            try path(words[0], words[1])
        } throws: { error in
            (error as? Failure)?.status == .usage
        }
    }

    @Test("The refusal of two files names both, and that one is to be given")
    func two() {
        let refusal = "found two topology files, a.yaml and --topology b.yaml; give one"
        #expect {
            try path("a.yaml", "b.yaml")
        } throws: { error in
            (error as? Failure)?.text == refusal
        }
    }

    @Test(
        "Every command that reads a topology takes it in each way",
        arguments: [
            ["run", "--node", "a"], ["check"], ["graph"],
            ["explain", "--from", "a", "--report", "r"], ["up"],
        ])
    func commands(words: [String]) throws {
        for more in [[], ["t.yaml"], ["--topology", "t.yaml"]] {
            #expect(throws: Never.self) { try BusNode.parseAsRoot(words + more) }
        }
    }

    @Test("The help lists every command, and the options of an inbox without a subcommand")
    func help() {
        let help = BusNode.helpMessage(columns: 100)
        for command in BusNode.configuration.subcommands where command.configuration.shouldDisplay {
            let name = command.configuration.commandName ?? command._commandName
            #expect(help.contains("  \(name) "), "\(name)")
        }
        #expect(help.contains("  soak "))
        let inbox = InboxCommand.helpMessage(columns: 100)
        let screen = InboxFullScreen.helpMessage(columns: 100)
        let options = screen.matches(of: /\n +(--[a-z-]+)/).map { String($0.1) }
        #expect(options.contains("--by"))
        for option in options where !["--version"].contains(option) {
            #expect(inbox.contains(option), "\(option)")
        }
    }
}
