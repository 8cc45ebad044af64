import ErrorBus

/// What programs without a link get, what is kept to those that it is for, and what people at a
/// process see.
extension Checker {
    static let ofMore = [bareTrue, valuesKept, deskTrue]

    static let bareTrue = Checker(
        name: "bare-true",
        rule: "a bare client that is to run an option gets it with its values, and no word of what "
            + "came of it, however often it asks (C3)"
    ) { ledger, plan in
        ledger.bareReplies.flatMap { id, replies in
            replies.compactMap { reply -> String? in
                guard let option = reply.option, option != "copy" else { return nil }
                let found = "\(id): \(option)"
                if let didRecover = reply.didRecover {
                    return "\(found), which is its own to run, recovered: \(didRecover)"
                }
                guard plan.asksForValues, option == "retry" else {
                    return reply.values.isEmpty ? nil : "\(found) with \(reply.values)"
                }
                let isGiven = ledger.given.contains { given in
                    given.id == id && given.texts == reply.values
                }
                return isGiven ? nil : "\(found) with \(reply.values), which no one gave"
            }
        }.sorted()
    }

    static let valuesKept = Checker(
        name: "values-kept",
        rule: "what people give for an option of a process above goes no further down (A41)"
    ) { ledger, _ in
        ledger.asks.flatMap { ask in
            ask.completions.compactMap { _, outcome in
                guard let answer = outcome.answer, answer.option == "copy",
                    !answer.given.values.isEmpty || !answer.given.secrets.isEmpty
                else { return nil }
                return "\(ask.id) asked by \(ask.worker): got what was given for \(answer.option)"
            }
        }
    }

    static let deskTrue = Checker(
        name: "desk-true",
        rule: "people at a process see what was asked there, and what its caller has declared (C7)"
    ) { ledger, _ in
        ledger.shown.filter { $0.presenter == Plan.desk }.compactMap { shown in
            let asks = ledger.asks.filter { $0.id == shown.id }
            guard let ask = asks.first else { return "\(shown.id): at the desk, asked by no one" }
            guard shown.onExpiry == ask.onExpiry else {
                return "\(shown.id): \(shown.onExpiry ?? "nothing") on expiry, declared is "
                    + "\(ask.onExpiry ?? "nothing")"
            }
            return shown.options.starts(with: ["retry", "skip"])
                ? nil : "\(shown.id): with \(shown.options)"
        }
    }
}

extension Ledger.Given {
    /// As a program reads them, with the default of what was not given.
    fileprivate var texts: [String: String] {
        var texts = ["count": "3"]
        for (name, value) in values {
            switch value {
            case .string(let text): texts[name] = text
            case .integer(let number): texts[name] = "\(number)"
            default: texts[name] = "no value of a person here"
            }
        }
        return texts
    }
}

extension Forgery {
    static let ofMore = [
        Forgery(checker: "bare-true") { ledger, _ in
            for (id, replies) in ledger.bareReplies {
                let place = replies.firstIndex { $0.option != nil && $0.option != "copy" }
                guard let place else { continue }
                ledger.bareReplies[id]?[place].didRecover = false
                return true
            }
            return false
        },
        Forgery(checker: "values-kept") { ledger, _ in
            change(&ledger.asks, where: { !$0.completions.isEmpty }) {
                let answer = Answer(
                    option: "copy", by: "ann", via: .person, values: ["word": "w"])
                let lie = Outcome(
                    didRecover: true, reason: .answered, decidedBy: "relay1", answer: answer)
                $0.completions[0].outcome = lie
            }
        },
        Forgery(checker: "desk-true") { ledger, _ in
            guard
                let place = ledger.shown.firstIndex(where: { $0.presenter == Plan.desk })
            else { return false }
            let shown = ledger.shown[place]
            ledger.shown[place] = Ledger.Shown(
                id: shown.id, presenter: shown.presenter, time: shown.time, origin: shown.origin,
                path: shown.path, options: shown.options,
                onExpiry: shown.onExpiry == "skip" ? "retry" : "skip", deadline: shown.deadline)
            return true
        },
    ]
}
