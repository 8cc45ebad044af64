import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// A child keeps to what its parent has room for; the rest waits in order.
@Suite struct ParentRoomTests {
    private static func id(_ number: Int) -> PresentationID { PresentationID(UInt64(number)) }

    private func presented(_ actions: [UplinkAction]) -> [Int] {
        actions.sent.compactMap {
            if case .present(let present) = $0 { Int(present.id.value.low) } else { nil }
        }
    }

    private func queued(_ actions: [UplinkAction]) -> [Int] {
        actions.compactMap {
            if case .moved(let id, .queued, "c", _) = $0 { Int(id.value.low) } else { nil }
        }
    }

    private func rig(maxOpen: UInt64) -> UplinkRig {
        var rig = UplinkRig()
        _ = rig.machine.started(at: rig.now)
        _ = rig.machine.connected(at: rig.now)
        _ = rig.get(UplinkRig.welcome(maxOpen: maxOpen))
        return rig
    }

    private func ask(
        _ rig: inout UplinkRig, _ number: Int, of origin: NodeName = "c"
    ) -> [UplinkAction] {
        var request = UplinkRig.request(Self.id(number), isForwarded: true)
        request.present.origin = origin
        return rig.machine.presented(request, at: rig.now)
    }

    private func refuse(_ rig: inout UplinkRig, _ number: Int) -> [UplinkAction] {
        rig.get(
            .reject(.init(.busy, "full", id: Self.id(number), retryMilliseconds: 1_000)))
    }

    @Test("what is more than the parent takes waits, and follows as others end")
    func window() {
        var rig = rig(maxOpen: 2)
        #expect((1...2).map { presented(ask(&rig, $0)) } == [[1], [2]])
        let more = (3...5).map { ask(&rig, $0) }
        #expect(more.map(presented) == [[], [], []])
        #expect(more.map(queued) == [[3], [4], [5]])
        _ = rig.get(.accepted(id: Self.id(1), attempt: 1))
        #expect(presented(rig.get(.answer(Self.id(1), .decision()))) == [3])
        #expect(presented(rig.get(.withdrawn(id: Self.id(2)))) == [4])
        // A caller that gives up while it waits leaves the line.
        _ = rig.machine.withdrew(Self.id(5), reason: .origin, at: rig.now)
        #expect(presented(rig.get(.answer(Self.id(3), .decision()))) == [])
        #expect(rig.machine.line.count == 0)
    }

    private func graces(_ actions: [UplinkAction]) -> [Int] {
        actions.compactMap { if case .graceOver(let id, _) = $0 { Int(id.value.low) } else { nil } }
    }

    @Test("the grace of what waits for room does not run: it begins with its sending, or a loss")
    func grace() {
        var rig = rig(maxOpen: 1)
        for number in 1...3 { _ = rig.present(Self.id(number), grace: 2_000) }
        _ = rig.get(.accepted(id: Self.id(1), attempt: 1))
        #expect(graces(rig.runAlive(60_000).map(\.1)) == [])
        #expect(presented(rig.get(.answer(Self.id(1), .decision()))) == [2])
        #expect(graces(rig.run(2_049).map(\.1)) == [])
        #expect(graces(rig.run(1).map(\.1)) == [2])
        _ = rig.machine.disconnected("lost", at: rig.now)
        #expect(graces(rig.run(1_999).map(\.1)) == [])
        #expect(graces(rig.run(1).map(\.1)) == [3])
    }

    @Test("what is asked again after an answer without a result waits for room as all others do")
    func askedMeanwhile() {
        var rig = rig(maxOpen: 1)
        _ = rig.present(Self.id(1))
        _ = rig.get(.answer(Self.id(1), .decision()))
        _ = rig.present(Self.id(1), grace: 2_000)
        _ = rig.present(Self.id(2))
        _ = rig.get(.accepted(id: Self.id(2), attempt: 1))
        #expect(queued(rig.present(Self.id(3))) == [3])
        #expect(queued(rig.settle(Self.id(1), .unknown)) == [1])
        #expect(graces(rig.runAlive(30_000).map(\.1)) == [])
    }

