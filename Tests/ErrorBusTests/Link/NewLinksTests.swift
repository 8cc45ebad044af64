import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// A child with many presentations cannot keep its parent busy by links that begin anew.
@Suite struct NewLinksTests {
    private let one = PeerID(1)

    /// The child `a` on peer 1, with so many presentations.
    private func child(with count: UInt64) -> DownlinkRig {
        var rig = DownlinkRig.withChild()
        for number in 1...count { _ = rig.get(.present(PresentationID(number)), from: one) }
        return rig
    }

    private func count(_ verb: Verb, in actions: [DownlinkAction], to peer: PeerID) -> Int {
        actions.verbs(to: peer).filter { $0 == verb }.count
    }

    @Test("one life after the other on a connection: the seventeenth is refused for now")
    func lives() {
        var rig = child(with: 257)
        var verbs: [Verb] = []
        for boot in 2...19 as ClosedRange<UInt64> {
            verbs += rig.get(.hello("a", boot: boot), from: one).verbs(to: one)
        }
        #expect(verbs == Array(repeating: .welcome, count: 16) + [.reject, .reject])
        rig.pass(4_000)
        let later = (20...21 as ClosedRange<UInt64>).map { boot in
            rig.get(.hello("a", boot: boot), from: one).reject(to: one)
        }
        #expect(later == [nil, .busy])
    }

    @Test("a child with few presentations, and HELLO that only comes again, have no such limit")
    func few() {
        var light = child(with: 256)
        for boot in 2...60 as ClosedRange<UInt64> {
            #expect(light.get(.hello("a", boot: boot), from: one).reject(to: one) == nil)
        }
        var rig = child(with: 257)
        for _ in 1...60 { #expect(rig.get(.hello("a"), from: one).reject(to: one) == nil) }
    }

    @Test("BYE and a next word in turn: the seventeenth word does not count for now")
    func leaves() {
        var rig = child(with: 257)
        var pongCount = 0
        for _ in 1...20 {
            _ = rig.get(.bye(reason: "x"), from: one)
            pongCount += count(.pong, in: rig.get(.ping(1), from: one), to: one)
        }
        #expect(pongCount == 16)
        #expect(rig.get(.ping(1), from: one) == [.lostLink(.ping(1))])
        let error = WireError(.malformed, "no such verb")
        #expect(rig.machine.malformed(error, from: one, at: rig.now).drops == [.malformed])
        // Its next frame may also be HELLO, on the same connection.
        #expect(rig.get(.hello("a"), from: one).reject(to: one) == .busy)
        #expect(rig.machine.children["a"]?.isReachable == false)
        rig.pass(4_000)
        #expect(count(.pong, in: rig.get(.ping(1), from: one), to: one) == 1)
    }

    @Test("two lives that leave the name to each other: the seventeenth change is refused")
    func claims() {
        var rig = child(with: 257)
        var (holder, other) = (PeerID(1), PeerID(2))
        var welcomeCount = 0
        for boot in 2...21 as ClosedRange<UInt64> {
            _ = rig.get(.hello("a", boot: boot), from: other)
            let left = rig.get(.bye(reason: "x"), from: holder)
            welcomeCount += count(.welcome, in: left, to: other)
            swap(&holder, &other)
        }
        #expect(welcomeCount == 16)
    }
}
