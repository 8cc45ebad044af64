import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// What both machines say of their links, and when they say it.
@Suite struct LinkStatusTests {
    private func status(of rig: DownlinkRig) -> NodeStatus {
        var status = NodeStatus(node: "p")
        rig.machine.describe(into: &status, at: rig.now)
        status.arrangeChildren()
        return status
    }

    private func parents(of rig: UplinkRig) throws -> [ParentStatus] {
        var status = NodeStatus(node: "c")
        let endpoints = try (0..<rig.machine.parentCount).map { try Endpoint("tcp://h:\($0 + 1)") }
        rig.machine.describe(into: &status, endpoints: endpoints, at: rig.now)
        return status.parents
    }

    @Test("any peer may ask, with or without HELLO, and nothing else changes")
    func anyPeer() {
        var rig = DownlinkRig.withChild()
        #expect(rig.get(.status, from: PeerID(1)) == [.tellState(to: PeerID(1))])
        #expect(rig.get(.status, from: PeerID(7)) == [.tellState(to: PeerID(7))])
        #expect(rig.machine.children.count == 1)
        #expect(rig.machine.entries.isEmpty)
    }

    @Test("asked too often it is refused for the rest of the second, and questions are not")
    func tooOften() {
        var limits = LinkLimits()
        limits.statesPerSecondMax = 3
        var rig = DownlinkRig.withChild(limits: limits)
        for _ in 0..<3 { _ = rig.get(.status, from: PeerID(7)) }
        rig.pass(400)
        let refused = rig.get(.status, from: PeerID(8)).sent(to: PeerID(8))
        guard case .reject(let reject)? = refused.first else {
            Issue.record("no refusal: \(refused)")
            return
        }
        #expect(reject.code == .busy)
        #expect(reject.retryMilliseconds == 600)
        #expect(rig.get(.present(PresentationID(1)), from: PeerID(1)).offers.count == 1)
        rig.pass(600)
        _ = rig.machine.ticked(at: rig.now)
        #expect(rig.get(.status, from: PeerID(8)) == [.tellState(to: PeerID(8))])
    }

    @Test("a node that goes down says so; a link that was taken over is not answered")
    func goingDown() {
        var rig = DownlinkRig.withChild()
        _ = rig.get(.hello("a"), from: PeerID(2))
        #expect(rig.get(.status, from: PeerID(1)).drops == [.supersededLink])
        _ = rig.machine.stopped(at: rig.now)
        #expect(rig.get(.status, from: PeerID(9)).reject(to: PeerID(9)) == .noResponder)
    }

