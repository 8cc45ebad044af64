import ErrorBus

// Answers and the journal that takes its time, or fails.
extension Script {
    static let records: [Script] = [
        Script("An answer that is not on record yet is shown as such, and not sent", .top) {
            talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(1, by: kid)
            talk.notebook.failing = [.decided]
            let answer = try talk.desk.answer(id)
            try await talk.desk.hides(id)
            try await kid.hearsNothing(for: 1_500)
            try talk.desk.reads(id) {
                $0.awaitsRecord && $0.stage == .answered(answer) && $0.ending != nil
            }
            let revision = talk.desk.inbox.revision
            let found = await talk.desk.inbox.unrecorded(among: [id], after: .seconds(1))
            try talk.check(found.delayed == [id] && found.lost.isEmpty, "it is delayed")
            talk.notebook.failing = []
            try await talk.desk.learns(true, in: 0...2_000)
            try talk.desk.reads(id) { !$0.awaitsRecord && $0.revision > revision }
            try await talk.carriedOut(1, by: kid, "answer: \(answer.id)")
            let after = await talk.desk.inbox.unrecorded(among: [id], after: .seconds(1))
            try talk.check(after.delayed.isEmpty && after.lost.isEmpty, "it is on record")
        },
        Script("An answer that is withdrawn before it is on record does not count", .top) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(1, by: kid)
            talk.notebook.failing = [.decided]
            let answer = try talk.desk.answer(id)
            try await talk.desk.hides(id)
            try await talk.pause(1_500)
            kid.say("WITHDRAW", "id: \(id)", "reason: origin")
            try await kid.hears("WITHDRAWN")
            try await talk.desk.learns(false, in: 0...2_000)
            try talk.desk.reads(id) {
                $0.stage == .closed(.withdrawn) && $0.unwritten == answer && $0.answer == nil
            }
        },
        Script("An answer that expires before it is on record does not count", .top) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(1, by: kid, "left-ms: 4000")
            talk.notebook.failing = [.decided]
            let answer = try talk.desk.answer(id)
            try await talk.desk.hides(id)
            try await talk.desk.learns(false, in: 3_000...6_000)
            try talk.desk.reads(id) {
                $0.stage == .closed(.expired) && $0.unwritten == answer
            }
            try await kid.hears(
                "ANSWER", "id: \(id)", "did-recover: false", "reason: expired", "no option")
        },
        Script("A client that waits for the record is told as soon as there is one", .top) {
            talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(1, by: kid)
            talk.notebook.latency = 700
            try talk.desk.answer(id)
            let from = talk.now
            let found = await talk.desk.inbox.unrecorded(
                among: [id, talk.id(2)], after: .seconds(5))
            try talk.check(found.delayed.isEmpty && found.lost.isEmpty, "it is on record")
            try talk.check((600...900).contains(talk.now - from), "after \(talk.now - from) ms")
            try await talk.desk.hides(id)
            talk.notebook.latency = 0
            try await talk.carriedOut(1, by: kid)
        },
        Script("Another answer that is on record counts", .top) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(1, by: kid)
            let other = Answer(
                id: talk.id(9).value, option: "skip", by: "bob", via: .person)
            talk.notebook.write(
                id, .decided(other, nil),
                of: DecisionRecord.Asked(
                    origin: "kid", digest: nil,
                    report: try ErrorReport(payload: Array(Talk.report.utf8))))
            try talk.desk.answer(id, by: "ann")
            try await talk.desk.hides(id)
            try await talk.desk.learns(false)
            try await talk.carriedOut(1, by: kid, "answer: \(talk.id(9))", "by: bob")
            try talk.desk.reads(id) { $0.stage == .settled(other, .recovered) }
        },
    ]
}
