// MARK: Actions of the link to the children

extension NodeMachine {
    mutating func carryOut(
        _ wanted: [DownlinkAction], at now: MonotonicTime, into actions: inout [NodeAction]
    ) {
        for action in wanted { carryOut(action, at: now, into: &actions) }
    }

    mutating func carryOut(
        _ wanted: DownlinkAction, at now: MonotonicTime, into actions: inout [NodeAction]
    ) {
        switch wanted {
        case .send(let message, let peer): actions.append(.send(message, to: peer))
        case .reply(let reply, let peer): actions.append(.reply(reply, to: peer))
        case .tellState(let peer): actions.append(.tellState(to: peer))
        case .log(let line): actions.append(.log(line))
        case .dropped(let anomaly): actions.append(.dropped(anomaly))
        case .offer(let offer): take(offer, at: now, into: &actions)
        case .cancel(let id, let generation, let reason):
            guard askers.first?[id] == .child(generation: generation) else {
                actions.append(.cancel(id, generation: generation, reason))
                if reason == .withdrawn { withdrawnBelow(id, at: now, into: &actions) }
                return
            }
            askers[0][id] = nil
            withdraw(id, reason.withdrawal, on: 0, at: now, into: &actions)
        case .settled(let id, let answer, let result):
            settledBelow(Attempt(id: id, answer: answer), result, at: now, into: &actions)
        case .passOn(let settled):
            forEachWay(at: now, into: &actions) { $0.passOn(settled, at: now) }
            if let asked = settled.asked { actions.append(.settledBefore(settled, of: asked)) }
        case .passOnWithdrawal(let id, let asked):
            forEachWay(at: now, into: &actions) { $0.passOnWithdrawal(of: id, asked, at: now) }
            actions.append(.withdrawnBefore(id, asked, isHere: false))
        case .withdrawnForGood(let id, let asked):
            guard let asked else { return }
            forEachWay(at: now, into: &actions) { $0.passOnWithdrawal(of: id, asked, at: now) }
            // Its answer may have been recorded just after a hop withdrew it.
            actions.append(.withdrawnBefore(id, asked, isHere: true))
        case .reachable(let id, let isReachable):
            // Updates the prompt here, and a prompt at a node above.
            actions.append(.reachable(id, isReachable))
            forEachWay(at: now, into: &actions) {
                $0.reachabilityChanged(id, isReachable, at: now)
            }
        }
    }

    /// The origin withdrew a presentation that the chain still has. If it was given up above
    /// because people here see it, an answer may have been given there meanwhile: that answer has
    /// no effect.
    private mutating func withdrawnBelow(
        _ id: PresentationID, at now: MonotonicTime, into actions: inout [NodeAction]
    ) {
        forEachWay(at: now, into: &actions) { way in
            way.entries[id]?.isGivenUpByHop == true
                ? way.withdrew(id, reason: .origin, at: now) : []
        }
    }

    /// Applies an event to every link upward; a link without the presentation ignores it.
    mutating func forEachWay(
        at now: MonotonicTime, into actions: inout [NodeAction],
        _ event: (inout UplinkMachine) -> [UplinkAction]
    ) {
        for way in above.indices {
            carryOut(event(&above[way]), of: way, at: now, into: &actions)
        }
    }

    /// A child presents. Finding forged changes in a report requires parsing it.
    mutating func take(
        _ offer: DownlinkOffer, at now: MonotonicTime, into actions: inout [NodeAction]
    ) {
        guard isPassage, !ErrorReport.mayHaveChanges(offer.present.payload) else {
            actions.append(.offer(offer))
            return
        }
        let request = UplinkRequest(forwarding: offer.present, deadline: offer.deadline)
        ask(
            request, on: 0, for: .child(generation: offer.generation), at: now, into: &actions)
    }

    mutating func settledBelow(
        _ attempt: Attempt, _ result: RecoveryResult, at now: MonotonicTime,
        into actions: inout [NodeAction]
    ) {
        if attempts.removeValue(forKey: attempt) != nil {
            actions.append(.attempted(attempt, result))
        } else if let passed = passedDown.removeValue(forKey: attempt) {
            ended(attempt.id, passed, result, at: now, into: &actions)
        } else if let given = below.entries[attempt.id]?.answer, given.id == attempt.answer {
            // No responder of the chain waits for it.
            guard given.isFromAbove else {
                actions.append(.settledLater(attempt.id, given, result))
                return
            }
            for way in above.indices {
                settle(attempt.id, answer: given.id, result, on: way, at: now, into: &actions)
            }
        }
    }
}

// MARK: Actions of a link upward

