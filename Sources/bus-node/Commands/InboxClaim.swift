import ArgumentParser
import ErrorBus

/// `bus-node inbox claim`.
struct InboxClaim: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "claim",
        abstract: "Take a presentation on, so that others see it, or give it back.",
        discussion: "Example: bus-node inbox claim 01920000 --for 5m --to http://127.0.0.1:8080")

    @OptionGroup var target: InboxTarget

    @Argument(help: "A presentation's id, or the beginning or end of one.")
    var id: String

    @Option(name: .customLong("for"), help: "How long it is yours, at most 1h.")
    var time = "5m"

    @Flag(help: "Also when another person has it.")
    var takeOver = false

    @Flag(help: "Give it back.")
    var release = false

    @Option(help: "Who claims it; the user's name when not given.")
    var by: String?

    @Flag(help: "Print the console's reply as JSON.")
    var json = false

    func run() async throws {
        try await orFail {
            let length = try Target.duration(time, option: "--for")
            guard length > .zero, length <= .seconds(3_600) else {
                throw Failure(.usage, "--for: found \"\(time)\", allowed: above 0, at most 1h")
            }
            let client = try target.client()
            let path = "/presentations/\(try await client.id(id))/"
            let name = JSONValue.string(by ?? InboxAnswer.user)
            let item =
                release
                ? try await client.post(path + "release", ["by": name])
                : try await client.post(
                    path + "claim",
                    [
                        "by": name, "forMilliseconds": .integer(Int64(length / .milliseconds(1))),
                        "takeOver": .bool(takeOver),
                    ])
            if json { return try StandardOutput.print(item) }
            try StandardOutput.print(InboxRows.stage(item).shown())
        }
    }
}
