import ErrorBus
import Foundation
import GRDB

/// One silence in the journal.
struct SilenceRow: Codable, FetchableRecord, PersistableRecord, Hashable {
    static let databaseTableName = "silence"

    var number: Int
    /// JSON, as it was written.
    var pattern: String
    var option: String?
    var by: String
    var comment: String
    var createdAt: String
    var endsAt: String
    var endedBy: String?
    var answered: Int
    var withheld: Int
    var lastAt: String?

    init(_ silence: Silence) {
        number = silence.number
        pattern = String(decoding: silence.request.pattern.encoded(), as: UTF8.self)
        option = silence.request.option
        by = silence.request.by
        comment = silence.request.comment
        createdAt = silence.createdAt.date.formatted(SQLiteJournal.timeStyle)
        endsAt = silence.endsAt.date.formatted(SQLiteJournal.timeStyle)
        endedBy = silence.endedBy
        answered = silence.answeredCount
        withheld = silence.withheldCount
        lastAt = silence.lastAt?.date.formatted(SQLiteJournal.timeStyle)
    }

    /// The silence it stands for; nil when it cannot be read. Its end is counted from now by the
    /// wall clock, which is the only one that goes on between two lives of a node.
    func silence(at now: Moment) -> Silence? {
        guard let json = try? JSONValue.parse(Array(pattern.utf8)),
            let match = try? RuleMatch(json: json), let created = moment(createdAt, now),
            let ends = moment(endsAt, now)
        else { return nil }
        // A clock that was put back since must not make it longer than it was meant to be.
        let meant = Moment(
            instant: now.instant + created.instant.duration(to: ends.instant),
            date: now.date + ends.date.timeIntervalSince(created.date))
        return Silence(
            number: number,
            request: Silence.Request(
                pattern: json, match: match, option: option, by: by, comment: comment),
            createdAt: created,
            endsAt: now < created ? meant : ends,
            endedBy: endedBy, answeredCount: answered,
            withheldCount: withheld, lastAt: lastAt.flatMap { moment($0, now) })
    }

    private func moment(_ text: String, _ now: Moment) -> Moment? {
        guard let date = try? Date(text, strategy: SQLiteJournal.timeStyle) else { return nil }
        let milliseconds = Int64(date.timeIntervalSince(now.date) * 1_000)
        return Moment(instant: now.instant + .milliseconds(milliseconds), date: date)
    }
}
