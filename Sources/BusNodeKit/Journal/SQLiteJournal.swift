package import ErrorBus
package import Foundation
import GRDB
import Glibc
package import Logging
import Synchronization

/// A presenter's journal in SQLite: every answer is on disk, synced, before it is sent.
package final class SQLiteJournal: DecisionJournal {
    let path: String
    /// The files of the journal that other users could read or write before it was opened.
    let tightened: [String]
    private let lock: JournalLock?
    private let commits: GroupCommit
    let openedAt: String
    /// The moment of the opening by the clock that only goes forward.
    let openedInstant = ContinuousClock.now
    let logger: Logger
    /// The earliest time of this process's presentations: later than those that an earlier process
    /// left open, even in the millisecond of the start, and if the clock is set back.
    private let firstShownAt: String
    /// The bytes of the reports that came since the journal was pruned last.
    let reportByteCount = Atomic(0)
    /// The number of looks whether the journal is to be pruned.
    let lookCount = Atomic(0)

    /// Opens or creates the journal.
    ///
    /// - Parameters:
    ///   - owner: The node that the journal belongs to; nil for a short access beside the process
    ///     that has it.
    ///   - use: Whether other processes of the same node may have it open as well.
    ///   - start: The time of the start.
    ///   - logger: The logger for rows that are set aside, and for a long update of the tables.
    /// - Throws: When it cannot be created, is not a database, is damaged, is in use, is of a later
    ///   version, or belongs to another node: a presenter that cannot trust its journal does not
    ///   start.
    package init(
        _ path: String, of owner: NodeName? = nil, use: JournalLock.Use = .alone,
        at start: Date = .now,
        logger: Logger = Logger(label: "journal") { _ in SwiftLogNoOpLogHandler() }
    ) throws(Failure) {
        self.path = path
        self.logger = logger
        openedAt = TimeText.text(start)
        firstShownAt = (start + 0.002).formatted(TimeText.style)
        tightened = try JournalFiles.prepare(path)
        if let owner {
            lock = try JournalLock(path, for: owner, use: use)
        } else {
            lock = nil
        }
        let place = JournalPlace(path, logger: logger)
        do {
            var configuration = Configuration()
            configuration.prepareDatabase { database in
                try database.execute(sql: "PRAGMA journal_mode = WAL")
                // Synced at every commit: an answer that was sent must survive a power failure.
                try database.execute(sql: "PRAGMA synchronous = FULL")
            }
            configuration.busyMode = .timeout(5)
            let database = try DatabaseQueue(path: path, configuration: configuration)
            commits = GroupCommit(database) { try place.verify() }
            try JournalFiles.refuseForeignFiles(of: path)
            try database.read { database in
                let verdict = try String.fetchOne(database, sql: "PRAGMA quick_check(1)")
                guard verdict == "ok" else {
                    throw DatabaseError(
                        resultCode: .SQLITE_CORRUPT, message: verdict ?? "no verdict")
                }
            }
            if owner == nil, try database.read({ try $0.tableExists(JournalRow.databaseTableName) })
            {
                try JournalSchema.expectUpdated(database, path)
            }
            try JournalSchema.update(database, path, logger: logger)
            if let owner {
                let isNew = try Self.claim(database, for: owner, path)
                if isNew, lock?.followsJournal == true { warnOfEmptiness() }
            }
            place.opened()
            lock?.opened()
        } catch let failure as Failure {
            throw failure
        } catch {
            throw Self.failure(error, path)
        }
    }

    /// Records the owner of a new journal, or compares it.
    ///
    /// - Returns: Whether the journal is new.
    private static func claim(
        _ database: DatabaseQueue, for owner: NodeName, _ path: String
    ) throws -> Bool {
        let isNew = try database.write { database in
            guard try Self.node(in: database) == nil else { return false }
            try database.execute(
                sql: "INSERT INTO owner (node) VALUES (?)", arguments: [owner.description])
            return true
        }
        if !isNew { try expectOwner(owner, of: database, path) }
        return isNew
    }

    private static func node(in database: Database) throws -> String? {
        try String.fetchOne(database, sql: "SELECT node FROM owner")
    }

    /// Refuses the journal of another node. A journal of a version without owners has none.
    static func expectOwner(
        _ owner: NodeName, of database: DatabaseQueue, _ path: String
    ) throws {
        let former = try database.read { database in
            try database.tableExists("owner") ? try node(in: database) : nil
        }
        guard let former, former != owner.description else { return }
        throw Failure(
            .badConfiguration,
            "journal \(path): belongs to node \(former.shown()), expected: \(owner)'s own or a new "
                + "one; give \(owner) another file. If \(former.shown()) was renamed: "
                + "sqlite3 \(path) \"UPDATE owner SET node = '\(owner)'\"")
    }

    /// Warns of a new journal beside the lock of a former one: that one was moved away, as one does
    /// to begin without it, or is lost.
    private func warnOfEmptiness() {
        let remedy =
            "if it was not moved away on purpose, stop the node and restore a backup: the answers "
            + "in it are not known, and may be asked for again"
        logger.warning(
            "journal: new and empty, though there was one before",
            metadata: ["file": "\(path)", "try": "\(remedy)"])
    }

    package func record(of id: PresentationID) async throws -> DecisionRecord? {
        guard let row = try await row(id) else { return nil }
        guard let record = row.record else {
            throw DamagedRecord(id: id.description, path: path)
        }
        return record
    }

    package func shown(_ id: PresentationID, _ asked: DecisionRecord.Asked) async throws {
        let time = max(TimeText.now, firstShownAt)
        let path = path
        let byteCount = try await access { database -> Int in
            guard var row = try JournalRow.find(id.description, in: database) else {
                let first = JournalRow(id, asked, at: time)
                try first.insert(database)
                return first.report.count
            }
            guard row.isIntact else {
                throw DamagedRecord(id: id.description, path: path)
            }
            guard row.answer == nil else { return 0 }
            row.shownAt = time
            row.endReason = nil
            row.endedAt = nil
            row.seal()
            try row.update(database)
            return 0
        }
        reportByteCount.add(byteCount, ordering: .relaxed)
    }

    package func decided(_ id: PresentationID, _ answer: Answer) async throws {
        let time = TimeText.now
        try await change(id) { row in
            if let recorded = row.answer, recorded != answer.id.description {
                throw JournalFault.decidedBefore(id: row.id, option: row.option ?? "")
            }
            row.answer = answer.id.description
            row.option = answer.option
            row.decidedBy = answer.by
            row.via = answer.via.rawValue
            row.second = answer.second
            row.answerValues = answer.storedValues.column
            row.decidedAt = time
            // Left from before the presentation was shown again, if the disk was full then.
            (row.endReason, row.endedAt) = (nil, nil)
        }
    }

    package func lost(_ id: PresentationID, answer: UniqueID) async throws {
        try await change(id) { row in
            guard row.answer == answer.description,
                row.result == nil || row.result == RecoveryResult.unknown.rawValue
            else { return }
            (row.answer, row.option, row.decidedBy, row.via) = (nil, nil, nil, nil)
            (row.second, row.answerValues, row.decidedAt) = (nil, nil, nil)
            (row.result, row.settledAt) = (nil, nil)
        }
    }

    package func settled(_ id: PresentationID, answer: UniqueID, _ result: RecoveryResult)
        async throws
    {
        let time = TimeText.now
        try await change(id, ifThere: true) { row in
            guard row.answer == answer.description else { return }
            // A result is final; only "unknown" may still be replaced.
            guard row.result == nil || row.result == RecoveryResult.unknown.rawValue else { return }
            row.result = result.rawValue
            row.settledAt = time
        }
    }

    package func ended(_ id: PresentationID, _ reason: Outcome.Reason) async throws {
        let time = TimeText.now
        // A presentation that ended before it was shown is not here.
        try await change(id, ifThere: true) { row in
            guard row.answer == nil else { return }
            row.endReason = reason.rawValue
            row.endedAt = time
        }
    }

    package var isBehind: Bool { commits.isBehind }

    package func onCaughtUp(_ call: @escaping @Sendable () -> Void) { commits.onCaughtUp(call) }

    /// Moves the write-ahead log into the database file.
    func checkpoint() async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, _>) in
            database.asyncWriteWithoutTransaction { database in
                continuation.resume(
                    with: Result { _ = try database.checkpoint(.truncate) })
            }
        }
    }

    /// Keeps the file from growing, which SQLite reports as a full disk. For tests.
    func limitPages() async throws {
        try await access { database in
            let count = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
            try database.execute(sql: "PRAGMA max_page_count = \(count)")
        }
    }

    private var database: DatabaseQueue { commits.database }

    /// Writes, or reads earlier writes. The task here belongs to a presentation and is cancelled at
    /// its end, when the journal has to be written.
    func access<Value: Sendable>(
        _ updates: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try await commits.access(updates)
    }

    /// Reads or writes on this thread, at the start of a node, when no other access waits.
    ///
    /// - Throws: A failure that names the journal: the node does not start.
    func writeNow<Value>(_ updates: (Database) throws -> Value) throws(Failure) -> Value {
        do { return try database.write(updates) } catch { throw Self.failure(error, path) }
    }

    private func row(_ id: PresentationID) async throws -> JournalRow? {
        let row = try await access { try JournalRow.find(id.description, in: $0) }
        guard row?.isIntact ?? true else {
            throw DamagedRecord(id: id.description, path: path)
        }
        return row
    }

    private func change(
        _ id: PresentationID, ifThere mayBeMissing: Bool = false,
        _ change: @escaping @Sendable (inout JournalRow) throws -> Void
    ) async throws {
        let path = path
        try await access { database in
            guard var row = try JournalRow.find(id.description, in: database) else {
                guard !mayBeMissing else { return }
                throw JournalFault.unknown(id: id.description)
            }
            guard row.isIntact else {
                throw DamagedRecord(id: id.description, path: path)
            }
            let before = row
            try change(&row)
            guard row != before else { return }
            row.seal()
            try row.update(database)
        }
    }

    private static func failure(_ error: any Error, _ path: String) -> Failure {
        guard let error = error as? DatabaseError else {
            return Failure(.badData, "journal \(path): \(error)")
        }
        let text = error.message ?? "\(error.resultCode)"
        switch error.resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            return Failure(
                .temporaryFailure, "journal \(path): in use by another process (\(text))")
        case .SQLITE_FULL:
            return Failure(
                .cannotCreate,
                "journal \(path): cannot be written: \(text); make room on its disk, and start the "
                    + "node again")
        case .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_AUTH, .SQLITE_READONLY, .SQLITE_IOERR,
            .SQLITE_NOLFS:
            return Failure(
                .cannotCreate, "journal \(path): cannot be opened or written: \(text)")
        default:
            return Failure(
                .badData,
                "journal \(path): \(text); restore it from a copy, or move it away to start empty "
                    + "(recorded answers are then lost, and may be asked for again)")
        }
    }
}

/// A row that differs from the written one. A node with such a row does not decide.
struct DamagedRecord: LocalizedError, LastingFault, Hashable {
    let id: String
    let path: String

    var errorDescription: String? {
        "journal \(path): the record of \(id) is damaged; restore the file or remove the record"
    }
}

/// The refusal of an answer by the journal in its present state: another call may write meanwhile.
enum JournalFault: LocalizedError, Hashable {
    /// An answer came for a presentation that is not in the journal.
    case unknown(id: String)
    /// Another answer is already recorded.
    case decidedBefore(id: String, option: String)

    var errorDescription: String? {
        switch self {
        case .unknown(let id): "the journal has no entry for \(id)"
        case .decidedBefore(let id, let option): "\(id) is recorded as decided with \(option)"
        }
    }
}
