import ErrorBus
import Foundation
import NIOCore
import NIOPosix
import Testing

@testable import BusLab

/// The proxy on real sockets: a client, an echo server, and each toxic between them.
@Suite(.timeLimit(.minutes(10)))
struct FaultProxyTests {
    private let echo: EchoServer
    private let proxy: FaultProxy

    init() async throws {
        echo = try EchoServer()
        proxy = try FaultProxy(
            "p", listen: Endpoint("tcp://127.0.0.1:*"), connect: echo.endpoint, seed: 1)
        try await proxy.setEnabled(true)
    }

    private func client() async throws -> SocketPeer {
        try await SocketPeer.connect(to: await proxy.listen)
    }

    /// Ends the test: nothing may be left over.
    private func closeProxy() async throws {
        try await proxy.setEnabled(false)
        #expect(proxy.connectionCount == 0)
    }

    private func time(_ body: () async throws -> Void) async rethrows -> Duration {
        let clock = ContinuousClock()
        return try await clock.measure { try await body() }
    }

    @Test("Bytes pass unchanged, megabytes of them, and a half-closed connection ends in order")
    func passes() async throws {
        let client = try await client()
        let sent = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        async let received = client.receiveToEnd()
        try await client.send(sent)
        client.finish()
        let (bytes, ending) = try await received
        #expect(bytes == sent)
        #expect(ending == .end)
        try await closeProxy()
    }

    @Test("What a slow reader has not taken when both sides end still arrives")
    func slowReader() async throws {
        let folder = try TemporaryFolder()
        // The kernel's buffer of a unix socket takes some 200 KB; the rest waits in the proxy.
        let proxy = try FaultProxy(
            "s", listen: Endpoint("ipc://\(folder.path)/proxy"), connect: echo.endpoint, seed: 1)
        try await proxy.setEnabled(true)
        for size in stride(from: 100_000, through: 300_000, by: 5_000) {
            let client = try await SocketPeer.connect(to: await proxy.listen)
            let sent = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            try await client.send(sent)
            client.finish()
            let start = try await client.receive(1)
            let (rest, ending) = try await client.receiveToEnd()
            #expect(start + rest == sent && ending == .end, "\(size) bytes")
        }
        try await proxy.setEnabled(false)
        withExtendedLifetime(folder) {}
    }

    @Test("Unix sockets are proxied alike, and their file goes with the proxy")
    func unix() async throws {
        let folder = try TemporaryFolder()
        let echo = try EchoServer(path: folder.path + "/echo")
        let proxy = try FaultProxy(
            "u", listen: Endpoint("ipc://\(folder.path)/proxy"), connect: echo.endpoint, seed: 1)
        try await proxy.setEnabled(true)
        let client = try await SocketPeer.connect(to: await proxy.listen)
        try await client.send([1, 2, 3])
        #expect(try await client.receive(3) == [1, 2, 3])
        try await proxy.setEnabled(false)
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/proxy"))
        #expect(try await client.receiveToEnd().bytes == [])
    }

    @Test("A unix socket that a process listens on, or another file, is not taken away")
    func pathInUse() async throws {
        let folder = try TemporaryFolder()
        let echo = try EchoServer(path: folder.path + "/echo")
        let file = try folder.write("dear", to: "file")
        for path in [folder.path + "/echo", file] {
            let proxy = try FaultProxy(
                "u", listen: Endpoint("ipc://\(path)"), connect: echo.endpoint, seed: 1)
            await #expect(throws: ProxyProblem.self) { try await proxy.setEnabled(true) }
        }
        let client = try await SocketPeer.connect(to: echo.endpoint)
        try await client.send([1])
        #expect(try await client.receive(1) == [1])
        #expect(FileManager.default.contents(atPath: file) == Data("dear".utf8))
        withExtendedLifetime(folder) {}
    }