extension NodeMachine {
    mutating func carryOut(
        _ wanted: [UplinkAction], of way: Way, at now: MonotonicTime,
        into actions: inout [NodeAction]
    ) {
        for action in wanted { carryOut(action, of: way, at: now, into: &actions) }
    }

    mutating func carryOut(
        _ wanted: UplinkAction, of way: Way, at now: MonotonicTime,
        into actions: inout [NodeAction]
    ) {
        switch wanted {
        case .open(let parent): actions.append(.above(way, .open(endpoints[way][parent])))
        case .close: actions.append(.above(way, .close))
        case .send(let message): actions.append(.above(way, .send(message)))
        case .openProbe(let parent): actions.append(.above(way, .openProbe(endpoints[way][parent])))
        case .closeProbe: actions.append(.above(way, .closeProbe))
        case .sendProbe(let message): actions.append(.above(way, .sendProbe(message)))
        case .adoptProbe: actions.append(.above(way, .adoptProbe))
        case .linkUp(let welcome):
            // The path upward, for the WELCOME to children.
            if way == 0 {
                below.pathUpward =
                    [below.name] + (welcome.path.isEmpty ? [welcome.node] : welcome.path)
            }
            actions.append(.above(way, .up(welcome.node)))
        case .linkDown(let reason):
            if way == 0 { below.pathUpward = [below.name] }
            actions.append(.above(way, .down(reason: reason)))
        case .crowded(let count): actions.append(.above(way, .crowded(waitingCount: count)))
        case .dropped(let anomaly): actions.append(.dropped(anomaly))
        case .moved(let id, let station, let by, let since):
            switch askers[way][id] {
            case .caller(let caller):
                actions.append(.moved(caller: caller, station, by: by, since: since))
            case .child(let generation):
                let moved = below.moved(
                    id, generation: generation, to: station, by: by, since: since, at: now)
                carryOut(moved, at: now, into: &actions)
            case nil: break
            }
        case .answered(let id, let answer):
            guard askers[way][id] != nil else {
                // The caller left without a withdrawal, and may return for it.
                let unknown = above[way].settled(
                    id, answer: answer.id, result: .unknown, at: now)
                return carryOut(unknown, of: way, at: now, into: &actions)
            }
            end(id, .answered(answer), on: way, at: now, into: &actions)
        case .answeredBefore(let id, let answer, let digest):
            answeredBefore(id, answer, digest, on: way, at: now, into: &actions)
        case .refused(let id, let reject):
            end(id, .refused(reject), on: way, at: now, into: &actions)
        case .expired(let id): end(id, .expired, on: way, at: now, into: &actions)
        case .graceOver(let id, let refusal):
            let ending = UplinkEnding.unreachable(
                tried: tried(on: way), isTooSoon: above[way].isTooSoon, refusal)
            end(id, ending, on: way, at: now, into: &actions)
            // Only an origin's withdrawal is final under its id.
            let isForwarded = above[way].entries[id]?.request.isForwarded == true
            withdraw(id, isForwarded ? .abandoned : .origin, on: way, at: now, into: &actions)
        }
    }

    /// The endpoints tried and their failures, for an "unreachable" that a person can act on.
    package func tried(on way: Way) -> String {
        let list = endpoints[way].map(\.description).joined(separator: ", ")
        return "tried \(list): \(above[way].whyNotAccepted)"
    }

    mutating func ask(
        _ request: UplinkRequest, on way: Way, for asker: Asker, at now: MonotonicTime,
        into actions: inout [NodeAction]
    ) {
        let id = request.present.id
        if let refusal = above[way].conflict(with: request) {
            return end(id, asker, .refused(refusal), at: now, into: &actions)
        }
        if case .caller(let former) = askers[way].updateValue(asker, forKey: id) {
            actions.append(.ended(caller: former, .withdrawn))
        }
        carryOut(above[way].presented(request, at: now), of: way, at: now, into: &actions)
    }

    mutating func withdraw(
        _ id: PresentationID, _ reason: Message.WithdrawReason?, on way: Way,
        at now: MonotonicTime, into actions: inout [NodeAction]
    ) {
        guard let reason else { return }
        carryOut(
            above[way].withdrew(id, reason: reason, at: now), of: way, at: now, into: &actions)
    }

    mutating func settle(
        _ id: PresentationID, answer: UniqueID, _ result: RecoveryResult, on way: Way,
        at now: MonotonicTime, into actions: inout [NodeAction]
    ) {
        // Only this node stops waiting: the child that has the answer reports to its next life.
        if result == .unknown, isGoingDown { return }
        carryOut(
            above[way].settled(id, answer: answer, result: result, at: now), of: way, at: now,
            into: &actions)
    }

