import ErrorBus
import OrderedCollections

/// Events of one kind in one group of presentations: the content of one message.
struct Notice: Hashable, Sendable {
    static let textMax = 5
    static let idMax = 20
    private static let originMax = 1_000
    private static let textScalarMax = 300

    let event: HookSettings.Event
    /// The presentation that came first, to which the message links.
    let first: InboxItem
    private(set) var count = 0
    private(set) var severity: Severity
    /// The descriptions, and how many presentations have each.
    private(set) var texts = Tally()
    /// What people or owners did, in words, and to how many presentations.
    private(set) var details = Tally()
    private(set) var ids: [PresentationID] = []
    private(set) var origins: OrderedSet<String> = []
    /// How many presentations of the group waited for an answer when the message was made.
    var openCount = 0

    init(_ event: HookSettings.Event, _ item: InboxItem) {
        self.event = event
        first = item
        severity = item.report.severity
        add(item)
    }

    mutating func add(_ item: InboxItem) {
        count += 1
        severity = max(severity, item.report.severity)
        texts.add(item.report.description.clipped(Self.textScalarMax))
        let proposal = event == .proposed ? item.proposal : nil
        let detail = proposal.map { "\($0.option) by \($0.by)" } ?? item.stage.detail
        if let detail { details.add(detail.clipped(Self.textScalarMax)) }
        if ids.count < Self.idMax { ids.append(item.id) }
        if let origin = item.origin, origins.count < Self.originMax {
            origins.append(origin.description)
        }
    }

    /// Different texts with their counts, the first few by name.
    struct Tally: Hashable, Sendable {
        private(set) var counts: OrderedDictionary<String, Int> = [:]
        /// How many had other texts.
        private(set) var others = 0

        fileprivate mutating func add(_ text: String) {
            if counts[text] != nil || counts.count < Notice.textMax {
                counts[text, default: 0] += 1
            } else {
                others += 1
            }
        }
    }
}

/// What did not become messages of their own, since there were too many: how many events of each
/// kind.
struct NoticeSummary: Hashable, Sendable {
    private(set) var counts: [HookSettings.Event: Int] = [:]
    /// Changes of presentations that were lost before they could be read.
    var missed = 0

    var count: Int { counts.values.reduce(missed, +) }

    mutating func add(_ event: HookSettings.Event, _ count: Int) {
        counts[event, default: 0] += count
    }
}

/// One message to a hook, the same at each try.
struct NotifyMessage: Hashable, Sendable {
    enum Content: Hashable, Sendable {
        case notice(Notice)
        case summary(NoticeSummary)
    }

    /// Different from that of any other message of this node.
    let id: String
    let content: Content
    let madeAt: Moment

    /// The kind of event; `summary` for several.
    var event: String {
        switch content {
        case .notice(let notice): notice.event.rawValue
        case .summary: "summary"
        }
    }

    /// The number of events.
    var count: Int {
        switch content {
        case .notice(let notice): notice.count
        case .summary(let summary): summary.count
        }
    }
}

extension InboxItem.Stage {
    /// What was done to a presentation, and by whom; nil while nothing was.
    fileprivate var detail: String? {
        switch self {
        case .open: nil
        case .claimed(let by, _): "by \(by)"
        case .leaving(let answer, _), .answered(let answer):
            "\(answer.option) by \(answer.authors) (\(answer.via.rawValue))"
        case .settled(let answer, let result):
            "\(answer.option) by \(answer.authors): \(result.words)"
        case .closed(let reason): reason == .declined ? "passed on" : reason.rawValue
        }
    }
}
