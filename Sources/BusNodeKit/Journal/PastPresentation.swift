package import ErrorBus
import Foundation
import GRDB

/// A presentation of the past with its report, as rules compare it.
struct PastPresentation: Sendable {
    let row: HistoryRow
    let report: ErrorReport

    init(_ row: HistoryRow, _ report: ErrorReport) {
        self.row = row
        self.report = report
    }

    /// A presentation that an inbox still has.
    init(_ item: InboxItem) { self.init(HistoryRow(item, console: 0), item.report) }

    /// The origin; nil for the node's own errors.
    var origin: NodeName? { row.origin.flatMap { NodeName($0) } }

    /// The option that a person chose; nil for another end, and while it may be undone.
    var chosen: String? {
        let isPersonal = row.via == Answer.Via.person.rawValue && row.stage != "leaving"
        return isPersonal ? row.option : nil
    }

    /// The values of the chosen option, without secrets.
    var values: [String: JSONValue] {
        (try? GivenValues(payload: Array((row.answerValues ?? "").utf8)))?.values ?? [:]
    }

    /// The time of an end by the deadline or by the origin, which no answer of a rule could follow,
    /// or a later time; nil for another end. A note, for instance, may come after the end.
    var endUnanswered: (time: String, isExpiry: Bool)? {
        if row.via == Answer.Via.expiry.rawValue || row.reason == Outcome.Reason.expired.rawValue {
            return (row.changedAt, true)
        }
        return row.reason == Outcome.Reason.withdrawn.rawValue ? (row.changedAt, false) : nil
    }

    /// The end without a person's choice, in a word, or that there is no end.
    var end: String {
        if row.stage == HistoryRow.left { return row.stage }
        if HistoryRow.openStages.contains(row.stage) { return "open" }
        if row.via == Answer.Via.expiry.rawValue { return Outcome.Reason.expired.words }
        let reason = row.reason.map { Outcome.Reason(rawValue: $0) }
        return row.via ?? reason?.words ?? row.stage
    }
}

/// A presentation in the journal, whose report may be gone.
struct PastRow: Sendable {
    let row: HistoryRow
    let payload: Data?

    /// The presentation; nil without a report that can be read.
    var presentation: PastPresentation? {
        guard let payload, let report = try? ErrorReport(payload: Array(payload)) else {
            return nil
        }
        return PastPresentation(row, report)
    }
}

// What rules are made of, and tried on.
extension HistoryArchive {
    /// The rows read at a time, between which others get their turn.
    private static let rowsAtOnce = 100
    /// The most answers that a rule is made of.
    static let alikeMax = 200
    /// The condition that no other console changed the presentation later: a presentation at
    /// several consoles counts once, as the last console that changed it has it.
    private static let isLatest = """
        NOT EXISTS (
            SELECT 1 FROM history AS other
            WHERE other.console IN (SELECT DISTINCT console FROM history)
                AND other.id = history.id
                AND (other.changedAt, other.console) > (history.changedAt, history.console))
        """

    /// The rule that gives the answer of a person.
    ///
    /// - Parameter text: The id, its beginning or its end.
    /// - Throws: Also when the journal has no such answer, or no rule can give it.
    package func rule(from text: String) async throws -> RuleProposalView {
        let ids = try DeadLetters(path)?.allRows(withPartOfID: text).map(\.id) ?? []
        guard let id = ids.first.flatMap({ PresentationID($0) }) else {
            throw Failure(.declined, PartialID.unknown(text, in: "the journal \(path)"))
        }
        guard ids.count == 1 else {
            throw Failure(.usage, PartialID.ambiguity(text, ids))
        }
        guard let past = try await self.past(id) else {
            if let refusal = try await policyAnswer(id) {
                throw Failure(.declined, refusal.description)
            }
            throw Failure(.declined, "no console presented \(id), or its report is gone")
        }
        let (alike, owner) = (try await self.alike(past), try await self.owner())
        do throws(ProposalRefusal) {
            return try RuleProposal(past, alike: alike, of: owner ?? .bare).view
        } catch {
            throw Failure(.declined, error.description)
        }
    }

