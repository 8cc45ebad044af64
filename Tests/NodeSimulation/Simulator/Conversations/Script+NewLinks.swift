import ErrorBus

// Links that begin anew, of a child with many presentations: section 11 of docs/wire.md.
extension Script {
    static let newLinks: [Script] = [
        Script("A child with many presentations begins so many links, and one more after 4 s") {
            talk in
            var kid = try await talk.child("kid")
            try await talk.shown(1, by: kid)
            // With one it is little work.
            for _ in 1...4 { kid = try await talk.child("kid") }
            try await talk.shown(2, by: kid)
            // HELLO that only comes again begins none.
            for _ in 1...4 {
                kid.greet()
                try await kid.hears("WELCOME", in: 2...2)
            }
            for _ in 1...2 { kid = try await talk.child("kid") }
            let other = try await talk.peer("kid")
            other.greet()
            try await other.hears("REJECT", "no id", "code: 429", "retry-ms: 5000", in: 2...2)
            try await kid.isServed()
            try await talk.pause(4_000)
            other.greet()
            try await other.hears("WELCOME", in: 2...2)
        }.at(.withFewLinks),
        Script("A lost child with many presentations is found so many times by its next word") {
            talk in
            let kid = try await talk.child("kid")
            for number in 1...2 { try await talk.shown(number, by: kid) }
            for _ in 1...2 {
                kid.say("BYE")
                try await kid.isServed()
            }
            kid.say("BYE")
            kid.say("PING", "n: 1")
            try await kid.hearsNothing(for: 100)
            kid.greet()
            try await kid.hears("REJECT", "no id", "code: 429", "retry-ms: 5000", in: 2...2)
            try talk.showsOrigin(talk.id(1), reachable: false)
            try await talk.pause(4_000)
            try await kid.isServed()
            try await talk.pause(10)
            try talk.showsOrigin(talk.id(1), reachable: true)
        }.at(.withFewLinks),
        Script("A claim on the name of such a child is heard once a link may begin anew") { talk in
            let (one, two) = (try await talk.child("kid"), try await talk.peer("kid", boot: "02"))
            one.repliesToPing = false
            for number in 1...2 { try await talk.shown(number, by: one) }
            for _ in 1...2 {
                one.say("BYE")
                try await one.isServed()
            }
            two.greet(boot: "02")
            try await talk.pause(10)
            one.say("BYE")
            try await two.hearsNothing(for: 100)
            two.greet(boot: "02")
            try await two.hears("REJECT", "no id", "code: 429", in: 2...2)
            try await talk.pause(4_000)
            two.greet(boot: "02")
            try await two.hears("WELCOME", in: 2...2)
        }.at(.withFewLinks),
    ]
}

extension Hop {
    /// A node with people, where two presentations are many, and two links may begin at once.
    fileprivate static let withFewLinks = top.made { parts, _ in
        parts.limits.lightChildMax = 1
        parts.limits.newLinksMax = 2
    }
}
