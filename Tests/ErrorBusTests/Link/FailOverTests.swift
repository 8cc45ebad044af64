import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// A child with two parents, one of which loses it without knowing at once.
@Suite struct FailOverTests {
    private let id = PresentationID(1)

    /// Asked by m1, whose link to the child is cut without a word; asked by m2 at once.
    private func movedOver() -> FailOverRig {
        var rig = FailOverRig()
        rig.childSays(.present(id, origin: "w1", path: ["w1"]), to: .m1)
        rig.cut(.m1)
        rig.childSays(.present(id, attempt: 2, origin: "w1", path: ["w1"]), to: .m2)
        return rig
    }

    @Test("the path that lost the child takes nothing back, and its giving up ends nothing")
    func leftInPeace() {
        var rig = movedOver()
        rig.run(seconds: 300)
        #expect(rig.atTop == [.offered(1)])
    }

    @Test(
        "an answer reaches the child by the path it is on, whenever it is given",
        arguments: [0, 5, 13, 20, 45, 71, 74, 100, 250])
    func answered(after seconds: Int) {
        var rig = movedOver()
        rig.run(seconds: seconds)
        rig.answer(id)
        #expect(rig.childGot(.m2).filter { $0.verb == .answer }.count == 1)
        rig.childSays(.settled(id, .recovered), to: .m2)
        #expect(rig.atTop.last == .settled(.recovered))
    }

    @Test("a path that asked last, not knowing that it had lost the child, gives its place back")
    func unaware() {
        var rig = movedOver()
        rig.run(seconds: 2)
        rig.reconnect(.m1)
        rig.run(seconds: 20)
        #expect(rig.atTop == [.offered(1)])
        rig.answer(id)
        #expect(rig.childGot(.m2).map(\.verb).contains(.answer))
    }

    @Test("back by the first path within the minute it is the first path's again")
    func thereAndBack() {
        var rig = movedOver()
        rig.run(seconds: 30)
        rig.mend(.m1)
        rig.childSays(.withdraw(id: id, reason: .abandoned), to: .m2)
        rig.childSays(.present(id, attempt: 3, origin: "w1", path: ["w1"]), to: .m1)
        rig.run(seconds: 100)
        rig.answer(id)
        #expect(rig.atTop == [.offered(1)])
        #expect(rig.childGot(.m1).map(\.verb).contains(.answer))
        #expect(!rig.childGot(.m2).map(\.verb).contains(.answer))
    }

    @Test("lost by both, the prompt says so, and goes a minute later")
    func lostByBoth() {
        var rig = movedOver()
        rig.run(seconds: 30)
        rig.cut(.m2)
        rig.run(seconds: 13)
        #expect(rig.atTop == [.offered(1), .reachable(false)])
        rig.run(seconds: 120)
        #expect(rig.atTop.last == .cancelled(.abandoned))
    }
}

/// w1 -> [m1, m2] -> central, every machine of m1, m2 and central; w1 is the test.
private struct FailOverRig {
    enum Relay: CaseIterable { case m1, m2 }

    enum Fact: Equatable {
        case offered(Int), reachable(Bool), cancelled(DownlinkAction.Outcome)
        case settled(RecoveryResult)
    }

    private struct Hop {
        var down: DownlinkMachine
        var up: UplinkMachine
        /// Where central sees it.
        let peer: PeerID
        var isCut = false
    }

    private var now: MonotonicTime = 1_000_000
    private var central = DownlinkMachine(name: "central", boot: BootID(number: 9), seed: 1)
    private var hops: [Relay: Hop] = [:]
    private var got: [Relay: [Message]] = [:]
    private let child = PeerID(100)
    private(set) var atTop: [Fact] = []

    init() {
        for (number, relay) in Relay.allCases.enumerated() {
            let name: NodeName = relay == .m1 ? "m1" : "m2"
            let boot = BootID(number: UInt64(number + 1))
            hops[relay] = Hop(
                down: DownlinkMachine(name: name, boot: boot, seed: 2),
                up: UplinkMachine(name: name, boot: boot, parentCount: 1, seed: 3),
                peer: PeerID(UInt8(number + 1)))
            connect(relay) { $0.started(at: $1) }
            childSays(.hello("w1"), to: relay)
        }
    }

