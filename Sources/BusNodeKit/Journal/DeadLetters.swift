package import ErrorBus
import Foundation
import GRDB

/// What ended without an answer, as a presenter's journal has it. Read while the presenter runs,
/// or when it does not.
package struct DeadLetters {
    /// The reason that a dead letter gets once it was offered again and answered.
    package static let reoffered: Outcome.Reason = Outcome.Reason(rawValue: "reoffered")

    let path: String
    private let database: DatabaseQueue

    /// Nil when there is no journal yet.
    ///
    /// - Throws: When it cannot be read.
    package init?(_ path: String) throws(Failure) {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        self.path = path
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        do {
            database = try DatabaseQueue(path: path, configuration: configuration)
        } catch {
            throw Failure(.noInput, "journal \(path): \(error)")
        }
    }

    /// The newest last, as a log has it.
    ///
    /// - Parameter limit: The oldest beyond it are left out.
    package func rows(limit: Int = 1_000) throws(Failure) -> [JournalRow] {
        let isDead =
            Column("endReason") != nil && Column("endReason") != Self.reoffered.rawValue
            && Column("answer") == nil
        return try read { database in
            try JournalRow.filter(isDead).order(Column("endedAt").desc).limit(limit)
                .fetchAll(database).reversed()
        }
    }

    /// The rows whose id begins or ends so, at most two: more than one is not to be guessed among.
    /// None for a text that is no part of an id.
    package func rows(withPartOfID text: String) throws(Failure) -> [JournalRow] {
        let part = PartialID(text).text
        guard !part.isEmpty, part.allSatisfy({ $0.isHexDigit || $0 == "-" }) else { return [] }
        let ends = part.count >= PartialID.endCountMin ? "%" + part : part
        return try read { database in
            try JournalRow.filter(Column("id").like(part + "%") || Column("id").like(ends))
                .order(Column("id")).limit(2).fetchAll(database)
        }
    }

    private func read<T>(_ body: (Database) throws -> T) throws(Failure) -> T {
        do {
            return try database.read(body)
        } catch {
            throw Failure(.noInput, "journal \(path): \(error)")
        }
    }
}

extension JournalRow {
    /// The row as an event, in the fields of the event log.
    package func event(node: NodeName) -> LoggedEvent {
        let report = try? ErrorReport(payload: Array(report))
        return LoggedEvent([
            "event": "unanswered", "id": id, "node": node.description, "origin": origin,
            "time": endedAt ?? shownAt, "reason": isIntact ? endReason ?? "" : "damaged",
            "description": report?.description ?? "",
        ])
    }
}
