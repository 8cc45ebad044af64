import ErrorBus

// What a child hears of claims that end by themselves: section 5 of docs/wire.md.
extension Script {
    static let claimEnds: [Script] = [
        Script("A claim whose time is over is reported below as its release is", .top) { talk in
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.desk.shows(talk.id(1))
            try await kid.hears("ACCEPTED")
            try await kid.hears("PENDING", "state: presented")
            try talk.desk.claim(talk.id(1), by: "ann", for: 20_000)
            try await kid.hears("PENDING", "state: claimed", "by: ann")
            try await kid.hears(
                "PENDING", "state: presented", "by: desk", in: 19_900...20_100)
        },
        Script("The end of a claim that was replaced is reported for the last one", .top) { talk in
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.desk.shows(talk.id(1))
            try await kid.hears("ACCEPTED")
            try await kid.hears("PENDING", "state: presented")
            try talk.desk.claim(talk.id(1), by: "ann", for: 2_000)
            try await kid.hears("PENDING", "state: claimed", "by: ann")
            try await talk.pause(500)
            try talk.desk.claim(talk.id(1), by: "ann", for: 4_000)
            try await kid.hearsNothing(for: 3_500)
            try await kid.hears("PENDING", "state: presented", "by: desk", in: 400...700)
        },
        Script("A claim that was released says nothing more at its end", .top) { talk in
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.desk.shows(talk.id(1))
            try await kid.hears("ACCEPTED")
            try await kid.hears("PENDING", "state: presented")
            try talk.desk.claim(talk.id(1), by: "ann", for: 2_000)
            try await kid.hears("PENDING", "state: claimed")
            try talk.desk.inbox.release(talk.id(1), by: "ann")
            try await kid.hears("PENDING", "state: presented")
            try await kid.hearsNothing(for: 3_000)
            let answer = try talk.desk.answer(talk.id(1))
            try await talk.desk.hides(talk.id(1))
            try await kid.hears("ANSWER", "answer: \(answer.id)")
        },
    ]
}
