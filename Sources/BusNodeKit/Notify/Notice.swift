import Crypto
import ErrorBus
import Foundation
import OrderedCollections

/// Events of one kind in one group of presentations: the content of one message.
struct Notice: Hashable, Sendable {
    static let textMax = 5
    static let idMax = 20
    private static let originMax = 1_000
    private static let textScalarMax = 300
    private static let titleScalarMax = 70

    /// The facts in a message about the first presentation.
    struct Subject: Codable, Hashable, Sendable {
        let id: String
        let openedAt: Date
        let domain: String
        let code: Int?
        /// The beginning of the report's heading.
        let description: String
        /// The group: the same for equal errors, also in another life of the node.
        let group: String

        init(_ item: InboxItem) {
            id = item.id.description
            openedAt = item.openedAt.date
            domain = item.report.domain
            code = item.report.code
            description = item.report.heading.clipped(ConsoleLimits.descriptionScalarMax)
            group = item.report.groupKey
        }
    }

    /// The first deadline of the presentations.
    struct Due: Codable, Hashable, Sendable {
        let at: Date
        /// The title of the option that is applied then; nil if none is declared.
        let option: String?

        init?(_ item: InboxItem) {
            guard let deadline = item.deadline else { return nil }
            at = (item.openedAt + item.openedAt.instant.duration(to: deadline)).date
            option = item.report.onExpiry.map { id in
                (item.report.title(of: id) ?? id).clipped(Notice.titleScalarMax)
            }
        }
    }

    let event: HookSettings.Event
    let first: Subject
    /// The item of that presentation; nil in a message from an earlier life of the node, which has
    /// no links that answer.
    let item: InboxItem?
    private(set) var count = 0
    private(set) var severity: Severity
    /// The descriptions, with the number of presentations that have each.
    private(set) var texts = Tally()
    /// The reasons of the failures, likewise.
    private(set) var reasons = Tally()
    /// The acts of people or owners, in words, with the number of each.
    private(set) var details = Tally()
    private(set) var ids: [String] = []
    private(set) var origins: OrderedSet<String> = []
    private(set) var due: Due?
    /// The number of presentations of the group that waited for an answer when the message was
    /// made.
    var openCount = 0

    /// Whether people are called for a critical presentation.
    var isUrgent: Bool { event.isUrgent(severity) }

    init(_ event: HookSettings.Event, _ item: InboxItem) {
        self.event = event
        first = Subject(item)
        self.item = item
        severity = item.report.severity
        add(item)
    }

    /// - Parameter isKnown: Whether the presentation is in the message already: then only the act
    ///   on it is new.
    mutating func add(_ item: InboxItem, isKnown: Bool = false) {
        let proposal = event == .proposed ? item.proposal : nil
        let detail = proposal.map { "\($0.option) by \($0.by)" } ?? item.detail
        if let detail { details.add(detail.clipped(Self.textScalarMax)) }
        guard !isKnown else { return }
        count += 1
        severity = max(severity, item.report.severity)
        texts.add(item.report.description.clipped(Self.textScalarMax))
        if let reason = item.report.failureReason, !reason.isEmpty {
            reasons.add(reason.lastLines(Self.textScalarMax))
        }
        if let due = Due(item), due.at < self.due?.at ?? .distantFuture { self.due = due }
        if ids.count < Self.idMax { ids.append(item.id.description) }
        if let origin = item.origin, origins.count < Self.originMax {
            origins.append(origin.description)
        }
    }

    /// Different texts with their counts, the first few by name.
    struct Tally: Codable, Hashable, Sendable {
        private(set) var counts: OrderedDictionary<String, Int> = [:]
        /// The number of other texts.
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

// In the journal, for a dead letter.
extension Notice: Codable {
    private enum CodingKeys: String, CodingKey {
        case event, first, count, severity, texts, reasons, details, ids, origins, due, openCount
    }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        let word = try fields.decode(String.self, forKey: .severity)
        guard let severity = Severity(rawValue: word) else {
            throw DecodingError.dataCorruptedError(
                forKey: .severity, in: fields, debugDescription: "found \(word.shown())")
        }
        self.severity = severity
        event = try fields.decode(HookSettings.Event.self, forKey: .event)
        first = try fields.decode(Subject.self, forKey: .first)
        item = nil
        count = try fields.decode(Int.self, forKey: .count)
        texts = try fields.decode(Tally.self, forKey: .texts)
        // Letters of earlier versions have neither reasons nor a deadline.
        reasons = try fields.decodeIfPresent(Tally.self, forKey: .reasons) ?? Tally()
        due = try fields.decodeIfPresent(Due.self, forKey: .due)
        details = try fields.decode(Tally.self, forKey: .details)
        ids = try fields.decode([String].self, forKey: .ids)
        origins = try fields.decode(OrderedSet<String>.self, forKey: .origins)
        openCount = try fields.decode(Int.self, forKey: .openCount)
    }

