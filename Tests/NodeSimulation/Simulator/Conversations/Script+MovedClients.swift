import ErrorBus

// Programs without a link that asked by a relay before: rule 11 and section 14 of docs/wire.md.
extension Script {
    static let movedClients: [Script] = [
        Script("A program that gives up leaves its place to the child that still asks", .top) {
            talk in
            let (rel, peer) = (try await talk.child("rel"), try await talk.peer())
            let id = try await talk.shown(by: rel, origin: "kid")
            peer.present(id, ["wait-ms: 20000"], origin: "kid", path: "kid")
            try await talk.pause(10)
            peer.withdraw(id, "abandoned")
            try await peer.hears("PENDING", "id: \(id)", in: 2...2)
            try await peer.hears("OK", "id: \(id)", in: 0...0)
            try await talk.desk.seesNothing(for: 100)
            try talk.showsOrigin(id, reachable: true)
            try await talk.answered(id, to: rel)
        },
        Script("A program ends nothing by giving up once a child has its place", .top) { talk in
            let (rel, peer) = (try await talk.child("rel"), try await talk.peer())
            let id = try await talk.shown(by: rel, origin: "kid")
            peer.present(id, origin: "kid", path: "kid")
            try await peer.hears("PENDING", "id: \(id)", in: 2...2)
            try await talk.joins(id, by: rel, origin: "kid")
            peer.withdraw(id, "abandoned", origin: "kid")
            try await peer.hears("OK", "id: \(id)", in: 2...2)
            let answer = try await talk.answered(id, to: rel)
            peer.settle(id, answer, "unknown", origin: "kid")
            try await peer.hears("OK", "id: \(id)", in: 2...2)
            try talk.check(talk.notebook.result(of: id) == nil, "no result yet")
            rel.settle(id, answer, "recovered")
            try await talk.pause(10)
            try talk.check(talk.notebook.result(of: id) == .recovered, "the child's result counts")
        },
        Script("A program that cannot carry the answer out leaves it to the child", .top) { talk in
            let (rel, peer) = (try await talk.child("rel"), try await talk.peer())
            for (number, result) in ["unknown", "invalid"].enumerated() {
                let id = try await talk.shown(number, by: rel, origin: "kid")
                peer.present(id, ["wait-ms: 20000"], origin: "kid", path: "kid")
                try await talk.pause(10)
                let answer = try talk.desk.answer(id)
                try await talk.desk.hides(id)
                try await peer.hears("ANSWER", "answer: \(answer.id)", "option: retry")
                peer.settle(id, "\(answer.id)", result)
                try await rel.hears("ANSWER", "answer: \(answer.id)", "no did-recover", in: 2...2)
                try await peer.hears("OK", "id: \(id)", in: 0...1)
                try talk.check(talk.notebook.result(of: id) == nil, "no result yet")
                rel.settle(id, "\(answer.id)", "failed")
                try await talk.pause(10)
                try talk.check(talk.notebook.result(of: id) == .failed, "the child's result counts")
            }
        },
        Script("An answer that no program fetches goes to the child after 4 minutes", .top) {
            talk in
            let (rel, peer) = (try await talk.child("rel"), try await talk.peer())
            let id = try await talk.shown(by: rel, origin: "kid")
            peer.present(id, origin: "kid", path: "kid")
            try await peer.hears("PENDING", "id: \(id)", in: 2...2)
            let answer = try talk.desk.answer(id)
            try await talk.desk.hides(id)
            try await rel.hears(
                "ANSWER", "answer: \(answer.id)", "no did-recover", in: 239_900...240_010)
            rel.settle(id, "\(answer.id)", "recovered")
            try await talk.pause(10)
            try talk.check(talk.notebook.result(of: id) == .recovered, "the child's result counts")
        },
        Script("A relay that presents again leaves a bare client its place", .top) { talk in
            let (rel, client) = (try await talk.child("rel"), try await talk.peer("client"))
            let request = talk.request(1)
            let report = try Talk.relayed()
            let id = try await talk.shown(by: rel, origin: "bare", report: report)
            client.send([request])
            try await talk.pause(10)
            rel.present(id, origin: "bare", report: report)
            try await rel.hears("ACCEPTED", "id: \(id)", in: 2...2)
            try await rel.hears("PENDING", "id: \(id)", "state: presented", in: 0...0)
            try talk.desk.answer(id)
            try await talk.desk.hides(id)
            try await client.hearsBare(#""option":"retry""#, #""didRecover":null"#)
            try await rel.hearsNothing(for: 2_000)
        },
        Script("The answer to a bare client that is gone goes to the relay that still asks", .top) {
            talk in
            let (rel, client) = (try await talk.child("rel"), try await talk.peer("client"))
            let report = try Talk.relayed()
            let id = try await talk.shown(by: rel, origin: "bare", report: report)
            client.send([talk.request(1)])
            try await talk.pause(10)
            client.close()
            try await talk.pause(10)
            let answer = try talk.desk.answer(id)
            try await talk.desk.hides(id)
            try await rel.hears(
                "ANSWER", "answer: \(answer.id)", "option: retry", "no did-recover", in: 0...5)
            rel.settle(id, "\(answer.id)", "recovered")
            try await talk.pause(10)
            try talk.check(talk.notebook.result(of: id) == .recovered, "the relay's result counts")
        },
        Script("A bare client that moves up once one person answered for two gets 409") { talk in
            try await talk.up.isLinked()
            let (rel, client) = (try await talk.child("rel"), try await talk.peer("client"))
            let forTwo = #"{"id": "retry", "title": "Retry", "twoPeople": true}"#
            let request = talk.request(1, options: forTwo)
            let id = talk.id(1)
            rel.present(id, origin: "bare", report: try Talk.relayed(forTwo))
            talk.up.accept(try await talk.up.hears("PRESENT", "id: \(id)"))
            try await rel.hears("ACCEPTED", "id: \(id)")
            talk.up.answer(id, as: talk.id(9))
            try await rel.hears("ANSWER", "answer: \(talk.id(9))", "option: retry", in: 2...2)
            client.send([request])
            try await client.hearsBare(
                #""outcome":"rejected""#, #""code":409"#, #""option":null"#, in: 2...2)
            rel.settle(id, talk.id(9), "recovered")
            try await talk.up.hears("SETTLED", "answer: \(talk.id(9))", "result: recovered")
            client.send([request])
            try await client.hearsBare(
                #""outcome":"answered""#, #""option":"retry""#, #""didRecover":true"#, in: 2...2)
        },
    ]
}

extension Talk {
    /// The report that a relay sends up for a request with these options.
    fileprivate static func relayed(_ options: String = Talk.options) throws -> String {
        let asked = try ErrorReport(payload: Frame(Talk.report(options: options).utf8))
        return String(decoding: asked.payload(), as: UTF8.self)
    }
}
