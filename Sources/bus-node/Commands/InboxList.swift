import ArgumentParser
import ErrorBus
import Foundation

/// `bus-node inbox list`.
struct InboxList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List presentations, oldest change first.",
        discussion: "Example: bus-node inbox list --to http://127.0.0.1:8080 --stage all")

    enum Stage: String, ExpressibleByArgument, CaseIterable {
        case open
        case ended
        case all
    }

    @OptionGroup var target: InboxTarget

    @Option(help: "open, ended or all.")
    var stage = Stage.open

    @Option(help: "At most so many, 1 to 10000.")
    var limit = 1_000

    @Flag(help: "Print the console's list as JSON, with its groups.")
    var json = false

    func run() async throws {
        try await orFail {
            guard (1...10_000).contains(limit) else {
                throw Failure(.usage, "--limit: found \(limit), allowed: 1 to 10000")
            }
            let list = try await target.client().get(
                "/inbox?stage=\(stage.rawValue)&limit=\(limit)")
            if json { return try StandardOutput.print(list.encoded()) }
            let items = list["items"]?.arrayValue ?? []
            try StandardOutput.print(InboxRows(items, now: Date()).lines)
            let open = list["openCount"]?.integerValue ?? 0
            if stage == .open, open > items.count {
                Terminal.say("bus-node: \(open) are open, \(items.count) shown (--limit)")
            }
        }
    }
}
