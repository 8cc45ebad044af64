import ArgumentParser
import BusNodeKit
import ErrorBus
import Foundation

/// `bus-node inbox silence`: errors that are not presented for a while.
struct InboxSilence: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "silence",
        abstract: "List, add and end silences: errors that are not presented for a while.",
        discussion: """
            A silenced error is answered with the silence's option, else with the option that its \
            report declares for expiry, else withheld.

            Example: bus-node inbox silence --topology topology.yaml
            """,
        subcommands: [InboxSilenceList.self, InboxSilenceAdd.self, InboxSilenceEnd.self],
        defaultSubcommand: InboxSilenceList.self)
}

/// `bus-node inbox silence list`.
struct InboxSilenceList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the silences in force; with --all also ended ones.",
        discussion: "Example: bus-node inbox silence list --all --topology topology.yaml")

    @OptionGroup var target: InboxTarget

    @Flag(help: "Also list ended silences.")
    var all = false

    @Flag(help: "Print the console's list as JSON.")
    var json = false

    func run() async throws {
        try await orFail {
            var list = try await target.client().get("/silences").objectValue ?? [:]
            if !all {
                let known = list["silences"]?.arrayValue ?? []
                list["silences"] = .array(known.filter { $0["stage"] == "active" })
            }
            if json { return try StandardOutput.show(.object(list)) }
            let silences = JSONValue.object(list).views("silences", of: SilenceView.self)
            let rows = SilenceRows(silences, columns: Terminal.outputColumnCount)
            try StandardOutput.show(rows.lines)
        }
    }
}

/// `bus-node inbox silence add`.
struct InboxSilenceAdd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Silence matching errors for a while.",
        discussion: """
            KEY is domain, code, severity, origin or userInfo.FIELD. PATTERN is a text, a text \
            with * or a /regex/. A key that is given twice matches either pattern. Prints the \
            silence's number, or with --dry-run the number of open presentations that match. At a \
            terminal a sentence also says how the silence would end these, or what is silenced and \
            until when. With --also-open an option that no open match offers is refused.

            Example: bus-node inbox silence add --match domain=com.acme.db --for 2h \
            --comment 'the disk is being changed' --topology topology.yaml
            """)

    /// How long a silence may be in force.
    static let lengths: ClosedRange<Duration> = .seconds(1) ... .seconds(30 * 86_400)

    @OptionGroup var target: InboxTarget

    @Option(
        help: ArgumentHelp("A condition. Repeatable: all must match.", valueName: "key=pattern"))
    var match: [String] = []

    @Option(help: "How long, 1s to 30d.")
    var `for`: String

    @Option(help: "The reason, shown to other people.")
    var comment: String

    @Option(help: "The id of the option that is chosen where it is offered.")
    var option: String?

    @Flag(help: "Also end matching presentations that are open now and not claimed.")
    var alsoOpen = false

    @Flag(help: "Only print how many open presentations match, and make no silence.")
    var dryRun = false

    @Option(help: "Who silences; the user's name when not given.")
    var by: String?

    @Flag(help: "Print the console's reply as JSON.")
    var json = false

    func run() async throws {
        try await orFail {
            let length = try Target.duration(`for`, option: "--for", in: Self.lengths)
            let isForPeople = Terminal.outputColumnCount != nil
            let pattern = try Self.pattern(match)
            let client = try target.client()
            if dryRun {
                var request: [String: JSONValue] = ["match": pattern]
                request["option"] = option.map { .string($0) }
                let reply = try await client.post("/silences/preview", .object(request))
                if json { return try StandardOutput.print(reply) }
                let count = reply["open"]?.integerValue ?? 0
                return try StandardOutput.print(
                    Self.labelled("\(count)", isForPeople) { _ in
                        InboxNotices.previewed(open: count, reply, alsoOpen: alsoOpen)
                    })
            }
            let reply = try await client.post(
                "/silences",
                [
                    "match": pattern, "by": .string(try await client.person(by)),
                    "comment": .string(comment),
                    "forMilliseconds": .milliseconds(length),
                    "option": option.map { .string($0) } ?? .null, "alsoOpen": .bool(alsoOpen),
                ])
            if json { return try StandardOutput.print(reply) }
            let number = reply["silence"]?["number"]?.integerValue ?? 0
            try StandardOutput.print(
                Self.labelled("\(number)", isForPeople) { "silence \($0), for \(`for`)" })
            if Terminal.isHeard, let silence = SilenceView(json: reply["silence"] ?? .null) {
                Terminal.say("bus-node: \(InboxNotices.silenced(silence, at: Date()))")
            }
            let count = reply["applied"]?.integerValue ?? 0
            if alsoOpen {
                Terminal.say("bus-node: ended \(InboxNotices.silenced(open: count, reply))")
            }
        }
    }

    /// A number: bare for scripts, with a text for people.
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

/// `bus-node inbox silence end`.
struct InboxSilenceEnd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "end",
        abstract: "End a silence early.",
        discussion: """
            Exits 1 when it has ended, or no silence has that number.

            Example: bus-node inbox silence end 3 --topology topology.yaml
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
            let client = try target.client()
            let silence = try await client.post(
                "/silences/\(number)/end", ["by": .string(try await client.person(by))])
            if json { return try StandardOutput.print(silence) }
            try StandardOutput.print(silence.text("stage"))
        }
    }
}
