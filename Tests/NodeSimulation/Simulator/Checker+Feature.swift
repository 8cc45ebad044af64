import ErrorBus

/// What holds in worlds that have more than others: see ``Feature``.
extension Checker {
    static let ofFeatures = [
        policyHolds, policyAnswers, silenceHolds, coalesced, limitHolds, roomKept, graceKept,
        bareInTime, askedOnce, idsApart, withheldHolds, deskAsked, twoPeople,
        valuesArrive, commentsArrive,
    ]

    static let policyHolds = Checker(
        name: "policy-holds", rule: "a policy answers what it is about, as often and late as it may"
    ) { ledger, plan in
        let answers = ledger.decisions.filter { $0.answer.via == .policy }
        guard let policy = plan.policy else {
            return plan.silencing == nil && plan.ruling == nil
                ? answers.map { "\($0.id): answered by a policy" } : []
        }
        let unasked = ledger.decidedUnasked.map { "\($0): withdrawn before it was decided" }
        let wrong = answers.compactMap { decision -> String? in
            guard let ask = ledger.asks.first(where: { $0.id == decision.id }) else {
                return "\(decision.id): a bare client's, by \(decision.answer.by)"
            }
            guard ask.trouble == policy.trouble, decision.answer.option == policy.option else {
                return "\(decision.id): \(decision.answer.option) for trouble \(ask.trouble)"
            }
            return decision.time >= ask.time + policy.delay
                ? nil : "\(decision.id): after \(decision.time - ask.time) ms"
        }
        // What limits have counted ends with the process; a slow disk moves decisions.
        guard !plan.isRestarted(Plan.presenter), plan.hasQuickDisk else { return unasked + wrong }
        let byWorker = Dictionary(grouping: answers) { decision in
            ledger.asks.first { $0.id == decision.id }?.worker ?? ""
        }
        return unasked + wrong
            + byWorker.flatMap { worker, answers in
                zip(answers, answers.dropFirst(policy.count)).compactMap { first, last in
                    last.time + 500 >= first.time + policy.window
                        ? nil
                        : "\(last.id) of \(worker): \(policy.count + 1) answers in "
                            + "\(last.time - first.time) ms"
                }
            }.sorted()
    }

    static let policyAnswers = Checker(
        name: "policy-answers", rule: "what a policy may answer is not put to people"
    ) { ledger, plan in
        guard let policy = plan.policy, plan.isCalm else { return [] }
        return ledger.asks.filter { ask in
            let before = ledger.asks.filter {
                $0.worker == ask.worker && $0.trouble == policy.trouble && $0.time <= ask.time
                    && $0.time + policy.window + 1_000 > ask.time
            }
            let isLate = ask.deadline.map { $0 < ask.time + policy.delayMax + 500 } ?? false
            return ask.trouble == policy.trouble && before.count <= policy.count && !isLate
                && ledger.shown.contains { $0.id == ask.id }
        }.map { "\($0.id): shown" }
    }

    static let silenceHolds = Checker(
        name: "silence-holds", rule: "people are asked unless a silence is in force for it"
    ) { ledger, plan in
        guard let silencing = plan.silencing else { return [] }
        return ledger.asks.compactMap { ask in
            let decision = ledger.decision(of: ask.id)
            let isSilenced =
                decision?.answer.via == .policy
                || ask.completions.first?.outcome.reason == .withheld
            let isShown = ledger.shown.contains { $0.id == ask.id }
            let isOther =
                ask.trouble != silencing.trouble
                || plan.isCalm && ask.time > plan.start + silencing.end
                || plan.isCalm && ask.time + 1_000 < plan.start + silencing.from
            if isOther { return isSilenced ? "\(ask.id): silenced" : nil }
            // From the fourth failure on its answer is delayed.
            guard plan.isCalm, ask.time > plan.start + silencing.from, ask.retryCount < 3,
                ask.time + 1_000 < plan.start + silencing.end
            else { return nil }
            let wanted = silencing.option ?? ask.onExpiry
            return isShown || isSilenced && decision?.answer.option != wanted
                ? "\(ask.id): not silenced, \(decision?.answer.option ?? "withheld")" : nil
        }
    }

