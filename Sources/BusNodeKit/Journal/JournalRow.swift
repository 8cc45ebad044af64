import ErrorBus
package import Foundation
import GRDB

/// One presentation in the journal: a row with a checksum over its fields.
package struct JournalRow: WholeTextRow, Hashable {
    package static let databaseTableName = "presentation"
    /// The time of the end: a presentation may have been open for longer than rows are kept.
    /// Indexed.
    static let endTime = "COALESCE(settledAt, endedAt, shownAt)"
    /// What goes first when there is too much: the numbers of ``HistoryRank``, then what is open,
    /// and an answer without a result, which never goes.
    static let rank = """
        CASE WHEN answer IS NULL THEN CASE WHEN endedAt IS NULL THEN \(leftOpenRank) ELSE 0 END
        WHEN settledAt IS NULL THEN 4 WHEN via = 'person' THEN 2 ELSE 1 END
        """
    static let leftOpenRank = 3
    static let reportSize = "LENGTH(report)"
    /// The rows of an origin by what goes first. Indexed.
    static let shares = "\(rank), origin, \(endTime)"

    package var id: String
    /// The origin; empty for an error of the presenter's own process.
    var origin: String
    var digest: String
    package var report: Data
    var shownAt: String
    var answer: String?
    package var option: String?
    var decidedBy: String?
    var via: String?
    var decidedAt: String?
    /// The person who confirmed the answer.
    var second: String?
    /// The values of the option's fields, as JSON, with only the names of secrets, and the comment.
    var answerValues: String?
    var result: String?
    var settledAt: String?
    /// The reason of an end without an answer.
    package var endReason: String?
    var endedAt: String?
    var checksum: Int64

    init(_ id: PresentationID, _ asked: DecisionRecord.Asked, at time: String) {
        self.id = id.description
        origin = asked.origin?.description ?? ""
        digest = asked.digest?.description ?? ""
        report = Data(asked.report.payload())
        shownAt = time
        checksum = 0
        seal()
    }

    /// The row of a presentation. SQLite compiles the query once for each connection: that is most
    /// of its cost.
    static func find(_ id: String, in database: Database) throws -> JournalRow? {
        let query = try database.cachedStatement(
            sql: "SELECT * FROM \(databaseTableName) WHERE id = ?")
        return try fetchOne(query, arguments: [id])
    }

    /// Sets the checksum for the current fields.
    mutating func seal() { checksum = computedChecksum }

    package var isIntact: Bool { checksum == computedChecksum }

    /// The checksum over the fields with their lengths, so that it detects text moved from one
    /// field to the next.
    private var computedChecksum: Int64 {
        let fields = [
            id, origin, digest, shownAt, answer, option, decidedBy, via, decidedAt, result,
            settledAt, endReason, endedAt,
        ]
        var bytes: [UInt8] = []
        // Rows of one person have the checksum that they had before there was a second one, and so
        // have those without values.
        var later: [String?] = []
        if let second { later.append(second) }
        if let answerValues { later += ["values", answerValues] }
        for field in fields + later {
            bytes += (field.map { "\($0.utf8.count):\($0)" } ?? "-").utf8
        }
        bytes += report
        return Int64(bitPattern: ReportDigest(of: bytes).value)
    }

    /// The row as a record; nil when its fields are invalid.
    var record: DecisionRecord? {
        let origin = NodeName(origin)
        guard origin != nil || self.origin.isEmpty, let state else { return nil }
        return DecisionRecord(origin: origin, digest: ReportDigest(digest), state: state)
    }

    private var state: DecisionRecord.State? {
        if let answer, let option, let decidedBy, let via {
            guard let id = UniqueID(answer), let via = Answer.Via(rawValue: via) else { return nil }
            let known = result.map { RecoveryResult(rawValue: $0) }
            if case .some(.none) = known { return nil }
            return .decided(
                Answer(
                    id: id, option: option, by: decidedBy, via: via, second: second,
                    stored: Array((answerValues ?? "").utf8)),
                known.flatMap { $0 })
        }
        guard answer == nil else { return nil }
        if let endReason { return .ended(Outcome.Reason(rawValue: endReason)) }
        return .shown
    }
}

/// One silence in the journal.
struct SilenceRow: WholeTextRow, Hashable {
    static let databaseTableName = "silence"

    /// The number of the console in its node.
    var console: Int
    var number: Int
    /// The pattern as JSON, as it was written.
    var pattern: String
    var option: String?
    var onlyWithholds: Bool
    var by: String
    var comment: String
    var createdAt: String
    var endsAt: String
    var endedBy: String?
    var answered: Int
    var withheld: Int
    var lastAt: String?

    init(_ silence: Silence, of console: Int) {
        self.console = console
        number = silence.number
        pattern = String(decoding: silence.request.pattern.encoded(), as: UTF8.self)
        option = silence.request.option
        onlyWithholds = silence.request.onlyWithholds
        by = silence.request.by
        comment = silence.request.comment
        createdAt = TimeText.text(silence.createdAt.date)
        endsAt = TimeText.text(silence.endsAt.date)
        endedBy = silence.endedBy
        answered = silence.answeredCount
        withheld = silence.withheldCount
        lastAt = silence.lastAt.map { TimeText.text($0.date) }
    }

    /// The silence of this row; nil when invalid. Its end is counted from now by the wall clock,
    /// the only one that continues between two lives of a node.
    func silence(at now: Moment) -> Silence? {
        guard JournalSilences.numbers.contains(number),
            [answered, withheld].allSatisfy(JournalSilences.counts.contains),
            let json = try? JSONValue.parse(Array(pattern.utf8)),
            let match = try? RuleMatch(json: json), let created = Moment(createdAt, at: now),
            let ends = Moment(endsAt, at: now)
        else { return nil }
        // A clock set back since then must not extend it beyond its meant duration.
        let meant = Moment(
            instant: now.instant + created.instant.duration(to: ends.instant),
            date: now.date + ends.date.timeIntervalSince(created.date))
        return Silence(
            number: number,
            request: Silence.Request(
                pattern: json, match: match, option: option, onlyWithholds: onlyWithholds, by: by,
                comment: comment),
            createdAt: created,
            endsAt: now < created ? meant : ends,
            endedBy: endedBy, answeredCount: answered,
            withheldCount: withheld, lastAt: lastAt.flatMap { Moment($0, at: now) })
    }
}