    /// A presentation with its report; nil if the journal lacks one of them.
    ///
    /// - Parameter console: The number of the console in its node; nil for all.
    func past(
        _ id: PresentationID, console: Int? = nil
    ) async throws(Failure) -> PastPresentation? {
        try await rows(console, "history.id = ?", [id.description], limit: 1).first?.presentation
    }

    /// The refusal of a rule because a policy answered before any console had the presentation; nil
    /// if no policy did.
    func policyAnswer(_ id: PresentationID) async throws(Failure) -> ProposalRefusal? {
        let row = try await read(database) { database in
            try JournalRow.filter(Column("id") == id.description).fetchOne(database)
        }
        guard let row, row.via == Answer.Via.policy.rawValue else { return nil }
        return .byPolicy(row.decidedBy)
    }

    /// The latest presentations of the same cause.
    func alike(
        _ past: PastPresentation, console: Int? = nil
    ) async throws(Failure) -> [PastPresentation] {
        let since = Date(timeIntervalSinceNow: -Double(EarlierView.days) * 86_400)
        return try await rows(
            console, "history.cause = ? AND history.openedAt >= ?",
            [past.row.cause, TimeText.text(since)], limit: Self.alikeMax, isNewestFirst: true
        ).compactMap(\.presentation)
    }

    /// The trial of rules with the presentations of the last days.
    ///
    /// - Parameters:
    ///   - console: The number of the console in its node; nil for all.
    ///   - node: The origin of the node's own errors; nil: the owner of the journal.
    ///   - countMax: The most presentations that are compared, the latest.
    /// - Throws: Also when comparing takes too many steps.
    package func trial(
        _ rules: [Rule], days: Int, console: Int? = nil, of node: NodeName? = nil,
        countMax: Int = ConsoleLimits.trialCountMax, at now: Moment = .now
    ) async throws -> RuleTrialView {
        let since = TimeText.text(now.date - Double(days) * 86_400)
        let cut = try await self.rows(
            console, "history.openedAt >= ?", [since], limit: 1, isNewestFirst: true,
            offset: countMax
        ).first?.row
        let owner = try await self.owner()
        let view = RuleTrialView(
            since: cut?.openedAt ?? since, isCut: cut != nil, countMax: countMax)
        var trial = RuleTrial(rules, of: node ?? owner ?? .bare, view, at: now)
        var (time, id) = (cut?.openedAt ?? since, cut?.id ?? "")
        while true {
            let page = try await self.rows(
                console, "(history.openedAt, history.id) > (?, ?)", [time, id],
                limit: Self.rowsAtOnce)
            for row in page {
                try trial.add(row)
                await Task.yield()
                try Task.checkCancellation()
            }
            guard let last = page.last?.row, page.count == Self.rowsAtOnce else {
                return trial.view
            }
            (time, id) = (last.openedAt, last.id)
        }
    }

    /// The node that the journal belongs to; nil while it belongs to none.
    private func owner() async throws(Failure) -> NodeName? {
        try await read(database) { database in
            try String.fetchOne(database, sql: "SELECT node FROM owner")
        }.flatMap { NodeName($0) }
    }

    private func rows(
        _ console: Int?, _ condition: String, _ arguments: StatementArguments, limit: Int,
        isNewestFirst: Bool = false, offset: Int = 0
    ) async throws(Failure) -> [PastRow] {
        let isMeant = console.map { "history.console = \($0)" } ?? Self.isLatest
        let order = isNewestFirst ? "DESC" : "ASC"
        return try await read(database) { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT history.*, presentation.report AS report FROM history
                    LEFT JOIN presentation ON presentation.id = history.id
                    WHERE \(isMeant) AND \(condition)
                    ORDER BY history.openedAt \(order), history.id \(order)
                    LIMIT \(limit) OFFSET \(offset)
                    """, arguments: arguments
            ).map { PastRow(row: try HistoryRow(row: $0), payload: $0["report"]) }
        }
    }
}