    static let coalesced = Checker(
        name: "coalesced", rule: "of equal errors people see one at a time"
    ) { ledger, _ in
        ledger.uncoalesced.map { "\($0): shown beside what it equals" }
    }

    static let limitHolds = Checker(
        name: "limit-holds", rule: "no more presentations of a child are open than allowed (C8)"
    ) { ledger, plan in
        guard plan.openMax != nil else { return [] }
        return ledger.overRoom.map { "\($0): open beside more than its way up may have" }
            + ledger.mostOpen.filter { $0.key != "bare" && $0.value > plan.openMax(of: $0.key) }
            .map { "\($0.value) open of \($0.key), allowed \(plan.openMax(of: $0.key))" }.sorted()
    }

    static let roomKept = Checker(
        name: "room-kept", rule: "a child sends no more than its parent says that it takes (C8)"
    ) { ledger, plan in
        guard plan.isCalm || plan.hasTopLimit, plan.openPerNodeMax == nil else { return [] }
        return ledger.asks.filter {
            $0.worker != Plan.requester && ledger.refusedForRoom.contains($0.id)
        }.map { "\($0.id) of \($0.worker): refused for want of room" }
    }

    static let graceKept = Checker(
        name: "grace-kept", rule: "a caller waits for parents that are not there as long as it said"
    ) { ledger, plan in
        let early = ledger.asks.filter { ask in
            ask.completions.contains { end, outcome in
                let grace = plan.grace ?? plan.relayGrace ?? .max / 2
                // From the cut on, where the way further up is cut.
                let since = max(ask.time, plan.farCut?.since ?? 0)
                return outcome.reason == .unreachable && end + 50 < since + grace
            }
        }
        let others = ledger.asks.filter { ask in
            plan.farCut != nil && ask.worker == "worker2"
                && ask.completions.contains { $0.outcome.reason == .unreachable }
        }
        return early.map { "\($0.id): unreachable too early" }
            + others.map { "\($0.id): unreachable, and its parent has its way" }
            + ledger.heldTooLong.map { "\($0): held without a parent" }.sorted()
    }
}

extension Checker {
    static let bareInTime = Checker(
        name: "bare-in-time",
        rule: "a bare client has its reply at its deadline, and what it declared for that"
    ) { ledger, plan in
        ledger.bareAsks.compactMap { id, ask in
            guard let deadline = ask.deadline, let reply = ledger.bareReplies[id]?.first else {
                return nil
            }
            let found = "\(id): \(reply.outcome) \(reply.option ?? "")"
            if plan.isCalm, reply.time > deadline + 2_500 {
                return "\(found) \(reply.time - deadline) ms after its deadline"
            }
            return reply.outcome == "expired" && ask.onExpiry != nil
                ? "\(found), declared is \(ask.onExpiry ?? "")" : nil
        }.sorted()
    }

    static let askedOnce = Checker(
        name: "asked-once",
        rule: "what a restart found in front of people is not shown again, what had ended may be"
    ) { ledger, plan in
        guard plan.asksOnce else { return [] }
        return ledger.shown.filter { before in
            before.isCutOff
                && ledger.shown.contains { $0.id == before.id && $0.time > before.hidden ?? .max }
        }.map { "\($0.id): shown again" }
            + ledger.asks.filter { plan.isAskedAnew($0, ledger) }
            .filter { $0.completions.contains { $0.outcome.reason == .rejected } }
            .map { "\($0.id): had ended, and is refused" }
    }

    static let deskAsked = Checker(
        name: "desk-asked",
        rule: "people at a process are asked when no parent has been there for as long as it says, "
            + "not before, and no others are asked then"
    ) { ledger, plan in
        let early = ledger.shown.filter { shown in
            shown.presenter == Plan.desk
                && ledger.asks.contains {
                    $0.id == shown.id && $0.worker == plan.deskWorker
                        && shown.time < $0.time + (plan.deskGrace ?? 0)
                }
        }
        return early.map { "\($0.id): at the desk at \($0.time), too early" }
            + ledger.deskStood.filter { $0.value > plan.recoveryMax }
            .map { "\($0.key): at the presenter and at the desk for \($0.value) ms" }.sorted()
    }

