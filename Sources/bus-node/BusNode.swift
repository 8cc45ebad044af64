import ArgumentParser
import ErrorBus
import Logging
import Subprocess
import UnixSignals
import Yams

@main
struct BusNode: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bus-node", subcommands: [Check.self])
}
