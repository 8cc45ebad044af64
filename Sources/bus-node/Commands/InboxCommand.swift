import ArgumentParser
import BusNodeKit
import ErrorBus
import Foundation
import OrderedCollections
import Synchronization

/// `bus-node inbox`: lists and answers the presentations at a node's console.
struct InboxCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inbox",
        abstract: "List and answer the open presentations at a node's console.",
        usage: "bus-node inbox [--to ADDRESS | --topology FILE [--node NODE]] [--by PERSON] ...",
        discussion: """
            At a terminal the inbox is full-screen; elsewhere, or with --json, a list. \
            Talks to the console of a running node. Exits 0 when done, 1 when the console refused \
            (another answer was first, no such presentation), 64 when the option is not \
            offered, 69 when no console answers, 77 when the token is missing or wrong.

            Every subcommand, and inbox without one, takes: --to ADDRESS (else BUS_NODE_CONSOLE), \
            or --topology FILE (else BUS_NODE_TOPOLOGY) with --node NODE where several nodes have \
            a console; --token-file FILE (else the token itself in BUS_NODE_CONSOLE_TOKEN); --ca \
            FILE (else BUS_NODE_CONSOLE_CA), the private authorities of an https console. \
            Without a subcommand also: --by PERSON, who decides; --stage, --limit and --json, \
            which list. bus-node inbox screen --help has them one by one.

            Other users of the machine can read a token in --to: put such an address into \
            BUS_NODE_CONSOLE='http://127.0.0.1:8080/?token=...'.

            Example: bus-node inbox --topology topology.yaml
            """,
        subcommands: [
            InboxFullScreen.self, InboxList.self, InboxShow.self, InboxAnswer.self, InboxUndo.self,
            InboxDecline.self, InboxClaim.self, InboxNoteCommand.self, InboxWatch.self,
            InboxSilence.self, InboxNotify.self,
        ],
        defaultSubcommand: InboxFullScreen.self)
}

/// The console that an inbox command talks to, and the person who acts.
struct InboxTarget: ParsableArguments {
    @Option(
        help: """
            The console's address, as http://127.0.0.1:8080 or https://console.example:8443, or \
            the whole address with ?token= that the node printed; BUS_NODE_CONSOLE when not given.
            """)
    var to: String?

    @Option(
        help: "A topology file, to find the console by its node's name; else BUS_NODE_TOPOLOGY.")
    var topology: String?

    @Option(help: "The node of the topology that has the console.")
    var node: String?

    @Option(help: "The file that the console's token is in; BUS_NODE_CONSOLE_TOKEN is the token.")
    var tokenFile: String?

    @Option(
        help: """
            A PEM file of the authorities that may sign an https console's certificate, instead of \
            the system's; BUS_NODE_CONSOLE_CA when not given.
            """)
    var ca: String?

    /// The console to talk to.
    func client() throws -> ConsoleClient {
        let environment = ProcessInfo.processInfo.environment
        guard to == nil || (topology == nil && node == nil) else {
            throw Failure(.usage, "give either --to ADDRESS or --topology FILE --node NAME")
        }
        var address: ConsoleAddress
        if let to {
            address = try ConsoleAddress(to, option: "--to")
        } else if topology == nil, node == nil, let text = environment[filled: "BUS_NODE_CONSOLE"] {
            address = try ConsoleAddress(text, option: "BUS_NODE_CONSOLE")
        } else if let path = topology ?? environment[filled: "BUS_NODE_TOPOLOGY"] {
            address = try self.address(in: path)
        } else {
            throw Failure(
                .usage,
                "no console: give --to http://HOST:PORT or https://HOST:PORT, or --topology FILE "
                    + "--node NAME, or set BUS_NODE_CONSOLE")
        }
        if let tokenFile {
            address.token = try ConsoleToken(file: tokenFile).text
        } else {
            address.token =
                address.token ?? environment[filled: "BUS_NODE_CONSOLE_TOKEN"]
                ?? address.token(knownTo: known(in: environment))
        }
        guard ca == nil || address.isSecure else {
            throw Failure(.usage, "--ca: found an http address, expected https://HOST:PORT")
        }
        let authorities = ca ?? environment[filled: "BUS_NODE_CONSOLE_CA"]
        return try ConsoleClient(address, trusting: authorities)
    }