    @Test("what is asked while another parent is tried in vain is reported, too")
    func triedInVain() {
        var rig = UplinkRig.live(parents: 2)
        _ = rig.get(.bye(reason: "shutdown"))
        _ = rig.run(200)
        _ = rig.machine.connected(at: rig.now)
        _ = rig.get(UplinkRig.welcome(boot: 51, maxOpen: 1))
        _ = ask(&rig, 1)
        _ = rig.get(.accepted(id: Self.id(1), attempt: 1))
        #expect(queued(ask(&rig, 2)) == [2])
        var isTried = false
        for _ in 1...40 where !isTried {
            isTried = rig.runAlive(1_000).contains { $0.1 == .openProbe(parent: 0) }
        }
        _ = rig.machine.probeConnected(at: rig.now)
        _ = rig.machine.probeReceived(UplinkRig.welcome(boot: 60), at: rig.now)
        #expect(queued(rig.present(Self.id(3), grace: 2_000)) == [])
        #expect(queued(rig.machine.probeLost("x", at: rig.now)) == [2, 3])
        #expect(graces(rig.runAlive(20_000).map(\.1)) == [])
    }

    @Test("origins that gave up what waited leave nothing behind")
    func gaveUp() {
        var rig = rig(maxOpen: 1)
        _ = ask(&rig, 1)
        for number in 2...5 { _ = ask(&rig, number, of: "steady") }
        for number in 6...1_000 {
            _ = ask(&rig, number, of: NodeName(stringLiteral: "gone-\(number)"))
            _ = rig.machine.withdrew(Self.id(number), reason: .origin, at: rig.now)
            _ = rig.get(.withdrawn(id: Self.id(number)))
        }
        #expect(rig.machine.line.count == 4)
        #expect(rig.machine.line.originCount <= 2 * 4 + 8)
        #expect(presented(rig.get(.answer(Self.id(1), .decision()))) == [2])
    }

    private func turnAway(_ rig: inout UplinkRig, _ number: Int) -> [UplinkAction] {
        rig.get(
            .reject(
                .init(.notYours, "asks for itself", id: Self.id(number), retryMilliseconds: 2_000)))
    }

    @Test("what is refused for now, since its origin has a link there, takes no room from others")
    func turnedAway() {
        var rig = rig(maxOpen: 2)
        #expect((1...2).map { presented(ask(&rig, $0, of: "moved")) } == [[1], [2]])
        #expect((3...5).map { presented(ask(&rig, $0, of: "steady")) } == [[], [], []])
        #expect(presented(turnAway(&rig, 1)) == [3])
        #expect(presented(turnAway(&rig, 2)) == [4])
        _ = rig.get(.accepted(id: Self.id(3), attempt: 1))
        _ = rig.get(.accepted(id: Self.id(4), attempt: 1))
        // Theirs are the places now: 1 and 2 wait in line, and none is above what the parent takes.
        #expect(presented(rig.runAlive(10_000).map(\.1)) == [])
        #expect(rig.machine.line.count == 3 && rig.machine.placedCount == 2)
        var order: [Int] = []
        for number in 3...4 { order += presented(rig.get(.answer(Self.id(number), .decision()))) }
        #expect(order.count == 2 && Set(order).isSubset(of: [1, 2, 5]))
    }

    @Test("what is refused for now is presented again in its place, where no other has taken it")
    func turnedAwayAlone() {
        var rig = rig(maxOpen: 1)
        #expect(presented(ask(&rig, 1)) == [1])
        #expect(presented(turnAway(&rig, 1)) == [])
        #expect(rig.machine.placedCount == 0)
        #expect(presented(rig.runAlive(3_000).map(\.1)) == [1])
        #expect(rig.machine.placedCount == 1)
        #expect(presented(ask(&rig, 2)) == [])
        _ = rig.get(.accepted(id: Self.id(1), attempt: 2))
        #expect(presented(rig.get(.answer(Self.id(1), .decision()))) == [2])
    }

