import ArgumentParser
import BusNodeKit
import ErrorBus

/// `bus-node inbox notify`: the hooks of a node, and what they could not deliver.
struct InboxNotify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notify",
        abstract: "List hooks and the messages that they could not deliver; send these again.",
        discussion: "Example: bus-node inbox notify --topology topology.yaml",
        subcommands: [InboxNotifyList.self, InboxNotifyRetry.self],
        defaultSubcommand: InboxNotifyList.self)
}

/// `bus-node inbox notify list`.
struct InboxNotifyList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the hooks, and their dead letters by number.",
        discussion: "Example: bus-node inbox notify list --topology topology.yaml")

    @OptionGroup var target: InboxTarget

    @Flag(help: "Print the console's list as JSON.")
    var json = false

    func run() async throws {
        try await orFail {
            let list = try await target.client().get("/notify")
            if json { return try StandardOutput.show(list) }
            try StandardOutput.show(HookRows.lines(list, columns: Terminal.outputColumnCount))
        }
    }
}

/// `bus-node inbox notify retry`.
struct InboxNotifyRetry: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Send dead letters again.",
        discussion: """
            Exits 1 when there is no such letter; the others are sent again all the same.

            Example: bus-node inbox notify retry 3 --topology topology.yaml
            """)

    @OptionGroup var target: InboxTarget

    @Argument(help: "The numbers of the letters.")
    var numbers: [Int]

    @Option(help: "Who sends them; the user's name when not given.")
    var by: String?

    func run() async throws {
        try await orFail {
            let client = try target.client()
            let name = try await client.person(by)
            var isRefused = false
            for number in numbers {
                do {
                    _ = try await client.post(
                        "/notify/dead/\(number)/retry", ["by": .string(name)])
                } catch let failure as Failure where failure.status == .declined {
                    // Another person has sent it meanwhile, for instance.
                    isRefused = true
                    Terminal.say("bus-node: " + failure.text.shown())
                }
            }
            guard !isRefused else { throw ExitStatus.declined.exitCode }
        }
    }
}
