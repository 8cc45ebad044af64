import ErrorBus

// Rules whose answers are withdrawn, refused or recorded; and what they leave alone.
extension Script {
    private static let once = Hop.policy([
        .answers(RuleAnswer("retry", limit: IntensityLimit(1, per: .seconds(600))))
    ])

    static let ruleEdges: [Script] = [
        Script(
            "A rule's answer is withdrawn while it is prepared, and the limit counts nothing",
            once
        ) { talk in
            let kid = try await talk.child("kid")
            talk.notebook.latency = 500
            kid.present(talk.id(1))
            try await kid.hears("ACCEPTED")
            try await talk.pause(200)
            kid.say("WITHDRAW", "id: \(talk.id(1))", "reason: origin")
            try await kid.hears("WITHDRAWN")
            try await kid.hearsNothing(for: 1_000)
            talk.notebook.latency = 0
            kid.present(talk.id(2))
            try await talk.carriedOut(2, by: kid, "by: policy hop rule 1")
            try await talk.shown(3, by: kid)
            try await talk.withdraws(3, by: kid)
        },
        Script("What a rule answers is logged and on record as what people answer", once) { talk in
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.carriedOut(1, by: kid, "via: policy")
            try await talk.pause(50)
            let tried = talk.notebook.tried.filter { $0 != .record }
            try talk.check(tried == [.shown, .decided, .settled], "\(tried)")
            let events = talk.events.map { event -> String in
                switch event.what {
                case .presented(_, let origin, let path):
                    "presented \(origin.map { "\($0)" } ?? "") \(path.map { "\($0)" })"
                case .decided(let answer, let isRestored): "\(answer.by) \(isRestored)"
                case .settled(let result, _): "\(result)"
                case .reported, .ended, .completed: "other"
                }
            }
            try talk.check(
                events == [
                    #"presented kid ["kid"]"#, "policy hop rule 1 false", "recovered",
                ], "\(events)")
        },
        Script(
            "A rule's secret values travel apart, and are not kept",
            .policy([
                .answers(RuleAnswer("set", values: ["pin": .string("4711"), "on": .string("y")]))
            ])
        ) { talk in
            let kid = try await talk.child("kid")
            let fields = """
                {"name": "pin", "label": "PIN", "kind": "secret", "required": true},
                {"name": "on", "label": "On", "kind": "boolean"}
                """
            kid.present(talk.id(1), report: Talk.asking(fields))
            let said = try await kid.hears("ANSWER", "option: set", "via: policy")
            try talk.check(
                said.payload == #"{"secrets":{"pin":"4711"},"values":{"on":true}}"#, said.payload)
            guard case .decided(let answer, _) = talk.notebook.states[talk.id(1)] else {
                return try talk.check(false, "it is on record")
            }
            try talk.check(answer.withoutSecrets == answer, "without its secret")
        },
        Script(
            "A rule adds no option with more fields than a report may have",
            Hop.top.ruled([
                .does(
                    .addOption(
                        AddedOption(
                            id: "mend", title: "Mend", run: ["m"],
                            fields: [.text("a", label: "A"), .text("b", label: "B")])))
            ])
        ) { talk in
            let kid = try await talk.child("kid")
            func report(_ last: Int) -> String {
                let options = (0..<4).map { option -> String in
                    let fields = (0..<(option == 3 ? last : 8)).map {
                        #"{"name": "f\#($0)", "label": "F", "kind": "boolean"}"#
                    }
                    return #"{"id": "o\#(option)", "title": "O", "fields": ["#
                        + fields.joined(separator: ",") + "]}"
                }
                return Talk.trouble(7, options: options.joined(separator: ","))
            }
            let full = try await talk.shown(1, by: kid, report: report(7))
            try talk.desk.reads(full) { $0.report.options.count == 4 }
            try await talk.withdraws(1, by: kid)
            let nearly = try await talk.shown(2, by: kid, report: report(6))
            try talk.desk.reads(nearly) { $0.report.options.count == 5 }
            try await talk.withdraws(2, by: kid)
        },
        Script(
            "A did-recover from an option of the hop has the comment and no values",
            Hop.top.ruled([
                .does(
                    .addOption(
                        AddedOption(
                            id: "mend", title: "Mend", run: ["m"],
                            fields: [.text("path", label: "Path")])))
            ])
        ) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(1, by: kid)
            try talk.desk.inbox.answer(
                id, option: "mend", by: "ann", values: ["path": .string("/srv")],
                comment: "Disk.")
            try await talk.desk.hides(id)
            let said = try await kid.hears("ANSWER", "did-recover: true", "by: ann")
            try talk.check(said.payload == #"{"comment":"Disk."}"#, said.payload)
        },
        Script(
            "An option of a relay is attempted there, and what is unknown in its answer goes on",
            Hop.relay.ruled([
                .does(
                    .addOption(
                        AddedOption(
                            id: "mend", title: "Mend", run: ["m"],
                            fields: [.text("path", label: "Path")])))
            ])
        ) { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.up.hears("PRESENT", "id: \(talk.id(1))")
            talk.up.say("ACCEPTED", "id: \(talk.id(1))", "attempt: 1")
            try await kid.hears("ACCEPTED")
            talk.up.say(
                "ANSWER",
                [
                    "id: \(talk.id(1))", "answer: \(talk.id(9))", "by: ann", "via: person",
                    "option: mend",
                ], payload: #"{"comment":"c","values":{"path":"/srv"},"x":1}"#)
            try await talk.up.hears("SETTLED", "answer: \(talk.id(9))", "result: recovered")
            let said = try await kid.hears("ANSWER", "did-recover: true", "by: ann")
            try talk.check(said.payload == #"{"comment":"c","x":1}"#, said.payload)
            try talk.check(talk.beside.commands.count == 1, "the command ran")
        },
        Script(
            "The answer of a rule that also changes the error is to the changed one",
            .policy([
                Rule(
                    match: RuleMatch(),
                    actions: [
                        .addOption(AddedOption(id: "mend", title: "Mend", run: ["m"])),
                        .answer(RuleAnswer("mend")),
                    ], position: 1)
            ])
        ) { talk in
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await kid.hears("ANSWER", "did-recover: true", "by: policy hop rule 1")
            try talk.check(talk.beside.commands.count == 1, "the command ran")
        },
        Script(
            "A rule that comes later sees what earlier rules have changed",
            Hop.top.ruled([
                .does(.rewrite(ReportRewrite(severity: .critical)), about: .code(7)),
                .does(
                    .rewrite(ReportRewrite(suggestion: "Run.")),
                    about: RuleMatch(severity: [.critical]), position: 2),
                .does(.removeOption(["skip"]), position: 3, isDryRun: true),
                .does(.rewrite(ReportRewrite(reason: "x")), about: .code(8), position: 4),
                .does(.withhold, about: .code(8), position: 5),
            ])
        ) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(1, by: kid)
            try talk.desk.reads(id) {
                $0.report.recoverySuggestion == "Run." && $0.report.options.count == 2
            }
            try await talk.withdraws(1, by: kid)
            kid.present(talk.id(2), report: Talk.trouble(8))
            try await kid.isWithheld(talk.id(2), "by: hop")
            let plain = try await talk.shown(3, by: kid, report: Talk.trouble(9))
            try talk.desk.reads(plain) {
                $0.report.recoverySuggestion == nil && $0.report.severity == .error
            }
            try await talk.withdraws(3, by: kid)
        },
    ]
}
