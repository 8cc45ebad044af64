import ArgumentParser
import ErrorBus

/// `bus-node inbox silence end`.
struct InboxSilenceEnd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "end",
        abstract: "End a silence before its time.",
        discussion: """
            Exits 1 when it has ended, or no silence has that number.

            Example: bus-node inbox silence end 3 --to http://127.0.0.1:8080
            """)

    @OptionGroup var target: InboxTarget

    @Argument(help: "The silence's number.")
    var number: Int

    @Option(help: "Who ends it; the user's name when not given.")
    var by: String?

    @Flag(help: "Print the console's reply as JSON.")
    var json = false

    func run() async throws {
        try await orFail {
            let silence = try await target.client().post(
                "/silences/\(number)/end", ["by": .string(by ?? InboxAnswer.user)])
            if json { return try StandardOutput.print(silence) }
            try StandardOutput.print(silence.text("stage"))
        }
    }
}
