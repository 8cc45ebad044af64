import Crypto
import ErrorBus
import Foundation
import GRDB

/// One presentation of a console in the journal, as the console's list has it.
struct HistoryRow: WholeTextRow, Hashable {
    static let databaseTableName = "history"
    /// The stage of a presentation that was open when its node ended, and was not presented again.
    static let left = "left"
    static let openStages = ["open", "claimed", "leaving", left]
    /// What goes first when there is too much, as in ``JournalRow/rank``.
    static let rank = """
        CASE WHEN stage IN ('open', 'claimed', 'leaving') THEN 4 WHEN stage = 'left' THEN 1
        WHEN answer IS NULL THEN 0 WHEN via = 'person' THEN 2 ELSE 1 END
        """
    static let originOrNone = "IFNULL(origin, '')"
    /// The rows of an origin by what goes first. Indexed.
    static let shares = "\(rank), \(originOrNone), changedAt"

    /// The number of the console in its node: 0 for the first console.
    var console: Int
    var id: String
    var origin: String?
    var path: [String]
    var retryCount: Int
    var wasShownBefore: Bool
    var domain: String
    var code: Int?
    var severity: String
    /// The description, at most ``ConsoleLimits/descriptionScalarMax``.
    var description: String
    /// The end of the failure reason, as long as the description may be.
    var failureReason: String?
    /// The ids of the options.
    var options: [String]
    var openedAt: String
    var changedAt: String
    var stage: String
    /// The person of the claim, also of the claim that a held answer would leave.
    var claimedBy: String?
    var claimedUntil: String?
    /// The identity of the person who has the claim; nil if only the name is known.
    var claimedIdentity: String?
    var answer: String?
    var option: String?
    /// The title of that option; nil for one without a title, and in a row of an earlier version.
    var optionTitle: String?
    var answeredBy: String?
    var via: String?
    /// The person who confirmed the answer.
    var second: String?
    /// The values of the option's fields, as JSON, with only the names of secrets, and the comment.
    var answerValues: String?
    var result: String?
    /// The reason of an end without an answer.
    var reason: String?
    var failedAgain: String?
    /// The end in words; nil without an end.
    var ending: String?
    var takenBack: [String]
    /// The proposal of one person: its id, the option, the author and the times.
    var proposal: String?
    /// The id of the request that made the proposal; nil in rows of earlier versions, in which it
    /// was that of the proposal.
    var proposalRequest: String?
    var proposed: String?
    var proposedBy: String?
    /// The identity of the author of the proposal, as for the claim.
    var proposedIdentity: String?
    var proposedAt: String?
    var proposedUntil: String?
    /// The digest of the report that the proposal is for.
    var proposedReport: Data?
    /// The digest of the error's cause; nil in a row of an earlier version.
    var cause: String?
    /// The values of the option's fields for the proposal, as for the answer.
    var proposedValues: String?
    /// The notes of people, oldest first; nil without any.
    var notes: [HistoryNote]?

    init(_ item: InboxItem, console: Int) {
        self.console = console
        id = item.id.description
        origin = item.origin?.description
        path = item.path.map(\.description)
        retryCount = item.retryCount
        wasShownBefore = item.wasShownBefore
        domain = item.report.domain
        code = item.report.code
        severity = item.report.severity.rawValue
        description = item.report.description.clipped(ConsoleLimits.descriptionScalarMax)
        failureReason = item.report.endOfReason
        options = item.report.options.map(\.id)
        openedAt = TimeText.text(item.openedAt.date)
        changedAt = TimeText.text(item.changedAt.date)
        stage = item.stage.word
        let claim = item.stage.claim
        claimedBy = claim?.person
        claimedUntil = claim.map { TimeText.text($0.until.date) }
        claimedIdentity = claim.flatMap { _ in item.holder }
        failedAgain = item.failedAgain?.description
        // That an answer waits for the journal is over before the journal could say so.
        ending = item.awaitsRecord ? nil : item.wholeEnding
        takenBack = item.takenBack.map(\.description)
        cause = Self.cause(of: item.report)
        take(item.answer, of: item.report)
        take(proposal: item.proposal)
        notes = item.notes.isEmpty ? nil : item.notes.map(HistoryNote.init)
        switch item.stage {
        case .settled(_, let result): self.result = result.rawValue
        case .closed(let reason): self.reason = reason.rawValue
        case .open, .claimed, .leaving, .answered: break
        }
    }

    /// A digest that is equal for reports of one cause, whatever their options. SHA-256, so that no
    /// peer can make up a report with the digest of another cause.
    static func cause(of report: ErrorReport) -> String {
        SHA256.hash(data: Array(CoalescingKey(report).causeText.utf8)).hex
    }

    private mutating func take(_ given: Answer?, of report: ErrorReport? = nil) {
        answer = given?.id.description
        option = given?.option
        optionTitle = given.flatMap { report?.title(of: $0.option) }
        answeredBy = given?.by
        via = given?.via.rawValue
        second = given?.second
        answerValues = given?.storedValues.column
    }

