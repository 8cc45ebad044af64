import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// A parent sends a child no more bytes of answers than the child may leave unread.
@Suite struct UnreadAnswersTests {
    private let one = PeerID(1)
    private let two = PeerID(2)

    private static func id(_ number: Int) -> PresentationID { PresentationID(UInt64(number)) }

    private func answered(_ actions: [DownlinkAction], to peer: PeerID = PeerID(1)) -> [Int] {
        actions.sent(to: peer).compactMap {
            if case .answer(let id, _, _) = $0 { Int(id.value.low) } else { nil }
        }
    }

    private func pings(_ actions: [DownlinkAction]) -> [UInt64] {
        actions.sent(to: one).compactMap { if case .ping(let number) = $0 { number } else { nil } }
    }

    /// At most four answers unread, and six of them decided.
    private func full() -> (rig: DownlinkRig, actions: [[DownlinkAction]]) {
        var limits = LinkLimits()
        limits.unreadByteCountMax = 2_048
        var rig = DownlinkRig.withChild(limits: limits)
        for number in 1...6 { _ = rig.get(.present(Self.id(number)), from: one) }
        let actions = (1...6).map { number in
            rig.pass(1)
            return rig.answer(Self.id(number))
        }
        return (rig, actions)
    }

    @Test("what is more waits, and follows as the child says that it has read")
    func heldBack() {
        let (start, actions) = full()
        var rig = start
        #expect(actions.map { answered($0) } == [[1], [2], [3], [4], [], []])
        #expect(actions.map(pings) == [[1], [], [], [], [], []])
        // That it has carried one out does not say that it has read what came after.
        #expect(answered(rig.get(.settled(Self.id(1), .recovered), from: one)) == [])
        #expect(answered(rig.get(.pong(0), from: one)) == [])
        let first = rig.get(.pong(1), from: one)
        #expect(answered(first) == [5] && pings(first) == [2])
        let second = rig.get(.pong(2), from: one)
        #expect(answered(second) == [6] && pings(second) == [3])
        #expect(rig.machine.heldAnswers.isEmpty)
        #expect(pings(rig.get(.pong(3), from: one)) == [])
    }

    @Test("an answer is not sent again before the child has read as far")
    func onItsWay() {
        var rig = full().rig
        _ = rig.get(.pong(1), from: one)
        // The first was read, and is settled; 2 to 4 came after that PING.
        _ = rig.get(.settled(Self.id(1), .recovered), from: one)
        #expect(answered(rig.run(3_000).map(\.1)) == [])
        _ = rig.get(.pong(2), from: one)
        // The sixth has taken the room of the first, and three of these four that of the others.
        let again = answered(rig.run(1_300).map(\.1))
        #expect(again.count == 3 && Set(again).isSubset(of: [2, 3, 4, 5]))
    }

    @Test("a child that has read its answers gets those without a result again, as before")
    func sentAgain() {
        var rig = DownlinkRig.withChild()
        _ = rig.get(.present(Self.id(1)), from: one)
        #expect(answered(rig.answer(Self.id(1))) == [1])
        #expect(answered(rig.run(1_250).map(\.1)) == [1])
    }

    @Test("a PING without a PONG is repeated at growing pauses, though the child says other things")
    func slowChild() {
        var rig = full().rig
        var repeated: [UInt64] = []
        for _ in 1...50 {
            repeated += pings(rig.run(1_000).map(\.1))
            _ = rig.get(.ping(1), from: one)
        }
        // After 4, 12 and 28 s.
        #expect(repeated == [2, 3, 4])
        #expect(answered(rig.get(.pong(4), from: one)).contains(5))
    }

    @Test("a silent child gets one PING for its silence, and its PONG counts for the answers")
    func silentChild() {
        var rig = full().rig
        #expect(pings(rig.run(5_000).map(\.1)) == [2])
        // What came after the PING for them may be unread, as far as is known.
        #expect(answered(rig.get(.pong(2), from: one)) == [5])
    }

    @Test("an answer that is asked for while it is held back is sent at once, and leaves the line")
    func askedFor() {
        var rig = full().rig
        #expect(answered(rig.get(.await(id: Self.id(5), waitMilliseconds: 0), from: one)) == [5])
        #expect(rig.machine.heldAnswers["a"]?.keys == [Self.id(6)])
        #expect(pings(rig.get(.pong(1), from: one)) == [2])
        #expect(answered(rig.get(.pong(2), from: one)) == [6])
    }

