import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// Every short sequence of events, and what must hold after each step.
@Suite struct UplinkWalkTests {
    private enum Event: CaseIterable {
        case connected, disconnected, failed, welcome, present, presentGrace, withdraw, settle
        case accepted, unreachable, answer, answerOther, withdrawn, notFound, busy, gone, bye
        case welcomeByNewLife, ok, passOn, second, tenSeconds, elevenMinutes
    }

    private static let id = PresentationID(1)

    private struct Path {
        var rig: UplinkRig
        var events: [Event] = []
        /// `.answered` since it was last asked.
        var answers = 0
        var graces = 0
        var isOpen = false
    }

    @Test("all sequences of four events, from each state of the link", arguments: 0...1)
    func walk(_ start: Int) {
        var rig = start == 1 ? UplinkRig.live() : UplinkRig(parents: 2)
        if start == 0 { _ = rig.machine.started(at: rig.now) }
        var steps = 0
        extend(Path(rig: rig), depth: 4, &steps)
        #expect(steps > 160_000)
    }

    @Test("all sequences of four events after it was accepted")
    func walkAccepted() {
        var rig = UplinkRig.live()
        _ = rig.present(Self.id)
        _ = rig.get(.accepted(id: Self.id, attempt: 1))
        var path = Path(rig: rig)
        path.isOpen = true
        var steps = 0
        extend(path, depth: 4, &steps)
        #expect(steps > 160_000)
    }

    private func extend(_ path: Path, depth: Int, _ steps: inout Int) {
        guard depth > 0 else { return }
        for event in Event.allCases {
            var next = path
            next.events.append(event)
            let actions = apply(event, to: &next)
            steps += 1
            if let problem = problem(actions, in: &next) {
                Issue.record("\(problem) after \(next.events): \(actions)")
                return
            }
            extend(next, depth: depth - 1, &steps)
        }
    }

    private func apply(_ event: Event, to path: inout Path) -> [UplinkAction] {
        let id = Self.id
        switch event {
        case .connected: return path.rig.machine.connected(at: path.rig.now)
        case .disconnected: return path.rig.machine.disconnected("x", at: path.rig.now)
        case .failed: return path.rig.machine.giveUp("x", at: path.rig.now)
        case .welcome: return path.rig.get(UplinkRig.welcome())
        case .welcomeByNewLife: return path.rig.get(UplinkRig.welcome(boot: 51))
        case .ok: return path.rig.get(.ok(id: id))
        case .passOn:
            let asked = Message.Asked(origin: "a", digest: ReportDigest(of: []))
            let settled = Message.Settled(
                id: id, answer: Message.sampleAnswer, result: .failed, asked: asked)
            return path.rig.machine.passOn(settled, at: path.rig.now)
        case .present, .presentGrace:
            path.answers = 0
            path.graces = 0
            path.isOpen = true
            return path.rig.present(id, grace: event == .presentGrace ? 500 : nil)
        case .withdraw: return path.rig.withdraw(id)
        case .settle: return path.rig.settle(id)
        case .accepted: return path.rig.get(.accepted(id: id, attempt: 1))
        case .unreachable: return path.rig.get(.pending(.init(id: id, state: .unreachable)))
        case .answer: return path.rig.get(.answer(id, .decision()))
        case .answerOther: return path.rig.get(.answer(id, .decision(Answer.other.id)))
        case .withdrawn: return path.rig.get(.withdrawn(id: id))
        case .notFound: return path.rig.get(.reject(.init(.unknownID, "", id: id)))
        case .busy: return path.rig.get(.reject(.init(.busy, "", id: id, retryMilliseconds: 1)))
        case .gone: return path.rig.get(.reject(.init(.gone, "", id: id)))
        case .bye: return path.rig.get(.bye(reason: ""))
        case .second: return pass(1_000, &path.rig)
        case .tenSeconds: return pass(10_000, &path.rig)
        case .elevenMinutes: return pass(660_000, &path.rig)
        }
    }

    private func pass(_ time: UInt64, _ rig: inout UplinkRig) -> [UplinkAction] {
        rig.now = rig.now + time
        return rig.machine.ticked(at: rig.now)
    }

    private func problem(_ actions: [UplinkAction], in path: inout Path) -> String? {
        for action in actions {
            switch action {
            case .answered:
                path.answers += 1
                guard path.isOpen else { return "answered although no caller asks" }
            case .graceOver: path.graces += 1
            case .refused, .expired: path.isOpen = false
            case .send(let message) where !message.verb.goesUp: return "\(message.verb) sent up"
            default: break
            }
        }
        if path.answers > 1 { return "answered twice" }
        if path.graces > 1 { return "grace over twice" }
        let machine = path.rig.machine
        if !machine.isLive, actions.sent.contains(where: { $0.verb == .present }) {
            return "PRESENT without a link"
        }
        if machine.entries.count > 1 { return "entries" }
        if machine.openCount != machine.openIDs.count { return "open entries miscounted" }
        let planned =
            machine.plans.itemCount + machine.remembered.itemCount + machine.passedOn.itemCount
        if planned > 210 { return "stale plans" }
        var ticked = machine
        if !ticked.ticked(at: path.rig.now).isEmpty {
            return "a second tick at the same time did something"
        }
        if let due = ticked.nextDue, due <= path.rig.now { return "due \(due) in the past" }
        return nil
    }
}
