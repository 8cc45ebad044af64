import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// Worlds of connections with made-up counts and times: no socket, no clock.
struct ConnectionBacklogTests {
    private static let mebibyte = 1 << 20
    private static let large = 300 * mebibyte

    /// A process and what its peers sent to it.
    private struct World {
        var backlog = ConnectionBacklog()
        var resident = ConnectionBacklogTests.large
        var now: UInt64 = 0
        var isDrained = false
        var found: [Int32: ConnectionBacklog.Found] = [:]
        /// Whether the kernel says which there are.
        var isReadable = true
        private(set) var stopped: Set<Int32> = []
        private(set) var ended: [Int32] = []

        /// A look, so long after the last one.
        @discardableResult
        mutating func look(after milliseconds: UInt64 = 25) -> [ConnectionBacklog.Order] {
            now += milliseconds
            let connections = found.values.sorted { $0.descriptor < $1.descriptor }
            let orders = backlog.orders(
                at: MonotonicTime(milliseconds: now), resident: resident, isDrained: isDrained
            ) { isReadable ? connections : nil }
            for order in orders {
                switch order {
                case .stop(let descriptor): stopped.insert(descriptor)
                case .goOn(let descriptor): stopped.remove(descriptor)
                case .end(let descriptor, _): ended.append(descriptor)
                }
            }
            return orders
        }

        mutating func receive(_ byteCount: Int, on descriptor: Int32, inode: UInt64 = 1) {
            let before = found[descriptor].map { $0.inode == inode ? $0.receivedCount : 0 } ?? 0
            found[descriptor] = .init(
                descriptor: descriptor, inode: inode, receivedCount: before + byteCount)
        }

        /// Reads one message, of so many bytes on the wire.
        mutating func read(_ byteCount: Int, frames: Int = 5, on descriptor: Int32) {
            backlog.read(
                .init(descriptor: descriptor, byteCount: byteCount, frameCount: frames))
        }
    }

    @Test("A small process watches nothing, and asks for no connections")
    func small() {
        var world = World()
        world.resident = world.backlog.watchByteCount / 2 - 1
        world.receive(1 << 30, on: 5)
        #expect(world.look().isEmpty)
        #expect(!world.backlog.isWatching && !world.backlog.isUrgent)
        _ = world.backlog.orders(
            at: MonotonicTime(milliseconds: 100), resident: 0, isDrained: true
        ) {
            Issue.record("asked for")
            return []
        }
    }

    @Test("A message without an end is stopped, and ended once it stood still for the limit")
    func endless() {
        var world = World()
        world.receive(0, on: 5)
        world.receive(0, on: 6)
        world.look()
        world.receive(5 * Self.mebibyte, on: 5)
        world.receive(600, on: 6)
        world.read(600, on: 6)
        #expect(world.look() == [.stop(5)])
        #expect(world.backlog.isUrgent)
        #expect(world.look(after: world.backlog.stoppedMax).isEmpty)
        #expect(world.look() == [.end(5, receivedCount: 5 * Self.mebibyte)])
        // Once only, and it counts no longer.
        #expect(world.look().isEmpty)
        #expect(!world.backlog.isUrgent)
    }

    @Test("Nothing is stopped before the process is large, but what came then counts")
    func early() {
        var world = World()
        world.resident = world.backlog.watchByteCount - 1
        world.receive(0, on: 5)
        world.look()
        world.receive(100 * Self.mebibyte, on: 5)
        #expect(world.look().isEmpty)
        world.resident += 1
        #expect(world.look() == [.stop(5)])
    }

    @Test("A burst that is read is stopped, goes on, and is never ended, however long it takes")
    func burst() {
        var world = World()
        world.receive(0, on: 5)
        world.look()
        world.receive(100 * Self.mebibyte, on: 5)
        world.read(Self.mebibyte, on: 5)
        #expect(world.look() == [.stop(5)])
        for _ in 0..<90 {
            world.read(Self.mebibyte, on: 5)
            world.look(after: 1_000)
        }
        #expect(world.ended.isEmpty && world.stopped.isEmpty)
    }

    /// Between half of the bound and all of it nothing more is stopped, and nothing goes on.
    @Test("Progress counts as well while the rest is below the bound")
    func slowProgress() {
        var world = World()
        world.receive(0, on: 5)
        world.look()
        world.receive(40 * Self.mebibyte, on: 5)
        world.read(Self.mebibyte, on: 5)
        #expect(world.look() == [.stop(5)])
        for _ in 0..<22 {
            world.read(Self.mebibyte, on: 5)
            world.look(after: 1_000)
        }
        #expect(world.stopped == [5] && world.ended.isEmpty)
    }

    @Test("Large messages first are no licence for empty frames behind them")
    func steered() {
        var world = World()
        world.receive(0, on: 5)
        world.look()
        world.receive(60 * Self.mebibyte, on: 5)
        world.read(20 * Self.mebibyte, frames: 100, on: 5)
        #expect(world.look() == [.stop(5)])
    }

    @Test("Where memory is short, the worst is assumed of all that waits")
    func short() {
        var world = World()
        world.resident = 600 * Self.mebibyte
        world.receive(0, on: 5)
        world.look()
        world.receive(6 * Self.mebibyte, on: 5)
        world.read(Self.mebibyte, frames: 5, on: 5)
        #expect(world.look() == [.stop(5)])
    }

