import ArgumentParser

/// `bus-node inbox silence`: errors that are not presented for a while.
struct InboxSilence: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "silence",
        abstract: "List, make and end silences: errors that are not presented for a while.",
        discussion: """
            What is silenced is answered with the silence's option, else with what its report \
            declares for expiry, else withheld.

            Example: bus-node inbox silence --to http://127.0.0.1:8080
            """,
        subcommands: [InboxSilenceList.self, InboxSilenceAdd.self, InboxSilenceEnd.self],
        defaultSubcommand: InboxSilenceList.self)
}
