import ArgumentParser
import Testing

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
}
