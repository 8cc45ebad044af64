import ErrorBus
import Foundation
import GRDB

/// The dead letters of a node's hooks in its journal.
struct JournalLetters: LetterStore {
    let journal: SQLiteJournal

    func letters(at now: Moment) throws -> [DeadLetter] {
        try journal.writeNow { database in
            try journal.readable(LetterRow.order(Column("number")), in: database) {
                $0.letter(at: now)
            }
        }
    }

    func keep(_ letters: @escaping @Sendable () -> [DeadLetter]) async throws {
        try await journal.access { database in
            // Read here, where one write follows the other: an earlier list replaces no later one.
            let present = letters()
            let kept = try Set(Int.fetchAll(database, sql: "SELECT number FROM letter"))
            for letter in present where !kept.contains(letter.number) {
                try LetterRow(letter).insert(database)
            }
            for number in kept.subtracting(present.map(\.number)) {
                try database.execute(
                    sql: "DELETE FROM letter WHERE number = ?", arguments: [number])
            }
        }
    }
}

/// One dead letter in the journal.
struct LetterRow: WholeTextRow, Hashable {
    static let databaseTableName = "letter"

    var number: Int
    var hook: String
    /// The id of the letter's message.
    var message: String
    /// The content as JSON.
    var content: String
    var madeAt: String
    var tries: Int
    var problem: String
    var diedAt: String

    init(_ letter: DeadLetter) throws {
        let failed = letter.failed
        number = letter.number
        hook = letter.hook.description
        message = failed.message.id
        content = String(
            decoding: try JSONEncoder().encode(failed.message.content), as: UTF8.self)
        madeAt = TimeText.text(failed.message.madeAt.date)
        tries = failed.tries
        problem = failed.reason
        diedAt = TimeText.text(letter.diedAt.date)
    }

    /// The letter of this row; nil if the row is invalid.
    func letter(at now: Moment) -> DeadLetter? {
        guard let hook = NodeName(hook), let madeAt = Moment(madeAt, at: now),
            let diedAt = Moment(diedAt, at: now),
            let content = try? JSONDecoder().decode(
                NotifyMessage.Content.self, from: Data(content.utf8))
        else { return nil }
        return DeadLetter(
            number: number, hook: hook,
            failed: DeadLetter.Failed(
                message: NotifyMessage(id: message, content: content, madeAt: madeAt),
                tries: tries, reason: problem),
            diedAt: diedAt)
    }
}