    // In a process of its own: other tests need the loops.
    @Test("A proxy that is about to listen cannot be taken down, and says so")
    func changing() async {
        await #expect(processExitsWith: .success) {
            try await FaultProxyTests().takeDownWhileBeginning()
        }
    }

    private func takeDownWhileBeginning() async throws {
        let proxy = try FaultProxy(
            "c", listen: Endpoint("tcp://127.0.0.1:*"), connect: echo.endpoint, seed: 1)
        // The loops stand still, and with them the bind.
        let held = Self.heldLoops()
        let enabling = Task { try await proxy.setEnabled(true) }
        var refusal: ProxyProblem?
        for _ in 0..<100_000 where refusal == nil {
            do throws(ProxyProblem) {
                try await proxy.setEnabled(false)
            } catch {
                refusal = error
            }
            await Task.yield()
        }
        for semaphore in held { semaphore.signal() }
        try await enabling.value
        #expect(refusal?.status == 409)
        try await proxy.setEnabled(false)
    }

    /// Holds every event loop until its semaphore is signalled.
    private static func heldLoops() -> [DispatchSemaphore] {
        let held = (0..<System.coreCount).map { _ in DispatchSemaphore(value: 0) }
        for (loop, semaphore) in zip(MultiThreadedEventLoopGroup.singleton.makeIterator(), held) {
            loop.execute { semaphore.wait() }
        }
        return held
    }

    // In a process of its own: one that another test starts has our sockets, and with them the
    // port, until it has ended.
    @Test("F1 down closes open connections and refuses new ones; up again at the same port")
    func down() async {
        await #expect(processExitsWith: .success) { try await FaultProxyTests().goDownAndUp() }
    }

    private func goDownAndUp() async throws {
        let first = try await client()
        try await first.send([1])
        #expect(try await first.receive(1) == [1])
        let endpoint = await proxy.listen
        try await proxy.setEnabled(false)
        #expect(try await first.receiveToEnd().bytes == [])
        await #expect(throws: SocketPeer.Failed.self) {
            _ = try await SocketPeer.connect(to: endpoint)
        }
        try await proxy.setEnabled(true)
        #expect(await proxy.listen == endpoint)
        let second = try await client()
        try await second.send([2])
        #expect(try await second.receive(1) == [2])
        try await closeProxy()
    }

    @Test("A server that is not there: the connection ends")
    func noListener() async throws {
        let folder = try TemporaryFolder()
        let before = await proxy.listen
        try await proxy.move(listen: nil, connect: Endpoint("ipc://\(folder.path)/none"))
        #expect(await proxy.listen == before)
        let client = try await client()
        #expect(try await client.receiveToEnd().ending == .reset)
        try await closeProxy()
    }

    @Test("F5 latency", arguments: ToxicStream.allCases)
    func latency(stream: ToxicStream) async throws {
        try await proxy.add(Toxic(.latency(.milliseconds(150), jitter: .zero), on: stream))
        let client = try await client()
        let taken = try await time {
            try await client.send([1])
            #expect(try await client.receive(1) == [1])
        }
        #expect(taken >= .milliseconds(150))
        try await closeProxy()
    }

    @Test("F6 bandwidth")
    func bandwidth() async throws {
        try await proxy.add(Toxic(.bandwidth(kilobytesPerSecond: 10)))
        let client = try await client()
        let taken = try await time {
            try await client.send([UInt8](repeating: 7, count: 3_000))
            #expect(try await client.receive(3_000).count == 3_000)
        }
        #expect(taken >= .milliseconds(290))
        try await closeProxy()
    }

    @Test("F6 slicer")
    func slicer() async throws {
        try await proxy.add(
            Toxic(.slicer(averageSize: 10, variation: 5, delay: .milliseconds(1)), on: .upstream))
        let client = try await client()
        let sent = (0..<1_000).map { UInt8(truncatingIfNeeded: $0) }
        let taken = try await time {
            try await client.send(sent)
            #expect(try await client.receive(1_000) == sent)
        }
        #expect(taken >= .milliseconds(60))
        try await closeProxy()
    }

    @Test("F4 slow_close")
    func slowClose() async throws {
        try await proxy.add(Toxic(.slowClose(delay: .milliseconds(200))))
        let client = try await client()
        try await client.send([1])
        client.finish()
        let taken = try await time {
            let (bytes, ending) = try await client.receiveToEnd()
            #expect(bytes == [1])
            #expect(ending == .end)
        }
        #expect(taken >= .milliseconds(190))
        try await closeProxy()
    }

    @Test("timeout closes, reset_peer resets, with nothing let through")
    func endings() async throws {
        for milliseconds in [50, 500, 5_000, 50_000] {
            let isInTime = try await ends(.timeout(.milliseconds(milliseconds)), .end)
            // What comes after the end is reset: then a busy machine was too late with it.
            if isInTime { break }
            try #require(milliseconds < 50_000, "it resets")
        }
        #expect(try await ends(.resetPeer(.milliseconds(50)), .reset))
        try await closeProxy()
    }

    /// Whether a connection with this effect ends so; nothing passes in any case.
    private func ends(_ effect: ToxicEffect, _ ending: SocketPeer.Ending) async throws -> Bool {
        let toxic = Toxic(effect)
        let client = try await client()
        try await client.send([1])
        #expect(try await client.receive(1) == [1])
        // It takes hold of connections that are open already.
        try await proxy.add(toxic)
        try? await client.send([2])
        let result = try await client.receiveToEnd()
        #expect(result.bytes == [])
        try await proxy.removeToxic(toxic.name)
        return result.ending == ending
    }

    // In a process of its own: other tests need the loops.
    @Test("A connection whose time is over when its end is read is closed without a trap")
    func endWhenTimeIsOver() async {
        await #expect(processExitsWith: .success) {
            try await FaultProxyTests().endOnceTimeIsOver()
        }
    }

    private func endOnceTimeIsOver() async throws {
        let client = try await client()
        try await client.send([1])
        #expect(try await client.receive(1) == [1])
        try await proxy.add(Toxic(.timeout(.milliseconds(100))))
        // The loops stand still until both have come: a loop reads first, and looks at times then.
        let begin = ContinuousClock.now
        let held = Self.heldLoops()
        client.finish()
        while ContinuousClock.now - begin < .milliseconds(200) { await Task.yield() }
        for semaphore in held { semaphore.signal() }
        #expect(try await client.receiveToEnd().bytes == [])
        try await closeProxy()
    }

    @Test("F7 limit_data", arguments: [0, 1, 5])
    func limitData(limit: Int) async throws {
        try await proxy.add(Toxic(.limitData(bytes: limit)))
        let client = try await client()
        try await client.send(Array(0..<10))
        let (bytes, _) = try await client.receiveToEnd()
        #expect(bytes == Array(0..<UInt8(limit)))
        try await closeProxy()
    }

    @Test("F11 corrupt")
    func corrupt() async throws {
        try await proxy.add(Toxic(.corrupt(probability: 0, offset: 2), on: .upstream))
        let client = try await client()
        try await client.send([0, 0, 0, 0])
        let received = try await client.receive(4)
        #expect(received[2] != 0)
        #expect([received[0], received[1], received[3]] == [0, 0, 0])
        try await closeProxy()
    }

    @Test(
        "F3 blackhole in one direction: the data arrives when it is removed",
        arguments: ToxicStream.allCases)
    func blackhole(stream: ToxicStream) async throws {
        let client = try await client()
        let toxic = Toxic(.blackhole, on: stream)
        try await proxy.add(toxic)
        try await client.send([1, 2, 3])
        client.finish()
        async let received = client.receiveToEnd()
        try await proxy.removeToxic(toxic.name)
        let (bytes, ending) = try await received
        #expect(bytes == [1, 2, 3])
        #expect(ending == .end)
        try await closeProxy()
    }

    @Test("F3 a black hole does not fill memory: the sender is stopped")
    func blackholeIsBounded() async throws {
        try await proxy.add(Toxic(.blackhole, on: .upstream))
        let client = try await client()
        // More than every buffer on the way holds: the send runs into its limit or the close.
        let sending = Task { try await client.send([UInt8](repeating: 1, count: 64_000_000)) }
        try await proxy.setEnabled(false)
        await #expect(throws: SocketPeer.Failed.self) { try await sending.value }
        try await closeProxy()
    }

    // In a process of its own: other tests have sockets, too.
    @Test("F23 no descriptor is left after many connections with every kind of end")
    func noLeaks() async {
        await #expect(processExitsWith: .success) {
            let tests = try await FaultProxyTests()
            // What the process opens once is open then.
            try await tests.connect(times: 8)
            let before = try Self.descriptorCount()
            try await tests.connect(times: 200)
            // The echo's threads close theirs a moment later.
            for _ in 0..<100_000 where try Self.descriptorCount() > before { await Task.yield() }
            exit(try Self.descriptorCount() <= before ? 0 : 1)
        }
    }

    private static func descriptorCount() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }

    private func connect(times: Int) async throws {
        for round in 0..<times {
            let toxic: Toxic? =
                switch round % 4 {
                case 0: nil
                case 1: Toxic(.resetPeer(.zero))
                case 2: Toxic(.limitData(bytes: 1))
                default: Toxic(.timeout(.milliseconds(1)), on: .upstream)
                }
            if let toxic { try await proxy.add(toxic) }
            let client = try await client()
            try? await client.send([1, 2, 3])
            client.finish()
            _ = try await client.receiveToEnd()
            if let toxic { try await proxy.removeToxic(toxic.name) }
        }
    }

    @Test("A proxy to nowhere, or at an endpoint in use, is refused")
    func refusals() async throws {
        #expect(throws: ProxyProblem.self) {
            try FaultProxy(
                "x", listen: Endpoint("tcp://127.0.0.1:*"), connect: Endpoint("tcp://*:1"), seed: 1)
        }
        let second = try FaultProxy(
            "second", listen: await proxy.listen, connect: echo.endpoint, seed: 1)
        await #expect(throws: ProxyProblem.self) { try await second.setEnabled(true) }
        try await closeProxy()
    }
}
