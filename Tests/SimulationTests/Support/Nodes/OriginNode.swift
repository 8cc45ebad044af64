@testable import ErrorBus

/// A process in which errors arise. It runs its own options and nothing else; what it kept on disk
/// it asks again after a restart.
final class OriginNode: SimulatedNode {
    private struct Call {
        let presentation: Plan.Presentation
        let since: UInt64
    }

    private var open: [PresentationID: Call] = [:]
    /// On disk: what is asked again by a new life.
    private var kept: [PresentationID: Plan.Presentation] = [:]

    override func began() {
        let uplink = UplinkDriver(self)
        self.uplink = uplink
        uplink.start()
        for (id, presentation) in kept.sorted(by: { $0.key.value.isBefore($1.key.value) }) {
            ask(id, presentation)
        }
    }

    override func lostMemory() { open = [:] }

    override func present(_ presentation: Plan.Presentation, number: Int) {
        guard isUp, !isFrozen else { return }
        // Ids carry the wall clock, which may jump; nothing else may depend on it.
        let wall = UInt64(max(0, Int64(1_700_000_000_000 + world.now) + wallOffset))
        let id = PresentationID(UniqueID(milliseconds: wall, using: &world.random))
        if presentation.isKept { kept[id] = presentation }
        ask(id, presentation)
    }

    private func ask(_ id: PresentationID, _ presentation: Plan.Presentation) {
        world.ledger.note(
            .presented(
                id, by: name, life: life, deadline: presentation.deadline, isLink: true))
        open[id] = Call(presentation: presentation, since: world.now)
        let payload = OptionList.of(name).payload
        let present = Message.Present(
            id: id, origin: name, path: [], digest: ReportDigest(of: payload), payload: payload)
        let request = UplinkRequest(
            present: present, deadline: presentation.deadline.map { world.time + $0 },
            grace: presentation.grace, isForwarded: false)
        _ = uplink?.present(request, moved: { _, _ in }) { [unowned self] in take($0, id) }
    }

    private func take(_ ending: UplinkDriver.Ending, _ id: PresentationID) {
        if isUp { world.ledger.note(.stoppedWaiting(id, by: name, life: life)) }
        switch ending {
        case .answered(let decision): hop { [self] in carryOut(decision, id) }
        case .refused(let reject): complete(id, .refused(reject.code), false)
        case .expired: complete(id, .expired, false)
        case .unreachable: complete(id, .unreachable, false)
        case .shutDown, .withdrawn: complete(id, .shutDown, false)
        }
    }

    private func carryOut(_ decision: Message.Decision, _ id: PresentationID) {
        if let didRecover = decision.didRecover, world.mutation != .attemptsWhatIsDecided {
            uplink?.settle(id, answer: decision.answer, result: didRecover ? .recovered : .failed)
            return complete(
                id,
                .decidedAbove(decision.answer, option: decision.option, reason: decision.reason),
                didRecover)
        }
        let option = decision.option ?? ""
        guard OptionList.of(name).options.contains(option) || world.mutation != nil else {
            world.ledger.note(.alienOption(id, option: option, by: name))
            uplink?.settle(id, answer: decision.answer, result: .invalid)
            return complete(id, .answered(decision.answer, option: option), false)
        }
        let repeats = world.mutation == .repeatsAttempts
        attempt(id, (decision.answer, option)) { [self] result in
            uplink?.settle(id, answer: decision.answer, result: result)
            if repeats { uplink?.forget(id) }
            complete(id, .answered(decision.answer, option: option), result == .recovered)
        }
    }

    private func complete(_ id: PresentationID, _ ending: Fact.Ending, _ didRecover: Bool) {
        // The last action may have been its death.
        guard isUp else { return }
        guard open.removeValue(forKey: id) != nil else {
            world.ledger.note(.endedTwice(id, by: name))
            return
        }
        // Going down in order withdraws, and that is final under the id.
        kept[id] = nil
        world.ledger.note(
            .completed(id, by: name, life: life, ending, didRecover: didRecover))
    }

    override var isQuiet: Bool { super.isQuiet && open.isEmpty }
    override var openText: String {
        "\(uplink?.openText ?? "") | open \(open.keys.map(\.short).sorted())"
    }
}
