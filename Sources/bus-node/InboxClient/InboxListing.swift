import ArgumentParser
import ErrorBus
import Foundation

/// Which presentations are listed, and how.
struct InboxListing: ParsableArguments {
    enum Stage: String, ExpressibleByArgument, CaseIterable {
        case open
        case ended
        case all

        /// What is said where there are none.
        fileprivate var none: String {
            switch self {
            case .open: "nothing waits for an answer"
            case .ended: "nothing has ended yet"
            case .all: "nothing waits for an answer, and nothing has ended yet"
            }
        }
    }

    @Option(help: "open, ended or all.")
    var stage = Stage.open

    @Option(help: "At most so many, 1 to 10000.")
    var limit = 1_000

    @Flag(help: "Print the console's list as JSON, with its groups.")
    var json = false

    func validate() throws {
        guard (1...10_000).contains(limit) else {
            throw ValidationError("--limit: found \(limit), allowed: 1 to 10000")
        }
    }

    func print(from client: ConsoleClient) async throws {
        let list = try await client.get("/inbox?stage=\(stage.rawValue)&limit=\(limit)")
        if json { return try StandardOutput.show(list) }
        let items = list["items"]?.arrayValue ?? []
        let rows = InboxRows(items, now: Date(), columns: Terminal.outputColumnCount)
        try StandardOutput.show(rows.lines)
        // The titles alone say that to a script.
        if items.isEmpty, Terminal.isHeard { Terminal.say("bus-node: \(stage.none)") }
        let open = list["openCount"]?.integerValue ?? 0
        if stage == .open, open > items.count {
            Terminal.say("bus-node: \(open) are open, \(items.count) shown (--limit)")
        }
    }
}
