import ErrorBus

/// What holds in the worlds of ``Plan/wide``, and some of it in all.
extension Checker {
    static let ofWide = [
        lastWords, linksKept, dropsCounted, firstParent, secretsGone, inInbox,
        silencesApart, silenceOver, policyMakesWay, groupEnds, lateAnswers,
    ]

    static let lastWords = Checker(
        name: "last-words",
        rule: "a process that stops in order has said by then what was carried out in it (C6)"
    ) { ledger, plan in
        guard plan.stopsAtAttempt != nil else { return [] }
        return ledger.attempts.compactMap { attempt in
            guard let stop = ledger.stops[attempt.life], let end = attempt.result,
                end.time <= stop, let decision = ledger.decision(of: attempt.id),
                decision.answer.option == attempt.option
            else { return nil }
            return decision.result == (end.didRecover ? .recovered : .failed)
                ? nil
                : "\(attempt.id): \(decision.result?.rawValue ?? "no result"), carried out at "
                    + "\(end.time), stopped at \(stop)"
        }
    }

    static let linksKept = Checker(
        name: "links-kept", rule: "a link that works, or rests for a moment only, is kept"
    ) { ledger, plan in
        // Who has several parents tries the earlier ones now and then.
        let single = ledger.greetings.filter { greeting in
            let child = plan.processes.first { $0.name == greeting.link.child }
            return child?.parents.count == 1 && child?.nodeName == nil
        }
        return single.map { "\($0.link.child) greets \($0.link.parent) again at \($0.time)" }
    }

    static let dropsCounted = Checker(
        name: "drops-counted", rule: "a node's status counts each message that found no room"
    ) { ledger, _ in
        ledger.overflows.filter { $0.counted != $0.dropped }.map {
            "\($0.process) counts \($0.counted) of \($0.dropped)"
        }
    }

    static let firstParent = Checker(
        name: "first-parent",
        rule: "a child is back at its first parent once that has a way up for long"
    ) { ledger, _ in ledger.astray.map { "\($0): came by another" } }

    static let secretsGone = Checker(
        name: "secrets-gone", rule: "no inbox keeps what was given as a secret (A41)"
    ) { ledger, _ in
        ledger.items.filter(\.hasSecret).map { "\($0.id): kept by \($0.presenter)" }
    }

    static let inInbox = Checker(
        name: "in-inbox",
        rule: "what is in front of people is open in their inbox, which is bounded (C5, C8)"
    ) { ledger, plan in
        let most = plan.storeFails ? 40 : plan.inboxEndedMax ?? .max
        return ledger.notInInbox.sorted()
            + (ledger.mostEnded > most ? ["\(ledger.mostEnded) have ended, \(most) are kept"] : [])
    }

    static let silencesApart = Checker(
        name: "silences-apart", rule: "no two silences have one number, whenever they were set up"
    ) { ledger, _ in
        let numbers = ledger.silenceNumbers
        return Set(numbers).count == numbers.count ? [] : ["numbered \(numbers)"]
    }

    static let silenceOver = Checker(
        name: "silence-over", rule: "once a silence is over, what it held is put to people at once"
    ) { ledger, plan in
        guard plan.isCalm, let silencing = plan.silencing, silencing.endedAt != nil else {
            return []
        }
        let end = plan.start + silencing.end
        return ledger.asks.filter { ask in
            ask.trouble == silencing.trouble && ask.deadline == nil && ask.cancelled == nil
                && ask.time < end && (ask.completions.first?.time ?? .max) > end + 2_500
                && ledger.decision(of: ask.id).map { $0.time > end } != false
                && !ledger.shown.contains { $0.id == ask.id && $0.time <= end + 2_500 }
        }.map { "\($0.id): not shown" }
    }

    static let policyMakesWay = Checker(
        name: "policy-makes-way",
        rule: "what a policy does not decide in time is put to people at once; its own option is "
            + "carried out"
    ) { ledger, plan in
        guard plan.scene == .ownRules, let policy = plan.policy else { return [] }
        let undone = ledger.decisions.filter {
            policy.isItsOwn && $0.answer.option == policy.option && $0.result != .recovered
        }
        let late = ledger.asks.filter { ask in
            ask.trouble == policy.trouble && ask.hasExpired
                && !ledger.shown.contains { $0.id == ask.id && $0.time < ask.time + 1_000 }
        }
        return undone.map { "\($0.id): \($0.result?.rawValue ?? "no result")" }
            + late.map { "\($0.id): expired, and was not shown" }
    }

    static let lateAnswers = Checker(
        name: "late-answers", rule: "an answer that was taken counts, in the last moment too (C5)"
    ) { ledger, _ in
        ledger.acknowledged.filter { ledger.decision(of: $0.id)?.answer.id != $0.answer }
            .map { "\($0.id): its answer was taken, and is not on record" }
    }

    static let groupEnds = Checker(
        name: "group-ends",
        rule: "what ends one of equal errors without an answer, and not for its own sake, ends all"
    ) { ledger, plan in
        guard let patience = plan.impatience else { return [] }
        return ledger.asks.compactMap { ask in
            guard let end = ask.completions.first, end.time > ask.time + patience + 2_000 else {
                return nil
            }
            return "\(ask.id): \(end.outcome) after \(end.time - ask.time) ms"
        }
    }
}
