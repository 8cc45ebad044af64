import GRDB
import Synchronization

/// A database that commits accesses together: all accesses that wait while the disk is being
/// written share the next commit. So a flood of presentations costs an answer two commits, not
/// thousands.
///
/// Accesses take effect, and are visible to each other, in the order of their calls.
final class GroupCommit: Sendable {
    /// The most accesses in one commit.
    static let accessCountMax = 512

    /// One access. It may run twice, the second time alone.
    private struct Access: Sendable {
        /// The work, which returns a closure to call once it is committed.
        let run: @Sendable (Database) throws -> @Sendable () -> Void
        let fail: @Sendable (any Error) -> Void
    }

    private struct State {
        var waiting: [Access] = []
        var isAtWork = false
        /// Called each time that it has caught up.
        var caughtUp: [@Sendable () -> Void] = []

        /// Whether another access would have no room in the next commit.
        var isBehind: Bool { waiting.count >= GroupCommit.accessCountMax }

        /// Takes the accesses of the next commit.
        mutating func take() -> [Access] {
            let first = Array(waiting.prefix(GroupCommit.accessCountMax))
            waiting.removeFirst(first.count)
            return first
        }
    }

    let database: DatabaseQueue
    /// Throws if a commit would be lost. Called before each commit that changes something.
    private let verify: @Sendable () throws -> Void
    private let state = Mutex(State())

    /// The number of waiting accesses, for tests.
    var waitingCount: Int { state.withLock(\.waiting.count) }

    /// Whether another access would wait for more than the next commit.
    var isBehind: Bool { state.withLock(\.isBehind) }

    /// Calls a closure, on any thread, each time that it is no longer behind.
    func onCaughtUp(_ call: @escaping @Sendable () -> Void) {
        state.withLock { $0.caughtUp.append(call) }
    }

    init(_ database: DatabaseQueue, verify: @escaping @Sendable () throws -> Void = {}) {
        self.database = database
        self.verify = verify
    }

    /// The value of an access, once it is on the disk. GRDB's async methods do nothing in a
    /// cancelled task; this method works there.
    func access<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let access = Access(
                run: { database in
                    let value = try body(database)
                    return { continuation.resume(returning: value) }
                }, fail: { continuation.resume(throwing: $0) })
            let isFirst = state.withLock { state in
                state.waiting.append(access)
                defer { state.isAtWork = true }
                return !state.isAtWork
            }
            if isFirst { work() }
        }
    }

    /// Commits the waiting accesses, then the ones that came meanwhile, between the other accesses
    /// of the database.
    private func work() {
        database.asyncWriteWithoutTransaction { [self] database in
            let (accesses, calls) = state.withLock { state in
                let wasBehind = state.isBehind
                let accesses = state.take()
                return (accesses, wasBehind && !state.isBehind ? state.caughtUp : [])
            }
            for call in calls { call() }
            for finish in commit(accesses, in: database) { finish() }
            let isDone = state.withLock { state in
                state.isAtWork = !state.waiting.isEmpty
                return !state.isAtWork
            }
            if !isDone { work() }
        }
    }

    private func commit(
        _ accesses: [Access], in database: Database
    ) -> [@Sendable () -> Void] {
        if accesses.count > 1, let together = try? together(accesses, in: database) {
            return together
        }
        return accesses.map { access in
            do {
                return try alone(access, in: database)
            } catch {
                return { access.fail(error) }
            }
        }
    }

    /// - Throws: An error that ends the transaction, or could: a full disk, for instance, or a
    ///   commit that would be lost, reverts all of it. Then each access has to be committed by
    ///   itself.
    private func together(
        _ accesses: [Access], in database: Database
    ) throws -> [@Sendable () -> Void] {
        var endings: [@Sendable () -> Void] = []
        let before = database.totalChangesCount
        try database.inTransaction(.immediate) {
            for access in accesses {
                do {
                    try database.inSavepoint {
                        endings.append(try access.run(database))
                        return .commit
                    }
                } catch let error as DatabaseError {
                    throw error
                } catch {
                    endings.append { access.fail(error) }
                }
            }
            if database.totalChangesCount != before { try verify() }
            return .commit
        }
        return endings
    }

    private func alone(
        _ access: Access, in database: Database
    ) throws -> @Sendable () -> Void {
        try database.beginTransaction(.immediate)
        do {
            let before = database.totalChangesCount
            let ending = try access.run(database)
            if database.totalChangesCount != before { try verify() }
            try database.commit()
            return ending
        } catch {
            try? database.rollback()
            throw error
        }
    }
}
