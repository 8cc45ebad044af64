import ErrorBus

extension Plan {
    /// What Retry asks for in worlds with values.
    static let fields: [ErrorReport.Field] = [
        .text("word", label: "Word", length: 1...8, pattern: "w*"),
        .number("count", label: "Count", default: 3, in: 1...9, isWhole: true),
        .secret("pin", label: "PIN", length: 4...4),
    ]

    /// The same, with numbers up to another one.
    private static let otherFields: [ErrorReport.Field] =
        [
            .text("word", label: "Word", length: 1...8, pattern: "w*"),
            .number("count", label: "Count", default: 3, in: 1...99, isWhole: true),
            .secret("pin", label: "PIN", length: 4...4),
        ]

    func fields(isOther: Bool) -> [ErrorReport.Field] {
        guard asksForValues else { return [] }
        return isOther && hasOtherFields ? Self.otherFields : Self.fields
    }

    /// Every Retry asks for values. A relay says that a person has given none, or the presenter
    /// restarts while answers are under way, which has no secret on its disk.
    mutating func stageValues(using random: inout SeededGenerator) {
        makeRow(random.pick([1, 2]))
        asksForValues = true
        thinkingMax = 3_000
        chaosLasts = 30_000
        if random.happens(0.5) {
            isCalm = true
            forgedTrouble = random.index(below: Trouble.allCases.count)
        } else {
            // Answers are lost, and with the presenter their secrets.
            isTight = true
            ambushes = (1...3).map { number in
                Ambush(
                    "ANSWER", number, on: link("relay1", Plan.presenter), .lost,
                    then: .kill(Plan.presenter, downFor: 500))
            }
            weather.delayMax = random.pick([30, 400])
        }
        ask(12, in: 0...30_000, attempts: [0, 300, 5_000], using: &random) { call, random in
            if random.happens(0.1) { call.cancelledAfter = random.number(1_000...30_000) }
        }
    }
}

extension People {
    /// What a person gives for an option; nothing for one that asks for nothing.
    func values(for option: String, of id: PresentationID) -> [String: JSONValue] {
        let options = (try? inbox.item(id))?.report.options
        guard options?.first(where: { $0.id == option })?.fields.isEmpty == false else {
            return [:]
        }
        let scheduler = world.scheduler
        var values: [String: JSONValue] = [
            "word": .string("w\(scheduler.random.number(0...999))"),
            "pin": .string("\(scheduler.random.number(1_000...9_999))"),
        ]
        if scheduler.random.happens(0.5) {
            values["count"] = .integer(Int64(scheduler.random.number(1...9)))
        }
        return values
    }

    /// Values that an inbox has to refuse.
    func trespassWithValues(on item: InboxItem, by person: String) {
        guard item.report.options.contains(where: { !$0.fields.isEmpty }) else { return }
        let bad: [[String: JSONValue]] = [
            [:], ["word": "w"], ["word": "x", "pin": "1234"], ["word": "w", "pin": "12345"],
            ["word": "w", "pin": "1234", "count": 1.5], ["word": "w", "pin": "1234", "more": 1],
        ]
        for values in bad {
            attempt("values that do not fit, for \(item.id)") {
                try inbox.answer(item.id, option: "retry", by: person, values: values)
            }
        }
    }
}

extension Checker {
    static let valuesArrive = Checker(
        name: "values-arrive",
        rule: "an attempt gets the values that were answered, and they satisfy its fields (A41)"
    ) { ledger, plan in
        guard plan.asksForValues else { return [] }
        return ledger.attempts.filter { $0.option != "skip" }.compactMap { attempt in
            let values = attempt.values?.json ?? [:]
            let trouble = ledger.trouble(of: attempt.id) ?? 0
            let fields = plan.fields(isOther: trouble >= Trouble.allCases.count)
            guard (try? FieldValues(values, for: fields)) == attempt.values else {
                return "\(attempt.id): attempted with \(values)"
            }
            // Equal ones share an answer.
            let isOf = { (id: PresentationID) in id == attempt.id || plan.coalescer != nil }
            let decided = ledger.allDecisions.filter { isOf($0.id) }.map(\.answer.id)
            let isGiven = ledger.given.contains { given in
                isOf(given.id) && decided.contains(given.answer)
                    && (try? FieldValues(given.values, for: fields))?.json == values
            }
            return isGiven ? nil : "\(attempt.id): attempted with \(values), which no one gave"
        }
    }
}

extension Ledger {
    /// With those that were lost, since their secrets were.
    var allDecisions: [Decision] { decisions + lostDecisions }
}

extension Forgery {
    static let otherValues = Forgery(checker: "values-arrive") { ledger, plan in
        guard plan.asksForValues else { return false }
        return change(&ledger.attempts, where: { $0.option == "retry" }) {
            $0.values = try? FieldValues(["word": "wrong", "pin": "0000"], for: Plan.fields)
        }
    }
}