    // MARK: The test's part

    mutating func childSays(_ message: Message, to relay: Relay) {
        guard var hop = hops[relay], !hop.isCut else { return }
        let actions = hop.down.received(message, from: child, at: now)
        hops[relay] = hop
        perform(actions, relay)
    }

    func childGot(_ relay: Relay) -> [Message] { got[relay] ?? [] }

    mutating func cut(_ relay: Relay) { hops[relay]?.isCut = true }

    mutating func mend(_ relay: Relay) {
        hops[relay]?.isCut = false
        childSays(.hello("w1"), to: relay)
    }

    /// The relay's link to central breaks and is made again.
    mutating func reconnect(_ relay: Relay) {
        connect(relay) { up, now in
            _ = up.disconnected("x", at: now)
            return up.ticked(at: now + 200)
        }
    }

    mutating func answer(_ id: PresentationID) {
        perform(central.answered(id, generation: 1, with: .sample, at: now))
    }

    /// Every link that is not cut is alive; the child asks again every 45 s where it asks.
    mutating func run(seconds: Int) {
        for _ in 0..<seconds {
            now = now + 1_000
            for relay in Relay.allCases {
                childSays(.pong(0), to: relay)
                tick(relay)
            }
            perform(central.ticked(at: now))
            guard now.milliseconds % 45_000 == 0 else { continue }
            childSays(.await(id: PresentationID(1), waitMilliseconds: 0), to: .m2)
        }
    }

    // MARK: Links and chains

    private mutating func connect(
        _ relay: Relay, _ begin: (inout UplinkMachine, MonotonicTime) -> [UplinkAction]
    ) {
        guard var hop = hops[relay] else { return }
        _ = begin(&hop.up, now)
        let actions = hop.up.connected(at: now)
        hops[relay] = hop
        perform(actions, relay)
    }

    private mutating func tick(_ relay: Relay) {
        guard var hop = hops[relay] else { return }
        let below = hop.down.ticked(at: now)
        let above = hop.up.ticked(at: now)
        hops[relay] = hop
        perform(below, relay)
        perform(above, relay)
    }

    private mutating func perform(_ actions: [UplinkAction], _ relay: Relay) {
        for action in actions {
            guard var hop = hops[relay] else { return }
            switch action {
            case .send(let message):
                perform(central.received(message, from: hop.peer, at: now))
            case .answered(let id, let answer):
                let actions = hop.down.answered(id, generation: 1, with: answer, at: now)
                hops[relay] = hop
                perform(actions, relay)
            default: break
            }
        }
    }

    private mutating func perform(_ actions: [DownlinkAction], _ relay: Relay) {
        for action in actions {
            guard var hop = hops[relay] else { return }
            var above: [UplinkAction] = []
            switch action {
            case .send(let message, _): if !hop.isCut { got[relay, default: []].append(message) }
            case .offer(let offer):
                let request = UplinkRequest(
                    present: offer.present, deadline: nil, grace: nil, isForwarded: true)
                above = hop.up.presented(request, at: now)
            case .reachable(let id, let isReachable):
                above = hop.up.reachabilityChanged(id, isReachable, at: now)
            case .cancel(let id, _, let reason):
                let why: Message.WithdrawReason = reason == .withdrawn ? .origin : .abandoned
                above = hop.up.withdrew(id, reason: why, at: now)
            case .settled(let id, let answer, let result):
                above = hop.up.settled(id, answer: answer, result: result, at: now)
            default: break
            }
            hops[relay] = hop
            perform(above, relay)
        }
    }

    private mutating func perform(_ actions: [DownlinkAction]) {
        for action in actions {
            switch action {
            case .send(let message, let peer):
                guard let relay = Relay.allCases.first(where: { hops[$0]?.peer == peer }),
                    var hop = hops[relay]
                else { continue }
                let actions = hop.up.received(message, at: now)
                hops[relay] = hop
                perform(actions, relay)
            case .offer(let offer): atTop.append(.offered(offer.generation))
            case .reachable(_, let isReachable): atTop.append(.reachable(isReachable))
            case .cancel(_, _, let reason): atTop.append(.cancelled(reason))
            case .settled(_, _, let result): atTop.append(.settled(result))
            default: break
            }
        }
    }
}
