import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// Two children ask for one origin.
@Suite struct DownlinkPathsTests {
    private let one = PeerID(1)
    private let two = PeerID(2)
    private let id = PresentationID(1)

    private func present(_ name: NodeName, isReachable: Bool = true) -> Message {
        .present(id, path: ["a", name], isReachable: isReachable)
    }

    /// `b` asked, then `c`.
    private func asked() -> DownlinkRig {
        var rig = DownlinkRig()
        _ = rig.get(.hello("b"), from: one)
        _ = rig.get(.hello("c"), from: two)
        _ = rig.get(present("b"), from: one)
        _ = rig.get(present("c"), from: two)
        return rig
    }

    @Test("the last that asked gets the answer; the other is still heard")
    func last() {
        var rig = asked()
        let awaited = rig.get(.await(id: id, waitMilliseconds: 0), from: one)
        #expect(awaited.verbs(to: one) == [.pending])
        #expect(rig.answer(id).verbs(to: two) == [.answer])
        #expect(rig.get(.await(id: id, waitMilliseconds: 0), from: one).verbs(to: one) == [.answer])
        #expect(
            rig.get(.settled(id, .recovered), from: one)
                == [.settled(id, answer: Message.sampleAnswer, .recovered)])
    }

    @Test("reachable: false takes no other child's place and changes no prompt")
    func cutOff() {
        var rig = asked()
        #expect(
            rig.get(present("b", isReachable: false), from: one)
                == [.send(.accepted(id: id, attempt: 1), to: one)])
        #expect(rig.answer(id).verbs(to: two) == [.answer])
    }

    @Test("whose place is asked for by one that is cut off hands it to one that is not")
    func handsOver() {
        var rig = asked()
        let actions = rig.get(present("c", isReachable: false), from: two)
        #expect(actions == [.send(.accepted(id: id, attempt: 1), to: two)])
        #expect(rig.answer(id).verbs(to: one) == [.answer])
    }

    @Test("cut off everywhere, the prompt says so once; found again, once more")
    func cutOffEverywhere() {
        var rig = asked()
        _ = rig.get(present("b", isReachable: false), from: one)
        let said = rig.get(present("c", isReachable: false), from: two)
        #expect(said.contains(.reachable(id, false)))
        let again = rig.get(present("b", isReachable: false), from: one)
        #expect(!again.contains(.reachable(id, false)))
        #expect(rig.get(present("b"), from: one).contains(.reachable(id, true)))
    }

    @Test("the asker's link is lost: the other path takes over, and gets what is decided")
    func lost() {
        var rig = asked()
        var decided = rig
        _ = decided.answer(id)
        let lost = decided.get(.bye(reason: "x"), from: two)
        #expect(lost.verbs(to: one) == [.answer])
        #expect(rig.get(.bye(reason: "x"), from: two) == [.log(.down("c", reason: "it left: x"))])
        #expect(rig.answer(id).verbs(to: one) == [.answer])
    }

    @Test("abandoned by one it stays, by the last it goes; withdrawn by the origin it goes at once")
    func withdrawn() {
        for (first, second) in [(one, two), (two, one)] {
            var rig = asked()
            let abandon = Message.withdraw(id: id, reason: .abandoned)
            #expect(rig.get(abandon, from: first) == [.send(.withdrawn(id: id), to: first)])
            #expect(
                rig.get(abandon, from: second).contains(
                    .cancel(id, generation: 1, reason: .abandoned)))
            var other = asked()
            #expect(
                other.get(.withdraw(id: id, reason: .origin), from: first).contains(
                    .cancel(id, generation: 1, reason: .withdrawn)))
        }
    }

    @Test("a path that holds it no more hands the answer to the other; the last says unknown")
    func unknown() {
        var rig = asked()
        _ = rig.answer(id)
        let handed = rig.get(.settled(id, .unknown), from: two)
        #expect(handed.verbs(to: one) == [.answer])
        #expect(
            rig.get(.settled(id, .unknown), from: one)
                == [.settled(id, answer: Message.sampleAnswer, .unknown)])
    }

    @Test("left for the origin's own link, a path ends itself alone until that link is lost")
    func formerPath() {
        var rig = DownlinkRig()
        _ = rig.get(.hello("b"), from: one)
        _ = rig.get(present("b"), from: one)
        _ = rig.get(.hello("a"), from: two)
        _ = rig.get(.present(id), from: two)
        let withdrawn = rig.get(.withdraw(id: id, reason: .origin), from: one)
        #expect(withdrawn.reject(to: one) == .notYours)
        #expect(rig.machine.entries[id]?.isOpen == true)
        var abandoned = rig
        #expect(
            abandoned.get(.withdraw(id: id, reason: .abandoned), from: one)
                == [.send(.withdrawn(id: id), to: one)])
        #expect(rig.answer(id).verbs(to: two) == [.answer])
        for result in [.recovered, .failed, .late, .withdrawn] as [RecoveryResult] {
            let settled = rig.get(.settled(id, result), from: one)
            #expect(settled.reject(to: one) == .notYours)
            #expect(rig.machine.entries[id]?.isUnsettled == true)
        }
        var ended = rig
        #expect(ended.get(.settled(id, .unknown), from: one) == [])
        let settled = DownlinkAction.settled(id, answer: Message.sampleAnswer, .recovered)
        #expect(ended.get(.settled(id, .recovered), from: two) == [settled])
        // Its link is lost: the answer goes to the path again, which may report for it.
        #expect(rig.get(.bye(reason: "x"), from: two).verbs(to: one) == [.answer])
        #expect(rig.get(.settled(id, .recovered), from: one) == [settled])
    }

    @Test("asserted by the other path for the length of a lease, it stays")
    func lease() {
        var rig = asked()
        var actions: [DownlinkAction] = []
        for _ in 0..<10 {
            for peer in [one, two] { actions += rig.get(.ping(1), from: peer) }
            for _ in 0..<10 {
                actions += rig.run(4_000).map(\.1)
                for peer in [one, two] { actions += rig.get(.pong(1), from: peer) }
            }
            actions += rig.get(.await(id: id, waitMilliseconds: 0), from: one)
        }
        #expect(!actions.contains(.cancel(id, generation: 1, reason: .abandoned)))
        #expect(!actions.contains(.reachable(id, false)))
        #expect(rig.answer(id).verbs(to: one) == [.answer])
    }

    @Test("reopened, it knows none of the paths that gave it up")
    func reopened() {
        var rig = asked()
        for peer in [one, two] { _ = rig.get(.withdraw(id: id, reason: .abandoned), from: peer) }
        #expect(rig.get(present("c"), from: two).offers.map(\.generation) == [2])
        #expect(rig.get(.bye(reason: "x"), from: two).contains(.reachable(id, false)))
    }

    @Test("of more paths than are kept, the one that asked longest ago asks again")
    func bound() {
        var rig = DownlinkRig()
        let count = UInt8(DownlinkEntry.otherPathsMax + 2)
        for number in 1...count {
            let name = NodeName("n\(number)") ?? "x"
            _ = rig.get(.hello(name), from: PeerID(number))
            _ = rig.get(present(name), from: PeerID(number))
        }
        func code(_ number: UInt8) -> RejectCode? {
            let peer = PeerID(number)
            return rig.get(.await(id: id, waitMilliseconds: 0), from: peer).reject(to: peer)
        }
        #expect(code(1) == .notYours)
        #expect(code(2) == nil)
    }

    @Test("first asked by a child that has lost the origin: the prompt hears when it is found")
    func cutOffAtFirst() {
        var rig = DownlinkRig()
        _ = rig.get(.hello("b"), from: one)
        let offers = rig.get(present("b", isReachable: false), from: one).offers
        #expect(offers.map(\.present.isOriginReachable) == [false])
        #expect(rig.get(present("b"), from: one).contains(.reachable(id, true)))
    }

    @Test("F3 heard of again, a child that had lost the origin has not found it")
    func foundIsNotReachable() {
        var rig = DownlinkRig()
        _ = rig.get(.hello("b"), from: one)
        _ = rig.get(present("b"), from: one)
        let cutOff = rig.get(present("b", isReachable: false), from: one)
        #expect(cutOff.contains(.reachable(id, false)))
        _ = rig.run(13_000)
        let found = rig.get(.pong(1), from: one)
        #expect(found.contains(.log(.up("b"))))
        #expect(!found.contains(.reachable(id, true)))
        #expect(rig.get(present("b"), from: one).contains(.reachable(id, true)))
    }
}
