import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// The room at a parent for what came there before, by another relay or on another link.
@Suite struct RoomAfterFailOverTests {
    private let one = PeerID(1)
    private let two = PeerID(2)

    private static func id(_ number: Int) -> PresentationID { PresentationID(UInt64(number)) }

    // MARK: The parent's side

    /// The relay `a` on peer 1, with two presentations of each of two origins.
    private func withFirstRelay() -> DownlinkRig {
        var limits = LinkLimits()
        limits.openPerChildMax = 2
        var rig = DownlinkRig.withChild(limits: limits)
        let actions = (1...4).map { number in
            present(number, of: number.isMultiple(of: 2) ? "x" : "w", by: "a", &rig)
        }
        #expect(actions.map { rooms($0, for: one) } == [[], [4], [], []])
        #expect(actions.map(\.offers.count) == [1, 1, 1, 1])
        return rig
    }

    private func present(
        _ number: Int, of origin: NodeName, by relay: NodeName, _ rig: inout DownlinkRig
    ) -> [DownlinkAction] {
        rig.get(
            .present(Self.id(number), origin: origin, path: [origin, relay]),
            from: relay == "a" ? one : two)
    }

    /// The `max-open` of each WELCOME.
    private func rooms(_ actions: [DownlinkAction], for peer: PeerID) -> [UInt64] {
        actions.sent(to: peer).compactMap {
            if case .welcome(let welcome) = $0 { welcome.maxOpen } else { nil }
        }
    }

    @Test("a relay that takes over what another one had gets the room for each of its origins")
    func takesOver() {
        var rig = withFirstRelay()
        _ = rig.get(.bye(reason: "done"), from: one)
        let hello = rig.get(.hello("b"), from: two)
        #expect(rooms(hello, for: two) == [2])
        let first = present(1, of: "w", by: "b", &rig)
        #expect(first.verbs(to: two) == [.accepted])
        let second = present(2, of: "x", by: "b", &rig)
        #expect(rooms(second, for: two) == [4])
        #expect(second.verbs(to: two).contains(.accepted))
        // It has that room indeed, and no more.
        let further = (5...7).map { present($0, of: "x", by: "b", &rig) }
        #expect(further.map(\.offers.count) == [1, 1, 0])
        #expect(further.map { $0.reject(to: two) == .busy } == [false, false, true])
        #expect(further.map { rooms($0, for: two) } == [[], [], []])
    }

    @Test("what a relay takes over of one origin alone brings no more room")
    func takesOverOfOne() {
        var rig = withFirstRelay()
        _ = rig.get(.bye(reason: "done"), from: one)
        _ = rig.get(.hello("b"), from: two)
        for number in [1, 3] {
            let actions = present(number, of: "w", by: "b", &rig)
            #expect(actions.verbs(to: two) == [.accepted])
        }
        let more = present(5, of: "w", by: "b", &rig)
        #expect(more.reject(to: two) == .busy)
    }

    // MARK: The child's side

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

    private func ask(_ rig: inout UplinkRig, _ number: Int, of origin: NodeName) -> [UplinkAction] {
        var request = UplinkRig.request(Self.id(number), isForwarded: true)
        request.present.origin = origin
        return rig.machine.presented(request, at: rig.now)
    }

    /// The parent holds 1 and 2, of one origin; 3, of another, waits for room.
    private func full() -> UplinkRig {
        var rig = UplinkRig()
        _ = rig.machine.started(at: rig.now)
        _ = rig.machine.connected(at: rig.now)
        _ = rig.get(UplinkRig.welcome(maxOpen: 2))
        for number in 1...2 {
            let actions = ask(&rig, number, of: "x")
            #expect(presented(actions) == [number])
            _ = rig.get(.accepted(id: Self.id(number), attempt: 1))
        }
        let last = ask(&rig, 3, of: "y")
        #expect(queued(last) == [3])
        return rig
    }

    @Test("on a new link what the parent held comes before what waits of any other origin")
    func heldBefore() {
        var rig = full()
        rig.reconnect()
        let actions = rig.get(UplinkRig.welcome(maxOpen: 2))
        #expect(presented(actions) == [1, 2])
        #expect(queued(actions) == [3])
        let ended = rig.get(.answer(Self.id(1), .decision()))
        #expect(presented(ended) == [3])
        #expect(rig.machine.line.count == 0)
    }

    @Test("what the parent held and its caller withdraws before there is room leaves the line")
    func withdrawn() {
        var rig = full()
        rig.reconnect()
        let actions = rig.get(UplinkRig.welcome(maxOpen: 1))
        #expect(presented(actions) == [1])
        #expect(queued(actions) == [2, 3])
        #expect(rig.machine.line.count == 2)
        let withdrawn = rig.withdraw(Self.id(2))
        #expect(withdrawn.verbs == [.withdraw])
        #expect(rig.machine.line.count == 1)
        _ = rig.get(.withdrawn(id: Self.id(2)))
        let ended = rig.get(.answer(Self.id(1), .decision()))
        #expect(presented(ended) == [3])
        #expect(rig.machine.line.count == 0)
    }
}
