import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite("The life of one prompt")
struct PromptMachineTests {
    private enum Event: CaseIterable { case first, again, other, bad, withdrawn, expired }

    private func isTaken(_ answer: Answer, by machine: inout PromptMachine) -> Bool {
        do {
            _ = try machine.answered(answer)
            return true
        } catch {
            return false
        }
    }

    private func answer(_ low: UInt64, _ option: String) -> Answer {
        Answer(id: UniqueID(high: 1, low: low), option: option, by: "test", via: .person)
    }

    @Test(
        "A29 A held answer counts when the time is over, and only then",
        arguments: [Outcome.Reason.expired, .withdrawn, .withheld, .declined])
    func held(reason: Outcome.Reason) {
        var machine = PromptMachine(offered: ["a", "b"])
        machine.hold(answer(1, "a"))
        #expect(machine.ended(reason) == (reason != .expired))
        #expect(machine.answer == (reason == .expired ? answer(1, "a") : nil))
    }

    @Test("A29 One presenter's undo leaves what another holds; the first one held counts")
    func heldByTwo() {
        for (undone, counts) in [(UInt64(2), "a"), (1, "b"), (3, "a")] {
            var machine = PromptMachine(offered: ["a", "b"])
            machine.hold(answer(1, "a"))
            machine.hold(answer(2, "b"))
            let isInTime = machine.undone(answer(undone, "").id)
            #expect(isInTime)
            #expect(machine.ended(.expired) == false)
            #expect(machine.answer?.option == counts)
            // It may be the one that counts.
            let isLate = !machine.undone(answer(undone, "").id)
            #expect(isLate)
        }
    }

    @Test("An option that cannot be signed leaves it open")
    func unsignable() {
        var machine = PromptMachine(offered: ["a", "b"], unsignable: ["a"])
        #expect(throws: AnswerRefusal.cannotSign(option: "a")) {
            try machine.answered(answer(1, "a"))
        }
        #expect(machine.ending == nil)
        #expect(machine.refusal(ofOnePersons: "a") == .cannotSign(option: "a"))
        #expect(machine.refusal(ofOnePersons: "b") == nil)
        let other = isTaken(answer(2, "b"), by: &machine)
        #expect(other)
    }

    @Test("an option that needs two people takes no answer of one, or of anything else")
    func twoPeople() throws {
        var machine = PromptMachine(offered: ["a", "b"], twoPeople: ["a"])
        let answers = [
            Answer(option: "a", by: "ann", via: .person),
            Answer(option: "a", by: "ann", via: .person, second: "ann"),
            Answer(option: "a", by: "ann", via: .person, second: " "),
            Answer(option: "a", by: "silence 1", via: .policy, second: "rule 2"),
            Answer(option: "a", by: "origin", via: .expiry),
        ]
        for answer in answers {
            #expect(throws: AnswerRefusal.needsTwoPeople(option: "a")) {
                try machine.answered(answer)
            }
        }
        let both = Answer(option: "a", by: "ann", via: .person, second: "bob")
        #expect(try machine.answered(both) == both)
    }

    @Test("A42 a value that is missing or does not fit leaves it open; defaults are filled in")
    func values() throws {
        let fields: [ErrorReport.Field] = [
            .text("t", label: "T"), .number("n", label: "N", default: 3),
        ]
        var machine = PromptMachine(offered: ["a", "b"], fields: ["a": fields])
        func answer(_ option: String, _ values: [String: JSONValue], _ low: UInt64 = 1) -> Answer {
            Answer(
                id: UniqueID(high: 1, low: low), option: option, by: "ann", via: .person,
                values: values)
        }
        for (bad, field) in [
            (answer("a", [:]), "t"), (answer("a", ["t": 1]), "t"),
            (answer("a", ["t": "x", "other": 1]), "other"), (answer("b", ["t": "x"]), "t"),
        ] {
            let refusal = #expect(throws: AnswerRefusal.self) { try machine.answered(bad) }
            guard case .badValue(bad.option, let fault) = refusal else {
                Issue.record("found \(String(describing: refusal))")
                continue
            }
            #expect(fault.field == field)
            #expect(machine.ending == nil)
        }
        let counted = try machine.answered(answer("a", ["t": "x"]))
        #expect(counted.given.values == ["t": "x", "n": 3])
        #expect(try machine.answered(answer("a", ["t": "x", "n": 3])) == counted)
        // Under the same id, other values are another answer.
        #expect(throws: AnswerRefusal.alreadyAnswered(counted)) {
            try machine.answered(answer("a", ["t": "y"]))
        }
    }

    @Test("In any order of events the first ending stays")
    func everyOrder() {
        for one in Event.allCases {
            for two in Event.allCases {
                for three in Event.allCases { walk([one, two, three]) }
            }
        }
    }

    private func walk(_ events: [Event]) {
        var machine = PromptMachine(offered: ["a", "b"])
        for event in events {
            let before = machine.ending
            let taken: Bool
            switch event {
            case .first: taken = isTaken(answer(1, "a"), by: &machine)
            case .again: taken = isTaken(answer(1, "a"), by: &machine)
            case .other: taken = isTaken(answer(2, "b"), by: &machine)
            case .bad: taken = isTaken(answer(3, "c"), by: &machine)
            case .withdrawn: taken = machine.ended(.withdrawn)
            case .expired: taken = machine.ended(.expired)
            }
            if let before {
                #expect(machine.ending == before)
                let again: [Event] =
                    switch before {
                    case .answered(answer(1, "a")): [.first, .again]
                    case .answered(answer(2, "b")): [.other]
                    default: []
                    }
                #expect(taken == again.contains(event))
            } else {
                #expect(taken == (event != .bad))
                #expect((machine.ending == nil) == (event == .bad))
            }
        }
    }

    @Test("An answer to a closed prompt is refused with the reason")
    func closed() {
        var machine = PromptMachine(offered: ["a"])
        let isFirst = machine.ended(.expired)
        #expect(isFirst)
        do throws(AnswerRefusal) {
            _ = try machine.answered(answer(1, "a"))
            Issue.record("a closed prompt took an answer")
        } catch {
            #expect(error == .closed(.expired))
        }
    }

    @Test("The refusal of an answer says why the prompt ended in words for people")
    func closedInWords() {
        for reason in [Outcome.Reason.expired, .declined] {
            #expect("\(AnswerRefusal.closed(reason))" == "no longer open: \(reason.words)")
        }
    }
}
