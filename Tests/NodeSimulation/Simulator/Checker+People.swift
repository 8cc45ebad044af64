import ErrorBus

/// What people see and do.
extension Checker {
    static let ofPeople = [
        promptTrue, marked, linked, answerTaken, recordTrue, undoCounts, claimHolds, escalates,
        groupsEqual, inboxTrue, givenUpUndecided,
    ]

    static let promptTrue = Checker(
        name: "prompt-true", rule: "people see what was asked, where it came from, until when"
    ) { ledger, plan in
        ledger.shown.filter { $0.presenter != Plan.desk }.compactMap { shown in
            guard let ask = ledger.asks.first(where: { $0.id == shown.id }) else {
                // What goes wrong in a chain is reported beside the error.
                let isOwn = plan.stumblingTrouble != nil && shown.origin == "relay1"
                return isOwn || shown.origin == "bare" || ledger.played[shown.id] != nil
                    ? nil : "\(shown.id): from \(shown.origin ?? "here")"
            }
            let found = "\(shown.id) shown to \(shown.presenter)"
            guard shown.origin == plan.nodeName(of: ask.worker),
                plan.isWay(shown.path, from: plan.nodeName(of: ask.worker))
            else {
                return "\(found): from \(shown.origin ?? "here") by \(shown.path)"
            }
            let own = plan.processes.filter {
                $0.addsOption && ($0.name == Plan.presenter || shown.path.contains($0.name))
            }
            guard shown.options == ["retry", "skip"] + own.map({ _ in "copy" }) else {
                return "\(found): with \(shown.options)"
            }
            guard shown.onExpiry == ask.onExpiry else {
                return "\(found): \(shown.onExpiry ?? "nothing") on expiry"
            }
            return deadline(of: shown, isOf: ledger.asks.filter { $0.id == shown.id }, plan)
                ? nil : "\(found) at \(shown.time): until \(shown.deadline.map(String.init) ?? "-")"
        }
    }

    /// It is what one of the askings waits for, later by what was on the way.
    private static func deadline(
        of shown: Ledger.Shown, isOf asks: [Ledger.Ask], _ plan: Plan
    ) -> Bool {
        asks.contains { ask in
            guard let wanted = ask.deadline, let seen = shown.deadline else {
                return ask.deadline == nil && shown.deadline == nil
            }
            return seen + 50 >= wanted && seen <= wanted + (plan.isCalm ? 200 : 60_000)
        }
    }

    static let answerTaken = Checker(
        name: "answer-taken", rule: "of two answers an inbox takes one, and says which (C5)"
    ) { ledger, _ in
        ledger.secondAnswers.map { "\($0): a second answer was taken" }
            + ledger.given.filter { $0.counted != $0.answer }.map {
                "\($0.id): \($0.answer) was given, \($0.counted.map { "\($0)" } ?? "none") taken"
            }
    }

    static let recordTrue = Checker(
        name: "record-true", rule: "people read that an answer is on record where it is"
    ) { ledger, _ in
        // What is given up for its secrets is so from then on.
        let lost = Set(ledger.lostDecisions.map(\.answer.id))
        return ledger.records.filter { record in
            record.isSaid != record.isTrue
                && (record.isSaid || record.answer.map(lost.contains) != true)
        }.map {
            "\($0.id): on record, as people read: \($0.isSaid); as the disk has it: \($0.isTrue)"
        }
    }

    static let undoCounts = Checker(
        name: "undo-counts",
        rule: "an answer that can be taken back leaves when its time is over, or never"
    ) { ledger, _ in
        ledger.given.compactMap { given in
            guard given.undo > 0,
                let decision = ledger.decisions.first(where: { $0.answer.id == given.answer })
            else { return nil }
            if given.isUndone { return "\(given.id): decided, and taken back before" }
            let isDue =
                ledger.shown.contains { shown in
                    shown.id == given.id && shown.deadline.map { $0 <= decision.time + 50 } == true
                } || ledger.wasGivenAtStop(given, by: decision.time)
            return decision.time < given.time + given.undo && !isDue
                ? "\(given.id): left after \(decision.time - given.time) ms" : nil
        }
    }

    static let claimHolds = Checker(
        name: "claim-holds", rule: "what one person has claimed no other answers or gets"
    ) { ledger, plan in
        // Where people have several names the checker of accounts looks at them.
        ledger.given.filter { given in
            plan.manner != .signedIn
                && given.claimant.map { ![given.by, given.second].contains($0) } == true
        }.map {
            "\($0.id): answered by \($0.by), claimed by \($0.claimant ?? "")"
        } + ledger.passedOver.map { "\($0): passed on while it was claimed" }
    }

    static let marked = Checker(
        name: "marked", rule: "people read that they may have seen a prompt before, where it is so"
    ) { ledger, _ in
        ledger.shown.filter { $0.presenter != Plan.desk }.compactMap { shown in
            let taken = ledger.taken.filter { $0.id == shown.id && $0.time <= shown.time }
            let isOfEarlierLife = taken.contains { $0.life != shown.life }
            let isAgain = isOfEarlierLife || taken.count > 1
            // For a further caller of the same life it is what that life shows already.
            let isOfThisLife =
                taken.count { $0.life == shown.life } > 1
                || ledger.shown.contains {
                    $0.id == shown.id && $0.life == shown.life && $0.time < shown.time
                }
            let isTrue = shown.isMarked ? isAgain : !isOfEarlierLife || isOfThisLife
            return isTrue ? nil : "\(shown.id) at \(shown.time): marked \(shown.isMarked)"
        }
    }