    /// The consoles that the environment names. What cannot be read there was not asked for.
    private func known(in environment: [String: String]) -> [ConsoleAddress] {
        let given = environment[filled: "BUS_NODE_CONSOLE"].flatMap {
            try? ConsoleAddress($0, option: "BUS_NODE_CONSOLE")
        }
        let topology = environment[filled: "BUS_NODE_TOPOLOGY"].flatMap {
            try? TopologyLoader.load($0).topology
        }
        let consoles = (topology?.settings ?? []).flatMap { node in
            node.presenters.compactMap(\.console).compactMap {
                try? ConsoleAddress($0, of: node.name)
            }
        }
        return [given].compactMap(\.self) + consoles
    }

    /// The console's address in a topology; with one console no node has to be named.
    private func address(in path: String) throws -> ConsoleAddress {
        let topology = try TopologyLoader.load(path).topology
        if let node { _ = try topology.node(named: node, in: path) }
        let consoles = topology.settings.compactMap { node in
            node.presenters.lazy.compactMap(\.console).first.map { (node: node.name, $0) }
        }
        let known = consoles.map(\.node.description).joined(separator: ", ")
        let wanted = consoles.filter { node == nil || $0.node.description == node }
        guard let (name, settings) = wanted.first, wanted.count == 1 else {
            let found = node.map { "no node \"\($0)\" with a console" } ?? "no --node"
            guard !consoles.isEmpty else {
                throw Failure(
                    .usage,
                    "\(path.shown()): no node has a console; add one to a node's presenters, as in "
                        + "console: { listen: 127.0.0.1:8080, token: file:PATH }")
            }
            throw Failure(.usage, "\(path.shown()): found \(found); nodes with a console: \(known)")
        }
        return try ConsoleAddress(settings, of: name)
    }
}

extension PresenterSettings {
    fileprivate var console: ConsoleSettings? {
        if case .console(let settings) = self { settings } else { nil }
    }
}

/// The choice and the form of a list.
struct InboxListing: ParsableArguments {
    enum Stage: String, ExpressibleByArgument, CaseIterable {
        case open
        case ended
        case all

        /// The message for an empty list.
        fileprivate var none: String {
            switch self {
            case .open: "nothing waits for an answer"
            case .ended: "nothing has ended yet"
            case .all: "nothing waits for an answer, and nothing has ended yet"
            }
        }

        /// The message for an empty list of what matches a search.
        fileprivate var noMatch: String {
            switch self {
            case .open: "nothing that waits for an answer matches"
            case .ended: "nothing that has ended matches"
            case .all: "no presentation matches"
            }
        }
    }

    @Option(help: "open, ended or all. (default: open)")
    var stage: Stage?

    @Option(help: "The most presentations listed, 1 to 10000. (default: 1000)")
    var limit: Int?

    @Flag(help: "Print the console's list as JSON, with its groups.")
    var json = false

    /// The given stage, else every one for a condition on the end or the answer, which few open
    /// presentations have, else the open one.
    func listedStage(matching conditions: [String: String]) -> Stage {
        let isOfEnded = ["end", "option"].contains { conditions[$0]?.isEmpty == false }
        return stage ?? (isOfEnded ? .all : .open)
    }

    /// The stage of a list, as long as it can be in that order.
    func listedStage(in sort: InboxSort?, matching conditions: [String: String]) throws -> Stage {
        let stage = listedStage(matching: conditions)
        guard sort == nil || stage == .open else {
            throw Failure(
                .usage,
                "--sort: found a list of the stage \(stage.rawValue), which has no such order: "
                    + "give --stage open")
        }
        return stage
    }

    /// - Parameters:
    ///   - sort: Another order than by the latest change.
    ///   - conditions: The conditions of a search, by their names in a query.
    func print(
        from client: ConsoleClient, in sort: InboxSort? = nil,
        matching conditions: [String: String] = [:]
    ) async throws {
        if let limit { try CountOption.check(limit, option: "--limit", in: 1...10_000) }
        let stage = try listedStage(in: sort, matching: conditions)
        let list = try await client.list(
            stage: stage.rawValue, limit: limit ?? 1_000, sort: sort, matching: conditions)
        if json { return try StandardOutput.show(list) }
        let items = list.views("items", of: PresentationView.self)
        let rows = InboxRows(items, now: Date(), columns: Terminal.outputColumnCount)
        try StandardOutput.show(rows.lines)
        // For a script the column titles alone mean an empty list.
        if items.isEmpty, Terminal.isHeard {
            Terminal.say("bus-node: \(conditions.isEmpty ? stage.none : stage.noMatch)")
        }
        guard conditions.isEmpty else {
            if list["isLast"]?.boolValue == false {
                Terminal.say("bus-node: more match than the \(items.count) shown (--limit)")
            }
            return
        }
        let open = list["openCount"]?.integerValue ?? 0
        if stage == .open, open > items.count {
            Terminal.say("bus-node: \(open) are open, \(items.count) shown (--limit)")
        } else if stage != .open, list["isLast"]?.boolValue == false {
            Terminal.say("bus-node: more changed than the \(items.count) oldest shown (--limit)")
        }
    }
}

