import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// Every short sequence of events, and what must hold after each step.
@Suite struct DownlinkWalkTests {
    private enum Event: CaseIterable {
        case hello, helloAnewElsewhere, present, presentOther, await, settled, settledUnknown
        case withdraw, abandon, answer, complete, moved, bye, status, moment, second,
            tenSeconds, fourMinutes
    }

    private static let id = PresentationID(1)

    /// What has been seen on the way here.
    private struct Path {
        var rig: DownlinkRig
        var generations: Set<Int> = []
        var events: [Event] = []
    }

    /// How far a presentation has got before the walk begins.
    enum Start: CaseIterable {
        case nothing, open, answered
    }

    @Test("all sequences of four events", arguments: Start.allCases)
    func walk(_ start: Start) {
        var path = Path(rig: .withChild())
        if start != .nothing {
            _ = apply(.present, to: &path.rig)
            path.generations = [1]
        }
        if start == .answered { _ = apply(.answer, to: &path.rig) }
        var steps = 0
        extend(path, depth: 4, &steps)
        #expect(steps >= 65_536)
    }

    private func extend(_ path: Path, depth: Int, _ steps: inout Int) {
        guard depth > 0 else { return }
        for event in Event.allCases {
            var next = path
            next.events.append(event)
            let actions = apply(event, to: &next.rig)
            steps += 1
            if let problem = problem(actions, in: &next) {
                Issue.record("\(problem) after \(next.events)")
                return
            }
            extend(next, depth: depth - 1, &steps)
        }
    }

    private func apply(_ event: Event, to rig: inout DownlinkRig) -> [DownlinkAction] {
        let id = Self.id
        let generation = rig.machine.entries[id]?.generation ?? 1
        let one = PeerID(1)
        switch event {
        case .hello: return rig.get(.hello("a"), from: one)
        case .helloAnewElsewhere: return rig.get(.hello("a", boot: 2), from: PeerID(3))
        case .present: return rig.get(.present(id), from: one)
        case .presentOther: return rig.get(.present(id, wait: 5_000), from: PeerID(4))
        case .await: return rig.get(.await(id: id, waitMilliseconds: 0), from: one)
        case .settled: return rig.get(.settled(id, .recovered), from: one)
        case .settledUnknown: return rig.get(.settled(id, .unknown), from: one)
        case .withdraw: return rig.get(.withdraw(id: id, reason: .origin), from: one)
        case .abandon: return rig.get(.withdraw(id: id, reason: .abandoned), from: one)
        case .answer: return rig.answer(id, generation: generation)
        case .complete:
            return rig.machine.completed(
                id, generation: generation, verdict: .refused(.noResponder, "x"), at: rig.now)
        case .moved:
            return rig.machine.moved(
                id, generation: generation, to: .presented, by: nil, at: rig.now)
        case .bye: return rig.get(.bye(reason: ""), from: one)
        case .status: return rig.get(.status, from: one)
        case .moment: return pass(60, &rig)
        case .second: return pass(1_000, &rig)
        case .tenSeconds: return pass(10_000, &rig)
        case .fourMinutes: return pass(240_000, &rig)
        }
    }

    /// One late tick: a machine must cope with a driver that was busy.
    private func pass(_ time: UInt64, _ rig: inout DownlinkRig) -> [DownlinkAction] {
        rig.pass(time)
        return rig.machine.ticked(at: rig.now)
    }

    private func problem(_ actions: [DownlinkAction], in path: inout Path) -> String? {
        let machine = path.rig.machine
        for offer in actions.offers {
            guard path.generations.insert(offer.generation).inserted else {
                return "generation \(offer.generation) offered twice"
            }
        }
        let unsettled = machine.entries.values.filter(\.isUnsettled)
        if machine.unsettledCount != unsettled.count { return "unsettledCount" }
        let ofChild = Dictionary(grouping: unsettled.filter { $0.child != nil }) { $0.child ?? "x" }
            .mapValues { Set($0.map(\.id)) }
        if machine.unsettledOfChild != ofChild { return "unsettledOfChild" }
        if machine.openCount != machine.entries.values.filter(\.isOpen).count { return "openCount" }
        if machine.undelivered.count != unsettled.count - machine.openCount { return "undelivered" }
        let remembered = machine.remembered.count + machine.unasked.count
        if remembered != machine.entries.count - unsettled.count {
            return "remembered"
        }
        let told = actions.flatMap { [$0].verbs(to: PeerID(1)) + [$0].verbs(to: PeerID(3)) }
        if told.contains(.accepted), machine.entries[Self.id]?.isOpen != true {
            return "accepted, and not open"
        }
        let open = machine.entries.values.filter(\.isOpen)
        if open.contains(where: { $0.heldBack != nil && $0.child == nil }) {
            return "held back from no child"
        }
        if machine.namesOfPeers.keys.contains(where: machine.superseded.contains) {
            return "superseded and named"
        }
        for (name, child) in machine.children where machine.namesOfPeers[child.peer] != name {
            return "the peer of \(name)"
        }
        let gone = machine.children.count { name, child in
            !child.isReachable && machine.unsettledOfChild[name] == nil
        }
        if machine.forgettable.count != gone { return "forgettable" }
        var ticked = machine
        if !ticked.ticked(at: path.rig.now).isEmpty {
            return "a second tick at the same time did something"
        }
        if let due = ticked.nextDue, due <= path.rig.now { return "due \(due) in the past" }
        return nil
    }
}
