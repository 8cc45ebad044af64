import ArgumentParser
import BusNodeKit
import ErrorBus

/// `bus-node inbox note`.
struct InboxNoteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "note",
        abstract: "Write a note on a presentation, open or ended, for the others who see it.",
        discussion: """
            inbox show prints the notes, with their authors and times. A note has at most 1000 \
            characters, a presentation at most 50 notes. Prints how many it has afterwards.

            Example: bus-node inbox note 01920000 'the disk is being changed' \
            --topology topology.yaml
            """)

    @OptionGroup var target: InboxTarget

    @Argument(help: "A presentation's id, or the beginning or end of one.")
    var id: String

    @Argument(help: "The note, as plain text.")
    var text: String

    @Option(help: "Who writes it; the user's name when not given.")
    var by: String?

    @Flag(help: "Print the console's reply as JSON.")
    var json = false

    func run() async throws {
        try await orFail {
            let client = try target.client()
            let request = InboxRequest.note(id: try await client.id(id), text: text)
            let item = try await request.sent(to: client, by: try await client.person(by))
            if json { return try StandardOutput.print(item) }
            let count = PresentationView(json: item)?.noteCount ?? 0
            try StandardOutput.print(count == 1 ? "1 note" : "\(count) notes")
        }
    }
}
