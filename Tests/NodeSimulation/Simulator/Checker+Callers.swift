import ErrorBus

/// What callers get, and when.
extension Checker {
    static let ofCallers = [
        reasonFits, expiryApplied, told, toldOfClaims, resultPrompt, lostCallers, steady,
    ]

    static let reasonFits = Checker(
        name: "reason-fits", rule: "an outcome's reason is what happened"
    ) { ledger, plan in
        ledger.asks.flatMap { ask in
            ask.completions.compactMap { end, outcome in
                fits(outcome, ask, at: end, ledger, plan)
                    ? nil : "\(ask.id) asked by \(ask.worker): \(outcome)"
            }
        }
    }

    private static func fits(
        _ outcome: Outcome, _ ask: Ledger.Ask, at end: UInt64, _ ledger: Ledger, _ plan: Plan
    ) -> Bool {
        switch outcome.reason {
        case .answered: outcome.answer != nil
        case .expired: isOver(ask, at: end, ledger) || plan.impatience != nil
        case .withdrawn: ask.cancelled != nil
        case .shutDown: ask.isLifeOver
        case .withheld:
            [plan.silencing?.trouble, plan.withheldTrouble].contains(ask.trouble)
                || plan.ruling != nil
        case .unreachable:
            plan.grace != nil || plan.relayGrace != nil && ask.worker.hasPrefix("relay")
        case .notConfirmed, .notSigned, .badValue: plan.forgedTrouble == ask.trouble
        case .rejected:
            plan.asksOnce && ledger.wasTaken(ask.id, before: end) || ask.isSecond
                || plan.asksOnce && ledger.wasPutOff(ask, before: end, plan)
                || ledger.damaged.contains(ask.id) || plan.isRelayUnknown
                || ledger.wasGivenUp(before: ask)
        case .recoveryTimedOut: ledger.attempts.contains { $0.id == ask.id && $0.isTooLong }
        // Passed on, and there is none further up.
        case .detached: plan.hasSecondThoughts
        // Of the other error that was presented under its id; or it was not offered.
        case .noAttempter where plan.removedTrouble != nil: plan.removedTrouble == ask.trouble
        case .noAttempter:
            outcome.answer?.option == "copy"
                || ledger.decisions.contains { $0.id == ask.id && $0.answer.option == "copy" }
        default: outcome.answer?.option == "copy"
        }
    }

    /// Its time is, or that of an earlier life that asked: parents go by the first.
    private static func isOver(_ ask: Ledger.Ask, at time: UInt64, _ ledger: Ledger) -> Bool {
        ledger.asks.contains { other in
            other.id == ask.id && other.deadline.map { time + 50 >= $0 } == true
        }
    }

    static let expiryApplied = Checker(
        name: "expiry-applied",
        rule: "what is declared for expiry is applied then, by the origin, and not before (C7)"
    ) { ledger, _ in
        ledger.asks.flatMap { ask in
            ask.completions.compactMap { end, outcome in
                if outcome.reason == .expired, ask.onExpiry != nil {
                    return "\(ask.id): \(outcome), declared is \(ask.onExpiry ?? "")"
                }
                guard outcome.answer?.via == .expiry else { return nil }
                return isOver(ask, at: end, ledger)
                    ? nil : "\(ask.id): \(outcome) at \(end), before its time"
            }
        }
            + ledger.decisions.filter { $0.answer.via == .expiry }.map {
                "\($0.id): recorded as a decision"
            }
    }

    static let told = Checker(
        name: "told", rule: "where nothing goes wrong a caller is told what is in front of people"
    ) { ledger, plan in
        guard plan.isCalm, plan.coalescer == nil else { return [] }
        return ledger.asks.compactMap { ask in
            guard !ask.isSecond,
                let shown = ledger.shown.first(where: { $0.id == ask.id }),
                min(shown.hidden ?? .max, ask.lifeEnd ?? .max) > shown.time + 1_000
            else { return nil }
            let isTold = ask.told.contains {
                // One who takes it on at once has it in front of them.
                [.presented, .claimed].contains($0.state.station)
                    && $0.time <= shown.time + 1_000
            }
            return isTold ? nil : "\(ask.id): not told that it was shown at \(shown.time)"
        }
    }

    static let toldOfClaims = Checker(
        name: "told-of-claims",
        rule: "where nothing goes wrong a caller learns which person takes it on, or gives it back"
    ) { ledger, plan in
        guard plan.isCalm, plan.coalescer == nil, !plan.asksBoth else { return [] }
        return ledger.claims.enumerated().compactMap { number, claim in
            let soon = claim.time + 1_000
            let isNews = !ledger.claims[(number + 1)...].prefix { $0.time <= soon }
                .contains { $0.id == claim.id }
            let stands = ledger.shown.contains {
                $0.id == claim.id && $0.time < claim.time && ($0.hidden ?? .max) > soon
            }
            guard isNews, stands, let ask = ledger.asks.first(where: { $0.id == claim.id }),
                ask.worker != Plan.requester, (ask.lifeEnd ?? .max) > soon
            else { return nil }
            let told = ask.told.last { $0.time <= soon }?.state
            let isTold =
                told?.station == claim.station
                && (claim.station != .claimed || told?.by == claim.by)
            return isTold
                ? nil : "\(claim.id): \(claim.station.rawValue) at \(claim.time), not told"
        }
    }

    static let resultPrompt = Checker(
        name: "result-prompt",
        rule: "where nothing goes wrong each decision has the result of its attempt at once (C6)"
    ) { ledger, plan in
        guard plan.isCalm else { return [] }
        return ledger.decisions.compactMap { decision in
            let attempt = ledger.attempts.first {
                $0.id == decision.id && ledger.deskAnswer(to: $0.id) == nil
                    && $0.option == decision.answer.option
            }
            guard let end = attempt?.result,
                !ledger.asks.contains(where: { $0.id == decision.id && $0.hasExpired })
            else { return nil }
            // A process that is killed at that moment takes its last word with it.
            let isKilled = ledger.asks.contains {
                $0.id == decision.id && $0.lifeEnd.map { $0 < end.time + 500 } == true
            }
            if isKilled, decision.result ?? .unknown == .unknown { return nil }
            let isTrue = decision.result == (end.didRecover ? .recovered : .failed)
            let isPrompt =
                decision.settled.map { $0 <= plan.writable(from: end.time) + 500 } == true
            return isTrue && isPrompt
                ? nil
                : "\(decision.id): \(decision.result?.rawValue ?? "no result") at "
                    + "\(decision.settled ?? 0), attempted until \(end.time)"
        }
    }

    static let lostCallers = Checker(
        name: "lost-callers",
        rule: "what a dead caller asked is in front of people for no longer than is stated"
    ) { ledger, plan in
        // Known to be lost, given up, and each hop's pause before it says so.
        let times = LinkTimes()
        let most =
            max(plan.recoveryMax, times.silenceMax) + (plan.abandonAfter ?? times.abandonAfter)
            + 5_000
        return ledger.orphaned.filter { $0.value > most }
            .map { "\($0.key): stood for \($0.value) ms after the last that asked was gone" }
            .sorted()
    }

    static let steady = Checker(
        name: "steady",
        rule: "once recovery is over, people have what is asked, and both sides know of each other"
    ) { ledger, _ in ledger.unsteady.sorted() }
}
