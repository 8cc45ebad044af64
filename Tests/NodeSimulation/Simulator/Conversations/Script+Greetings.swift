import ErrorBus

// The shortest conversations: a link, an answer from above, an answer of people.
extension Script {
    static let greetings: [Script] = [
        Script("A HELLO of the same boot takes over at once") { talk in
            let kid = try await talk.child("kid", boot: "01")
            let again = try await talk.peer("kid", boot: "01")
            again.say("HELLO", "from: kid", "boot: 01", "versions: EB1")
            try await again.hears("WELCOME")
            kid.say("PING", "n: 1")
            try await kid.hearsNothing(for: 1_000)
        },
        Script("An ANSWER of the parent goes to the child that asked, and its result back") {
            talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.up.hears(
                "PRESENT", "id: \(talk.id(1))", "origin: kid", "path: kid,hop", "attempt: 1")
            talk.up.say("ACCEPTED", "id: \(talk.id(1))", "attempt: 1")
            try await kid.hears("ACCEPTED", "id: \(talk.id(1))", "attempt: 1")
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await kid.hears(
                "ANSWER", "id: \(talk.id(1))", "option: retry", "answer: \(talk.id(9))")
            kid.say("SETTLED", "id: \(talk.id(1))", "answer: \(talk.id(9))", "result: recovered")
            try await talk.up.hears("SETTLED", "answer: \(talk.id(9))", "result: recovered")
        },
        Script("People answer a child's error, and read the result", .top) { talk in
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.desk.shows(talk.id(1))
            try await kid.hears("ACCEPTED")
            try await kid.hears("PENDING", "state: presented")
            let answer = try talk.desk.answer(talk.id(1))
            try await talk.desk.hides(talk.id(1))
            try await kid.hears("ANSWER", "answer: \(answer.id)", "by: ann", "via: person")
            kid.say("SETTLED", "id: \(talk.id(1))", "answer: \(answer.id)", "result: recovered")
            try await talk.pause(100)
            try talk.check(talk.notebook.result(of: talk.id(1)) == .recovered, "it is on record")
        },
        Script("An error of the node itself is answered above, and its option is carried out there")
        { talk in
            try await talk.up.isLinked()
            let call = talk.asks(talk.id(1))
            let said = try await talk.up.hears("PRESENT", "id: \(talk.id(1))", "path: hop")
            talk.up.say("ACCEPTED", "id: \(talk.id(1))", "attempt: \(said["attempt"] ?? "")")
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await talk.up.hears("SETTLED", "result: recovered")
            try await call.ends(.answered, didRecover: true)
        },
    ]
}
