import ErrorBus
import Foundation

extension JSONValue {
    static func time(_ date: Date) -> JSONValue { .string(TimeText.text(date)) }

    static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

    static func count(_ count: Int) -> JSONValue { .integer(Int64(count)) }

    init(_ group: InboxGroup, _ console: Console) {
        self = [
            "number": .count(group.number), "severity": .string(group.severity.rawValue),
            "members": .count(group.members.count), "origins": .count(group.originCount),
            "first": PresentationView(group.first, console).json,
            "ids": .array(
                group.members.prefix(ConsoleLimits.idCountMax).map { .string($0.description) }),
            "url": .text(console.url(ofGroup: group.first.report.groupKey)),
        ]
    }
}

extension PresentationView {
    init(_ item: InboxItem, _ console: Console) {
        let report = item.report
        id = item.id.description
        stage = item.stage.word
        group = Int64(item.group)
        groupKey = report.groupKey
        revision = console.revisions.shown(item.revision)
        domain = report.domain
        code = report.code
        description = report.description.clipped(ConsoleLimits.descriptionScalarMax)
        failureReason = report.endOfReason
        severity = report.severity.rawValue
        origin = item.origin?.description
        originName = item.origin?.words
        path = item.path.map(\.description)
        options = report.options.map { option in
            OptionView(
                option, canSign: !item.unsignable.contains(option.id),
                knowsPeople: console.admission.knowsPeople)
        }
        onExpiry = report.onExpiry
        retryCount = item.retryCount
        wasShownBefore = item.wasShownBefore
        isReachable = item.isReachable
        openedAt = TimeText.text(item.openedAt.date)
        changedAt = TimeText.text(item.changedAt.date)
        deadlineInMilliseconds = item.deadline.map { deadline in
            let left = ContinuousClock.now.duration(to: deadline)
            return Int64(max(.zero, left) / .milliseconds(1))
        }
        proposal = item.proposal.map(ProposalView.init)
        answer = item.answer.map(AnswerView.init)
        ending = item.ending
        outcome = item.outcome
        failedAgain = item.failedAgain?.description
        noteCount = item.notes.count
        url = console.url(of: item.id)
        switch item.stage {
        case .claimed(let by, let until):
            claimedBy = by
            claimedUntil = TimeText.text(until.date)
        case .leaving(_, let at): leavesAt = TimeText.text(at.date)
        case .settled(_, let result): self.result = result.rawValue
        case .closed(let reason): self.reason = reason.rawValue
        case .open, .answered: break
        }
        if item.stage.claim != nil { holder = item.holder.map(ConsoleUser.label) }
    }
}

extension OptionView {
    init(_ option: ErrorReport.Option, canSign: Bool, knowsPeople: Bool) {
        id = option.id
        title = option.title
        role = option.shownRole?.rawValue
        signature = option.needsSignature ? (canSign ? "given" : "missing") : nil
        twoPeople = option.needsTwoPeople ? (knowsPeople ? "known" : "unknown") : nil
        fields = option.fields.map(\.json)
    }
}

extension AnswerView {
    init(_ answer: Answer) {
        id = answer.id.description
        option = answer.option
        by = answer.by
        via = answer.via.rawValue
        second = answer.second
        let given = answer.given
        values = given.values
        secrets = given.secretNames
        comment = given.comment
    }
}

extension NoteView {
    init(_ note: InboxNote) {
        id = note.id.description
        by = note.by
        at = TimeText.text(note.at.date)
        text = note.text
    }
}

extension ProposalView {
    init(_ proposal: InboxProposal) {
        id = proposal.id.description
        option = proposal.option
        by = proposal.by
        person = proposal.identity.map(ConsoleUser.label)
        since = TimeText.text(proposal.since.date)
        until = TimeText.text(proposal.until.date)
        values = proposal.values.values
        secrets = proposal.values.secretNames
        comment = proposal.values.comment
    }
}

extension InboxItem {
    /// The result as a sentence, with the answer that did not count since it could not be recorded;
    /// nil while a person may still answer.
    fileprivate var outcome: String? {
        guard let unwritten else { return result }
        let lost = "\"\(unwritten.option)\" by \(unwritten.authors) was not recorded, and not sent"
        return result.map { "\($0); \(lost)" }
    }

    private var result: String? {
        switch stage {
        case .open, .claimed, .leaving: nil
        case .answered(let answer) where awaitsRecord:
            "Answered by \(answer.authors), but not on disk yet: the answer is sent once the "
                + "journal can be written, and dropped if the presentation ends before"
        case .answered: "Sent; waiting for the result"
        case .settled where isCancelled: "Cancelled: the caller gave up, as answered"
        case .settled(_, .recovered) where failedAgain != nil: "Recovered, then failed again"
        case .settled(_, let result): result.sentence
        case .closed(.withheld): "Withheld: not presented; the caller was informed"
        case .closed: "Closed without an answer here: \(ending ?? "")"
        }
    }
}

extension RecoveryResult {
    fileprivate var sentence: String {
        switch self {
        case .recovered: "Recovered"
        case .failed: "Not recovered"
        case .late: "Came too late: another answer was applied before"
        case .withdrawn: "Withdrawn: the origin gave up before the answer"
        case .invalid:
            "Refused by its owner: not its option, or not signed, confirmed or filled in as needed"
        case .unknown: "Result unknown: the answer could not be delivered"
        }
    }
}

extension InboxItem.Stage {
    var word: String {
        switch self {
        case .open: "open"
        case .claimed: "claimed"
        case .leaving: "leaving"
        case .answered: "answered"
        case .settled: "settled"
        case .closed: "closed"
        }
    }

    /// The words of the stages in which a person may still answer, or undo an answer.
    static let wordsUnderWay = ["open", "claimed", "leaving"]

    var isUnderWay: Bool { Self.wordsUnderWay.contains(word) }
}

extension ErrorReport {
    /// The end of the failure reason: of what a command has written the last lines say most.
    var endOfReason: String? {
        failureReason.map { String($0.unicodeScalars.suffix(ConsoleLimits.descriptionScalarMax)) }
    }
}

extension String {
    /// The text cut to so many scalars, the last of them an ellipsis if it was cut.
    func clipped(_ limit: Int) -> String {
        let scalars = unicodeScalars
        guard
            let end = scalars.index(
                scalars.startIndex, offsetBy: limit, limitedBy: scalars.endIndex),
            end < scalars.endIndex
        else { return self }
        return String(scalars[..<scalars.index(before: end)]) + "…"
    }
}

/// The revisions of an inbox as clients see them. An inbox counts from zero in each life of its
/// node; here each life begins above the life before, so that a revision of an earlier life never
/// passes for a revision of this life.
struct Revisions: Sendable {
    /// The largest revision: JSON numbers are exact up to here.
    static let max: Int64 = 1 << 53

    private let base: UInt64

    init(startedAt: Date) { base = UInt64(Swift.max(0, startedAt.timeIntervalSince1970) * 1_000) }

    func shown(_ revision: UInt64) -> Int64 { Int64(clamping: base + revision) }

    /// The revision of the inbox; nil for a revision of another life.
    func own(_ shown: Int64, upTo latest: UInt64) -> UInt64? {
        guard let shown = UInt64(exactly: shown), shown >= base, shown - base <= latest else {
            return nil
        }
        return shown - base
    }
}
