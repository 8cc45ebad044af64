import ErrorBus
import Foundation

// Rules that answer: which, when, how often.
extension Script {
    /// The child hears the answer of this rule, and reports the result.
    private static func ruleAnswers(
        _ number: Int, _ talk: Talk, _ kid: Speaker, rule: Int = 1, option: String = "retry",
        in time: ClosedRange<UInt64> = 0...150, line: Int = #line
    ) async throws {
        let said = try await kid.hears(
            "ANSWER",
            all: [
                "id: \(talk.id(number))", "option: \(option)", "by: policy hop rule \(rule)",
                "via: policy",
            ], in: time, line: line)
        kid.say(
            "SETTLED", "id: \(talk.id(number))", "answer: \(said["answer"] ?? "")",
            "result: failed")
        try await talk.pause(5)
    }

    /// This error is put to people, and withdrawn again.
    private static func isAsked(
        _ number: Int, _ talk: Talk, _ kid: Speaker, _ report: String, origin: String? = nil,
        line: Int = #line
    ) async throws {
        try await talk.shown(number, by: kid, origin: origin, report: report, line: line)
        try await talk.withdraws(number, by: kid, line: line)
    }

    static let rules: [Script] = [
        Script(
            "A rule answers at once, with its comment, and people see nothing",
            .policy([.answers(RuleAnswer("retry", comment: "Always."), .code(7))])
        ) { talk in
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            let said = try await kid.hears(
                "ANSWER", "option: retry", "by: policy hop rule 1", "via: policy", "no second",
                "no did-recover")
            try talk.check(said.payload == #"{"comment":"Always."}"#, said.payload)
            kid.say(
                "SETTLED", "id: \(talk.id(1))", "answer: \(said["answer"] ?? "")",
                "result: recovered")
            try await talk.pause(100)
            try talk.check(talk.notebook.result(of: talk.id(1)) == .recovered, "on record")
            try talk.desk.refuses(for: \.isUnknown) { _ = try talk.desk.inbox.item(talk.id(1)) }
            try await isAsked(2, talk, kid, Talk.trouble(8))
        },
        Script(
            "A rule answers as often as its limit says, for each code and origin",
            .policy([.answers(RuleAnswer("retry", limit: IntensityLimit(2, per: .seconds(60))))])
        ) { talk in
            let (kid, sis) = (try await talk.child("kid"), try await talk.child("sis"))
            for number in 1...2 {
                kid.present(talk.id(number))
                try await ruleAnswers(number, talk, kid)
            }
            try await isAsked(3, talk, kid, Talk.trouble())
            kid.present(talk.id(4), report: Talk.trouble(8))
            try await ruleAnswers(4, talk, kid)
            kid.present(
                talk.id(5),
                report: Talk.trouble().replacing("simulation.talk", with: "simulation.other"))
            try await ruleAnswers(5, talk, kid)
            sis.present(talk.id(6))
            try await ruleAnswers(6, talk, sis)
            try await talk.pause(58_000)
            try await isAsked(7, talk, kid, Talk.trouble())
            try await talk.pause(2_000)
            kid.present(talk.id(8))
            try await ruleAnswers(8, talk, kid)
        },
        Script(
            "Two rules have limits of their own, and a window that slides",
            .policy([
                .answers(RuleAnswer("retry", limit: IntensityLimit(1, per: .seconds(10)))),
                .answers(
                    RuleAnswer("skip", limit: IntensityLimit(2, per: .seconds(10))), position: 2),
            ])
        ) { talk in
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await ruleAnswers(1, talk, kid)
            kid.present(talk.id(2))
            try await ruleAnswers(2, talk, kid, rule: 2, option: "skip")
            try await talk.pause(6_000)
            kid.present(talk.id(3))
            try await ruleAnswers(3, talk, kid, rule: 2, option: "skip")
            try await isAsked(4, talk, kid, Talk.trouble())
            try await talk.pause(4_000)
            kid.present(talk.id(5))
            try await ruleAnswers(5, talk, kid)
            kid.present(talk.id(6))
            try await ruleAnswers(6, talk, kid, rule: 2, option: "skip")
            try await isAsked(7, talk, kid, Talk.trouble())
        },
        Script(
            "New rules keep the counts of the limits",
            .policy([.answers(RuleAnswer("retry", limit: IntensityLimit(1, per: .seconds(60))))])
        ) { talk in
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await ruleAnswers(1, talk, kid)
            let rule = Rule.answers(
                RuleAnswer("retry", limit: IntensityLimit(2, per: .seconds(60))))
            talk.beside.rules?.replaceRules(RuleBook([rule], mode: .firstMatch))
            kid.present(talk.id(2))
            try await ruleAnswers(2, talk, kid)
            try await isAsked(3, talk, kid, Talk.trouble())
            talk.beside.rules?.replaceRules(RuleBook([], mode: .firstMatch))
            try await isAsked(4, talk, kid, Talk.trouble(8))
        },
        Script(
            "A rule waits, which the origin hears, and answers then",
            .policy([
                .answers(
                    RuleAnswer(
                        "retry", limit: IntensityLimit(1, per: .seconds(600)),
                        delay: .seconds(5), jitter: .seconds(2)))
            ])
        ) { talk in
            let kid = try await talk.child("kid")
            // The deadline comes first: people are asked, and the limit counts nothing.
            try await talk.shown(1, by: kid, "left-ms: 6900")
            try await talk.withdraws(1, by: kid)
            // So where the origin withdraws.
            kid.present(talk.id(2))
            try await kid.hears("ACCEPTED")
            try await kid.hears("PENDING", "state: queued", "by: policy hop")
            kid.say("WITHDRAW", "id: \(talk.id(2))", "reason: origin")
            try await kid.hears("WITHDRAWN")
            kid.present(talk.id(3), "left-ms: 60000")
            try await kid.hears("ACCEPTED")
            try await kid.hears("PENDING", "state: queued", "by: policy hop")
            try await ruleAnswers(3, talk, kid, in: 6_800...7_000)
            try await isAsked(4, talk, kid, Talk.trouble())
        },
        Script(
            "A rule declines an option that is not offered, or that two people choose",
            .policy([
                .answers(RuleAnswer("mend", limit: IntensityLimit(9, per: .seconds(9)))),
                .answers(RuleAnswer("wipe"), position: 2),
                .answers(RuleAnswer("skip"), .code(8), position: 3),
            ])
        ) { talk in
            let kid = try await talk.child("kid")
            try await isAsked(1, talk, kid, Talk.trouble())
            try await isAsked(2, talk, kid, Talk.trouble(7, options: Talk.wipe))
            kid.present(talk.id(3), report: Talk.trouble(8, options: Talk.wipe))
            try await ruleAnswers(3, talk, kid, rule: 3, option: "skip")
        },
        Script(
            "A rule chooses no option that needs a signature, and the limit counts nothing",
            .policy([.answers(RuleAnswer("raze", limit: IntensityLimit(1, per: .seconds(60))))])
        ) { talk in
            let kid = try await talk.child("kid")
            let signed = #"{"id": "raze", "title": "Raze", "signed": true}"#
            try await isAsked(1, talk, kid, Talk.trouble(7, options: signed))
            kid.present(
                talk.id(2), report: Talk.trouble(7, options: #"{"id": "raze", "title": "Raze"}"#))
            try await ruleAnswers(2, talk, kid, option: "raze")
        },
        Script(
            "A rule answers OK to an error without options, but no user cancellation",
            .policy([.answers(RuleAnswer("ok"))])
        ) { talk in
            let kid = try await talk.child("kid")
            kid.present(talk.id(1), report: Talk.trouble(7, options: ""))
            try await ruleAnswers(1, talk, kid, option: "ok")
            kid.present(
                talk.id(2),
                report: Talk.trouble(3072, options: "").replacing(
                    "simulation.talk", with: "NSCocoaErrorDomain"))
            try await kid.hears(
                "ANSWER", "no option", "did-recover: false", "reason: userCancelled")
        },
        Script(
            "A rule gives the values of its option as the fields have them",
            .policy([
                .answers(RuleAnswer("set", values: ["count": .string("3")]), .code(7)),
                .answers(
                    RuleAnswer("set", values: ["count": .string("12")]), .code(8), position: 2),
                .answers(
                    RuleAnswer("set", values: ["count": .string("0")]), .code(9), position: 3),
                .answers(
                    RuleAnswer("set", values: ["count": .integer(4)]), .code(9), position: 4),
            ])
        ) { talk in
            let kid = try await talk.child("kid")
            kid.present(talk.id(1), report: Talk.asking(Talk.count))
            let said = try await kid.hears("ANSWER", "option: set")
            try talk.check(said.payload == #"{"values":{"count":3}}"#, said.payload)
            kid.say(
                "SETTLED", "id: \(talk.id(1))", "answer: \(said["answer"] ?? "")",
                "result: recovered")
            // Twelve are too many.
            try await isAsked(
                2, talk, kid, Talk.asking(Talk.count).replacing(": 7", with: ": 8"))
            // Where a rule declines a later one may answer.
            kid.present(
                talk.id(3), report: Talk.asking(Talk.count).replacing(": 7", with: ": 9"))
            try await ruleAnswers(3, talk, kid, rule: 4, option: "set")
        },
        Script(
            "Of a policy the first rule that matches decides; a dry run decides nothing",
            .policy([
                .does(.withhold, about: .code(9), isDryRun: true),
                .answers(RuleAnswer("retry"), .code(9), position: 2, isDryRun: true),
                .does(.rewrite(ReportRewrite(description: "Known.")), about: .code(7), position: 3),
                .answers(RuleAnswer("skip"), .code(7), position: 4),
                .does(.rewrite(ReportRewrite(reason: "None.")), about: .code(7), position: 5),
                .answers(RuleAnswer("skip"), .code(8), position: 6),
                .does(.withhold, about: .code(8), position: 7),
            ])
        ) { talk in
            let kid = try await talk.child("kid")
            kid.present(talk.id(1), report: Talk.trouble(8))
            try await ruleAnswers(1, talk, kid, rule: 6, option: "skip")
            // A rule that changes texts is the one that decides, too.
            let id = try await talk.shown(2, by: kid, report: Talk.trouble(7))
            try talk.desk.reads(id) {
                $0.report.description == "Known." && $0.report.failureReason == nil
            }
            try await talk.withdraws(2, by: kid)
            try await isAsked(3, talk, kid, Talk.trouble(9))
        },
        Script(
            "A rule withholds: the origin completes, and the log has who withheld it",
            .policy([.does(.withhold, about: .code(7))])
        ) { talk in
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await kid.hears("ANSWER", "did-recover: false", "reason: withheld", "by: hop")
            try talk.check(talk.ends(of: 1) == ["withheld hop"], "\(talk.ends(of: 1))")
            try await isAsked(2, talk, kid, Talk.trouble(8))
        },
        Script(
            "Rules match domain, code, severity, origin and fields, all of them",
            .policy([
                .answers(
                    RuleAnswer("retry"),
                    RuleMatch(
                        domain: [.exact("simulation.talk")], code: [.exact("7"), .exact("8")],
                        severity: [.warning, .error],
                        origin: [.exact("kid"), .exact("leaf")],
                        userInfo: [
                            "disk": [.exact("sda")], "full": [.exact("true")],
                            "tries": [.exact("3")],
                        ]))
            ])
        ) { talk in
            let kid = try await talk.child("kid")
            let info = #""userInfo": {"disk": "sda", "full": true, "tries": 3, "x": []}"#
            kid.present(talk.id(1), report: Talk.trouble(7, info))
            try await ruleAnswers(1, talk, kid)
            kid.present(talk.id(2), origin: "leaf", report: Talk.trouble(8, info))
            try await ruleAnswers(2, talk, kid)
            let others = [
                Talk.trouble(9, info), Talk.trouble(7, info + #", "severity": "critical""#),
                Talk.trouble(7, info).replacing("simulation.talk", with: "simulation"),
                Talk.trouble(7, info.replacing("sda", with: "sdb")),
                Talk.trouble(7, info.replacing("true", with: "false")),
                Talk.trouble(7, info.replacing(": 3", with: ": 4")),
                Talk.trouble(7, info.replacing(#""full": true, "#, with: "")),
                Talk.trouble(7, info.replacing("true", with: "null")),
                Talk.trouble(7, info).replacing(#""code": 7,"#, with: ""),
            ]
            for (number, report) in others.enumerated() {
                try await isAsked(number + 3, talk, kid, report)
            }
            try await isAsked(30, talk, kid, Talk.trouble(7, info), origin: "sis")
        },
        Script(
            "A rule is in force on its days and hours",
            .policy([
                .answers(
                    RuleAnswer("retry"), .code(1),
                    schedule: RuleSchedule(
                        days: [.thursday], hours: RuleSchedule.Hours(from: 9 * 60, to: 17 * 60),
                        timeZone: .gmt)),
                .answers(
                    RuleAnswer("retry"), .code(2), position: 2,
                    schedule: RuleSchedule(
                        days: [.thursday], hours: RuleSchedule.Hours(from: 22 * 60, to: 6 * 60),
                        timeZone: .gmt)),
                .answers(
                    RuleAnswer("retry"), .code(3), position: 3,
                    schedule: RuleSchedule(
                        days: [.thursday], timeZone: TimeZone(secondsFromGMT: 3_600) ?? .gmt)),
            ])
        ) { talk in
            let kid = try await talk.child("kid")
            var number = 0
            // The first day of 1970 was a Thursday.
            func at(_ hour: Double, _ inForce: Set<Int>, line: Int = #line) async throws {
                talk.beside.wall = hour * 3_600
                for code in 1...3 {
                    number += 1
                    guard inForce.contains(code) else {
                        try await isAsked(number, talk, kid, Talk.trouble(code), line: line)
                        continue
                    }
                    kid.present(talk.id(number), report: Talk.trouble(code))
                    try await ruleAnswers(number, talk, kid, rule: code, line: line)
                }
            }
            try await at(5.99, [3])
            try await at(8.99, [3])
            try await at(9, [1, 3])
            try await at(16.99, [1, 3])
            try await at(17, [3])
            try await at(22, [2, 3])
            try await at(22.99, [2, 3])
            try await at(23, [2])
            try await at(24, [2])
            try await at(29.99, [2])
            try await at(30, [])
            try await at(33, [])
            try await at(46, [])
            try await at(-1, [3])
            try await at(-1.01, [])
            try await at(24 * 7 + 10, [1, 3])
        },
    ]
}
