import ArgumentParser
import ErrorBus

/// `bus-node inbox silence add`.
struct InboxSilenceAdd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Silence what matches, for a while.",
        discussion: """
            KEY is domain, code, severity, origin or userInfo.FIELD; PATTERN a text, a text with * \
            or a /regex/. A key that is given twice matches either. Prints the silence's \
            number, or with --dry-run how many are open; at a terminal in a sentence.

            Example: bus-node inbox silence add --match domain=com.acme.db --for 2h \
            --comment 'the disk is being changed' --to http://127.0.0.1:8080
            """)

    @OptionGroup var target: InboxTarget

    @Option(
        help: ArgumentHelp("Which errors. Repeatable: all must match.", valueName: "key=pattern"))
    var match: [String] = []

    @Option(help: "How long, 1s to 30d.")
    var `for`: String

    @Option(help: "Why, for everybody who wonders.")
    var comment: String

    @Option(help: "The id of the option that is chosen where it is offered.")
    var option: String?

    @Flag(help: "Also what is open now and not claimed.")
    var alsoOpen = false

    @Flag(help: "Only print how many that are open would be silenced.")
    var dryRun = false

    @Option(help: "Who silences; the user's name when not given.")
    var by: String?

    @Flag(help: "Print the console's reply as JSON.")
    var json = false

    func run() async throws {
        try await orFail {
            let length = try Target.duration(`for`, option: "--for")
            let isForPeople = Terminal.outputColumnCount != nil
            let pattern = try Self.pattern(match)
            let client = try target.client()
            if dryRun {
                let reply = try await client.post("/silences/preview", ["match": pattern])
                if json { return try StandardOutput.print(reply) }
                let count = reply["open"]?.integerValue ?? 0
                return try StandardOutput.print(
                    Self.labelled("\(count)", isForPeople) {
                        "open now that it would silence: \($0)"
                    })
            }
            let reply = try await client.post(
                "/silences",
                [
                    "match": pattern, "by": .string(by ?? InboxAnswer.user),
                    "comment": .string(comment),
                    "forMilliseconds": .integer(Int64(length / .milliseconds(1))),
                    "option": option.map { .string($0) } ?? .null, "alsoOpen": .bool(alsoOpen),
                ])
            if json { return try StandardOutput.print(reply) }
            let number = reply["silence"]?["number"]?.integerValue ?? 0
            try StandardOutput.print(
                Self.labelled("\(number)", isForPeople) { "silence \($0), for \(`for`)" })
            let count = reply["applied"]?.integerValue ?? 0
            if alsoOpen { Terminal.say("bus-node: \(count) that were open ended") }
        }
    }

    /// A number: bare for scripts, with what it is for people.
    static func labelled(
        _ number: String, _ isForPeople: Bool, _ label: (String) -> String
    ) -> String {
        isForPeople ? label(number) : number
    }

    /// `KEY=PATTERN` as the `match` of a rule.
    static func pattern(_ texts: [String]) throws(Failure) -> JSONValue {
        var fields: [String: JSONValue] = [:]
        for text in texts {
            guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
                throw Failure(.usage, "--match: found \"\(text)\", allowed: KEY=PATTERN")
            }
            let key = String(text[..<equals])
            let value = JSONValue.string(String(text[text.index(after: equals)...]))
            fields[key] = .array((fields[key]?.arrayValue ?? []) + [value])
        }
        guard !fields.isEmpty else {
            throw Failure(.usage, "give at least one --match KEY=PATTERN")
        }
        return .object(fields)
    }
}
