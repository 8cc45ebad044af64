import ErrorBusTesting
import Synchronization
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

extension RealSockets {
    @Suite struct ReactorTests {
        private func tcp() throws -> Endpoint { try Endpoint("tcp://127.0.0.1:*") }

        @Test("Jobs enqueued before the start run after it, and after the end as well")
        func jobsOutsideOfLife() async throws {
            let reactor = Reactor()
            let receiver = TestReceiver(reactor)
            let early = Task { await receiver.nothing() }
            try reactor.start()
            await early.value
            await reactor.shutDown()
            await Resources.wait { Resources.threadCount(named: ReactorExecutor.threadName) == 0 }
            await receiver.nothing()
            await receiver.twoJobs()
        }

        @Test("A job enqueued by a job on the thread does not wait for the poll")
        func jobsFromTheThread() async throws {
            let reactor = Reactor()
            let receiver = TestReceiver(reactor)
            try reactor.start()
            // Each round that waited for the poll would take a second: too many for a test.
            for _ in 0..<1_000 { await receiver.twoJobs() }
            await reactor.shutDown()
        }

        @Test("100 000 jobs from many tasks all run, one at a time")
        func manyJobs() async throws {
            let reactor = Reactor()
            let counter = Counter(reactor)
            try reactor.start()
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<100 {
                    group.addTask { for _ in 0..<1_000 { await counter.increment() } }
                }
            }
            #expect(await counter.value == 100_000)
            await reactor.shutDown()
        }

        @Test("An idle second takes a handful of polls")
        func idle() async throws {
            let reactor = Reactor()
            let parent = TestReceiver(reactor)
            let child = TestReceiver(reactor)
            try reactor.start()
            _ = try await parent.listen(tcp())
            let endpoint = try #require(await reactor.boundEndpoints().first)
            _ = try await child.connect(endpoint)
            _ = try await child.next { $0 == .changed(.connected) }
            let before = await reactor.turnCount
            await child.wake(afterMilliseconds: 1_000)
            _ = try await child.next { $0 == .woke }
            #expect(await reactor.turnCount - before < 20)
            await reactor.shutDown()
        }

        @Test("Wake-ups arrive at once, from any thread, and are combined")
        func nudges() async throws {
            let reactor = Reactor()
            let receiver = TestReceiver(reactor)
            for _ in 0..<1_000 { reactor.nudge(receiver) }
            try reactor.start()
            _ = try await receiver.next { $0 == .woke }
            await reactor.shutDown()
            #expect(receiver.events.elements == [.woke])
        }

        @Test("A whole message arrives as it was sent, and the reply finds its way")
        func roundTrip() async throws {
            let reactor = Reactor()
            let parent = TestReceiver(reactor)
            let child = TestReceiver(reactor)
            try reactor.start()
            let listening = try await parent.listen(tcp())
            let endpoint = try #require(await reactor.boundEndpoints().first)
            let socket = try await child.connect(endpoint)
            _ = try await child.next { $0 == .changed(.connected) }
            let large = Frame(repeating: 7, count: 256 * 1024)
            #expect(await child.send([[], [1, 2], large], on: socket) == .sent)
            let event = try await parent.next { $0 != .woke }
            guard case .received(let frames) = event else {
                Issue.record("\(event)")
                return
            }
            #expect(frames.dropFirst() == [[], [1, 2], large])
            #expect(await parent.send([frames[0], [], [3]], on: listening) == .sent)
            _ = try await child.next { $0 == .received([[], [3]]) }
            #expect(await parent.send([[0, 1, 2, 3, 4], [], [3]], on: listening) == .unroutable)
            await reactor.shutDown()
            #expect(await child.send([[], [1]], on: socket) == .unroutable)
        }

        @Test("Messages without room at a receiver wait, without a poll, and delay no other")
        func notReady() async throws {
            let reactor = Reactor()
            let parents = [TestReceiver(reactor), TestReceiver(reactor)]
            let child = TestReceiver(reactor)
            try reactor.start()
            for parent in parents { _ = try await parent.listen(tcp()) }
            parents[0].setReady(false)
            for endpoint in await reactor.boundEndpoints() {
                let socket = try await child.connect(endpoint)
                _ = try await child.next { $0 == .changed(.connected) }
                #expect(await child.send([[], [1]], on: socket) == .sent)
            }
            guard case .received = try await parents[1].next(where: { $0 != .woke }) else {
                Issue.record("not received")
                return
            }
            let before = await reactor.turnCount
            await child.wake(afterMilliseconds: 200)
            _ = try await child.next { $0 == .woke }
            #expect(await reactor.turnCount - before < 20)
            #expect(parents[0].events.elements == [])
            parents[0].setReady(true)
            guard case .received = try await parents[0].next(where: { $0 != .woke }) else {
                Issue.record("not received")
                return
            }
            await reactor.shutDown()
        }

        @Test("Frames beyond the limit are read and dropped; the next message is whole")
        func tooManyFrames() async throws {
            let reactor = Reactor()
            let parent = TestReceiver(reactor)
            let child = TestReceiver(reactor)
            try reactor.start()
            _ = try await parent.listen(tcp())
            let endpoint = try #require(await reactor.boundEndpoints().first)
            let socket = try await child.connect(endpoint)
            _ = try await child.next { $0 == .changed(.connected) }
            _ = await child.send(Array(repeating: [9], count: 500), on: socket)
            _ = await child.send([[], [1]], on: socket)
            let first = try await parent.events.next()
            guard case .received(let frames) = first else {
                Issue.record("\(first)")
                return
            }
            #expect(frames.count == 16)
            _ = try await parent.next { $0 == .received([frames[0], [], [1]]) }
            await reactor.shutDown()
        }

        @Test("Closing with peers connected and messages waiting does not wait for the messages")
        func boundedShutdown() async throws {
            let busy = Reactor()
            let parent = TestReceiver(busy)
            try busy.start()
            _ = try await parent.listen(tcp())
            let endpoint = try #require(await busy.boundEndpoints().first)
            let other = Reactor()
            let child = TestReceiver(other)
            try other.start()
            var sockets: [SocketID] = []
            for _ in 0..<100 { sockets.append(try await child.connect(endpoint)) }
            for _ in 0..<100 { _ = try await child.next { $0 == .changed(.connected) } }
            let payload = Frame(repeating: 0, count: 10_000)
            for socket in sockets {
                for _ in 0..<20 { _ = await child.send([[], payload], on: socket) }
            }
            // A socket that kept its messages until they are read would stay for good.
            await busy.shutDown()
            await other.shutDown()
            await Resources.wait { Resources.threadCount(named: "errorbus") == 0 }
        }

        @Test("A link to an endpoint without listener closes at once; its monitor ends with it")
        func monitorsEnd() async throws {
            let reactor = Reactor()
            let child = TestReceiver(reactor)
            try reactor.start()
            let nowhere = try Endpoint("ipc:///tmp/eb-nothing-\(UInt64.random(in: 0...(.max)))")
            for _ in 0..<50 { await child.close(try await child.connect(nowhere)) }
            #expect(Resources.threadCount(named: "errorbus-watch") == 0)
            await reactor.shutDown()
        }
    }
}

/// Counts on the reactor's thread, without a lock of its own.
private actor Counter {
    private let reactor: Reactor
    nonisolated var unownedExecutor: UnownedSerialExecutor { reactor.unownedExecutor }
    var value = 0

    init(_ reactor: Reactor) { self.reactor = reactor }

    func increment() { value += 1 }
}
