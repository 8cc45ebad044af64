import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite("The connections that end once a node's keys were replaced")
struct KeyedConnectionsTests {
    private let start = MonotonicTime(milliseconds: 5_000)
    private let good: PublicKey
    private let revoked: PublicKey

    init() throws {
        good = try #require(KeyPair.make()).publicKey
        revoked = try #require(KeyPair.make()).publicKey
    }

    private func open(_ ones: (Int32, UInt64)...) -> [ConnectionBacklog.Found] {
        ones.map { .init(descriptor: $0.0, inode: $0.1, receivedCount: 0) }
    }

    private func ending(_ descriptor: Int32, _ inode: UInt64, _ key: PublicKey?)
        -> KeyedConnections.Ending
    {
        .init(descriptor: descriptor, inode: inode, key: key)
    }

    @Test("A connection of a revoked key ends at once, and one of another key stays")
    func known() {
        var connections = KeyedConnections()
        connections.received(good, over: 7, 70)
        connections.received(revoked, over: 8, 80)
        let endings = connections.replaced(open((7, 70), (8, 80)), at: start) { $0 == good }
        #expect(endings == [ending(8, 80, revoked)])
        #expect(connections.overdue(at: start + 3_600_000).isEmpty)
    }

    @Test("A connection without a message ends after 40 s, unless it sends one before")
    func silent() {
        var connections = KeyedConnections()
        let all = open((7, 70), (8, 80))
        let endings = connections.replaced(all, at: start) { $0 == good }
        #expect(endings.isEmpty)
        connections.received(good, over: 7, 70)
        #expect(connections.overdue(at: start + 39_999).isEmpty)
        #expect(connections.overdue(at: start + 40_000) == [ending(8, 80, nil)])
        #expect(connections.overdue(at: start + 3_600_000).isEmpty)
    }

    @Test("Another replacement gives a silent connection no more time")
    func again() {
        var connections = KeyedConnections()
        for time in [start, start + 30_000] {
            let endings = connections.replaced(open((8, 80)), at: time) { _ in true }
            #expect(endings.isEmpty)
        }
        #expect(connections.overdue(at: start + 40_000) == [ending(8, 80, nil)])
    }

    @Test("The next connection on a descriptor has no key until a message comes over it")
    func nextOfDescriptor() {
        var connections = KeyedConnections()
        connections.received(good, over: 7, 70)
        connections.received(revoked, over: 8, 80)
        let all = open((7, 71), (8, 81))
        let endings = connections.replaced(all, at: start) { $0 == good }
        #expect(endings.isEmpty)
        connections.received(good, over: 8, 81)
        #expect(connections.overdue(at: start + 40_000) == [ending(7, 71, nil)])
    }

    @Test("The next connection on a descriptor is known by its message, also with the same key")
    func sameKey() {
        var connections = KeyedConnections()
        for inode: UInt64 in [70, 71] { connections.received(good, over: 7, inode) }
        let endings = connections.replaced(open((7, 71)), at: start) { $0 == revoked }
        #expect(endings == [ending(7, 71, good)])
        #expect(connections.overdue(at: start + 40_000).isEmpty)
    }
}