    mutating func end(
        _ id: PresentationID, _ ending: UplinkEnding, on way: Way, at now: MonotonicTime,
        into actions: inout [NodeAction]
    ) {
        guard let asker = askers[way].removeValue(forKey: id) else { return }
        end(id, asker, ending, at: now, into: &actions)
    }

    private mutating func end(
        _ id: PresentationID, _ asker: Asker, _ ending: UplinkEnding, at now: MonotonicTime,
        into actions: inout [NodeAction]
    ) {
        switch asker {
        case .caller(let caller): actions.append(.ended(caller: caller, ending))
        case .child(let generation):
            ended(id, generation: generation, ending, at: now, into: &actions)
        }
    }
}

// MARK: Relayed presentations

extension NodeMachine {
    /// An answer to a request of an earlier life of this node. This life's chain may hold the
    /// presentation without asking for it: as one of equal errors, or in front of a person here.
    /// The decision stands, so the child gets it, unless it has another answer.
    mutating func answeredBefore(
        _ id: PresentationID, _ answer: Answer, _ digest: ReportDigest?, on way: Way,
        at now: MonotonicTime, into actions: inout [NodeAction]
    ) {
        guard way == 0, above[way].entries[id]?.isLeftByEarlierLife ?? true,
            let entry = below.entries[id], entry.isOpen,
            let asked = entry.asked, asked.digest == digest
        else {
            let result = below.entries[id]?.result(of: answer.id, to: digest)
            return carryOut(
                above[way].unasked(id, answer.id, result, at: now), of: way, at: now,
                into: &actions)
        }
        above[way].adopted(id, asked, answer, at: now)
        actions.append(.cancel(id, generation: entry.generation, .abandoned))
        ended(id, generation: entry.generation, .answered(answer), at: now, into: &actions)
    }

    /// The presentation of a child at the parent ended.
    mutating func ended(
        _ id: PresentationID, generation: Int, _ ending: UplinkEnding, at now: MonotonicTime,
        into actions: inout [NodeAction]
    ) {
        guard case .answered(let decided) = ending, let answer = decided.toAttempt else {
            if case .answered(let decided) = ending, let result = decided.resultAbove {
                settle(id, answer: decided.id, result, on: 0, at: now, into: &actions)
            }
            return complete(
                id, generation: generation, Outcome(ending, at: below.name), at: now,
                into: &actions)
        }
        let passed = PassedDown(generation: generation, answer: answer)
        let known = give(answer, to: id, generation: generation, at: now, into: &actions) {
            $0.passedDown[Attempt(id: id, answer: answer.id)] = passed
        }
        if let known { ended(id, passed, known, at: now, into: &actions) }
    }

    /// The child reported the result.
    mutating func ended(
        _ id: PresentationID, _ passed: PassedDown, _ result: RecoveryResult,
        at now: MonotonicTime, into actions: inout [NodeAction]
    ) {
        let answer = passed.answer
        settle(id, answer: answer.id, result, on: 0, at: now, into: &actions)
        complete(
            id, generation: passed.generation,
            Outcome(answer: answer.plain, result: .remote(result), decidedBy: answer.by), at: now,
            into: &actions)
    }

    mutating func complete(
        _ id: PresentationID, generation: Int, _ outcome: Outcome, at now: MonotonicTime,
        into actions: inout [NodeAction]
    ) {
        // Not from the clock and the system's generator: copies of a machine act alike.
        let fresh = UniqueID(milliseconds: id.value.high >> 16, using: &below.jitter)
        guard let verdict = DownlinkVerdict(outcome, node: below.name, answerID: fresh)
        else { return }
        carryOut(
            below.completed(id, generation: generation, verdict: verdict, at: now), at: now,
            into: &actions)
    }

    /// Sends an answer down. `waits` records the responder that waits for a result not yet known.
    mutating func give(
        _ answer: Answer, to id: PresentationID, generation: Int, at now: MonotonicTime,
        into actions: inout [NodeAction], waits: (inout NodeMachine) -> Void
    ) -> RecoveryResult? {
        var wanted = below.answered(id, generation: generation, with: answer, at: now)
        let isKnown: (DownlinkAction) -> RecoveryResult? = { action in
            if case .settled(id, answer.id, let result) = action { result } else { nil }
        }
        var known: RecoveryResult?
        if let index = wanted.firstIndex(where: { isKnown($0) != nil }) {
            known = isKnown(wanted.remove(at: index))
        } else {
            waits(&self)
        }
        carryOut(wanted, at: now, into: &actions)
        return known
    }
}