    @Test("what is refused for now takes no place from others where it is asked for again")
    func turnedAwayAskedAgain() {
        var rig = rig(maxOpen: 2)
        for number in 1...2 { _ = ask(&rig, number, of: "moved") }
        for number in 3...4 { _ = ask(&rig, number, of: "steady") }
        #expect(presented(turnAway(&rig, 1)) == [3])
        #expect(presented(turnAway(&rig, 2)) == [4])
        #expect(presented(ask(&rig, 1, of: "moved")) == [])
        let cutOff = rig.machine.reachabilityChanged(Self.id(2), false, at: rig.now)
        #expect(presented(cutOff) == [])
        #expect(rig.machine.line.count == 2 && rig.machine.placedCount == 2)
        // With a place of its own each is presented at once.
        #expect(presented(rig.get(.withdrawn(id: Self.id(3)))).count == 1)
        #expect(presented(rig.get(.withdrawn(id: Self.id(4)))).count == 1)
        #expect(rig.machine.line.count == 0 && rig.machine.placedCount == 2)
    }

    @Test("each origin in turn, the oldest of each first")
    func fair() {
        var rig = rig(maxOpen: 1)
        _ = ask(&rig, 1, of: "storm")
        for number in 2...50 { _ = ask(&rig, number, of: "storm") }
        for number in 51...53 { _ = ask(&rig, number, of: "modest") }
        var order: [Int] = []
        var last = 1
        while let next = presented(rig.get(.answer(Self.id(last), .decision()))).first {
            order.append(next)
            last = next
        }
        #expect(order.prefix(6) == [2, 51, 3, 52, 4, 53])
        #expect(Set(order) == Set(2...53))
    }