    @Test("ACCEPTED that was held back for an answer goes where the answer has to wait")
    func accepted() {
        let (_, actions) = full()
        #expect(
            actions.map { $0.verbs(to: one).contains(.accepted) } == [
                false, false, false, false, true, true,
            ])
    }

    @Test("an answer that comes again and has to wait is no reason for ACCEPTED")
    func acceptedBefore() {
        var rig = full().rig
        // The first was read, and the fifth takes the room in which it would come again.
        #expect(answered(rig.get(.pong(1), from: one)) == [5])
        let actions = rig.run(1_300).map(\.1)
        #expect(rig.machine.heldAnswers["a"]?.contains(Self.id(1)) == true)
        #expect(!actions.verbs(to: one).contains(.accepted))
    }

    @Test("a held answer whose origin withdraws is not sent")
    func withdrawn() {
        var rig = full().rig
        _ = rig.get(.withdraw(id: Self.id(5), reason: .origin), from: one)
        #expect(rig.machine.heldAnswers["a"]?.keys == [Self.id(6)])
        #expect(answered(rig.get(.pong(1), from: one)) == [6])
    }

    @Test("a held answer waits for its live child, however long, and is left to the next life")
    func kept() {
        var rig = full().rig
        for _ in 1...900 {
            let actions = rig.run(1_000).map(\.1) + rig.get(.ping(1), from: one)
            let isGivenUp = actions.contains {
                if case .settled(_, _, .unknown) = $0 { true } else { false }
            }
            #expect(!isGivenUp)
        }
        #expect(rig.machine.isWithChild(Self.id(5), answer: Message.sampleAnswer))
        // All came after the first PING, which the child has read; the latest PING was later.
        #expect(Set(answered(rig.get(.pong(rig.machine.pingNumber), from: one))) == [5, 6])
    }

    @Test("on a new link nothing is unread, and all answers are sent again")
    func newLink() {
        var rig = full().rig
        _ = rig.machine.vanished(one, at: rig.now)
        #expect(rig.machine.heldAnswers.isEmpty)
        #expect(!rig.machine.isWithChild(Self.id(5), answer: Message.sampleAnswer))
        let first = rig.get(.hello("a"), from: two)
        #expect(answered(first, to: two) == [1, 2, 3, 4])
        #expect(rig.machine.heldAnswers["a"]?.keys.count == 2)
        let number = first.sent(to: two).compactMap {
            if case .ping(let number) = $0 { number } else { nil }
        }
        #expect(number.count == 1)
        #expect(answered(rig.get(.pong(number.last ?? 0), from: two), to: two) == [5])
    }

    @Test("a new life does not wait for a PONG with an answer that went to the former one")
    func newLife() {
        var limits = LinkLimits()
        limits.unreadByteCountMax = 2_048
        var rig = DownlinkRig.withChild(limits: limits)
        _ = rig.get(.present(Self.id(1), origin: "x", path: ["x", "a"]), from: one)
        #expect(answered(rig.answer(Self.id(1))) == [1])
        _ = rig.machine.vanished(one, at: rig.now)
        _ = rig.get(.hello("a", boot: 2), from: two)
        _ = rig.get(.present(Self.id(2)), from: two)
        // The PING behind it stays without a PONG.
        #expect(answered(rig.answer(Self.id(2)), to: two) == [2])
        #expect(answered(rig.run(1_300).map(\.1), to: two) == [1])
    }

    @Test("an answer that is held back on a new link, and then loses that link too, is given up")
    func lostAgain() {
        var limits = LinkLimits()
        limits.unreadByteCountMax = 2_048
        var rig = DownlinkRig.withChild(limits: limits)
        for number in 1...5 { _ = rig.get(.present(Self.id(number)), from: one) }
        _ = rig.machine.vanished(one, at: rig.now)
        _ = rig.get(.hello("a"), from: two)
        // Not presented again yet.
        for number in 1...5 { _ = rig.answer(Self.id(number)) }
        #expect(rig.machine.heldAnswers["a"]?.keys == [Self.id(5)])
        _ = rig.machine.vanished(two, at: rig.now)
        let given = rig.run(300_000).map(\.1).compactMap { action -> PresentationID? in
            if case .settled(let id, _, .unknown) = action { id } else { nil }
        }
        #expect(Set(given) == Set((1...5).map(Self.id)))
    }

    @Test("HELLO again on the same link changes nothing about what is unread")
    func sameLink() {
        var rig = full().rig
        #expect(answered(rig.get(.hello("a"), from: one)) == [])
        #expect(answered(rig.get(.pong(1), from: one)) == [5])
    }

    @Test("a child that was silent too long gets its answers with its next word")
    func foundAgain() {
        var rig = full().rig
        let isLost = DownlinkAction.log(.down("a", reason: "silent for 12000 ms"))
        #expect(rig.run(12_100).map(\.1).contains(isLost))
        #expect(rig.machine.heldAnswers.isEmpty)
        #expect(answered(rig.get(.ping(1), from: one)) == [1, 2, 3, 4])
    }
}
