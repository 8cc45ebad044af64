@testable import ErrorBus

/// Downlink, chain, uplink: what `ChildPresentations` and `UplinkResponder` do, step by step with
/// time in between.
final class RelayNode: SimulatedNode, DownlinkOwner {
    private final class Run {
        let offer: DownlinkOffer
        var isCancelled = false
        var withdrawal: Message.WithdrawReason?
        var isReachable: Bool
        /// The waiting in the uplink, while there is one.
        var token: Int?

        init(_ offer: DownlinkOffer) {
            self.offer = offer
            isReachable = offer.present.isOriginReachable
        }
        var id: PresentationID { offer.present.id }
    }

    private var running: [PresentationID: Run] = [:]
    /// For the uplink, in order.
    private var posted: [(PresentationID, isReachable: Bool)] = []

    override func began() {
        let uplink = UplinkDriver(self)
        self.uplink = uplink
        downlink = DownlinkDriver(self, owner: self)
        uplink.start()
    }

    override func lostMemory() {
        running = [:]
        posted = []
    }

    private var ownOption: String { "\(name).own" }

    // MARK: DownlinkOwner

    func offered(_ offer: DownlinkOffer) {
        let run = Run(offer)
        if let former = running[run.id] { cancel(former) }
        running[run.id] = run
        hop { [self] in begin(run) }
    }

    func cancelled(_ id: PresentationID, generation: Int, reason: DownlinkAction.Outcome) {
        if world.mutation == .promptsStayOpen { return }
        guard let run = running[id], run.offer.generation == generation else { return }
        switch reason {
        case .withdrawn: run.withdrawal = .origin
        case .abandoned, .expired: run.withdrawal = .abandoned
        case .shutDown: run.withdrawal = nil
        }
        cancel(run)
    }

    /// Cancels the task: only one that waits for the parent notices.
    private func cancel(_ run: Run) {
        run.isCancelled = true
        guard let token = run.token else { return }
        let reason = run.withdrawal
        hop { [self] in uplink?.cancelled(run.id, token: token, reason: reason) }
    }

    func settledLater(_ id: PresentationID, answer: UniqueID, _ result: RecoveryResult) {
        hop { [self] in uplink?.settle(id, answer: answer, result: result) }
    }

    func passOn(_ settled: Message.Settled) {
        hop { [self] in uplink?.passOn(settled) }
    }

    func passOnWithdrawal(of id: PresentationID, _ asked: Message.Asked) {
        hop { [self] in uplink?.passOnWithdrawal(of: id, asked) }
    }

    func withdrawnForGood(_ id: PresentationID) {
        hop { [self] in uplink?.withdrawForGood(id) }
    }

    func reachable(_ id: PresentationID, _ isReachable: Bool) {
        running[id]?.isReachable = isReachable
        posted.append((id, isReachable))
        hop { [self] in
            let all = posted
            posted = []
            for (id, isReachable) in all { uplink?.setReachable(id, isReachable) }
        }
    }

    // MARK: The chain

    private func begin(_ run: Run) {
        let present = run.offer.present
        if decides(world.plan.profile.withheld, run.id, 1) {
            return ended(
                run,
                .decided(
                    Message.Decision(
                        id: run.id, answer: world.makeID(), by: name.description, via: .handler,
                        didRecover: false, reason: "withheld")))
        }
        guard !run.isCancelled else { return ended(run, nil) }
        var forwarded = present
        forwarded.waitMilliseconds = nil
        forwarded.isOriginReachable = run.isReachable
        if decides(world.plan.profile.ownOption, run.id, 2) {
            var list = OptionList(present.payload)
            list.options.append(ownOption)
            forwarded.payload = list.payload
        }
        let request = UplinkRequest(
            present: forwarded, deadline: run.offer.deadline, grace: nil, isForwarded: true)
        run.token = uplink?.present(
            request,
            moved: { [unowned self] state, by in
                downlink?.move(run.id, generation: run.offer.generation, to: state, by: by)
            },
            ended: { [unowned self] ending in hop { [self] in take(ending, run) } })
    }

    private func take(_ ending: UplinkDriver.Ending, _ run: Run) {
        run.token = nil
        switch ending {
        case .answered(let decision): carryOut(decision, run)
        case .refused(let reject): ended(run, .refused(reject.code, reject.reason))
        case .shutDown: ended(run, nil)
        case .expired: ended(run, decided(nil, false, "expired", run))
        case .withdrawn: ended(run, decided(nil, false, "withdrawn", run))
        case .unreachable: ended(run, .refused(.noResponder, "unreachable"))
        }
    }

    private func decided(
        _ answer: Answer?, _ didRecover: Bool, _ reason: String, _ run: Run
    ) -> DownlinkVerdict {
        .decided(
            Message.Decision(
                id: run.id, answer: answer?.id ?? world.makeID(),
                by: answer?.by ?? name.description, via: answer?.via ?? .handler,
                option: answer?.option, didRecover: didRecover, reason: reason))
    }

    private func carryOut(_ decision: Message.Decision, _ run: Run) {
        if decision.didRecover != nil {
            settle(run.id, decision.answer, decision.didRecover == true ? .recovered : .failed)
            return ended(run, .decided(decision))
        }
        let answer = Answer(
            id: decision.answer, option: decision.option ?? "", by: decision.by, via: decision.via)
        let settled: (RecoveryResult) -> Void = { [unowned self] result in
            hop { [self] in
                settle(run.id, answer.id, result)
                ended(run, decided(answer, result == .recovered, "answered", run))
            }
        }
        if answer.option == ownOption {
            attempt(run.id, (answer.id, answer.option), then: settled)
        } else {
            downlink?.attempt(
                answer, of: run.id, generation: run.offer.generation, then: settled)
        }
    }

    private func settle(_ id: PresentationID, _ answer: UniqueID, _ result: RecoveryResult) {
        uplink?.settle(id, answer: answer, result: result)
    }

    private func ended(_ run: Run, _ verdict: DownlinkVerdict?) {
        hop { [self] in
            if let verdict {
                downlink?.complete(run.id, generation: run.offer.generation, verdict)
            }
            if running[run.id] === run { running[run.id] = nil }
        }
    }

    override var isQuiet: Bool { super.isQuiet && running.isEmpty }
    override var openText: String {
        "\(uplink?.openText ?? "") | \(downlink?.openText ?? "") | running "
            + running.values.map { "\($0.id.short) gen \($0.offer.generation)" }.sorted()
            .joined(separator: ", ")
    }
}