    static let linked = Checker(
        name: "linked", rule: "what fails again after a recovery names what it repeats, in order"
    ) { ledger, plan in
        ledger.shown.compactMap { shown in
            guard let ask = ledger.asks.first(where: { $0.id == shown.id }) else { return nil }
            let before = ask.retryOf.flatMap { id in ledger.asks.first { $0.id == id } }
            let isNext = ask.retryCount == before.map { $0.retryCount + 1 } ?? 0
            let didRecover =
                before?.completions.first?.outcome.didRecover != false || plan.triesTwice
            return shown.retryOf == ask.retryOf && shown.retryCount == ask.retryCount && isNext
                && didRecover
                ? nil
                : "\(shown.id): \(shown.retryCount) of \(shown.retryOf.map { "\($0)" } ?? "-")"
        }
    }

    static let escalates = Checker(
        name: "escalates", rule: "the next presenter is asked when it is time, and not before"
    ) { ledger, plan in
        guard let after = plan.escalatesAfter else { return [] }
        return ledger.shown.compactMap { shown in
            if shown.presenter == "boss" {
                let isDue = ledger.shown.contains {
                    $0.id == shown.id && $0.presenter == "duty" && $0.time + after <= shown.time
                }
                // From what was last done about it.
                let isNeglected = !ledger.handled.contains {
                    $0.id == shown.id && $0.time + 50 < shown.time
                        && shown.time + 50 < $0.time + after
                }
                return isDue && isNeglected
                    ? nil : "\(shown.id): passed on at \(shown.time), too early"
            }
            guard let hidden = shown.hidden else { return nil }
            // A claim that has run out is looked at within the same time.
            let cared = max(
                ledger.caredFor[shown.id] ?? 0, ledger.proposedUntil[shown.id] ?? 0)
            let since = max(shown.time, cared + 1_000)
            return hidden > since + after + 500
                ? "\(shown.id): not passed on for \(hidden - since) ms" : nil
        }
    }

    static let givenUpUndecided = Checker(
        name: "given-up-undecided",
        rule: "what was given up before it could be put to people or a policy is not decided"
    ) { ledger, plan in
        guard plan.isUndisturbed else { return [] }
        return ledger.decisions.compactMap { decision in
            let asks = ledger.asks.filter { $0.id == decision.id }
            guard asks.count == 1, let ask = asks.first, let end = ask.cancelled,
                let way = plan.onlyWay(from: ask.worker),
                let taken = ledger.taken.last(where: { $0.id == ask.id })
            else { return nil }
            return taken.time > end + UInt64(way.count) * plan.weather.delayMax + 50
                ? "\(ask.id): given up at \(end), decided at \(decision.time)" : nil
        }
    }

    static let groupsEqual = Checker(
        name: "groups-equal", rule: "one answer serves only what is equal"
    ) { ledger, _ in
        ledger.misgrouped.map { "\($0): answered with what it does not equal" }
    }

    static let inboxTrue = Checker(
        name: "inbox-true", rule: "in the end an inbox shows what was decided and came of it"
    ) { ledger, plan in
        ledger.leftStanding.map { "\($0): open after its end" }
            + ledger.items.compactMap { item in
                guard let answer = item.answer else { return falseEnd(of: item, ledger, plan) }
                if item.presenter == Plan.desk { return ledger.deskFault(item, answer) }
                guard let decision = ledger.decision(of: item.id), decision.answer.id == answer
                else {
                    return "\(item.id): \(item.presenter) shows \(answer), which is not on record"
                }
                return item.result == decision.result
                    ? nil
                    : "\(item.id): \(item.presenter) shows "
                        + "\(item.result?.rawValue ?? "no result"), on record is "
                        + "\(decision.result?.rawValue ?? "none")"
            }
    }
}

extension Checker {
    /// What an inbox says wrong of what ended there without an answer.
    private static func falseEnd(
        of item: Ledger.Item, _ ledger: Ledger, _ plan: Plan
    ) -> String? {
        guard let closed = item.closed, item.presenter != Plan.desk, plan.isUndisturbed else {
            return nil
        }
        if ledger.decision(of: item.id) != nil {
            return "\(item.id): \(item.presenter) shows \(closed), and it is decided"
        }
        let asks = ledger.asks.filter { $0.id == item.id }
        let isGivenUp = asks.contains { $0.cancelled != nil || $0.isLifeOver }
        return closed == .withdrawn && asks.count == 1 && !isGivenUp && asks[0].deadline != nil
            && plan.hasQuickDisk
            ? "\(item.id): \(item.presenter) shows \(closed), and it expired" : nil
    }
}

extension Plan {
    /// Nothing goes wrong between processes.
    var isUndisturbed: Bool {
        weather.loss == 0 && ambushes.isEmpty
            && faults.allSatisfy { _, fault in
                switch fault {
                case .slowDisk, .wallClock: true
                default: false
                }
            }
    }

    /// Whether a path leads from `worker` to the presenter, each the parent of the one before.
    func isWay(_ path: [String], from worker: String) -> Bool {
        guard path.first == worker, let last = path.last else { return false }
        func parents(of name: String) -> [String] {
            let process = processes.first { $0.name == name }
            return (process?.parents ?? []) + [process?.route].compactMap(\.self)
        }
        return parents(of: last).contains(Plan.presenter)
            && zip(path, path.dropFirst()).allSatisfy { parents(of: $0).contains($1) }
    }
}