    @Test(
        "a refusal for want of room is followed by one after the pause, and by two for each taken")
    func refused() {
        var rig = rig(maxOpen: 100)
        for number in 1...20 {
            _ = ask(&rig, number)
            rig.pass(1)
        }
        _ = rig.get(.accepted(id: Self.id(1), attempt: 1))
        for number in 2...20 { #expect(presented(refuse(&rig, number)) == []) }
        #expect(presented(rig.run(999).map(\.1)) == [])
        #expect(presented(rig.run(501).map(\.1)) == [2])
        #expect(presented(refuse(&rig, 2)) == [])
        #expect(presented(rig.run(1_500).map(\.1)) == [2])
        #expect(presented(rig.get(.accepted(id: Self.id(2), attempt: 3))) == [3, 4])
        let next = rig.get(.accepted(id: Self.id(3), attempt: 2))
        #expect(presented(next) == [5, 6])
        // An answer in the place of ACCEPTED lets two more follow, beside the place that it frees.
        #expect(presented(rig.get(.answer(Self.id(4), .decision()))) == [7, 8, 9])
        #expect(presented(rig.get(.answer(Self.id(4), .decision()))) == [])
        // An end makes room without a pause.
        #expect(presented(rig.get(.answer(Self.id(1), .decision()))) == [10])
    }

    @Test("on a new link what the parent held comes first")
    func heldBefore() {
        var rig = rig(maxOpen: 3)
        for number in 1...6 { _ = ask(&rig, number) }
        _ = rig.get(.answer(Self.id(1), .decision()))
        for number in 2...4 { _ = rig.get(.accepted(id: Self.id(number), attempt: 1)) }
        _ = rig.machine.disconnected("lost", at: rig.now)
        _ = rig.run(200)
        _ = rig.machine.connected(at: rig.now)
        let actions = rig.get(UplinkRig.welcome(boot: 51, maxOpen: 3))
        #expect(presented(actions) == [2, 3, 4])
        #expect(queued(actions) == [5, 6])
    }

    @Test("what one life of the parent has let go takes no place at the next, also if that is busy")
    func withdrawnBefore() {
        var rig = rig(maxOpen: 1)
        for number in 1...3 {
            var request = UplinkRig.request(Self.id(number))
            request.present.digest = ReportDigest(of: Message.samplePayload)
            #expect(presented(rig.machine.presented(request, at: rig.now)) == [number])
            _ = rig.withdraw(Self.id(number))
            _ = rig.get(.withdrawn(id: Self.id(number)))
        }
        rig.reconnect()
        let again = rig.get(UplinkRig.welcome(boot: 51, maxOpen: 1))
        #expect(again.verbs == [.withdraw, .withdraw, .withdraw])
        for number in 1...3 { _ = refuse(&rig, number) }
        #expect(presented(ask(&rig, 4)) == [4])
        #expect(queued(ask(&rig, 5)) == [5])
    }

    @Test("a parent that takes more says so on the live link")
    func growth() {
        var rig = rig(maxOpen: 1)
        for number in 1...4 { _ = ask(&rig, number) }
        #expect(presented(rig.get(UplinkRig.welcome(maxOpen: 3))) == [2, 3])
        #expect(rig.get(UplinkRig.welcome(maxOpen: 2)).drops == [.duplicate])
        #expect(presented(rig.get(UplinkRig.welcome(boot: 9, maxOpen: 9))) == [])
    }

    @Test("a parent that takes more while it is full is tried by one after the pause all the same")
    func growthWhileFull() {
        var rig = rig(maxOpen: 10)
        for number in 1...8 { _ = ask(&rig, number) }
        for number in 1...7 { _ = rig.get(.accepted(id: Self.id(number), attempt: 1)) }
        #expect(presented(refuse(&rig, 8)) == [])
        for number in 9...12 { _ = ask(&rig, number) }
        #expect(presented(rig.get(UplinkRig.welcome(maxOpen: 20))) == [])
        #expect(presented(rig.run(1_500).map(\.1)) == [8])
    }

    @Test(
        "a child may have as many open for each origin that it stands for, up to the node's limit")
    func origins() {
        var limits = LinkLimits()
        limits.openPerChildMax = 2
        limits.openPerNodeMax = 5
        var rig = DownlinkRig.withChild(limits: limits)
        let one = PeerID(1)
        func present(_ number: Int, _ origin: NodeName) -> [UInt64] {
            rig.get(
                .present(Self.id(number), origin: origin, path: [origin, "a"]), from: one
            ).compactMap { action -> UInt64? in
                guard case .send(let message, to: one) = action else { return nil }
                switch message {
                case .welcome(let welcome): return welcome.maxOpen
                case .reject(let reject): return UInt64(reject.code.rawValue)
                default: return nil
                }
            }
        }
        #expect(present(1, "x") == [])
        #expect(present(2, "x") == [])
        #expect(present(3, "x") == [429])
        _ = rig.get(.withdraw(id: Self.id(2), reason: .origin), from: one)
        #expect(present(4, "y") == [4])
        #expect(present(5, "y") == [])
        #expect(present(6, "z") == [5])
        #expect(present(7, "z") == [])
        #expect(present(8, "z") == [429])
    }

    @Test("a storm of 5,000 behind one relay gets through, each report sent once")
    func storm() {
        var limits = LinkLimits()
        limits.openUpwardMax = 10_000
        var child = UplinkRig(limits: limits)
        var parent = DownlinkRig()
        let peer = PeerID(1)
        _ = child.machine.started(at: child.now)
        var up = child.machine.connected(at: child.now).sent
        for number in 1...5_000 {
            up += ask(&child, number, of: "w").sent
        }
        var (presentCount, answered) = (0, 0)
        while !up.isEmpty {
            var down: [DownlinkAction] = []
            for message in up {
                if case .present = message { presentCount += 1 }
                down += parent.get(message, from: peer)
            }
            // Half of what people see is answered at a time.
            for offer in down.offers where !offer.present.id.value.low.isMultiple(of: 7) {
                down += parent.answer(offer.present.id)
                answered += 1
            }
            down += parent.run(300).map(\.1)
            up = down.flatMap { action -> [Message] in
                guard case .send(let message, to: peer) = action else { return [] }
                return child.get(message).sent
            }
            up += child.run(300).map(\.1).sent
            if up.isEmpty, child.machine.line.count > 0 {
                // The rest of those in front of people.
                for id in parent.machine.entries.keys(where: \.isOpen).sorted(
                    by: PresentationID.areInOrder)
                {
                    for action in parent.answer(id) {
                        guard case .send(let message, to: peer) = action else { continue }
                        up += child.get(message).sent
                    }
                    answered += 1
                }
            }
        }
        #expect(presentCount == 5_000)
        #expect(child.machine.line.count == 0)
        #expect(answered > 4_000)
    }
}
