import ArgumentParser
import ErrorBus

/// `bus-node inbox silence list`.
struct InboxSilenceList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the silences that are in force; with --all also those that ended.",
        discussion: "Example: bus-node inbox silence list --all --to http://127.0.0.1:8080")

    @OptionGroup var target: InboxTarget

    @Flag(help: "Also those that ended.")
    var all = false

    @Flag(help: "Print the console's list as JSON.")
    var json = false

    func run() async throws {
        try await orFail {
            let list = try await target.client().get("/silences")
            if json { return try StandardOutput.show(list) }
            let silences = (list["silences"]?.arrayValue ?? [])
                .filter { all || $0["stage"] == "active" }
            let rows = SilenceRows(silences, columns: Terminal.outputColumnCount)
            try StandardOutput.show(rows.lines)
        }
    }
}
