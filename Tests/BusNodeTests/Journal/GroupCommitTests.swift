import Foundation
import GRDB
import Synchronization
import Testing

@testable import BusNodeKit

struct GroupCommitTests {
    /// Counts the commits of a database.
    private final class Commits: TransactionObserver, Sendable {
        let count = Atomic(0)
        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
        func databaseDidChange(with event: DatabaseEvent) {}
        func databaseDidCommit(_ database: Database) { count.add(1, ordering: .relaxed) }
        func databaseDidRollback(_ database: Database) {}
    }

    private struct Refusal: Error {}

    private let database: DatabaseQueue
    private let commits: GroupCommit
    private let counted = Commits()

    init() throws {
        database = try DatabaseQueue()
        try database.write { database in
            try database.execute(sql: "CREATE TABLE t (x INTEGER PRIMARY KEY)")
        }
        commits = GroupCommit(database)
        database.add(transactionObserver: counted, extent: .databaseLifetime)
    }

    /// Runs accesses that all wait for one that is being committed.
    private func together<Value: Sendable>(
        _ bodies: [@Sendable (Database) throws -> Value]
    ) async -> [Result<Value, any Error>] {
        let isHeld = DispatchSemaphore(value: 0)
        let isBegun = AsyncStream<Void>.makeStream()
        async let first: Void = try commits.access { _ in
            isBegun.continuation.finish()
            isHeld.wait()
        }
        for await _ in isBegun.stream {}
        return await withTaskGroup(of: (Int, Result<Value, any Error>).self) { group in
            for (index, body) in bodies.enumerated() {
                let waitingBefore = commits.waitingCount
                group.addTask {
                    do {
                        return (index, .success(try await commits.access(body)))
                    } catch {
                        return (index, .failure(error))
                    }
                }
                // In the order of the bodies.
                while commits.waitingCount == waitingBefore { await Task.yield() }
            }
            isHeld.signal()
            var results: [Int: Result<Value, any Error>] = [:]
            for await (index, result) in group { results[index] = result }
            _ = try? await first
            return bodies.indices.compactMap { results[$0] }
        }
    }

    private static func insert(_ value: Int) -> @Sendable (Database) throws -> Int {
        { database in
            try database.execute(sql: "INSERT INTO t VALUES (?)", arguments: [value])
            return try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM t") ?? 0
        }
    }

    @Test("What waits is committed at once, in order, and each sees what came before it")
    func atOnce() async throws {
        let results = await together((0..<100).map(Self.insert))
        #expect(try results.map { try $0.get() } == Array(1...100))
        // The one that they waited for, and one for all of them.
        #expect(counted.count.load(ordering: .relaxed) <= 2)
    }

    @Test("One that fails changes nothing, and the others are committed")
    func oneFails() async throws {
        let refused: @Sendable (Database) throws -> Int = { database in
            _ = try Self.insert(7)(database)
            throw Refusal()
        }
        let results = await together([Self.insert(1), refused, Self.insert(2)])
        #expect(throws: Refusal.self) { try results[1].get() }
        #expect(try [results[0].get(), results[2].get()] == [1, 2])
        let stored = try await commits.access { try Int.fetchAll($0, sql: "SELECT x FROM t") }
        #expect(stored == [1, 2])
    }

    @Test("After a fault of the database each is committed by itself, in the same order")
    func databaseFails() async throws {
        let results = await together([
            Self.insert(1), Self.insert(1), Self.insert(2),
            { database in
                // As a full disk does: it takes the whole transaction back.
                try database.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (1)")
                return 0
            },
            Self.insert(3),
        ])
        #expect(try [results[0].get(), results[2].get(), results[4].get()] == [1, 2, 3])
        #expect(throws: DatabaseError.self) { try results[1].get() }
        #expect(throws: DatabaseError.self) { try results[3].get() }
        let stored = try await commits.access { try Int.fetchAll($0, sql: "SELECT x FROM t") }
        #expect(stored == [1, 2, 3])
    }

    @Test("More than fit into one commit are committed in several")
    func many() async throws {
        let count = GroupCommit.accessCountMax + 1
        let results = await together((0..<count).map(Self.insert))
        #expect(try results.map { try $0.get() } == Array(1...count))
        #expect(counted.count.load(ordering: .relaxed) <= 3)
    }
}
