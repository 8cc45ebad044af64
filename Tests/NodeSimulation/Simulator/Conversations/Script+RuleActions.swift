import ErrorBus

// Rules that change what they pass on, add options, and route.
extension Script {
    private static let mend = AddedOption(
        id: "mend", title: "Mend", run: ["/bin/mend", "-a"], place: .first)

    private static let cause = """
        "userInfo": {"disk": "sda", "token": "t"}, "underlyingErrors": [
        {"domain": "d", "description": "Cause.", "userInfo": {"token": "t", "disk": "sda"}}]
        """

    static let ruleActions: [Script] = [
        Script(
            "Rules rewrite texts and severity, and the report says who did",
            Hop.top.ruled([
                .does(
                    .rewrite(
                        ReportRewrite(
                            description: "Known.", reason: "A reason.", suggestion: "Wait.",
                            severity: .critical)), about: .code(7)),
                .does(.rewrite(ReportRewrite(reason: "Another.")), about: .code(7), position: 2),
            ])
        ) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(1, by: kid)
            try talk.desk.reads(id) {
                $0.report.description == "Known." && $0.report.failureReason == "Another."
                    && $0.report.recoverySuggestion == "Wait." && $0.report.severity == .critical
                    && $0.report.code == 7 && $0.report.options.map(\.id) == ["retry", "skip"]
                    && $0.report.changes.map(\.by) == ["hop"]
            }
            try await talk.withdraws(1, by: kid)
            let other = try await talk.shown(2, by: kid, report: Talk.trouble(8))
            try talk.desk.reads(other) {
                $0.report.description == "Trouble 8." && $0.report.changes.isEmpty
            }
            try await talk.withdraws(2, by: kid)
        },
        Script(
            "Rules remove options and fields, also of causes",
            Hop.top.ruled([.does(.removeOption(["skip", "x"]), .redact(["token"]))])
        ) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(1, by: kid, report: Talk.trouble(7, cause))
            try talk.desk.reads(id) {
                let report = $0.report
                return report.options.map(\.id) == ["retry"]
                    && Set(report.userInfo.keys) == ["disk"]
                    && Set(report.underlyingErrors[0].userInfo.keys) == ["disk"]
            }
            try talk.desk.refuses(for: \.isNotOffered) {
                try talk.desk.inbox.answer(id, option: "skip", by: "ann")
            }
            try await talk.withdraws(1, by: kid)
        },
        Script("A rule masks what looks like a secret", Hop.top.ruled([.does(.maskSecrets)])) {
            talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(
                1, by: kid,
                report: Talk.trouble(7, #""failureReason": "password=hunter2hunter2""#))
            try talk.desk.reads(id) { $0.report.failureReason?.contains("hunter2") == false }
            try await talk.withdraws(1, by: kid)
        },
        Script(
            "The command of an added option runs here, with what it is about",
            Hop.top.ruled([.does(.addOption(mend), about: .code(7))])
        ) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(1, by: kid, origin: "leaf")
            try talk.desk.reads(id) { $0.report.options.map(\.id) == ["mend", "retry", "skip"] }
            let answer = try talk.desk.answer(id, "mend")
            try await talk.desk.hides(id)
            try await kid.hears(
                "ANSWER", "answer: \(answer.id)", "did-recover: true", "by: ann")
            let ran = talk.beside.commands.first
            try talk.check(talk.beside.commands.count == 1, "it ran once")
            try talk.check(ran?.command == ["/bin/mend", "-a"], "\(ran?.command ?? [])")
            try talk.check(
                ran?.environment == [
                    "ERRORBUS_DOMAIN": "simulation.talk", "ERRORBUS_CODE": "7",
                    "ERRORBUS_ORIGIN": "leaf", "ERRORBUS_OPTION": "mend",
                ], "\(ran?.environment ?? [:])")
            try talk.check(ran?.input.contains("Trouble 7.") == true, ran?.input ?? "")
            try await talk.pause(50)
            try talk.desk.reads(id) { $0.stage == .settled(answer, .recovered) }
        },
        Script(
            "A command that fails does not recover",
            Hop.top.ruled([.does(.addOption(mend))])
        ) { talk in
            let kid = try await talk.child("kid")
            for (number, status) in [
                CommandResult.Status.exited(1), .signaled(9), .exited(0),
            ].enumerated() {
                talk.beside.exit = status
                let id = try await talk.shown(number, by: kid)
                try talk.desk.answer(id, "mend")
                try await talk.desk.hides(id)
                try await kid.hears("ANSWER", "did-recover: \(number == 2)")
            }
            try talk.check(talk.beside.commands.count == 3, "three ran")
        },
        Script(
            "An added option without a command does not recover, and runs nothing",
            Hop.top.ruled([
                .does(.addOption(AddedOption(id: "mute", title: "Mute", role: .cancel, run: [])))
            ])
        ) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(1, by: kid)
            try talk.desk.reads(id) {
                $0.report.options.map(\.id) == ["retry", "skip", "mute"]
                    && $0.report.options.last?.role == .cancel
                    && $0.report.options.last?.title == "Mute"
            }
            try talk.desk.answer(id, "mute")
            try await talk.desk.hides(id)
            try await kid.hears("ANSWER", "did-recover: false")
            try talk.check(talk.beside.commands.isEmpty, "nothing ran")
        },
        Script(
            "The command of an added option gets the values of its fields",
            Hop.top.ruled([
                .does(
                    .addOption(
                        AddedOption(
                            id: "mend", title: "Mend", run: ["m"],
                            fields: [
                                .number("count", label: "Count", default: 2, in: 1...9),
                                .text("from-path", label: "Path"),
                            ])))
            ])
        ) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(1, by: kid)
            try talk.desk.refuses(for: \.isBadValue) {
                try talk.desk.inbox.answer(id, option: "mend", by: "ann")
            }
            try talk.desk.answer(id, "mend", values: ["from-path": .string("/srv")])
            try await talk.desk.hides(id)
            try await kid.hears("ANSWER", "did-recover: true")
            let environment = talk.beside.commands.first?.environment ?? [:]
            try talk.check(environment["ERRORBUS_VALUE_COUNT"] == "2", "\(environment)")
            try talk.check(environment["ERRORBUS_VALUE_FROM_PATH"] == "/srv", "\(environment)")
        },
        Script(
            "A rule adds no option that the error offers, nor one to a full report",
            Hop.top.ruled([
                .does(.addOption(AddedOption(id: "retry", title: "Mine", run: ["m"]))),
                .does(.addOption(mend), position: 2),
            ])
        ) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(1, by: kid)
            try talk.desk.reads(id) {
                $0.report.options.map(\.title) == ["Mend", "Retry", "Skip"]
            }
            try talk.desk.answer(id)
            try await talk.desk.hides(id)
            try await talk.carriedOut(1, by: kid, "option: retry")
            try talk.check(talk.beside.commands.isEmpty, "nothing ran")
            let many = (0..<32).map { #"{"id": "o\#($0)", "title": "O"}"# }
            let full = try await talk.shown(
                2, by: kid, report: Talk.trouble(7, options: many.joined(separator: ",")))
            try talk.desk.reads(full) { $0.report.options.count == 32 }
            try await talk.withdraws(2, by: kid)
            let nearly = try await talk.shown(
                3, by: kid,
                report: Talk.trouble(7, options: many.dropLast(2).joined(separator: ",")))
            try talk.desk.reads(nearly) { $0.report.options.count == 32 }
            try await talk.withdraws(3, by: kid)
        },
        Script(
            "An added option that two people choose, or that is signed, says so",
            Hop.top.ruled([
                .does(
                    .addOption(
                        AddedOption(
                            id: "mend", title: "Mend", run: ["m"], needsTwoPeople: true)))
            ])
        ) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(1, by: kid)
            try talk.desk.refuses(for: \.isForTwo) {
                try talk.desk.inbox.answer(id, option: "mend", by: "ann")
            }
            let made = try talk.desk.inbox.propose(id, option: "mend", by: SignedInPerson("ann"))
            try talk.desk.inbox.confirm(id, made.id, option: "mend", by: SignedInPerson("bob"))
            try await talk.desk.hides(id)
            try await kid.hears("ANSWER", "did-recover: true", "by: ann", "second: bob")
            try talk.check(talk.beside.commands.count == 1, "it ran")
        },
        Script(
            "A relay's rules change what goes up, and answer before the parent",
            Hop.relay.ruled([
                .does(.rewrite(ReportRewrite(suggestion: "Wait."))),
                .answers(RuleAnswer("skip"), .code(8), position: 2),
                .does(.withhold, about: .code(9), position: 3),
            ])
        ) { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            let said = try await talk.up.hears("PRESENT", "id: \(talk.id(1))", "origin: kid")
            for piece in [#""recoverySuggestion":"Wait.""#, #""by":"hop""#] {
                try talk.check(said.payload.contains(piece), said.payload)
            }
            talk.up.say("ACCEPTED", "id: \(talk.id(1))", "attempt: 1")
            try await kid.hears("ACCEPTED")
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await talk.carriedOut(1, by: kid, "option: retry")
            try await talk.up.hears("SETTLED", "result: recovered")
            kid.present(talk.id(2), report: Talk.trouble(8))
            try await talk.carriedOut(2, by: kid, "option: skip", "by: policy hop rule 2")
            kid.present(talk.id(3), report: Talk.trouble(9))
            try await kid.hears("ANSWER", "did-recover: false", "reason: withheld", "by: hop")
        },
        Script(
            "A rule routes to another node, after its own changes and no others",
            Hop.relay.ruled([
                .does(
                    .rewrite(ReportRewrite(suggestion: "Wait.")), .route("side"),
                    about: .code(8)),
                .does(.withhold, about: .code(8), position: 2),
                .does(.route("side"), about: .code(9), position: 3, isDryRun: true),
                .does(.route("gone"), about: .code(9), position: 4),
            ]).with { $0.routes = ["side"] }
        ) { talk in
            let side = talk.routes[0]
            try await talk.up.isLinked()
            try await side.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1), report: Talk.trouble(8))
            let said = try await side.hears("PRESENT", "id: \(talk.id(1))", "origin: kid")
            try talk.check(said.payload.contains("Wait."), said.payload)
            side.say("ACCEPTED", "id: \(talk.id(1))", "attempt: 1")
            try await kid.hears("ACCEPTED")
            side.answer(talk.id(1), as: talk.id(9))
            try await talk.carriedOut(1, by: kid, "option: retry")
            try await side.hears("SETTLED", "result: recovered")
            for (number, code) in [(2, 7), (3, 9)] {
                kid.present(talk.id(number), report: Talk.trouble(code))
                try await talk.up.hears("PRESENT", "id: \(talk.id(number))")
                talk.up.say("ACCEPTED", "id: \(talk.id(number))", "attempt: 1")
                try await kid.hears("ACCEPTED")
                kid.say("WITHDRAW", "id: \(talk.id(number))", "reason: origin")
                try await talk.up.hears("WITHDRAW", "id: \(talk.id(number))")
                talk.up.say("WITHDRAWN", "id: \(talk.id(number))")
                try await kid.hears("WITHDRAWN")
            }
        },
        Script(
            "Rules see the node itself as the origin of its own errors",
            Hop.top.ruled([
                .answers(RuleAnswer("skip"), RuleMatch(origin: [.exact("hop")]))
            ])
        ) { talk in
            let call = talk.asks(throughChain: true)
            try await call.ends(.answered)
            try talk.check(talk.attempts == ["skip"], "\(talk.attempts)")
            let kid = try await talk.child("kid")
            try await talk.shown(1, by: kid)
            try await talk.withdraws(1, by: kid)
        },
    ]
}