    private mutating func take(proposal made: InboxProposal?) {
        proposal = made?.id.description
        proposalRequest = made?.request.description
        proposed = made?.option
        proposedBy = made?.by
        proposedIdentity = made?.identity
        proposedAt = made.map { TimeText.text($0.since.date) }
        proposedUntil = made.map { TimeText.text($0.until.date) }
        proposedReport = made.map { Data($0.report) }
        proposedValues = made?.values.withoutSecrets.payload.column
    }

    /// Adds the facts of the journal's row, which the node writes before it sends an answer. This
    /// row is written beside that, and may have more or less.
    mutating func add(_ row: JournalRow) {
        guard let state = row.record?.state else { return }
        switch state {
        case .shown:
            // An answer that was not recorded was not sent.
            guard stage == "answered" else { return }
            stage = Self.left
            take(nil)
        case .decided(let answer, let known):
            let isSettled = stage == "settled" && (known == nil || result == known?.rawValue)
            let isHere = isSettled || (stage == "answered" && known == nil)
            guard !isHere || self.answer != answer.id.description else { return }
            take(answer, of: try? ErrorReport(payload: Array(row.report)))
            stage = known == nil ? "answered" : "settled"
            result = known?.rawValue
            reason = nil
            ending = known.map(row.words)
            changedAt = row.settledAt ?? row.decidedAt ?? changedAt
        case .ended(let end):
            // One that was passed on may have its answer from elsewhere.
            let isUnsent = stage == "answered" && end != .declined
            guard isUnsent || Self.openStages.contains(stage) else { return }
            take(nil)
            stage = "closed"
            reason = end.rawValue
            ending = end.words
            changedAt = row.endedAt ?? changedAt
        }
        (claimedBy, claimedUntil, claimedIdentity) = (nil, nil, nil)
        take(proposal: nil)
    }

    /// Records the answer that an event has and the journal has not, such as that of a rule in
    /// `responders`.
    mutating func add(answerOf event: HistoryEventRow, to report: ErrorReport?) {
        let fields = event.fields
        guard let id = fields["answer"].flatMap({ UniqueID($0) }), let option = fields["option"],
            let by = fields["by"], let via = fields["via"].flatMap({ Answer.Via(rawValue: $0) })
        else { return }
        // Long ones were cut, and are no JSON any longer.
        let values = fields["values"].flatMap { try? JSONValue.parse(Array($0.utf8)).objectValue }
        var secrets: [String: JSONValue] = [:]
        for name in fields["secrets"]?.split(separator: ",") ?? [] { secrets[String(name)] = .null }
        take(
            Answer(
                id: id, option: option, by: by, via: via, second: fields["second"],
                values: values ?? [:], secrets: secrets, comment: fields["comment"]),
            of: report)
        stage = "answered"
        (result, reason, ending) = (nil, nil, nil)
        changedAt = event.time
        (claimedBy, claimedUntil, claimedIdentity) = (nil, nil, nil)
        take(proposal: nil)
    }

    /// Records the end without an answer that an event has.
    mutating func end(with event: HistoryEventRow) {
        guard let end = event.fields["reason"].map({ Outcome.Reason(rawValue: $0) }) else { return }
        stage = "closed"
        reason = end.rawValue
        ending = end.words(applying: event.fields["option"])
        changedAt = event.time
        (claimedBy, claimedUntil, claimedIdentity) = (nil, nil, nil)
        take(proposal: nil)
    }

    /// Marks the presentation as open at the end of its node. A held answer was never sent.
    mutating func leave() {
        guard Self.openStages.contains(stage) else { return }
        stage = Self.left
        take(nil)
    }

    /// The row once its operation has failed again, as `id`.
    func failingAgain(as id: PresentationID) -> HistoryRow {
        var row = self
        row.failedAgain = failedAgain ?? id.description
        if result == RecoveryResult.recovered.rawValue {
            row.ending = RecoveryResult.failedAgainWord
        }
        return row
    }

    /// The item for the next life; nil if the row is invalid.
    ///
    /// - Parameter report: The report of an ended presentation; an open one comes again with its
    ///   report.
    func record(_ report: ErrorReport, at now: Moment) -> InboxRecord? {
        guard let id = PresentationID(id), let opened = Moment(openedAt, at: now),
            let changed = Moment(changedAt, at: now), let stage = stage(at: now)
        else { return nil }
        var presentation = InboxPresentation(
            id: id, report: report, origin: origin.flatMap { NodeName($0) })
        presentation.path = path.compactMap { NodeName($0) }
        presentation.retryCount = retryCount
        presentation.wasShownBefore = wasShownBefore
        return InboxRecord(
            presentation, openedAt: opened, changedAt: changed, stage: stage,
            holder: claimedIdentity,
            failedAgain: failedAgain.flatMap { PresentationID($0) },
            takenBack: takenBack.compactMap { UniqueID($0) }, proposal: made(at: now),
            notes: (notes ?? []).compactMap { $0.note(at: now) })
    }

