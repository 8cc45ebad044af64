import ErrorBus

// What is put to people, and what they read of it.
extension Talk {
    /// A report, with more keys, and these options.
    static func trouble(
        _ code: Int = 7, _ more: String = "", options: String = Talk.options
    ) -> String {
        """
        {"domain": "simulation.talk", "code": \(code), "description": "Trouble \(code).",
        \(more.isEmpty ? "" : more + ",") "recoveryOptions": [\(options)]}
        """
    }

    /// The options of an error that one person cannot fix.
    static let wipe = """
        {"id": "wipe", "title": "Wipe", "twoPeople": true}, {"id": "skip", "title": "Skip"}
        """

    /// A report of an option that asks for these fields.
    static func asking(_ fields: String, _ more: String = "") -> String {
        trouble(7, more, options: #"{"id": "set", "title": "Set", "fields": [\#(fields)]}"#)
    }

    /// The answer has reached the child, which reports its result.
    func carriedOut(
        _ number: Int, by child: Speaker, _ fields: String..., result: String = "recovered",
        line: Int = #line
    ) async throws {
        let said = try await child.hears("ANSWER", all: ["id: \(id(number))"] + fields, line: line)
        child.say(
            "SETTLED", "id: \(id(number))", "answer: \(said["answer"] ?? "")", "result: \(result)")
        try await pause(5)
    }

    /// The same of several answers, in any order.
    func allCarriedOut(
        _ numbers: [Int], by child: Speaker, _ fields: String..., line: Int = #line
    ) async throws {
        var left = Set(numbers.map { "\(id($0))" })
        while !left.isEmpty {
            let said = try await child.hears("ANSWER", all: fields, line: line)
            guard let id = left.remove(said["id"] ?? "") else {
                throw Misspoken(description: "line \(line): \(child.name) hears \(said)")
            }
            child.say(
                "SETTLED", "id: \(id)", "answer: \(said["answer"] ?? "")", "result: recovered")
        }
        try await pause(5)
    }

    /// The child gives up.
    func withdraws(_ number: Int, by child: Speaker, line: Int = #line) async throws {
        child.say("WITHDRAW", "id: \(id(number))", "reason: origin")
        try await desk.hides(id(number), line: line)
        try await child.hears("WITHDRAWN", "id: \(id(number))", line: line)
    }

    /// What this node's log says of the end of a presentation, and by whom.
    func ends(of number: Int) -> [String] {
        events.filter { $0.id == id(number) }.compactMap { event in
            if case .ended(_, let reason, _, let decider, _) = event.what {
                return "\(reason) \(decider)"
            }
            return nil
        }
    }
}

extension Speaker {
    /// Its error is not presented, which it settles.
    func isWithheld(_ id: PresentationID, _ fields: String..., line: Int = #line) async throws {
        let said = try await hears(
            "ANSWER",
            all: ["id: \(id)", "did-recover: false", "reason: withheld", "no option"] + fields,
            line: line)
        say("SETTLED", "id: \(id)", "answer: \(said["answer"] ?? "")", "result: failed")
    }
}

extension Desk {
    /// The reason why the inbox refuses this; nil where it does not.
    func refusal(_ body: () throws -> Void) -> InboxRefusal? {
        do { try body() } catch { return error as? InboxRefusal }
        return nil
    }

    /// These prompts go, in any order.
    func hidesAll(
        _ ids: [PresentationID], in time: ClosedRange<UInt64> = 0...200, line: Int = #line
    ) async throws {
        var left = Set(ids)
        while !left.isEmpty {
            let next = await seen.next(within: time.upperBound)
            guard let next, next.what == "hidden", left.remove(next.prompt.id) != nil else {
                throw Misspoken(
                    description: "line \(line): people see "
                        + "\(next.map { "\($0.what) \($0.prompt.id)" } ?? "nothing")")
            }
        }
    }

    /// The inbox refuses this, for such a reason.
    func refuses(
        for isReason: (InboxRefusal) -> Bool, line: Int = #line, _ body: () throws -> Void
    ) throws {
        let reason = refusal(body)
        guard let reason, isReason(reason) else {
            throw Misspoken(
                description: "line \(line): refused with \(reason.map { "\($0)" } ?? "nothing")")
        }
    }

    /// What people read about a presentation is so.
    func reads(
        _ id: PresentationID, _ isSo: (InboxItem) -> Bool, line: Int = #line
    ) throws {
        let item = try item(id, line: line)
        guard isSo(item) else {
            throw Misspoken(description: "line \(line): people read \(item.stage) of \(id)")
        }
    }

    /// The only open group.
    func group(line: Int = #line) throws -> InboxGroup {
        guard let group = inbox.groups.first, inbox.groups.count == 1 else {
            throw Misspoken(description: "line \(line): people see \(inbox.groups.count) groups")
        }
        return group
    }

    /// This person's claim, and no other, is in force.
    func isClaimed(_ id: PresentationID, by person: String?, line: Int = #line) throws {
        let item = try item(id, line: line)
        guard item.stage.claim?.person == person else {
            throw Misspoken(description: "line \(line): people read \(item.stage) of \(id)")
        }
    }
}

extension InboxRefusal {
    var isClaimed: Bool { if case .claimed = self { true } else { false } }
    var isAnswered: Bool { if case .answered = self { true } else { false } }
    var isClosed: Bool { if case .closed = self { true } else { false } }
    var isTooLong: Bool { if case .tooLong = self { true } else { false } }
    var isUnknown: Bool { if case .unknown = self { true } else { false } }
    var isUnknownGroup: Bool { if case .unknownGroup = self { true } else { false } }
    var isNotOffered: Bool { if case .notOffered = self { true } else { false } }
    var isForTwo: Bool { if case .needsTwoPeople = self { true } else { false } }
    var isProposed: Bool { if case .proposed = self { true } else { false } }
    var isOtherProposal: Bool { if case .otherProposal = self { true } else { false } }
    var isSamePerson: Bool { if case .samePerson = self { true } else { false } }
    var isBadValue: Bool { if case .badValue = self { true } else { false } }
    var isOtherAnswer: Bool { if case .otherAnswer = self { true } else { false } }
    var isOtherNote: Bool { if case .otherNote = self { true } else { false } }
    var isTooManyNotes: Bool { if case .tooManyNotes = self { true } else { false } }
    var isTakenBack: Bool { if case .takenBack = self { true } else { false } }
    var isNothingToUndo: Bool { if case .nothingToUndo = self { true } else { false } }
    var isNoProposal: Bool { if case .noProposal = self { true } else { false } }
    var isUnsignable: Bool { if case .cannotSign = self { true } else { false } }
}

extension Talk {
    /// A field for a whole number from 1 to 9.
    static let count = """
        {"name": "count", "label": "Count", "kind": "number", "min": 1, "max": 9, "whole": true}
        """
}
