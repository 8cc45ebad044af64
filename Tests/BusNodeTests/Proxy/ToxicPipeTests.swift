import Testing

@testable import BusLab

/// What each toxic decides, in virtual time.
struct ToxicPipeTests {
    private struct Event: Equatable {
        let time: Duration
        let action: ToxicAction

        init(_ time: Duration, _ action: ToxicAction) {
            self.time = time
            self.action = action
        }
    }

    private func pipe(_ effects: ToxicEffect..., seed: UInt64 = 1) -> ToxicPipe {
        ToxicPipe(
            effects.map { Toxic($0, on: .upstream) }, seed: seed, at: .zero)
    }

    /// Everything that comes out, at the times it is due.
    private func run(_ pipe: inout ToxicPipe, from start: Duration = .zero) -> [Event] {
        var events: [Event] = []
        var now = start
        while events.count < 10_000 {
            if let action = pipe.next(at: now) {
                events.append(Event(now, action))
            } else if let due = pipe.nextDue {
                #expect(due > now, "due, but nothing came")
                now = max(now, due)
            } else {
                break
            }
        }
        return events
    }

    private func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    }

    private func forwarded(_ events: [Event]) -> [UInt8] {
        events.flatMap { if case .forward(let bytes) = $0.action { bytes } else { [UInt8]() } }
    }

    @Test("Without toxics all data passes at once, in order")
    func transparent() {
        var pipe = pipe()
        #expect(pipe.isTransparent)
        pipe.received([1, 2], at: .zero)
        pipe.received([3], at: .zero)
        pipe.ended(at: .zero)
        #expect(
            run(&pipe) == [
                Event(.zero, .forward([1, 2])), Event(.zero, .forward([3])), Event(.zero, .finish),
            ])
        #expect(!pipe.wantsMore)
    }

    @Test("F5 latency delays data and the end alike")
    func latency() {
        var pipe = pipe(.latency(.milliseconds(100), jitter: .zero))
        pipe.received([1], at: .milliseconds(5))
        pipe.ended(at: .milliseconds(6))
        #expect(pipe.next(at: .milliseconds(104)) == nil)
        #expect(
            run(&pipe) == [
                Event(.milliseconds(105), .forward([1])), Event(.milliseconds(106), .finish),
            ])
    }

    @Test("F5 jitter never lets a byte overtake", arguments: [UInt64(1), 2, 3, 4, 5])
    func jitter(seed: UInt64) {
        var pipe = pipe(.latency(.milliseconds(50), jitter: .milliseconds(50)), seed: seed)
        for index in 0..<100 { pipe.received([UInt8(index)], at: .milliseconds(index)) }
        let events = run(&pipe)
        #expect(forwarded(events) == Array(0..<100))
        #expect(events.contains { $0.time > .milliseconds(100) })
    }

    @Test("F6 bandwidth: 1 KB/s takes a second for a kilobyte, in pieces")
    func bandwidth() {
        var pipe = pipe(.bandwidth(kilobytesPerSecond: 1))
        pipe.received(bytes(1_000), at: .zero)
        let events = run(&pipe)
        #expect(forwarded(events) == bytes(1_000))
        #expect(events.count == 10)
        #expect(abs((events.last?.time.seconds ?? 0) - 1) < 0.001)
    }

    @Test("F4 slow_close delays only the end")
    func slowClose() {
        var pipe = pipe(.slowClose(delay: .seconds(2)))
        pipe.received([1], at: .zero)
        pipe.ended(at: .zero)
        #expect(run(&pipe) == [Event(.zero, .forward([1])), Event(.seconds(2), .finish)])
    }

    @Test("timeout swallows data, then closes; zero never closes by itself")
    func timeout() {
        var limited = pipe(.timeout(.seconds(3)))
        limited.received([1], at: .seconds(1))
        #expect(run(&limited) == [Event(.seconds(3), .close)])
        var endless = pipe(.timeout(.zero))
        endless.received([1], at: .seconds(1))
        #expect(endless.nextDue == nil)
        #expect(endless.toxicsChanged([], at: .seconds(9)) == .close)
        #expect(endless.next(at: .seconds(9)) == nil)
    }

    @Test("F2 reset_peer resets, also where nothing was sent")
    func resetPeer() {
        var pipe = pipe(.resetPeer(.milliseconds(10)))
        #expect(run(&pipe) == [Event(.milliseconds(10), .reset)])
        pipe.received([1], at: .seconds(1))
        #expect(pipe.next(at: .seconds(2)) == nil)
    }

    @Test("F6 slicer cuts into pieces and loses nothing", arguments: [UInt64(1), 2, 3])
    func slicer(seed: UInt64) {
        var pipe = pipe(
            .slicer(averageSize: 10, variation: 3, delay: .microseconds(500)), seed: seed)
        pipe.received(bytes(200), at: .zero)
        pipe.ended(at: .zero)
        let events = run(&pipe)
        #expect(forwarded(events) == bytes(200))
        let pieces = events.compactMap { event -> Int? in
            if case .forward(let bytes) = event.action { bytes.count } else { nil }
        }
        #expect(pieces.dropLast().allSatisfy { (7...13).contains($0) })
        #expect(Set(pieces.dropLast()).count > 1)
        #expect(events.last?.action == .finish)
        #expect(events.last?.time == .microseconds(500 * pieces.count))
    }

    @Test("F7 limit_data passes exactly so many bytes, then closes", arguments: 0...9)
    func limitData(limit: Int) {
        var pipe = pipe(.limitData(bytes: limit))
        for start in stride(from: 0, to: 9, by: 3) {
            pipe.received(Array(bytes(9)[start..<start + 3]), at: .zero)
        }
        pipe.received([9, 9, 9], at: .zero)
        let events = run(&pipe)
        #expect(forwarded(events) == Array(bytes(9).prefix(limit)))
        #expect(events.last?.action == .close)
    }

    @Test("F11 corrupt changes the byte at the offset and no other")
    func corruptOffset() {
        var pipe = pipe(.corrupt(probability: 0, offset: 4))
        pipe.received(bytes(3), at: .zero)
        pipe.received([3, 4, 5], at: .zero)
        let result = forwarded(run(&pipe))
        #expect(result.count == 6)
        #expect(result.indices.filter { result[$0] != UInt8($0) } == [4])
    }

    @Test("F11 corrupt with a probability changes about that share")
    func corruptProbability() {
        var pipe = pipe(.corrupt(probability: 0.1, offset: nil))
        pipe.received([UInt8](repeating: 0, count: 10_000), at: .zero)
        let changed = forwarded(run(&pipe)).count { $0 != 0 }
        #expect((800...1_200).contains(changed))
    }

    @Test("F3 blackhole holds all data and the sender's death until it is removed")
    func blackhole() {
        var pipe = pipe(.blackhole)
        pipe.received([1], at: .zero)
        pipe.broke(at: .seconds(1))
        #expect(pipe.nextDue == nil)
        #expect(pipe.next(at: .seconds(1_000_000)) == nil)
        #expect(pipe.toxicsChanged([], at: .seconds(60)) == nil)
        #expect(
            run(&pipe, from: .seconds(60)) == [
                Event(.seconds(60), .forward([1])), Event(.seconds(60), .reset),
            ])
    }

    @Test("F3 a later blackhole also holds data already under way")
    func laterBlackhole() {
        let latency = Toxic(.latency(.seconds(1), jitter: .zero), on: .upstream)
        var pipe = ToxicPipe([latency], seed: 1, at: .zero)
        pipe.received([1], at: .zero)
        _ = pipe.toxicsChanged(
            [latency, Toxic(.blackhole, on: .upstream)], at: .milliseconds(500))
        #expect(pipe.nextDue == nil)
        _ = pipe.toxicsChanged([latency], at: .seconds(5))
        #expect(run(&pipe, from: .seconds(5)) == [Event(.seconds(5), .forward([1]))])
    }

    @Test("Removing a latency releases its data; adding another toxic does not")
    func changes() {
        let latency = Toxic(.latency(.seconds(9), jitter: .zero), on: .upstream)
        var pipe = ToxicPipe([latency], seed: 1, at: .zero)
        pipe.received([1], at: .zero)
        _ = pipe.toxicsChanged(
            [latency, Toxic(.slowClose(delay: .seconds(1)), on: .upstream)], at: .seconds(1))
        #expect(pipe.nextDue == .seconds(9))
        _ = pipe.toxicsChanged([], at: .seconds(2))
        #expect(run(&pipe, from: .seconds(2)) == [Event(.seconds(2), .forward([1]))])
    }

    @Test("A changed limit counts earlier bytes")
    func changedLimit() {
        var pipe = pipe(.limitData(bytes: 100))
        pipe.received(bytes(50), at: .zero)
        #expect(forwarded(run(&pipe)) == bytes(50))
        _ = pipe.toxicsChanged([Toxic(.limitData(bytes: 60), on: .upstream)], at: .zero)
        pipe.received(bytes(50), at: .zero)
        #expect(
            run(&pipe) == [Event(.zero, .forward(bytes(10))), Event(.zero, .close)])
    }

    @Test("Toxics in a row: each one's output is the next one's input")
    func chain() {
        var pipe = pipe(
            .latency(.seconds(1), jitter: .zero),
            .slicer(averageSize: 1, variation: 0, delay: .seconds(1)))
        pipe.received([7, 8], at: .zero)
        #expect(
            run(&pipe) == [
                Event(.seconds(2), .forward([7])), Event(.seconds(3), .forward([8])),
            ])
    }

    @Test("Toxicity is the share of connections, and the same seed chooses the same ones")
    func toxicity() {
        let toxic = Toxic(.blackhole, on: .upstream, toxicity: 0.5)
        func caught() -> [Bool] {
            (0..<1_000).map { seed in
                var pipe = ToxicPipe([toxic], seed: UInt64(seed), at: .zero)
                pipe.received([1], at: .zero)
                return pipe.next(at: .zero) == nil
            }
        }
        #expect((400...600).contains(caught().count { $0 }))
        #expect(caught() == caught())
    }

    @Test("A connection spared by a toxic stays spared when another toxic is added")
    func spared() {
        let toxic = Toxic(.blackhole, on: .upstream, toxicity: 0)
        var pipe = ToxicPipe([toxic], seed: 1, at: .zero)
        let other = Toxic(.slowClose(delay: .zero), on: .upstream)
        for _ in 0..<100 { _ = pipe.toxicsChanged([toxic, other], at: .zero) }
        pipe.received([1], at: .zero)
        #expect(pipe.next(at: .zero) == .forward([1]))
    }

    @Test("Buffers are bounded: the sender is read up to the limit, and again below it")
    func backpressure() {
        var pipe = pipe(.latency(.seconds(1), jitter: .zero))
        var count = 0
        while pipe.wantsMore, count < 10_000 {
            pipe.received(bytes(1_024), at: .zero)
            count += 1
        }
        #expect(count == ToxicPipe.queuedByteMax / 1_024)
        #expect(pipe.next(at: .seconds(1)) != nil)
        #expect(pipe.wantsMore)
        #expect(pipe.queuedByteCount == ToxicPipe.queuedByteMax - 1_024)
    }
}
