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

    private typealias Body = @Sendable (Database) throws -> Int

    /// Runs accesses that all wait for one that is being committed.
    ///
    /// - Parameter look: Called while they wait.
    private func together(
        _ bodies: [Body], look: () -> Void = {}
    ) async throws -> [Result<Int, any Error>] {
        let isHeld = DispatchSemaphore(value: 0)
        let (begun, beginning) = AsyncStream<Void>.makeStream()
        let first = Task { [commits] in
            try await commits.access { _ in
                beginning.finish()
                isHeld.wait()
            }
        }
        for await _ in begun {}
        var accesses: [Task<Int, any Error>] = []
        for body in bodies {
            accesses.append(Task { [commits] in try await commits.access(body) })
            // In the order of the bodies.
            while commits.waitingCount < accesses.count { await Task.yield() }
        }
        look()
        isHeld.signal()
        try await first.value
        var results: [Result<Int, any Error>] = []
        for access in accesses { results.append(await access.result) }
        return results
    }

    private static func insert(_ value: Int) -> Body {
        { database in
            try database.execute(sql: "INSERT INTO t VALUES (?)", arguments: [value])
            return try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM t") ?? 0
        }
    }

    @Test("What waits is committed at once, in order, and each sees what came before it")
    func atOnce() async throws {
        let results = try await together((0..<100).map { Self.insert($0) })
        #expect(try results.map { try $0.get() } == Array(1...100))
        // The one that they waited for, and one for all of them.
        #expect(counted.count.load(ordering: .relaxed) <= 2)
    }

    @Test("One that fails changes nothing, and the others are committed")
    func oneFails() async throws {
        let refused: Body = { database in
            _ = try Self.insert(7)(database)
            throw Refusal()
        }
        let results = try await together([Self.insert(1), refused, Self.insert(2)])
        #expect(throws: Refusal.self) { try results[1].get() }
        #expect(try [results[0].get(), results[2].get()] == [1, 2])
        let stored = try await commits.access { try Int.fetchAll($0, sql: "SELECT x FROM t") }
        #expect(stored == [1, 2])
    }

    @Test("After a fault of the database each is committed by itself, in the same order")
    func databaseFails() async throws {
        // As a full disk does: it takes the whole transaction back.
        let ending: Body = { database in
            try database.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (1)")
            return 0
        }
        let results = try await together([
            Self.insert(1), Self.insert(1), Self.insert(2), ending, Self.insert(3),
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
        let results = try await together((0..<count).map { Self.insert($0) })
        #expect(try results.map { try $0.get() } == Array(1...count))
        #expect(counted.count.load(ordering: .relaxed) <= 3)
    }

    @Test("With a whole commit that waits it is behind, and says once when it has caught up")
    func behind() async throws {
        let calls = Commits()
        commits.onCaughtUp { calls.count.add(1, ordering: .relaxed) }
        let count = GroupCommit.accessCountMax
        _ = try await together((1..<count).map { Self.insert($0) }) {
            #expect(!commits.isBehind)
        }
        #expect(calls.count.load(ordering: .relaxed) == 0)
        _ = try await together((count..<count * 2).map { Self.insert($0) }) {
            #expect(commits.isBehind)
        }
        #expect(!commits.isBehind)
        #expect(calls.count.load(ordering: .relaxed) == 1)
    }
}