/// `bus-node inbox screen`, the default of `bus-node inbox`.
struct InboxFullScreen: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "screen",
        abstract: "See and answer open presentations, full-screen; a list without a terminal.",
        discussion: """
            Prints a list when standard input or output is not a terminal, or with --json, --stage \
            or --limit. ? shows the keys, q quits. NO_COLOR turns colours off.

            Example: bus-node inbox --topology topology.yaml --by ann
            """)

    @OptionGroup var target: InboxTarget
    @OptionGroup var listing: InboxListing

    @Option(help: "Who decides, for the record; the user's name when not given.")
    var by: String?

    func run() async throws {
        try await orFail {
            let client = try target.client()
            guard Terminal.canFillScreen, !listing.isChosen else {
                return try await listing.print(from: client)
            }
            try await InboxScreenSession(client, person: try await client.person(by)).run()
        }
    }
}

extension InboxListing {
    /// Whether the options ask for a list.
    fileprivate var isChosen: Bool { json || stage != nil || limit != nil }
}

/// `bus-node inbox list`.
struct InboxList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List presentations, oldest change first.",
        discussion: """
            With --sort lists the open ones in an order of the page: gravity (the most severe \
            first), deadline (the soonest), age (the oldest) or count (the largest group). \
            Without a condition lists all in the stage; with --end or --option, and without \
            --stage, lists every stage. --by, --origin, --domain, --option and --end take * for \
            any run of characters, --since and --until a time such as 2026-11-21T10:00:00Z, a day \
            (in UTC; --until includes it), or how long ago, as in 2h. bus-node history searches \
            also what ended long ago.

            Example: bus-node inbox list --topology topology.yaml --severity critical
            """)

    @OptionGroup var target: InboxTarget
    @OptionGroup var listing: InboxListing

    @Option(help: "The order of the open presentations: gravity, deadline, age or count.")
    var sort: InboxSort?

    @OptionGroup var search: FilterOptions

    func run() async throws {
        try await orFail {
            _ = try search.filter  // Else the console would refuse it in its own words.
            try await listing.print(from: try target.client(), in: sort, matching: search.given)
        }
    }
}

extension InboxSort: ExpressibleByArgument {}

/// `bus-node inbox show`.
struct InboxShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show all of one presentation, with its history.",
        discussion: "Example: bus-node inbox show 01920000 --topology topology.yaml")

    @OptionGroup var target: InboxTarget

    @Argument(help: "A presentation's id, or the beginning or end of one.")
    var id: String

    @Flag(help: "Print it as JSON.")
    var json = false

    func run() async throws {
        try await orFail {
            let client = try target.client()
            let item = try await client.get("/presentations/\(try await client.id(id))")
            if json { return try StandardOutput.show(item) }
            try StandardOutput.show(InboxDetail(item).lines)
        }
    }
}

/// `bus-node inbox watch`.
struct InboxWatch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Print the open presentations, then every change, until Ctrl-C.",
        discussion: """
            Prints a line for each presentation that changed. Restores a lost connection and then \
            prints the changes in between. Exits 69 when no console answers at the start.

            Example: bus-node inbox watch --topology topology.yaml --json
            """)

    @OptionGroup var target: InboxTarget

    @Flag(help: "Print each presentation as a line of JSON.")
    var json = false

    func run() async throws {
        try await orFail {
            let client = try target.client()
            let feed = InboxFeed(client: client, stage: "open", listsAgain: false)
            let watched = Mutex(WatchedChanges())
            try await feed.run { [self] event in
                switch event {
                case .listed(let change), .change(let change):
                    try show(watched.withLock { $0.news(in: change) })
                case .hello(let hello): watched.withLock { $0.begin(hello) }
                case .lost(let reason): Terminal.say("bus-node: \(reason.shown())")
                }
            }
        }
    }

    private func show(_ items: [JSONValue]) throws {
        guard json else {
            return try StandardOutput.show(
                items.compactMap { PresentationView(json: $0) }.map(Self.line))
        }
        for item in items { try StandardOutput.show(item) }
    }

    private static func line(_ item: PresentationView) -> String {
        let options = item.stage == "open" ? " (\(item.optionIDs.joined(separator: " ")))" : ""
        return [
            item.changedAt, item.id, item.stageShown, item.severity, item.originShown ?? "",
            item.description + options,
        ].joined(separator: "  ").shown()
    }
}