    @Test("children: since when they live or have gone, what is open and what is answered")
    func children() {
        var rig = DownlinkRig.withChild()
        rig.pass(1_000)
        _ = rig.get(.hello("b"), from: PeerID(2))
        _ = rig.get(.present(PresentationID(1)), from: PeerID(1))
        _ = rig.get(.present(PresentationID(2)), from: PeerID(1))
        _ = rig.answer(PresentationID(1))
        rig.pass(2_000)
        _ = rig.get(.pong(0), from: PeerID(1))
        _ = rig.get(.bye(reason: "x"), from: PeerID(2))
        rig.pass(500)
        let told = status(of: rig)
        #expect(
            told.children == [
                .init(
                    name: "a", state: .live, sinceMilliseconds: 3_500, openCount: 1,
                    answeredCount: 1),
                .init(
                    name: "b", state: .left, sinceMilliseconds: 500, openCount: 0,
                    answeredCount: 0),
            ])
        #expect(told.openCount == 1)
        #expect(told.counters.presentedBelow == 2)
        #expect(told.counters.answeredBelow == 1)
        // Heard of again: live since then.
        _ = rig.get(.hello("b"), from: PeerID(2))
        #expect(status(of: rig).children.map(\.sinceMilliseconds) == [3_500, 0])
        #expect(status(of: rig).children.map(\.state) == [.live, .live])
    }

    @Test(
        "a result counts once: SETTLED, a withdrawal that crossed the answer, or after unknown",
        arguments: [
            ([Message.settled(PresentationID(1), .recovered)], 1),
            ([.withdraw(id: PresentationID(1), reason: .origin)], 1),
            (
                [
                    .withdraw(id: PresentationID(1), reason: .origin),
                    .settled(PresentationID(1), .withdrawn),
                ], 1
            ),
            ([.settled(PresentationID(1), .unknown)], 0),
            (
                [
                    .settled(PresentationID(1), .unknown), .settled(PresentationID(1), .failed),
                ], 1
            ),
        ])
    func settledBelow(words: [Message], count: Int) {
        var rig = DownlinkRig.withChild()
        _ = rig.get(.present(PresentationID(1)), from: PeerID(1))
        _ = rig.answer(PresentationID(1))
        for word in words { _ = rig.get(word, from: PeerID(1)) }
        #expect(status(of: rig).counters.settledBelow == count)
    }

    @Test("a child that is not heard of is lost, one that says goodbye has left, also afterwards")
    func goneChildren() {
        var rig = DownlinkRig.withChild()
        _ = rig.get(.hello("b"), from: PeerID(2))
        _ = rig.machine.vanished(PeerID(1), at: rig.now)
        _ = rig.get(.bye(reason: "shutdown"), from: PeerID(2))
        // Its connection goes after its word.
        _ = rig.machine.vanished(PeerID(2), at: rig.now)
        #expect(status(of: rig).children.map(\.state) == [.lost, .left])
        // A new life of it that goes without a word is lost.
        _ = rig.get(.hello("b", boot: 9), from: PeerID(3))
        _ = rig.machine.vanished(PeerID(3), at: rig.now)
        #expect(status(of: rig).children.map(\.state) == [.lost, .lost])
    }

    @Test("of more children than are listed, the lost are left out first, and counted")
    func manyChildren() {
        var rig = DownlinkRig()
        func peer(_ number: Int) -> PeerID {
            PeerID(socket: number, envelope: Envelope(frames: [[1], []]))
        }
        for number in 0..<(NodeStatus.childrenMax + 10) {
            let name = NodeName("c\(number)") ?? "c"
            _ = rig.get(.hello(name), from: peer(number))
        }
        _ = rig.get(.bye(reason: ""), from: peer(0))
        let told = status(of: rig)
        #expect(told.children.count == NodeStatus.childrenMax)
        #expect(told.childrenLeftOut == 10)
        #expect(told.children.allSatisfy { $0.state == .live })
    }

    @Test("a parent: connecting, up, lost with the reason, up again")
    func oneParent() throws {
        var rig = UplinkRig()
        _ = rig.machine.started(at: rig.now)
        rig.pass(700)
        #expect(try parents(of: rig).map(\.state) == [.connecting])
        #expect(try parents(of: rig).map(\.sinceMilliseconds) == [700])
        _ = rig.machine.connected(at: rig.now)
        _ = rig.get(UplinkRig.welcome())
        _ = rig.present(PresentationID(1))
        rig.pass(300)
        #expect(
            try parents(of: rig) == [
                .init(
                    node: "p", endpoint: "tcp://h:1", state: .up, sinceMilliseconds: 300,
                    openCount: 1)
            ])
        _ = rig.machine.disconnected("the connection was lost", at: rig.now)
        rig.pass(50)
        let lost = try #require(try parents(of: rig).first)
        #expect(lost.state == .connecting)
        #expect(lost.reason == "the connection was lost")
        #expect(lost.sinceMilliseconds == 50)
        #expect(lost.openCount == 1)
        _ = rig.run(200)
        _ = rig.machine.connected(at: rig.now)
        _ = rig.get(UplinkRig.welcome())
        #expect(try parents(of: rig).map(\.state) == [.up])
        #expect(try parents(of: rig).map(\.reason) == [nil])
    }

    @Test("a parent that refuses says why, for as long as it does")
    func refused() throws {
        var rig = UplinkRig()
        _ = rig.machine.started(at: rig.now)
        for _ in 0..<2 {
            _ = rig.machine.connected(at: rig.now)
            _ = rig.get(.reject(.init(.notYours, "c is held by another live link")))
            let parent = try #require(try parents(of: rig).first)
            #expect(parent.state == .refused)
            #expect(parent.reason == "refused: 403 c is held by another live link")
            rig.pass(5_000)
            _ = rig.machine.ticked(at: rig.now)
            #expect(try parents(of: rig).first?.state == .refused)
        }
        #expect(try parents(of: rig).first?.sinceMilliseconds == 10_000)
    }

    @Test("several parents: the one in use, those tried in vain, those not needed")
    func severalParents() throws {
        var rig = UplinkRig.live(parents: 3)
        #expect(try parents(of: rig).map(\.state) == [.up, .standby, .standby])
        _ = rig.machine.giveUp("silent for 12000 ms", at: rig.now)
        #expect(try parents(of: rig).map(\.state) == [.down, .connecting, .standby])
        _ = rig.run(200)
        _ = rig.machine.connected(at: rig.now)
        _ = rig.get(UplinkRig.welcome())
        let told = try parents(of: rig)
        #expect(told.map(\.state) == [.down, .up, .standby])
        #expect(told.map(\.reason) == ["silent for 12000 ms", nil, nil])
        _ = rig.machine.stopped(at: rig.now)
        #expect(try parents(of: rig).map(\.state) == [.down, .down, .down])
    }

    @Test("what is open above is counted through answers, withdrawals and refusals")
    func openAbove() {
        var rig = UplinkRig.live()
        for number in 1...4 as ClosedRange<UInt64> { _ = rig.present(PresentationID(number)) }
        #expect(rig.machine.openCount == 4)
        _ = rig.get(
            .answer(
                PresentationID(1),
                Answer(id: Message.sampleAnswer, option: "retry", by: "ann", via: .person)))
        _ = rig.withdraw(PresentationID(2))
        _ = rig.get(.reject(.init(.loop, "loop", id: PresentationID(3))))
        #expect(rig.machine.openCount == 1)
        #expect(rig.machine.openCount == rig.machine.openIDs.count)
        #expect(rig.machine.counters.presentedAbove == 4)
        #expect(rig.machine.counters.answeredAbove == 1)
        #expect(rig.machine.counters.refusedAbove == 1)
    }

    @Test("STATE that was not asked for changes nothing")
    func unasked() {
        var rig = UplinkRig.live()
        #expect(rig.get(.state(Frame("{}".utf8))).drops == [.unknownID])
    }

    @Test("a child that has said goodbye, is back, and is then silent is lost")
    func backAndLost() {
        var rig = DownlinkRig.withChild()
        _ = rig.get(.bye(reason: "x"), from: PeerID(1))
        #expect(status(of: rig).children.map(\.state) == [.left])
        _ = rig.get(.ping(1), from: PeerID(1))
        #expect(status(of: rig).children.map(\.state) == [.live])
        _ = rig.run(12_000)
        #expect(status(of: rig).children.map(\.state) == [.lost])
    }
}
