import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// What is kept of ended and answered presentations, shared by all that present.
@Suite struct SharedDeadlinesTests {
    private let one = PeerID(1)
    private let two = PeerID(2)

    private static func ids(_ numbers: ClosedRange<UInt64>) -> [PresentationID] {
        numbers.map { PresentationID($0) }
    }

    /// With the children `a`, on peer 1, and `b`, on peer 2.
    private func rig(_ change: (inout LinkLimits) -> Void) -> DownlinkRig {
        var limits = LinkLimits()
        change(&limits)
        var rig = DownlinkRig.withChild(limits: limits)
        _ = rig.get(.hello("b"), from: two)
        return rig
    }

    /// `a` presents the first two, then `b` the other thirty.
    private func present(
        in rig: inout DownlinkRig, _ then: (inout DownlinkRig, PresentationID, PeerID) -> Void
    ) {
        for id in Self.ids(1...32) {
            let isOfA = id == PresentationID(1) || id == PresentationID(2)
            let (name, peer): (NodeName, PeerID) = isOfA ? ("a", one) : ("b", two)
            _ = rig.get(.present(id, origin: name, path: [name]), from: peer)
            then(&rig, id, peer)
            rig.pass(1)
        }
    }

    @Test("in the order of their times, whatever account has them")
    func order() {
        var shared = SharedDeadlines<PresentationID>()
        shared.plan(PresentationID(1), of: .child("a"), at: 50)
        shared.plan(PresentationID(2), of: .key("b"), at: 30)
        shared.plan(PresentationID(3), of: .others, at: 40)
        shared.plan(PresentationID(1), of: .child("a"), at: 10)
        shared.plan(PresentationID(3), of: .others, at: nil)
        shared.plan(PresentationID(9), of: .others, at: nil)
        #expect(shared.count == 2)
        #expect(shared.next == 10)
        #expect(shared.pop(at: 9) == nil)
        #expect(shared.pop(at: 40) == PresentationID(1))
        #expect(shared.pop(at: 40) == PresentationID(2))
        #expect(shared.count == 0)
        #expect(shared.next == nil)
    }

    @Test("an account whose first has been taken is due again at the time of its next")
    func dueAgain() {
        var shared = SharedDeadlines<PresentationID>()
        let times: [MonotonicTime] = [10, 20, 30, 40]
        for (number, time) in zip(1...4 as ClosedRange<UInt64>, times) {
            shared.plan(PresentationID(number), of: .child("a"), at: time)
        }
        #expect(shared.pop(at: 10) == PresentationID(1))
        #expect(shared.next == 20)
        #expect(shared.popOfMost() == PresentationID(2))
        #expect(shared.next == 30)
        #expect(shared.popFirst(of: .child("a")) == PresentationID(3))
        #expect(shared.next == 40)
        #expect(shared.pop(at: 39) == nil)
        #expect(shared.pop(at: 40) == PresentationID(4))
        #expect(shared.next == nil)
    }

    @Test("the account that has the most loses its earliest; of equals the first that had so many")
    func most() {
        var shared = SharedDeadlines<PresentationID>()
        for number in 1...3 as ClosedRange<UInt64> {
            shared.plan(PresentationID(number), of: .key("a"), at: 50)
        }
        shared.plan(PresentationID(4), of: .key("b"), at: 10)
        shared.plan(PresentationID(5), of: .key("b"), at: 20)
        #expect(shared.popOfMost() == PresentationID(1))
        #expect(shared.popOfMost() == PresentationID(4))
        #expect(shared.popOfMost() == PresentationID(2))
        #expect(shared.count(of: .key("a")) == 1)
        #expect(shared.count(of: .key("b")) == 1)
        #expect(shared.count == 2)
    }