    @Test("What was received before the watch is no credit for what comes in it")
    func credit() {
        var world = World()
        world.receive(100 * Self.mebibyte, on: 5)
        world.look()
        world.read(100 * Self.mebibyte, on: 5)
        world.look()
        world.receive(100 * Self.mebibyte, on: 5)
        #expect(world.look() == [.stop(5)])
    }

    @Test("What peers left behind counts until all is read")
    func left() {
        var world = World()
        world.receive(0, on: 5)
        world.look()
        for inode in UInt64(2)...4 {
            // 48 MiB at the worst, and gone.
            world.receive(3 * Self.mebibyte / 2, on: 5, inode: inode)
            world.look()
        }
        world.receive(Self.mebibyte, on: 6)
        #expect(world.look().contains(.stop(6)))
        world.found[5] = nil
        world.isDrained = true
        #expect(world.look() == [.goOn(6)])
    }

    @Test("A new connection on the same descriptor has none of the former's counts")
    func reused() {
        var world = World()
        world.receive(0, on: 5)
        world.look()
        world.receive(5 * Self.mebibyte, on: 5)
        world.look()
        world.look(after: world.backlog.stoppedMax + 1)
        #expect(world.ended == [5])
        world.receive(5 * Self.mebibyte, on: 5, inode: 2)
        #expect(world.look() == [.goOn(5), .stop(5)])
    }

    @Test("A look that finds nothing out forgets nothing", arguments: [false, true])
    func unreadable(isStopped: Bool) {
        var world = World()
        world.receive(0, on: 5)
        world.look()
        world.receive(100 * Self.mebibyte, on: 5)
        if isStopped { #expect(world.look() == [.stop(5)]) }
        world.read(100 * Self.mebibyte, on: 5)
        if !isStopped { #expect(world.look().isEmpty) }
        world.isReadable = false
        #expect(world.look().isEmpty)
        world.isReadable = true
        #expect(world.look() == (isStopped ? [.goOn(5)] : []))
    }

    @Test("A connection that took the place of a stopped one on its descriptor goes on")
    func reusedWhileStopped() {
        var world = World()
        world.receive(0, on: 5)
        world.look()
        world.receive(5 * Self.mebibyte, on: 5)
        #expect(world.look() == [.stop(5)])
        world.receive(0, on: 5, inode: 2)
        #expect(world.look() == [.goOn(5)])
        #expect(world.look().isEmpty)
    }

    @Test("One report that is still on its way is neither stopped nor ended, beside a flood")
    func onItsWay() {
        var world = World()
        world.receive(0, on: 5)
        world.receive(0, on: 6)
        world.look()
        world.receive(50 * Self.mebibyte, on: 5)
        world.receive(ConnectionBacklog.messageByteCountMax, on: 6)
        #expect(world.look() == [.stop(5)])
        world.look(after: world.backlog.stoppedMax + 1)
        #expect(world.ended == [5] && world.stopped == [5])
    }

    @Test("Unfinished messages that stand still where memory is short end, and others go on")
    func unfinished() {
        var world = World()
        world.resident = 600 * Self.mebibyte
        for descriptor in Int32(5)..<20 { world.receive(0, on: descriptor) }
        world.look()
        // 142 MiB at the worst.
        world.receive(64 << 10, on: 5)
        for descriptor in Int32(6)..<20 {
            world.receive(ConnectionBacklog.messageByteCountMax, on: descriptor)
        }
        world.look()
        #expect(world.stopped.count == 15)
        world.look(after: world.backlog.stoppedMax)
        #expect(world.ended.isEmpty)
        for _ in 0..<60 { world.look(after: 1_000) }
        // Eight of 10 MiB, after which less than half of the bound is left.
        #expect(world.ended.count == 8 && !world.ended.contains(5))
        #expect(world.stopped == Set(world.ended))
    }

    @Test("Of many connections each may have less")
    func many() {
        var world = World()
        world.resident = 600 * Self.mebibyte
        for descriptor in Int32(5)..<5_005 { world.receive(0, on: descriptor) }
        world.look()
        // 32 KiB each are 5 GiB at the worst; one of them has next to nothing.
        for descriptor in Int32(6)..<5_005 { world.receive(32 << 10, on: descriptor) }
        world.receive(100, on: 5)
        #expect(world.look().count == 4_999)
        #expect(!world.stopped.contains(5))
    }

    @Test("When the process is small again, all go on")
    func over() {
        var world = World()
        world.receive(0, on: 5)
        world.look()
        world.receive(50 * Self.mebibyte, on: 5)
        world.look()
        world.resident = 0
        #expect(world.look() == [.goOn(5)])
        #expect(!world.backlog.isWatching)
    }

    @Test("Looks are 25 ms apart, a tenth of the time at most, and 250 ms at most")
    func pauses() {
        var backlog = ConnectionBacklog()
        let at = { MonotonicTime(milliseconds: $0) }
        #expect(backlog.isDue(at: at(0)))
        for (took, next) in [(UInt64(0), UInt64(25)), (10, 100), (100, 250)] {
            backlog.looked(from: at(1_000), to: at(1_000 + took))
            #expect(!backlog.isDue(at: at(1_000 + took + next - 1)))
            #expect(backlog.isDue(at: at(1_000 + took + next)))
        }
    }
}