    func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(severity.rawValue, forKey: .severity)
        try fields.encode(event, forKey: .event)
        try fields.encode(first, forKey: .first)
        try fields.encode(count, forKey: .count)
        try fields.encode(texts, forKey: .texts)
        try fields.encode(reasons, forKey: .reasons)
        try fields.encode(details, forKey: .details)
        try fields.encode(ids, forKey: .ids)
        try fields.encode(origins, forKey: .origins)
        try fields.encodeIfPresent(due, forKey: .due)
        try fields.encode(openCount, forKey: .openCount)
    }
}

extension String {
    /// The last lines with at most so many scalars; a longer last line is cut at its end. Of what a
    /// command has written the last line says most.
    fileprivate func lastLines(_ limit: Int) -> String {
        var lines = split(separator: "\n")[...]
        while lines.count > 1, lines.reduce(lines.count, { $0 + $1.unicodeScalars.count }) > limit {
            lines.removeFirst()
        }
        return lines.joined(separator: "\n").clipped(limit)
    }
}

extension ErrorReport {
    /// The name of the message's group, the same for equal errors, also in another life of the
    /// node.
    var groupKey: String {
        SHA256.hash(data: Array(CoalescingKey(self).text.utf8)).prefix(8).hex
    }
}

/// The summary of events that got no messages of their own, since there were too many: the number
/// of events of each kind.
struct NoticeSummary: Codable, Hashable, Sendable {
    /// The most groups: as many as a filter of the page can name.
    static let groupMax = 13

    private(set) var counts: [HookSettings.Event: Int] = [:]
    /// The groups of the events; nil if there are more than can be named, or if some were not read.
    private(set) var groups: OrderedSet<String>? = []
    /// The number of changes of presentations that were lost before they could be read.
    private(set) var missed = 0
    /// The word of ``severity``; absent in letters of earlier versions.
    private var severityWord: String?

    var count: Int { counts.values.reduce(missed, +) }

    /// The highest severity of the events that call people; nil if there are none of these.
    var severity: Severity? { severityWord.flatMap { Severity(rawValue: $0) } }

    /// - Parameter severity: The highest severity of the events.
    mutating func add(
        _ event: HookSettings.Event, _ count: Int, of severity: Severity,
        in group: @autoclosure () -> String
    ) {
        counts[event, default: 0] += count
        if HookSettings.Event.calling.contains(event) {
            severityWord = max(severity, self.severity ?? severity).rawValue
        }
        guard groups != nil else { return }
        groups?.append(group())
        if let named = groups, named.count > Self.groupMax { groups = nil }
    }

    mutating func miss(_ count: Int) {
        missed += count
        groups = nil
    }
}

/// One message to a hook, the same at each try.
struct NotifyMessage: Hashable, Sendable {
    enum Content: Codable, Hashable, Sendable {
        case notice(Notice)
        case summary(NoticeSummary)
    }

    /// The id of the message, different from that of any other message of this node.
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

    /// The id of the first presentation; nil for several events.
    var presentation: String? {
        switch content {
        case .notice(let notice): notice.first.id
        case .summary: nil
        }
    }

    /// The number of presentations, or of the events of a summary.
    var count: Int {
        switch content {
        case .notice(let notice): notice.count
        case .summary(let summary): summary.count
        }
    }
}

extension InboxItem {
    /// The act on a presentation, and its author; nil without an act. Ends have the words of the
    /// list.
    fileprivate var detail: String? {
        switch stage {
        case .open: nil
        case .claimed(let by, _): "by \(by)"
        case .leaving(let answer, _), .answered(let answer):
            "\(answer.option) by \(answer.authors) (\(answer.via.rawValue))"
        case .settled(let answer, let result):
            "\(answer.option) by \(answer.authors): \(ending ?? result.words)"
        case .closed: ending
        }
    }
}
