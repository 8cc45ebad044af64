import ErrorBus

extension Forgery {
    static let ofPeople = [
        Forgery(checker: "prompt-true") { ledger, _ in
            let asked = Set(ledger.asks.map(\.id))
            let first = ledger.shown.firstIndex {
                $0.presenter != Plan.desk && $0.origin != "bare" && asked.contains($0.id)
            }
            guard let first else { return false }
            let shown = ledger.shown[first]
            ledger.shown[first] = Ledger.Shown(
                id: shown.id, presenter: shown.presenter, time: shown.time, origin: shown.origin,
                path: shown.path + ["relay9"], options: shown.options, onExpiry: shown.onExpiry,
                deadline: shown.deadline)
            return true
        },
        Forgery(checker: "marked") { ledger, _ in
            let again = Dictionary(grouping: ledger.taken, by: \.id).filter { $0.value.count > 1 }
            return change(
                &ledger.shown, where: { again[$0.id] == nil && $0.presenter != Plan.desk }
            ) { $0.isMarked = true }
        },
        Forgery(checker: "linked") { ledger, _ in
            let asked = Set(ledger.asks.map(\.id))
            return change(&ledger.shown, where: { asked.contains($0.id) }) { $0.retryCount += 1 }
        },
        Forgery(checker: "answer-taken") { ledger, _ in
            guard let ask = ledger.asks.first else { return false }
            ledger.secondAnswers.append(ask.id)
            return true
        },
        Forgery(checker: "record-true") { ledger, _ in
            guard let record = ledger.records.first else { return false }
            ledger.records[0].isTrue = !record.isTrue
            return true
        },
        Forgery(checker: "undo-counts") { ledger, _ in
            change(
                &ledger.given,
                where: { given in
                    given.undo > 0 && !given.isUndone
                        && ledger.decisions.contains { $0.answer.id == given.answer }
                }
            ) { $0.isUndone = true }
        },
        Forgery(checker: "claim-holds") { ledger, _ in
            guard let ask = ledger.asks.first else { return false }
            ledger.passedOver.append(ask.id)
            return true
        },
        Forgery(checker: "escalates") { ledger, plan in
            guard let after = plan.escalatesAfter else { return false }
            let cared = ledger.caredFor.merging(ledger.proposedUntil) { max($0, $1) }
            return change(
                &ledger.shown, where: { $0.presenter == "duty" && $0.hidden != nil }
            ) { $0.hidden = max($0.time, cared[$0.id] ?? 0) + after + 60_000 }
        },
        Forgery(checker: "given-up-undecided") { ledger, plan in
            let taken = Set(ledger.taken.map(\.id))
            let decided = Set(ledger.decisions.map(\.id)).intersection(taken)
            let counts = Dictionary(ledger.asks.map { ($0.id, 1) }, uniquingKeysWith: +)
            return plan.isUndisturbed
                && change(
                    &ledger.asks,
                    where: { ask in
                        ask.cancelled == nil && decided.contains(ask.id) && counts[ask.id] == 1
                            && plan.onlyWay(from: ask.worker) != nil
                    }
                ) { $0.cancelled = 0 }
        },
        Forgery(checker: "groups-equal") { ledger, _ in
            guard let ask = ledger.asks.first else { return false }
            ledger.misgrouped.append(ask.id)
            return true
        },
        Forgery(checker: "inbox-true") { ledger, _ in
            guard let ask = ledger.asks.first else { return false }
            ledger.items.append(
                Ledger.Item(
                    id: ask.id, presenter: "duty", answer: PresentationID.make().value,
                    result: nil, closed: nil, isReachable: true))
            return true
        },
    ]
}
