import ErrorBus

// What a presenter does with the records of an earlier life: sections 8 and 20 of docs/wire.md.
extension Script {
    private static let never = Hop.top.made { parts, _ in parts.asksAgainAfterRestart = false }

    static let earlierLives: [Script] = [
        Script("An answer on record is delivered, and no prompt is shown", .top) { talk in
            let kid = try await talk.child("kid")
            talk.notebook.write(
                talk.id(1), .decided(talk.answer(9), nil), of: try Talk.recorded("kid"))
            kid.present(talk.id(1))
            try await kid.hears(
                "ANSWER", "answer: \(talk.id(9))", "option: retry", "no did-recover")
            try talk.check(
                talk.count(talk.id(1)) {
                    if case .decided(_, isRestored: true) = $0 { true } else { false }
                } == 1, "an event of a restored decision")
            kid.settle(talk.id(1), talk.id(9), "recovered")
            try await talk.pause(10)
            try talk.check(talk.notebook.result(of: talk.id(1)) == .recovered, "on record")
        },
        Script("An answer whose delivery was given up is delivered again", .top) { talk in
            let kid = try await talk.child("kid")
            talk.notebook.write(
                talk.id(1), .decided(talk.answer(9), .unknown), of: try Talk.recorded("kid"))
            kid.present(talk.id(1))
            try await kid.hears(
                "ANSWER", "answer: \(talk.id(9))", "option: retry", "no did-recover")
            kid.settle(talk.id(1), talk.id(9), "failed")
            try await talk.pause(10)
            try talk.check(talk.notebook.result(of: talk.id(1)) == .failed, "on record")
        },
        Script("An answer on record with a result comes with it", .top) { talk in
            let kid = try await talk.child("kid")
            for (number, result, word, reason) in [
                (1, RecoveryResult.recovered, "true", "answered"),
                (2, .failed, "false", "answered"), (3, .late, "false", "answered"),
                (4, .invalid, "false", "noAttempter"), (5, .withdrawn, "false", "withdrawn"),
            ] {
                talk.notebook.write(
                    talk.id(number), .decided(talk.answer(90 + number), result),
                    of: try Talk.recorded("kid"))
                kid.present(talk.id(number))
                try await kid.hears(
                    "ANSWER", "answer: \(talk.id(90 + number))", "did-recover: \(word)",
                    "reason: \(reason)", "option: retry", "by: ann", "via: person")
            }
        },
        Script("The record of another report, or another origin, gets 409", .top) { talk in
            let kid = try await talk.child("kid")
            talk.notebook.write(
                talk.id(1), .decided(talk.answer(9), nil),
                of: try Talk.recorded("kid", Talk.report(#""severity": "info""#)))
            kid.present(talk.id(1))
            try await kid.hears("REJECT", "id: \(talk.id(1))", "code: 409")
            talk.notebook.write(talk.id(2), .shown, of: try Talk.recorded("cat"))
            kid.present(talk.id(2))
            try await kid.hears("REJECT", "id: \(talk.id(2))", "code: 409")
        },
        Script("What an earlier life has shown is shown again, and marked", .top) { talk in
            let kid = try await talk.child("kid")
            for (number, state) in [
                (1, DecisionRecord.State.shown), (2, .ended(.declined)), (3, .ended(.expired)),
            ] {
                talk.notebook.write(talk.id(number), state, of: try Talk.recorded("kid"))
                kid.present(talk.id(number))
                let prompt = try await talk.desk.shows(talk.id(number))
                try talk.check(prompt.wasShownBefore, "marked")
                try await kid.hears("ACCEPTED")
                try await kid.hears("PENDING")
            }
            kid.present(talk.id(4))
            let prompt = try await talk.desk.shows(talk.id(4))
            try talk.check(!prompt.wasShownBefore, "a new one is not marked")
        },
        Script("A presenter that may not ask twice refuses with 410", never) { talk in
            let kid = try await talk.child("kid")
            talk.notebook.write(talk.id(1), .shown, of: try Talk.recorded("kid"))
            kid.present(talk.id(1))
            try await kid.hears("REJECT", "id: \(talk.id(1))", "code: 410")
            talk.notebook.write(talk.id(2), .ended(.expired), of: try Talk.recorded("kid"))
            kid.present(talk.id(2))
            let prompt = try await talk.desk.shows(talk.id(2))
            try talk.check(prompt.wasShownBefore, "what had ended is asked anew")
            try await kid.hears("ACCEPTED")
            try await kid.hears("PENDING")
        },
        Script("What an earlier life's people passed on is passed on without a prompt", never) {
            talk in
            let kid = try await talk.child("kid")
            talk.notebook.write(talk.id(1), .ended(.declined), of: try Talk.recorded("kid"))
            kid.present(talk.id(1))
            try await kid.hears("REJECT", "id: \(talk.id(1))", "code: 503")
        },
        Script("What was given up in this life may return, though not to be shown twice", never) {
            talk in
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.desk.shows(talk.id(1))
            kid.say("WITHDRAW", "id: \(talk.id(1))", "reason: abandoned")
            kid.present(talk.id(1))
            try await kid.hears("WITHDRAWN")
            try await talk.desk.hides(talk.id(1))
            try await talk.desk.shows(talk.id(1))
            try await kid.hears("ACCEPTED")
            try await kid.hears("PENDING")
        },
        Script("An answer whose secret is gone is asked for again", .top) { talk in
            let kid = try await talk.child("kid")
            let kept = talk.answer(9, secrets: ["pin": "4711"]).withoutSecrets
            talk.notebook.write(talk.id(1), .decided(kept, nil), of: try Talk.recorded("kid"))
            kid.present(talk.id(1))
            let prompt = try await talk.desk.shows(talk.id(1))
            try talk.check(prompt.wasShownBefore, "marked")
            try talk.check(talk.notebook.answer(to: talk.id(1)) == nil, "the record is gone")
            let answer = try talk.desk.answer(talk.id(1), "skip")
            try await talk.desk.hides(talk.id(1))
            try await kid.hears("ANSWER", "answer: \(answer.id)", "option: skip")
            try talk.check(
                talk.count(talk.id(1)) {
                    if case .settled(.unknown, let lost) = $0 { lost.id == kept.id } else { false }
                } == 1, "an event of the loss")
        },
        Script("Where that may not be asked twice it gets 410 and no result", never) { talk in
            let kid = try await talk.child("kid")
            let kept = talk.answer(9, secrets: ["pin": "4711"]).withoutSecrets
            talk.notebook.write(talk.id(1), .decided(kept, nil), of: try Talk.recorded("kid"))
            kid.present(talk.id(1))
            try await kid.hears("REJECT", "id: \(talk.id(1))", "code: 410")
            try talk.check(talk.notebook.result(of: talk.id(1)) == .unknown, "on record")
        },
        Script("An answer on record whose option a rule had added is asked for again", .top) {
            talk in
            let kid = try await talk.child("kid")
            talk.notebook.write(
                talk.id(1), .decided(talk.answer(9, "login"), nil), of: try Talk.recorded("kid"))
            kid.present(talk.id(1))
            let prompt = try await talk.desk.shows(talk.id(1))
            try talk.check(prompt.wasShownBefore, "marked")
        },
        Script("Where that may not be asked twice either it gets 410", never) { talk in
            let kid = try await talk.child("kid")
            talk.notebook.write(
                talk.id(1), .decided(talk.answer(9, "login"), nil), of: try Talk.recorded("kid"))
            kid.present(talk.id(1))
            try await kid.hears("REJECT", "id: \(talk.id(1))", "code: 410")
        },
        Script("After a restart a child gets the answer that was on its way", .top) { talk in
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.desk.shows(talk.id(1))
            let answer = try talk.desk.answer(talk.id(1))
            try await talk.desk.hides(talk.id(1))
            try await kid.hears("ANSWER")
            try await talk.bootAgain()
            try await kid.connect()
            kid.say("HELLO", "from: kid", "boot: 01", "versions: EB1")
            try await kid.hears("WELCOME")
            kid.present(talk.id(1))
            try await kid.hears("ANSWER", "answer: \(answer.id)", "option: retry")
        },
    ]

    static let livesLastWords: [Script] = [
        Script("The result of an earlier life's answer is recorded, once", .top) { talk in
            let kid = try await talk.child("kid")
            talk.notebook.write(
                talk.id(1), .decided(talk.answer(9), nil), of: try Talk.recorded("kid"))
            let origin = ["origin: kid", "digest: \(Talk.digest())"]
            for (answer, result, expected) in [
                (8, "recovered", nil), (9, "failed", RecoveryResult.failed),
                (9, "recovered", .failed),
            ] {
                kid.say(
                    "SETTLED",
                    ["id: \(talk.id(1))", "answer: \(talk.id(answer))", "result: \(result)"]
                        + origin)
                try await kid.hears("OK", "id: \(talk.id(1))")
                try await talk.pause(10)
                try talk.check(
                    talk.notebook.result(of: talk.id(1)) == expected, "\(result) of \(answer)")
            }
        },
        Script("The result for another report, or from another origin, is not", .top) { talk in
            let kid = try await talk.child("kid")
            talk.notebook.write(
                talk.id(1), .decided(talk.answer(9), nil), of: try Talk.recorded("kid"))
            for origin in [
                ["origin: kid", "digest: 0123456789abcdef"],
                ["origin: cat", "digest: \(Talk.digest())"],
            ] {
                kid.say(
                    "SETTLED",
                    ["id: \(talk.id(1))", "answer: \(talk.id(9))", "result: recovered"] + origin)
                try await kid.hears("OK", "id: \(talk.id(1))")
                kid.say("WITHDRAW", ["id: \(talk.id(1))", "reason: origin"] + origin)
                _ = try await kid.hears("WITHDRAWN", "id: \(talk.id(1))")
                try await talk.pause(10)
                try talk.check(talk.notebook.result(of: talk.id(1)) == nil, "\(origin)")
            }
        },
        Script("The withdrawal of an earlier life's answer is its result", .top) { talk in
            let kid = try await talk.child("kid")
            let origin = ["origin: kid", "digest: \(Talk.digest())"]
            for (number, known, expected) in [
                (1, nil, RecoveryResult.withdrawn), (2, RecoveryResult.unknown, .withdrawn),
                (3, .recovered, .recovered),
            ] {
                talk.notebook.write(
                    talk.id(number), .decided(talk.answer(90 + number), known),
                    of: try Talk.recorded("kid"))
                kid.say("WITHDRAW", ["id: \(talk.id(number))", "reason: origin"] + origin)
                try await kid.hears("WITHDRAWN", "id: \(talk.id(number))")
                try await talk.pause(10)
                try talk.check(
                    talk.notebook.result(of: talk.id(number)) == expected, "of \(number)")
            }
        },
        Script("A result that the journal cannot take is written later", .top) { talk in
            let kid = try await talk.child("kid")
            talk.notebook.write(
                talk.id(1), .decided(talk.answer(9), nil), of: try Talk.recorded("kid"))
            talk.notebook.failing = [.record]
            kid.say(
                "SETTLED", "id: \(talk.id(1))", "answer: \(talk.id(9))", "result: recovered",
                "origin: kid", "digest: \(Talk.digest())")
            try await kid.hears("OK")
            try await talk.pause(500)
            talk.notebook.failing = []
            try await talk.pause(600)
            try talk.check(talk.notebook.result(of: talk.id(1)) == .recovered, "on record")
        },
    ]
}