    @Test("results: one that has ended many pushes out its own, not those of others")
    func results() {
        var rig = rig { $0.rememberedMax = 10 }
        present(in: &rig) { rig, id, peer in
            _ = rig.answer(id, generation: rig.generation(of: id))
            _ = rig.get(.settled(id, .recovered), from: peer)
        }
        #expect(Set(rig.machine.entries.keys) == Set(Self.ids(1...2) + Self.ids(25...32)))
        #expect(
            rig.get(.present(PresentationID(1)), from: one).sent(to: one)
                == [.answered(PresentationID(1), .decision(didRecover: true))])
    }

    @Test("answers without a result: one that settles none loses its own, not those of others")
    func answers() {
        var rig = rig { $0.undeliveredMax = 10 }
        var givenUp: [PresentationID] = []
        present(in: &rig) { rig, id, _ in
            givenUp += rig.answer(id).compactMap { action -> PresentationID? in
                if case .settled(let id, _, .unknown) = action { id } else { nil }
            }
        }
        #expect(givenUp == Self.ids(3...24))
    }

    @Test("withdrawals of what was never asked: one that sends many pushes out its own")
    func withdrawals() {
        var rig = rig { $0.unaskedMax = 10 }
        for id in Self.ids(1...32) {
            let isOfA = id == PresentationID(1) || id == PresentationID(2)
            _ = rig.get(.withdraw(id: id, reason: .origin), from: isOfA ? one : two)
            rig.pass(1)
        }
        #expect(Set(rig.machine.entries.keys) == Set(Self.ids(1...2) + Self.ids(25...32)))
    }

    @Test("F48 a day of made-up ids pushes out nothing of others, and leaves nothing behind")
    func day() {
        var times = LinkTimes()
        // Both children are heard of once an hour.
        times.silenceMax = 7_200_000
        var rig = DownlinkRig.withChild(times: times)
        _ = rig.get(.hello("b"), from: two)
        for hour in 1...24 as ClosedRange<UInt64> {
            let (id, own) = (PresentationID(hour), PresentationID(hour << 32))
            _ = rig.get(.present(id), from: one)
            _ = rig.answer(id, generation: rig.generation(of: id))
            _ = rig.get(.settled(id, .recovered), from: one)
            _ = rig.get(.withdraw(id: own, reason: .origin), from: one)
            for number in 1...4_200 as ClosedRange<UInt64> {
                let madeUp = PresentationID(hour << 32 + number)
                _ = rig.get(.withdraw(id: madeUp, reason: .origin), from: two)
            }
            #expect(rig.machine.unasked.count == LinkLimits().unaskedMax)
            #expect(rig.machine.unasked.count(of: .child("a")) == 1)
            #expect(
                rig.get(.present(id), from: one).sent(to: one)
                    == [.answered(id, .decision(didRecover: true))])
            _ = rig.run(3_600_000)
            #expect(rig.machine.entries.isEmpty)
            #expect(rig.machine.children.count == 2)
        }
    }

    @Test("what another child presents counts for that one from then on")
    func moved() {
        var rig = rig { $0.rememberedMax = 10 }
        let id = PresentationID(1)
        _ = rig.get(.present(id, origin: "w", path: ["w", "a"]), from: one)
        _ = rig.answer(id)
        #expect(rig.machine.undelivered.count(of: .child("a")) == 1)
        _ = rig.get(.present(id, origin: "w", path: ["w", "b"]), from: two)
        #expect(rig.machine.undelivered.count(of: .child("a")) == 0)
        #expect(rig.machine.undelivered.count(of: .child("b")) == 1)
        _ = rig.get(.settled(id, .recovered), from: two)
        #expect(rig.machine.undelivered.count == 0)
        #expect(rig.machine.remembered.count(of: .child("b")) == 1)
        _ = rig.get(.present(id, origin: "w", path: ["w", "a"]), from: one)
        #expect(rig.machine.remembered.count(of: .child("a")) == 1)
        #expect(rig.machine.remembered.count == 1)
        _ = rig.run(700_000)
        #expect(rig.machine.entries.isEmpty)
        #expect(rig.machine.remembered.count == 0)
    }
}
