import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// A new link spreads what it sends over some milliseconds: a refusal for want of room may come
/// before all of it is sent.
@Suite struct RoomAfterRefusalTests {
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

    /// 80 were asked without a link. Of these 1 to 20 are sent, the others follow a moment later.
    private func begun() -> UplinkRig {
        var rig = UplinkRig()
        _ = rig.machine.started(at: rig.now)
        for number in 1...80 {
            let request = UplinkRig.request(Self.id(number), isForwarded: true)
            _ = rig.machine.presented(request, at: rig.now)
        }
        _ = rig.machine.connected(at: rig.now)
        let actions = rig.get(UplinkRig.welcome(maxOpen: 100))
        #expect(presented(actions) == Array(1...20))
        #expect(queued(actions) == [] && rig.machine.line.count == 60)
        return rig
    }

    private func refuse(
        _ rig: inout UplinkRig, _ number: Int, retry: UInt64 = 500
    ) -> [UplinkAction] {
        rig.get(.reject(.init(.busy, "full", id: Self.id(number), retryMilliseconds: retry)))
    }

    @Test("what was not sent before the refusal waits, and follows after the pause")
    func planned() {
        var rig = begun()
        let refusal = refuse(&rig, 1)
        #expect(presented(refusal) == [])
        #expect(queued(refusal) == [1] + Array(21...80))
        let meanwhile = rig.run(499).map(\.1)
        #expect(presented(meanwhile) == [] && queued(meanwhile) == [])
        #expect(rig.machine.line.count == 61)
        // The pause is at most half as long again, and ends before 2 to 20 are sent again. The
        // refused one waits behind those of its time.
        let tried = rig.run(251).map(\.1)
        #expect(presented(tried) == [21])
        let first = rig.get(.accepted(id: Self.id(21), attempt: 1))
        #expect(presented(first) == [22, 23])
        let second = rig.get(.accepted(id: Self.id(2), attempt: 1))
        #expect(presented(second) == [24, 25])
    }

    @Test("where all that was sent is refused, one is tried after the pause, and then two more")
    func allRefused() {
        var rig = begun()
        for number in 1...20 {
            let refusal = refuse(&rig, number)
            #expect(presented(refusal) == [])
        }
        let meanwhile = rig.run(499).map(\.1)
        #expect(presented(meanwhile) == [])
        #expect(rig.machine.line.count == 80)
        let tried = rig.run(251).map(\.1)
        #expect(presented(tried) == [21])
        let found = rig.get(.accepted(id: Self.id(21), attempt: 1))
        #expect(presented(found) == [22, 23])
    }

    @Test("without a refusal all of it is sent, twenty in a millisecond, and none is queued")
    func spread() {
        var rig = begun()
        let actions = rig.run(3)
        let times = Dictionary(grouping: actions) { $0.0 }.mapValues { presented($0.map(\.1)) }
        #expect(times.values.filter { !$0.isEmpty }.count == 3)
        #expect(times.values.allSatisfy { $0.count <= 20 })
        #expect(presented(actions.map(\.1)) == Array(21...80))
        #expect(queued(actions.map(\.1)) == [])
    }

    @Test("a tick that comes late sends what was to be sent meanwhile")
    func late() {
        var rig = begun()
        rig.now = rig.now + 3
        #expect(presented(rig.machine.ticked(at: rig.now)) == Array(21...80))
    }

    @Test("what was sent and is not acknowledged is sent again during the pause")
    func sentAgain() {
        var rig = begun()
        _ = refuse(&rig, 1, retry: 5_000)
        // Once, after 1 s and at most a quarter more.
        let again = rig.run(1_300).map(\.1)
        #expect(presented(again).sorted() == Array(2...20))
        #expect(rig.machine.line.count == 61)
    }

    @Test("a tick that comes very late sends what was to be sent within 50 ms, and no more")
    func veryLate() {
        var rig = UplinkRig()
        _ = rig.machine.started(at: rig.now)
        for number in 1...2_000 {
            let request = UplinkRig.request(Self.id(number), isForwarded: true)
            _ = rig.machine.presented(request, at: rig.now)
        }
        _ = rig.machine.connected(at: rig.now)
        #expect(presented(rig.get(UplinkRig.welcome(maxOpen: 2_000))) == Array(1...20))
        rig.pass(900)
        #expect(presented(rig.machine.ticked(at: rig.now)) == Array(21...1_040))
        #expect(rig.machine.line.count == 960)
    }
}
