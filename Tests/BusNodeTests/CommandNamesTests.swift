import ArgumentParser
import Testing

@testable import BusNodeKit
@testable import bus_node

/// Every command gives its name itself. The parser makes a missing one out of the type's name, for
/// all commands in each process: a sixth of the time of `bus-node present`.
struct CommandNamesTests {
    @Test("Every command has a name of its own")
    func named() {
        var rest: [any ParsableCommand.Type] = [BusNode.self]
        while let command = rest.popLast() {
            #expect(command.configuration.commandName != nil, "\(command)")
            rest += command.configuration.subcommands
        }
    }

    @Test(
        "A word in the place of a command is refused with the commands and the nearest one",
        arguments: [
            ("chek", "chek", "check"), ("inbox lst", "lst", "list"),
            ("inbox silence ad", "ad", "add"), ("policy tset --json", "tset", "test"),
            ("help inbox lst", "lst", "list"), ("journal delete", "delete", nil),
            ("inbox --to x lst", "lst", "list"), ("inbox --json --to=x lst", "lst", "list"),
            ("inbox silence --all --to x ad", "ad", "add"), ("inbox --json lst", "lst", "list"),
            ("inbox --to x --json lst", "lst", "list"), ("inbox silence --all ad", "ad", "add"),
        ] as [(String, String, String?)])
    func unknown(line: String, word: String, meant: String?) throws {
        let words = line.split(separator: " ").map(String.init)
        let failure = try #require(BusNode.unknownCommand(in: words))
        #expect(failure.status == .usage)
        #expect(failure.text.hasPrefix("found no command \"\(word)\"; commands: "))
        #expect(failure.text.contains("did you mean") == (meant != nil))
        if let meant { #expect(failure.text.hasSuffix("; did you mean \"\(meant)\"?")) }
    }

    @Test("The commands of the group are listed, without hidden ones")
    func listed() throws {
        let policy = try #require(BusNode.unknownCommand(in: ["policy", "x"]))
        #expect(policy.text == "found no command \"x\"; commands: test, from, trial")
        let root = try #require(BusNode.unknownCommand(in: ["x"]))
        #expect(root.text.contains("run, up, present") && !root.text.contains("chaos-node"))
    }

    @Test(
        "A command after the options of its group's default command is refused as such",
        arguments: ["inbox --to x list", "inbox --json list"])
    func late(line: String) throws {
        let words = line.split(separator: " ").map(String.init)
        let failure = try #require(BusNode.unknownCommand(in: words))
        #expect(failure.status == .usage)
        #expect(
            failure.text
                == "found the command \"list\" after an option; give the command first, then its "
                + "options")
    }

    @Test(
        "What the parser can judge is left to it",
        arguments: [
            "", "help", "help inbox list", "inbox", "inbox --json", "inbox list x", "status node",
            "exec -- lst", "--version", "inbox --to lst", "inbox silence", "chaos-node x",
            "inbox --to x --by y", "inbox --to x -- lst", "inbox --token-file - --json",
            "history --origin x lst", "inbox --limit list", "inbox --bogus lst",
        ])
    func known(line: String) {
        let words = line.split(separator: " ").map(String.init)
        #expect(BusNode.unknownCommand(in: words) == nil)
    }

    /// Otherwise a word after the group would be one of them.
    @Test("The default command of a group has no arguments but options")
    func defaults() {
        var rest: [any ParsableCommand.Type] = [BusNode.self]
        while let command = rest.popLast() {
            rest += command.configuration.subcommands
            guard let standard = command.configuration.defaultSubcommand else { continue }
            #expect(throws: (any Error).self) { try standard.parse(["x"]) }
        }
    }

    @Test("What the parser refuses begins as all other refusals")
    func prefix() throws {
        do {
            _ = try BusNode.parseAsRoot(["history", "--bogus"])
            Issue.record("the option was taken")
        } catch {
            let message = BusNode.fullMessage(for: error, columns: 80)
            #expect(message.hasPrefix("bus-node: Unknown option"), "\(message)")
        }
    }
}