    static let withheldHolds = Checker(
        name: "withheld-holds", rule: "what a relay withholds no person sees, and its caller hears"
    ) { ledger, plan in
        guard let trouble = plan.withheldTrouble else { return [] }
        let withheld = ledger.asks.filter { $0.worker == "worker1" && $0.trouble == trouble }
        return withheld.filter { ask in
            ledger.shown.contains { $0.id == ask.id }
                || ask.cancelled == nil && ask.completions.first?.outcome.reason != .withheld
        }.map { "\($0.id): \($0.completions.first.map { "\($0.outcome)" } ?? "no outcome")" }
    }

    static let idsApart = Checker(
        name: "ids-apart", rule: "one id stands for one report: the second asker is refused"
    ) { ledger, _ in
        let bare = ledger.bareSeconds.filter { $0.value.contains { $0.outcome != "rejected" } }
        let found = bare.map { "\($0.key) of a bare client: \($0.value.map(\.outcome))" }.sorted()
        return found
            + ledger.asks.filter(\.isSecond).compactMap { ask in
                let isAttempted = ledger.attempts.contains {
                    $0.id == ask.id && $0.life == ask.life
                }
                let outcome = ask.completions.first?.outcome
                return isAttempted || outcome?.reason != .rejected && ask.cancelled == nil
                    ? "\(ask.id) of \(ask.worker): \(outcome.map { "\($0)" } ?? "no outcome")" : nil
            }
    }
}

extension Plan {
    /// Who has people of its own.
    var deskWorker: String? { processes.first { $0.presentsAfter != nil }?.name }
    var deskGrace: UInt64? { processes.lazy.compactMap(\.presentsAfter).first }
}

extension Ledger {
    /// What the desk's inbox says wrong of an answer in the end.
    func deskFault(_ item: Item, _ answer: UniqueID) -> String? {
        // What was declared for expiry has the presentation's own id.
        if answer == item.id.value { return nil }
        guard let given = deskAnswers.first(where: { $0.answer.id == answer }) else {
            return "\(item.id): the desk shows \(answer), which was not given there"
        }
        let attempt = attempts.first { $0.id == item.id && $0.option == given.answer.option }
        let wanted = attempt?.result.map { $0.didRecover ? RecoveryResult.recovered : .failed }
        return wanted == nil || item.result == wanted
            ? nil : "\(item.id): the desk shows \(item.result?.rawValue ?? "no result")"
    }

    /// A life of the presenter that was over by then had put it to people; or was about to, with
    /// that on disk, where it ended within the disk's own time.
    func wasTaken(_ id: PresentationID, before end: UInt64) -> Bool {
        taken.contains { taken in
            guard taken.id == id, let lifeEnd = lifeEnds[taken.life]?.time, lifeEnd < end else {
                return false
            }
            return shown.contains { $0.id == id && $0.time <= lifeEnd }
                || lifeEnd <= taken.time + taken.latencyMax + 100
        }
    }
}

extension Plan {
    /// When a world begins.
    var start: UInt64 { 1_000_000 }

    var hasQuickDisk: Bool {
        if case .fullDisk = feature { return false }
        return !faults.contains { _, fault in
            if case .slowDisk = fault { true } else { false }
        }
    }
}

extension Plan {
    /// Whether it had ended, of itself or by a silence, well before the presenter restarted.
    fileprivate func isAskedAnew(_ ask: Ledger.Ask, _ ledger: Ledger) -> Bool {
        guard let scene, [.askedAnew, .quietOnce].contains(scene),
            let restart = faults.first?.time
        else { return false }
        return ledger.asks.contains { before in
            before.id == ask.id && before.time < ask.time
                && before.completions.contains {
                    [.expired, .withheld].contains($0.outcome.reason)
                        && $0.time + 2_000 < start + restart
                }
        }
    }
}