    private func made(at now: Moment) -> InboxProposal? {
        guard let id = proposal.flatMap({ UniqueID($0) }), let proposed, let proposedBy,
            let since = proposedAt.flatMap({ Moment($0, at: now) }),
            let until = proposedUntil.flatMap({ Moment($0, at: now) }), let proposedReport
        else { return nil }
        // One whose secrets are gone cannot be confirmed: it is proposed again.
        guard let values = try? GivenValues(payload: Array((proposedValues ?? "").utf8)),
            values.secretNames.isEmpty
        else { return nil }
        // A clock set back since then must not extend it.
        return InboxProposal(
            id: id, request: proposalRequest.flatMap { UniqueID($0) } ?? id, option: proposed,
            values: values, by: proposedBy, identity: proposedIdentity, since: since,
            until: min(until, now + InboxLimits().proposalMax), report: Array(proposedReport))
    }

    private func stage(at now: Moment) -> InboxItem.Stage? {
        switch stage {
        case "answered": return given.map { .answered($0) }
        case "settled":
            guard let given, let result = result.flatMap({ RecoveryResult(rawValue: $0) }) else {
                return nil
            }
            return .settled(given, result)
        case "closed": return reason.map { .closed(Outcome.Reason(rawValue: $0)) }
        default:
            guard let claimedBy, let until = claimedUntil.flatMap({ Moment($0, at: now) }) else {
                return .open
            }
            // A clock set back since then must not extend it.
            return .claimed(by: claimedBy, until: min(until, now + InboxLimits().claimMax))
        }
    }

    /// The values of the answer with its comment; none if they cannot be read.
    var givenValues: GivenValues {
        (try? GivenValues(payload: Array((answerValues ?? "").utf8))) ?? GivenValues()
    }

    private var given: Answer? {
        guard let id = answer.flatMap({ UniqueID($0) }), let option, let answeredBy,
            let via = via.flatMap({ Answer.Via(rawValue: $0) })
        else { return nil }
        return Answer(
            id: id, option: option, by: answeredBy, via: via, second: second,
            stored: Array((answerValues ?? "").utf8))
    }
}

/// A note on a presentation in the journal.
struct HistoryNote: Codable, Hashable {
    var id: String
    var by: String
    var at: String
    var text: String

    init(_ note: InboxNote) {
        id = note.id.description
        by = note.by
        at = TimeText.text(note.at.date)
        text = note.text
    }

    /// The note; nil if the row is invalid.
    func note(at now: Moment) -> InboxNote? {
        guard let id = UniqueID(id), let at = Moment(at, at: now) else { return nil }
        return InboxNote(id: id, by: by, text: text, at: at)
    }
}

/// One event of a console's audit in the journal.
struct HistoryEventRow: WholeTextRow, Hashable {
    static let databaseTableName = "event"

    /// The number; nil before the row is inserted.
    var number: Int64?
    var console: Int
    var time: String
    var event: String
    var id: String
    var fields: [String: String]
    var sentence: String
    /// The author, from `fields`.
    var person: String?
    /// The count of the chart that the event adds to.
    var count: String?
    /// The origin of the presentation; empty for this process, and if it is not known.
    var origin: String
    /// What goes first when there is too much: see ``HistoryRank``.
    var rank: Int

    init(_ event: AuditHistory.Event, console: Int) {
        self.console = console
        time = TimeText.text(event.time)
        self.event = event.event
        id = event.id?.description ?? ""
        fields = event.fields
        sentence = event.sentence
        person = event.fields["by"]
        count = event.count?.rawValue
        origin = event.origin
        rank = event.rank.rawValue
    }

    /// The event; nil if the row is invalid.
    var audited: AuditHistory.Event? {
        guard let time = TimeText.dateToWrite(time) else { return nil }
        return AuditHistory.Event(
            time: time, event: event, id: PresentationID(id), fields: fields, sentence: sentence,
            count: count.flatMap { AuditHistory.Count(rawValue: $0) }, origin: origin,
            rank: HistoryRank(rawValue: rank) ?? .byPeople)
    }
}

extension InboxItem {
    /// The end in words, with the answer that could not be recorded before it.
    var wholeEnding: String? {
        guard let unwritten else { return ending }
        return ending.map { "\($0), \(unwritten.option) by \(unwritten.authors) not recorded" }
    }
}

extension Moment {
    /// A stored time, which only the wall clock continues between two lives of a node; nil for
    /// another text.
    init?(_ text: String, at now: Moment) {
        guard let date = TimeText.dateToWrite(text) else { return nil }
        let milliseconds = Int64(date.timeIntervalSince(now.date) * 1_000)
        self.init(instant: now.instant + .milliseconds(milliseconds), date: date)
    }
}

/// What goes first when a history has too much, the lowest first: a process can cause any number of
/// presentations that end without a decision, and, where a policy answers, of decisions.
enum HistoryRank: Int, CaseIterable {
    case undecided, automatic, byPeople
}
