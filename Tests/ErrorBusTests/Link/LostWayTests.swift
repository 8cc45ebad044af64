import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// A parent that has lost its own way up, for as long as that matters to its child.
@Suite struct LostWayTests {
    private let id = PresentationID(1)

    private static func relay(_ name: NodeName) -> Message {
        .welcome(
            Message.Welcome(
                node: name, boot: BootID(number: 70), maxHeader: 8192, maxPayload: 262_144,
                maxOpen: 1024, pingMilliseconds: 4000, path: [name, "top"]))
    }

    private func says(_ state: PresentationState.Station) -> Message {
        .pending(.init(id: id, state: state))
    }

    /// The first of two relays is in use and holds the presentation.
    private func held() -> UplinkRig {
        var rig = UplinkRig(parents: 2)
        _ = rig.machine.started(at: rig.now)
        _ = rig.machine.connected(at: rig.now)
        _ = rig.get(Self.relay("one"))
        _ = rig.present(id)
        _ = rig.get(.accepted(id: id, attempt: 1))
        return rig
    }

    /// The second at whose end the machine has done this, with its parent alive; nil: none of
    /// `most`.
    private func second(
        _ rig: inout UplinkRig, of action: UplinkAction, within most: Int
    ) -> Int? {
        for second in 1...most {
            if rig.runAlive(1_000).contains(where: { $0.1 == action }) { return second }
        }
        return nil
    }

    /// The other parent says WELCOME on the second socket, and the parent in use lets go.
    private func move(_ rig: inout UplinkRig, to name: NodeName) {
        _ = rig.machine.probeConnected(at: rig.now)
        _ = rig.machine.probeReceived(Self.relay(name), at: rig.now)
        _ = rig.get(.withdrawn(id: id))
        // A number above that of any PRESENT of this test.
        _ = rig.get(.accepted(id: id, attempt: 1_000))
    }

    @Test("it matters no longer once the last open presentation is refused")
    func refused() {
        var rig = held()
        _ = rig.get(says(.unreachable))
        _ = rig.runAlive(15_000)
        let refused = rig.get(.reject(.init(.gone, "withdrawn before", id: id)))
        #expect(refused.refusals == [.gone])
        let later = rig.runAlive(30_000).map(\.1)
        #expect(!later.contains(.openProbe(parent: 1)))
    }

    @Test("a parent that has had its way up again is tried as soon as at first, when left anew")
    func regained() throws {
        var rig = held()
        for (cutOff, least) in [(1, 30), (2, 60), (3, 30)] {
            _ = rig.get(says(.unreachable))
            let aside = second(&rig, of: .openProbe(parent: 1), within: 21)
            #expect(aside != nil, "cut off \(cutOff)")
            move(&rig, to: "two")
            #expect(rig.machine.parent == 1)
            let back = second(&rig, of: .openProbe(parent: 0), within: 160)
            let pause = try #require(back, "cut off \(cutOff)")
            #expect((least...least * 5 / 4 + 1).contains(pause), "cut off \(cutOff)")
            move(&rig, to: "one")
            #expect(rig.machine.parent == 0)
            if cutOff == 2 { _ = rig.get(says(.presented)) }
        }
    }

    @Test("the release of a broken return does not end what is asked again meanwhile")
    func lateRelease() {
        var rig = held()
        _ = rig.get(says(.unreachable))
        let aside = second(&rig, of: .openProbe(parent: 1), within: 21)
        #expect(aside != nil)
        _ = rig.machine.probeConnected(at: rig.now)
        let left = rig.machine.probeReceived(Self.relay("two"), at: rig.now)
        #expect(left.verbs == [.withdraw])
        #expect(rig.machine.probeLost("x", at: rig.now).verbs == [.present])
        #expect(rig.present(id).verbs == [.present])
        #expect(rig.get(.withdrawn(id: id)) == [])
        #expect(rig.machine.entries[id]?.isOpen == true)
    }
}
