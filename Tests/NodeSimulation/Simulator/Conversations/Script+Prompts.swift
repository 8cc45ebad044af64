import ErrorBus
import Foundation

// What people and policies see and say: sections 5, 19 and 20 of docs/wire.md.
extension Script {
    private static let needy = """
        {"id": "retry", "title": "Retry", "fields": [
        {"name": "pin", "label": "PIN", "kind": "secret", "required": true},
        {"name": "count", "label": "Count", "kind": "number", "default": 3, "max": 9}]}
        """

    static let prompts: [Script] = [
        Script("A presenter checks the values, and sends the defaults of the others", .top) {
            talk in
            let kid = try await talk.child("kid")
            kid.present(talk.id(1), report: Talk.report(options: needy))
            let prompt = try await talk.desk.shows(talk.id(1))
            for values: [String: JSONValue] in [
                [:], ["count": 3], ["pin": ""], ["pin": "1", "count": 10],
                ["pin": "1", "other": 1],
            ] {
                try talk.desk.refuses("\(values)") {
                    _ = try prompt.answer("retry", by: "ann", via: .person, values: values)
                }
            }
            let answer = try prompt.answer(
                "retry", by: "ann", via: .person, values: ["pin": "4711"], comment: "Why.")
            try await talk.desk.hides(talk.id(1))
            let said = try await kid.hears("ANSWER", "answer: \(answer.id)")
            try talk.check(
                said.payload
                    == #"{"comment":"Why.","secrets":{"pin":"4711"},"values":{"count":3}}"#,
                said.payload)
        },
        Script("The same answer again is acknowledged, another one is refused", .top) { talk in
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            let prompt = try await talk.desk.shows(talk.id(1))
            let id = talk.id(9).value
            _ = try prompt.answer("retry", by: "ann", via: .person, id: id)
            let again = try prompt.answer("retry", by: "bob", via: .person, id: id)
            try talk.check(again.by == "ann", "the first counts")
            for (option, other) in [("retry", talk.id(8).value), ("skip", id)] {
                try talk.desk.refuses(option) {
                    _ = try prompt.answer(option, by: "ann", via: .person, id: other)
                }
            }
            try talk.desk.refuses("another comment") {
                _ = try prompt.answer("retry", by: "ann", via: .person, id: id, comment: "No.")
            }
            try await talk.desk.hides(talk.id(1))
            try await kid.hears("ANSWER", "answer: \(talk.id(9))", "by: ann")
            let late = Mailbox<Bool>(talk.scheduler)
            prompt.onRecord { late.add($0) }
            try talk.check(await late.next(within: 10) == true, "on record, also for the late")
        },
        Script("A person may withhold an error, with a name", .top) { talk in
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.desk.shows(talk.id(1))
            try talk.desk.inbox.withhold(talk.id(1), by: "ann")
            try await talk.desk.hides(talk.id(1))
            try await kid.hears(
                "ANSWER", "by: hop, ann", "via: handler", "did-recover: false",
                "reason: withheld", "no option")
            try await talk.desk.learns(false)
            try await talk.pause(10)
            try talk.check(talk.notebook.ending(of: talk.id(1)) == .withheld, "on record")
            let call = talk.asks(talk.id(2), throughChain: true)
            try await talk.desk.shows(talk.id(2))
            try talk.desk.inbox.withhold(talk.id(2), by: "ann")
            try await talk.desk.hides(talk.id(2))
            let outcome = try await call.ends(.withheld)
            try talk.check(outcome.decidedBy == "ann", "\(outcome)")
        },
        Script("A prompt shows whether its origin can be reached, and what it repeats", .top) {
            talk in
            let kid = try await talk.child("kid")
            kid.present(
                talk.id(1), "reachable: false", origin: "deep",
                report: Talk.report(#""retryCount": 3"#))
            let prompt = try await talk.desk.shows(talk.id(1))
            try talk.check(prompt.contact?.isReachable == false, "out of reach")
            try talk.check(prompt.retryCount == 3, "\(prompt.retryCount)")
            try talk.check(prompt.path == ["deep", "kid"] && prompt.origin == "deep", "the path")
            try await kid.hears("ACCEPTED")
            try await kid.hears("PENDING")
            kid.present(talk.id(1), origin: "deep", report: Talk.report(#""retryCount": 3"#))
            try await kid.hears("ACCEPTED", "attempt: 2")
            try await kid.hears("PENDING", "state: presented")
            try talk.check(prompt.contact?.isReachable == true, "in reach")
            kid.say("BYE")
            try await talk.pause(10)
            try talk.check(prompt.contact?.isReachable == false, "lost")
        },
        Script("A caller learns who has claimed its error", .top) { talk in
            let kid = try await talk.child("kid")
            kid.present(talk.id(1), "left-ms: 60000")
            let prompt = try await talk.desk.shows(talk.id(1))
            try await kid.hears("ACCEPTED")
            try await kid.hears("PENDING", "state: presented", "by: desk")
            guard let deadline = prompt.deadline else { throw Talk.Trouble() }
            let until = Moment(
                instant: deadline - .seconds(58), date: Date(timeIntervalSince1970: 0))
            let (desk, other) = (talk.desk.inbox, Inbox("other"))
            prompt.claimed(by: "ann", until: until, in: desk)
            try await kid.hears("PENDING", "state: claimed", "by: ann")
            prompt.moved(to: .queued, by: "other")
            try await kid.hearsNothing(for: 100)
            prompt.claimed(by: "bob", until: until, in: other)
            try await kid.hears("PENDING", "state: claimed", "by: bob")
            prompt.released(by: "desk", in: other)
            try await kid.hears("PENDING", "state: claimed", "by: ann")
            prompt.released(by: "desk", in: desk)
            try await kid.hears("PENDING", "state: presented", "by: desk")
            prompt.claimed(by: "ann", until: until, in: desk)
            try await kid.hears("PENDING", "state: claimed", "by: ann")
            try await talk.pause(2_000)
            prompt.moved(to: .queued, by: "other")
            try await kid.hears("PENDING", "state: queued", "by: other")
        },
        Script("The events of a child's error have its way, its answer and its result", .top) {
            talk in
            let kid = try await talk.child("kid")
            kid.present(talk.id(1), origin: "deep")
            try await talk.desk.shows(talk.id(1))
            let answer = try talk.desk.answer(talk.id(1))
            try await talk.desk.hides(talk.id(1))
            try await kid.hears("ANSWER")
            kid.say("SETTLED", "id: \(talk.id(1))", "answer: \(answer.id)", "result: failed")
            try await talk.pause(10)
            let words = talk.events.map { event in
                switch event.what {
                case .reported: "reported"
                case .presented(_, let origin, let path): "presented \(origin ?? "-") \(path)"
                case .decided(let answer, let isRestored): "decided \(answer.by) \(isRestored)"
                case .settled(let result, let answer): "settled \(result) \(answer.option)"
                case .ended: "ended"
                case .completed: "completed"
                }
            }
            try talk.check(
                words == [
                    "presented deep [deep, kid]", "decided ann false", "settled failed retry",
                ],
                "\(words)")
        },
        Script("The events of an own error begin and end with its caller") { talk in
            try await talk.up.isLinked()
            let call = talk.asks(talk.id(1))
            try await talk.up.takes(talk.id(1))
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await talk.up.hears("SETTLED")
            try await call.ends(.answered, didRecover: true)
            let words = talk.events.map { event in
                switch event.what {
                case .reported(let report): "reported \(report.options.count)"
                case .settled(let result, let answer): "settled \(result) \(answer.by)"
                case .completed(let outcome): "completed \(outcome.reason)"
                case .presented, .decided, .ended: "\(event.what)"
                }
            }
            try talk.check(
                words == ["reported 2", "settled recovered ann", "completed answered"],
                "\(words)")
        },
        Script("The events of an own expiry have the option and its result") { talk in
            try await talk.up.isLinked()
            let call = talk.asks(talk.id(1), deadline: 100, onExpiry: "skip")
            try await talk.up.takes(talk.id(1))
            try await call.ends(.answered, in: 1_090...1_105)
            try await talk.up.hears("WITHDRAW")
            talk.up.say("WITHDRAWN", "id: \(talk.id(1))")
            try talk.check(
                talk.count(talk.id(1)) {
                    if case .settled(.failed, let answer) = $0 {
                        answer.option == "skip" && answer.via == .expiry
                    } else {
                        false
                    }
                } == 1, "its result")
        },
        Script("What is withdrawn while its record is read is withdrawn on record", .top) { talk in
            let kid = try await talk.child("kid")
            for (number, reason, expected) in [
                (1, "origin", RecoveryResult.withdrawn), (2, "abandoned", nil),
            ] {
                talk.notebook.write(
                    talk.id(number), .decided(talk.answer(90 + number), nil),
                    of: try Talk.recorded("kid"))
                talk.notebook.failing = [.record]
                kid.present(talk.id(number))
                try await talk.pause(20)
                kid.say("WITHDRAW", "id: \(talk.id(number))", "reason: \(reason)")
                try await kid.hears("WITHDRAWN", in: 0...10)
                talk.notebook.failing = []
                try await talk.pause(3_000)
                try talk.check(talk.notebook.result(of: talk.id(number)) == expected, reason)
            }
        },
    ]
}
