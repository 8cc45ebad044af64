import ErrorBus

// What crosses the writing of an answer, or the attempt of an option, at a node with people.
extension Script {
    /// People, and an option of the node itself that takes three seconds.
    private static func slow(withJournal hasJournal: Bool) -> Hop {
        .top.made { parts, talk in
            if !hasJournal { parts.journal = nil }
            parts.chain = { next in
                ClosureResponder(
                    "adder", next: next,
                    willPresent: { error, _ in
                        error.addingRecoveryOptions {
                            RecoveryOption("Log in", id: "login") {
                                talk.attempts.append("login")
                                await talk.scheduler.sleep(3_000)
                                return true
                            }
                        }
                    })
            }
        }
    }

    private static let returns: @Sendable (Talk) async throws -> Void = { talk in
        let kid = try await talk.child("kid")
        kid.present(talk.id(1))
        try await talk.desk.shows(talk.id(1))
        try await kid.hears("ACCEPTED")
        try await kid.hears("PENDING")
        let answer = try talk.desk.answer(talk.id(1), "login")
        try await talk.desk.hides(talk.id(1))
        try await talk.pause(500)
        kid.say("WITHDRAW", "id: \(talk.id(1))", "reason: abandoned")
        try await kid.hears("WITHDRAWN")
        try await talk.pause(500)
        kid.present(talk.id(1))
        try await kid.hears("ACCEPTED", "attempt: 2")
        try await kid.hears(
            "ANSWER", "answer: \(answer.id)", "option: login", "did-recover: true",
            in: 1_900...2_000)
        try talk.check(talk.attempts == ["login"], "\(talk.attempts)")
        try await talk.desk.seesNothing(for: 500)
    }

    static let races: [Script] = [
        Script(
            "What returns while its option is carried out is not carried out twice",
            slow(withJournal: true), returns),
        Script(
            "Nor is it asked again where nothing is on record",
            slow(withJournal: false), returns),
        Script("What is withdrawn while it is written is not shown", .top) { talk in
            let kid = try await talk.child("kid")
            talk.notebook.latency = 100
            kid.present(talk.id(1))
            try await talk.pause(150)
            kid.say("WITHDRAW", "id: \(talk.id(1))", "reason: origin")
            try await kid.hears("ACCEPTED")
            try await kid.hears("WITHDRAWN")
            try await talk.desk.seesNothing(for: 500)
        },
        Script("What is over while it is written is not shown", .top) { talk in
            let kid = try await talk.child("kid")
            talk.notebook.latency = 100
            kid.present(talk.id(1), "left-ms: 150")
            try await kid.hears("ACCEPTED")
            try await talk.desk.seesNothing(for: 500)
            try await kid.hears("ANSWER", "reason: expired")
        },
        Script("An answer that is written as its child gives up is for the child's return", .top) {
            talk in
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.desk.shows(talk.id(1))
            try await kid.hears("ACCEPTED")
            try await kid.hears("PENDING")
            talk.notebook.latency = 100
            let answer = try talk.desk.answer(talk.id(1))
            try await talk.desk.hides(talk.id(1))
            kid.say("WITHDRAW", "id: \(talk.id(1))", "reason: abandoned")
            try await kid.hears("WITHDRAWN")
            try await talk.pause(1_000)
            try talk.check(talk.notebook.result(of: talk.id(1)) == .unknown, "on record")
            talk.notebook.latency = 0
            kid.present(talk.id(1))
            try await kid.hears("ANSWER", "answer: \(answer.id)", "option: retry", "no did-recover")
            kid.say("SETTLED", "id: \(talk.id(1))", "answer: \(answer.id)", "result: recovered")
            try await talk.pause(10)
            try talk.check(talk.notebook.result(of: talk.id(1)) == .recovered, "on record")
        },
        Script("An answer that is written as its origin withdraws is withdrawn", .top) { talk in
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.desk.shows(talk.id(1))
            try await kid.hears("ACCEPTED")
            try await kid.hears("PENDING")
            talk.notebook.latency = 100
            try talk.desk.answer(talk.id(1))
            try await talk.desk.hides(talk.id(1))
            kid.say("WITHDRAW", "id: \(talk.id(1))", "reason: origin")
            try await kid.hears("WITHDRAWN")
            try await talk.pause(1_000)
            try talk.check(talk.notebook.result(of: talk.id(1)) == .withdrawn, "on record")
            kid.present(talk.id(1))
            try await kid.hears("WITHDRAWN")
        },
        Script("An own error gets the answer on record, with its result", .top) { talk in
            talk.notebook.write(
                talk.id(1), .decided(talk.answer(9), .recovered),
                of: .init(origin: nil, digest: nil, report: try Talk.recorded(nil).report))
            let call = talk.asks(talk.id(1), throughChain: true)
            let outcome = try await call.ends(.answered, didRecover: true)
            try talk.check(outcome.isRemote && outcome.decidedBy == "ann", "\(outcome)")
            try talk.check(talk.attempts.isEmpty, "\(talk.attempts)")
            talk.notebook.write(
                talk.id(2), .decided(talk.answer(8), nil),
                of: .init(origin: nil, digest: nil, report: try Talk.recorded(nil).report))
            let other = talk.asks(talk.id(2), throughChain: true)
            let second = try await other.ends(.answered, didRecover: true)
            try talk.check(!second.isRemote && talk.attempts == ["retry"], "\(talk.attempts)")
        },
        Script("An error may describe itself otherwise once it is answered") { talk in
            try await talk.up.isLinked()
            var options = PresentationOptions()
            options.id = talk.id(1)
            let call = talk.presents(Fickle(talk: talk), options)
            try await talk.up.takes(talk.id(1))
            talk.attempts.append("later")
            talk.up.answer(talk.id(1), "drop", as: talk.id(9))
            try await talk.up.hears("SETTLED", "result: recovered")
            try await call.ends(.answered, didRecover: true)
        },
    ]

    /// An error whose report has no option any longer once something was attempted.
    private struct Fickle: AttemptableError {
        let talk: Talk
        var attempter: any RecoveryAttempter {
            OptionAttempter([RecoveryOption("Drop", id: "drop") { true }])
        }
        var report: ErrorReport {
            var report = ErrorReport(domain: "simulation.talk", description: "Trouble.")
            report.options =
                talk.attempts.isEmpty
                ? attempter.options : [ErrorReport.Option(id: "wait", title: "Wait")]
            return report
        }
    }
}
