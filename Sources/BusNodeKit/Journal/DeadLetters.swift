package import ErrorBus
import Foundation
import GRDB

/// The presentations in a presenter's journal that ended without an answer, except those that each
/// presenter declined: they went on to the next node, or ended there if the node has no next.
/// Readable whether or not the presenter runs.
package struct DeadLetters {
    /// The end reason of a dead letter that was presented again and answered.
    package static let reoffered: Outcome.Reason = Outcome.Reason(rawValue: "reoffered")

    let path: String
    private let database: DatabaseQueue

    /// The dead letters of a journal; nil if there is no journal yet.
    ///
    /// - Throws: When it cannot be read, or is of an earlier version.
    package init?(_ path: String) throws(Failure) {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        self.path = path
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        do {
            database = try DatabaseQueue(path: path, configuration: configuration)
            try JournalSchema.expectUpdated(database, path)
        } catch let failure as Failure {
            throw failure
        } catch {
            throw JournalFiles.unread(path, error)
        }
    }

    /// The most rows of a list.
    package static let rowsMax = 1_000

    /// The dead letters, newest last as in a log.
    ///
    /// - Parameters:
    ///   - part: The beginning or end of an id; nil for all.
    ///   - limit: The most rows; the oldest are left out.
    package func rows(
        withPartOfID part: String? = nil, limit: Int = rowsMax
    ) throws(Failure) -> [JournalRow] {
        let others = [Self.reoffered.rawValue, Outcome.Reason.declined.rawValue]
        let isOther: SQLExpression = others.contains(Column("endReason"))
        var condition = Column("endReason") != nil && !isOther && Column("answer") == nil
        if let part {
            guard let hasPart = Self.hasPart(part) else { return [] }
            condition = condition && hasPart
        }
        return try read { [condition] database in
            try JournalRow.filter(condition).order(Column("endedAt").desc).limit(limit)
                .fetchAll(database).reversed()
        }
    }

    /// The rows whose id begins or ends with the text: the latest, as many as the refusal of an
    /// ambiguous text names. None for a text that cannot be part of an id.
    package func allRows(withPartOfID text: String) throws(Failure) -> [JournalRow] {
        guard let hasPart = Self.hasPart(text) else { return [] }
        return try read { database in
            try JournalRow.filter(hasPart).order(Column("id").desc)
                .limit(PartialID.listedMax + 1).fetchAll(database)
        }
    }

    /// The condition for a part of an id; nil for a text that cannot be one.
    private static func hasPart(_ text: String) -> SQLExpression? {
        let part = PartialID(text).text
        guard !part.isEmpty, part.allSatisfy({ $0.isHexDigit || $0 == "-" }) else { return nil }
        let ends = part.count >= PartialID.endCountMin ? "%" + part : part
        return Column("id").like(part + "%") || Column("id").like(ends)
    }

    private func read<T>(_ body: (Database) throws -> T) throws(Failure) -> T {
        do {
            return try database.read(body)
        } catch {
            throw JournalFiles.unread(path, error)
        }
    }
}

extension JournalRow {
    /// The row as an event, with the fields of the ledger.
    package func event(node: NodeName) -> LoggedEvent {
        let report = try? ErrorReport(payload: Array(report))
        return LoggedEvent([
            "event": "unanswered", "id": id, "node": node.description, "origin": origin,
            "time": endedAt ?? shownAt, "reason": isIntact ? endReason ?? "" : "damaged",
            "description": report?.description ?? "",
        ])
    }
}
