import DequeModule
import ErrorBus
import HTTPTypes
import Hummingbird
import NIOCore

// The numbers of a console and its node for Prometheus, read from what they are kept for.
extension ConsoleAPI {
    func metrics(
        asking node: @escaping @Sendable () async -> NodeStatus?
    ) async throws(APIProblem) -> Response {
        guard
            let status = await withTimeLimit(
                ConsoleLimits.statusTime, clock: clock, operation: node)
        else { throw Self.stuck }
        return Response(
            status: .ok, headers: [.contentType: MetricsText.contentType],
            body: ResponseBody(byteBuffer: ByteBuffer(string: await metrics(status).text)))
    }

    /// - Parameter status: The node's status; nil until the node is made.
    func metrics(_ status: NodeStatus?) async -> MetricsText {
        var text = MetricsText()
        addPresentations(to: &text)
        addHooks(to: &text)
        if let status { text.addLinks(status) }
        if let unwritten = await console.kept?.keeper.unwritten {
            text.add(
                "journal_unwritten", .gauge, "Changes that the journal lacks.",
                [
                    .init(("of", "presentations"), count: unwritten.presentations),
                    .init(("of", "events"), count: unwritten.events),
                ])
        }
        let connections = console.connections.counts
        text.add(
            "console_connections", .gauge, "Open connections to the console.",
            [
                .init(("token", "shown"), count: connections.known),
                .init(("token", "none"), count: connections.all - connections.known),
            ])
        text.add(
            "console_event_streams", .gauge, "Open event streams of the console.",
            [.init(count: feed.streams.count)])
        return text
    }

    private func addPresentations(to text: inout MetricsText) {
        struct Key: Hashable {
            let severity: Severity
            let stage: String
        }
        let open = inbox.items().filter(\.stage.isUnderWay)
        let counts = Dictionary(
            open.map { (Key(severity: $0.report.severity, stage: $0.stage.word), 1) },
            uniquingKeysWith: +)
        text.add(
            "presentations", .gauge, "Presentations that wait here, by their severity and stage.",
            Severity.allCases.flatMap { severity in
                InboxItem.Stage.wordsUnderWay.map { stage in
                    MetricsText.Sample(
                        ("severity", severity.rawValue), ("stage", stage),
                        count: counts[Key(severity: severity, stage: stage)] ?? 0)
                }
            })
        let now = Moment.now.instant
        let oldest = open.map { $0.openedAt.instant.duration(to: now) }.max() ?? .zero
        text.add(
            "presentation_age_seconds_max", .gauge, "The age of the oldest that waits here.",
            [.init(count: Int(max(oldest, .zero) / .seconds(1)))])
        let answers = console.history.answers
        text.add(
            "answers_total", .counter, "Answers since the node's start, by how they were made.",
            Answer.Via.allCases.map {
                MetricsText.Sample(("via", $0.rawValue), count: answers[$0] ?? 0)
            })
    }

    private func addHooks(to text: inout MetricsText) {
        guard let machine = console.notifier?.machine else { return }
        func add(
            _ name: String, _ kind: MetricsText.Kind, _ help: String,
            _ count: (HookMachine) -> Int
        ) {
            text.add(
                "hook_\(name)", kind, help,
                machine.hooks.map {
                    MetricsText.Sample(("hook", $0.settings.name.description), count: count($0))
                })
        }
        add("messages_total", .counter, "Messages that were delivered.") { $0.sentCount }
        add("messages_waiting", .gauge, "Messages that wait, or are tried again.") {
            $0.waiting.count
        }
        add("messages_dead", .gauge, "Dead letters that are kept.") { hook in
            machine.dead.count { $0.hook == hook.settings.name }
        }
        add("failing", .gauge, "1 while the last try failed.") { $0.failure == nil ? 0 : 1 }
    }
}

/// Samples in the text format of Prometheus, version 0.0.4.
struct MetricsText {
    enum Kind: String {
        /// A value that grows and falls.
        case gauge
        /// A value that only grows in one life of the node.
        case counter
    }

    /// A number with the labels that distinguish it from others of its metric: words of this
    /// program, and names from its own configuration. Text of a peer would make any number of
    /// series.
    struct Sample {
        let labels: [(name: String, value: String)]
        let count: Int

        init(_ labels: (name: String, value: String)..., count: Int) {
            self.labels = labels
            self.count = count
        }

        fileprivate var line: String {
            let texts = labels.map { "\($0.name)=\"\($0.value)\"" }
            return (texts.isEmpty ? "" : "{\(texts.joined(separator: ","))}") + " \(count)"
        }
    }

    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private(set) var text = ""

    /// Adds a metric; without samples, adds nothing.
    mutating func add(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample]) {
        guard !samples.isEmpty else { return }
        text += "# HELP errorbus_\(name) \(help)\n# TYPE errorbus_\(name) \(kind.rawValue)\n"
        for sample in samples { text += "errorbus_\(name)\(sample.line)\n" }
    }
}

extension MetricsText {
    /// Adds the facts that a node knows of its own links.
    fileprivate mutating func addLinks(_ status: NodeStatus) {
        let parents = ParentStatus.State.allCases.map { state in
            Sample(
                ("to", "parent"), ("state", state.rawValue),
                count: status.parents.count { $0.state == state })
        }
        let children = ChildStatus.State.allCases.map { state in
            Sample(
                ("to", "child"), ("state", state.rawValue),
                count: status.children.count { $0.state == state })
        }
        let others = Sample(
            ("to", "child"), ("state", "unlisted"), count: status.childrenLeftOut)
        add("links", .gauge, "Links of the node, by their state.", parents + children + [others])
        add(
            "dropped_total", .counter, "Dropped messages and failed connections, by their kind.",
            status.dropped.sorted { $0.key < $1.key }.map { kind, count in
                Sample(("kind", kind), count: count)
            })
    }
}
