import ErrorBus
import Foundation
import Glibc

/// One presentation as a console lists it.
struct InboxEntry: Sendable {
    enum Stage: String, Sendable {
        case open, claimed, leaving, answered, settled, closed
    }

    let id: String
    let json: JSONValue
    let revision: Int64
    let group: Int64
    let stage: Stage
    let severity: Severity
    let openedAt: Date
    let changedAt: Date
    /// When answers are taken no more, by this process's clock.
    let deadline: ContinuousClock.Instant?
    let options: [ErrorReport.Option]
    /// What a filter looks through, in lower case.
    let searched: [CChar]

    /// Nil for what is no presentation.
    init?(_ json: JSONValue, at now: Moment) {
        guard let stage = Stage(rawValue: json.text("stage")), !json.text("id").isEmpty else {
            return nil
        }
        self.json = json
        self.stage = stage
        id = json.text("id")
        revision = json["revision"]?.integerValue ?? 0
        group = json["group"]?.integerValue ?? -1
        severity = Severity(rawValue: json.text("severity")) ?? .error
        openedAt = InboxRows.date(json.text("openedAt")) ?? now.date
        changedAt = InboxRows.date(json.text("changedAt")) ?? now.date
        let left = json["deadlineInMilliseconds"]?.integerValue
        deadline = left.map { now.instant + .milliseconds($0) }
        options = json.offeredOptions
        let code = json["code"]?.integerValue.map(String.init) ?? ""
        let words =
            ["description", "domain", "severity", "origin", "id", "claimedBy", "result", "reason"]
            .map(json.text) + [code, json["answer"]?.text("by") ?? ""] + json.texts("path")
            + options.map(\.title)
        searched = Self.searchable(words.joined(separator: " "))
    }

    var description: String {
        let text = json.text("description")
        return text.allSatisfy(\.isWhitespace) ? json.text("domain") : text
    }

    var origin: String { json["origin"]?.stringValue ?? "this node" }

    /// A person may still answer it.
    var isOpen: Bool { stage == .open || stage == .claimed }

    /// A person may still answer it, or take an answer back.
    var isLive: Bool { isOpen || stage == .leaving }

    /// Who looks after it; a claim that has run out counts no more.
    func claimant(at now: Date) -> String? {
        guard stage == .claimed, let until = InboxRows.date(json.text("claimedUntil")), until > now
        else { return nil }
        return json.text("claimedBy")
    }

    var answeredBy: String { json["answer"]?.text("by") ?? "" }

    /// The title of the option that was chosen.
    var answerTitle: String {
        let id = json["answer"]?.text("option") ?? ""
        return options.first { $0.id == id }.map(PromptKeys.shownTitle) ?? id.shown()
    }

    /// The title of what is applied when no answer comes in time; nil where nothing is said of it.
    var expiryTitle: String? {
        guard let id = json["onExpiry"]?.stringValue else { return nil }
        return options.first { $0.id == id }.map(PromptKeys.shownTitle) ?? id.shown()
    }

    /// Oldest first.
    func comesBefore(_ other: InboxEntry) -> Bool {
        openedAt != other.openedAt ? openedAt < other.openedAt : id < other.id
    }

    func contains(_ words: [[CChar]]) -> Bool { words.allSatisfy { strstr(searched, $0) != nil } }

    /// As `contains` wants it, for C: without zeros in it.
    static func searchable(_ text: String) -> [CChar] {
        text.lowercased().utf8.filter { $0 != 0 }.map(CChar.init(bitPattern:)) + [0]
    }

    /// What came of it, in words.
    var outcome: String {
        switch json.text("result") {
        case "recovered":
            let again = json.text("failedAgain")
            return again.isEmpty ? "Recovered" : "Recovered, and failed again"
        case "failed": return "Not recovered"
        case "late": return "Came too late: another answer was applied before"
        case "withdrawn": return "Withdrawn: the origin had given up"
        case "invalid": return "Refused by its origin: not its option"
        case "unknown": return "Not known: the answer could not be delivered"
        default: break
        }
        guard stage == .closed else { return "Sent; waiting to hear what came of it" }
        return "Closed without an answer here: \(json.ending.shown())"
    }
}
