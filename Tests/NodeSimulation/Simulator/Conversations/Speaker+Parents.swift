import ErrorBus

// What a parent says and hears again and again.
extension Speaker {
    /// Hears PRESENT of this presentation next.
    @discardableResult
    func isAsked(
        _ id: PresentationID, _ fields: String..., in time: ClosedRange<UInt64> = 0...150,
        line: Int = #line
    ) async throws -> Said {
        try await hears("PRESENT", all: ["id: \(id)"] + fields, in: time, line: line)
    }

    /// Hears PRESENT of this presentation next, and accepts it.
    @discardableResult
    func takes(
        _ id: PresentationID, _ fields: String..., in time: ClosedRange<UInt64> = 0...150,
        line: Int = #line
    ) async throws -> Said {
        let said = try await hears("PRESENT", all: ["id: \(id)"] + fields, in: time, line: line)
        accept(id, said["attempt"] ?? "")
        return said
    }

    func accept(_ id: PresentationID, _ attempt: String) {
        say("ACCEPTED", "id: \(id)", "attempt: \(attempt)")
    }

    func refuse(_ id: PresentationID, _ code: Int, retry: UInt64? = nil) {
        say(
            "REJECT",
            ["id: \(id)", "code: \(code)", "reason: so"]
                + (retry.map { ["retry-ms: \($0)"] } ?? []))
    }

    /// Of a parent: PENDING with this state.
    func pending(_ id: PresentationID, _ state: String, _ fields: String...) {
        say("PENDING", ["id: \(id)", "state: \(state)"] + fields)
    }

    /// Hears the result of this answer next. With `asked` it names the presentation, for a life of
    /// the parent that may not know it.
    @discardableResult
    func learns(
        _ id: PresentationID, _ answer: PresentationID, _ result: String, asked: [String] = [],
        in time: ClosedRange<UInt64> = 0...150, line: Int = #line
    ) async throws -> Said {
        try await hears(
            "SETTLED",
            all: ["id: \(id)", "answer: \(answer)", "result: \(result)"]
                + (asked.isEmpty ? ["no origin", "no digest"] : asked), in: time, line: line)
    }
}

extension Speaker {
    /// Hears only this verb for so many milliseconds, and returns how often.
    func hearsNothingBut(_ verb: String, for time: UInt64, line: Int = #line) async throws -> Int {
        let end = talk.now + time
        var count = 0
        while talk.now < end, let said = await heard.next(within: end - talk.now) {
            guard said.verb == verb else {
                throw Misspoken(
                    description: "line \(line): \(name) expects \(verb) alone; hears \(said)")
            }
            count += 1
        }
        return count
    }
}

extension Script {
    /// The same at another node.
    func at(_ hop: Hop) -> Script { Script(rule, hop, play) }

    /// The same, where unread outcomes, and unread AWAIT at a parent, fail nothing in the end.
    var lenient: Script {
        Script(rule, hop) { talk in
            try await play(talk)
            talk.letBy()
        }
    }
}

extension Hop {
    /// The same with people, who are asked when no parent is reached for 2 s.
    var withPeople: Hop {
        with { $0.hasPeople = true }.set {
            $0.whenUnreachable = .presentLocally
            $0.grace = .seconds(2)
        }
    }

    /// The same, whose callers wait without a parent for so many milliseconds.
    func bearing(_ grace: UInt64) -> Hop {
        set {
            $0.whenUnreachable = .fail
            $0.grace = .milliseconds(grace)
        }
    }
}

// The links to the parents.
extension Talk {
    /// What names a presentation of a child to a parent that may not know it.
    static func asked(_ origin: String, _ report: String = Talk.report) -> [String] {
        ["origin: \(origin)", "digest: \(digest(report))"]
    }

    /// The connection breaks, and each side learns of it.
    func reset(_ peer: Speaker) { network.reset(link(to: peer)) }

    /// The first parent, which is linked, restarts, has these fields in WELCOME too, and is linked
    /// again.
    func restarted(_ welcome: String..., boot: String = "0c", line: Int = #line) async throws {
        up.welcome = welcome
        try await restartParent(boot: boot)
        try await up.isLinked(line: line)
    }

    /// The first parent says BYE, and the node goes over to the second one, whose boot is `0d`.
    func goesOver(line: Int = #line) async throws {
        try await up.isLinked(line: line)
        second.boot = "0d"
        up.say("BYE")
        try await second.isLinked(line: line)
    }

    /// Presents an error of the node, in a moment of its own.
    func asksNow(_ number: Int, deadline: UInt64? = nil) async throws -> OwnCall {
        let call = asks(id(number), deadline: deadline)
        try await pause(5)
        return call
    }

    /// Forgets outcomes and AWAIT that nothing has read.
    func letBy() {
        for call in calls { call.outcomes.clear() }
        for parent in parents where parent.heard.unread.allSatisfy({ $0.verb == "AWAIT" }) {
            parent.heard.clear()
        }
    }

    /// An error of the node that has its answer from the first parent, whose result is reported.
    func hasSettled(_ number: Int, line: Int = #line) async throws {
        let call = asks(id(number))
        try await up.isAsked(id(number), line: line)
        up.answer(id(number), as: id(100 + number))
        try await up.learns(id(number), id(100 + number), "recovered", line: line)
        try await call.ends(.answered, didRecover: true, line: line)
    }
}
