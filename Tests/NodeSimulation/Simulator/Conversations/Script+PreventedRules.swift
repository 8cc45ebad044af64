import ErrorBus

// Rules that the presentation keeps from answering.
extension Script {
    static let preventedRules: [Script] = [
        Script(
            "Where the deadline or a signature keeps a rule from answering, the next one answers",
            .policy([
                .answers(RuleAnswer("retry", delay: .seconds(5)), .code(7)),
                .answers(RuleAnswer("raze"), .code(8), position: 2),
                .answers(RuleAnswer("skip"), position: 3),
            ])
        ) { talk in
            let kid = try await talk.child("kid")
            kid.present(talk.id(1), "left-ms: 4900")
            try await talk.carriedOut(
                1, by: kid, "option: skip", "by: policy hop rule 3", result: "failed")
            let options = """
                {"id": "raze", "title": "Raze", "signed": true}, {"id": "skip", "title": "Skip"}
                """
            kid.present(talk.id(2), report: Talk.trouble(8, options: options))
            try await talk.carriedOut(
                2, by: kid, "option: skip", "by: policy hop rule 3", result: "failed")
        }
    ]
}
