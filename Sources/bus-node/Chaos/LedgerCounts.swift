import ErrorBus

/// What the ledger of a run came to. The names are those of the JSON.
struct LedgerCounts: Hashable, Sendable {
    var presented = 0
    /// Presentations with at least one completion.
    var completed = 0
    /// Completions that carry an answer.
    var answered = 0
    /// Presentations that ended with the process that had made them.
    var originDied = 0
    /// Completions beyond the first of a presentation.
    var duplicateCompletions = 0
    /// Prompts beside a live one of the same presentation, or after its decision.
    var duplicatePrompts = 0
    /// Completions and attempts in a process that had not made the presentation.
    var misrouted = 0
    /// Attempts beyond the first of a presentation in one life of its owner.
    var attemptsOverOne = 0
    /// Completions with an answer that nobody is on record for.
    var disagreements = 0
    /// Questions shown and presentations waiting when the run was over.
    var openAtEnd = 0

    var lost: Int { presented - completed - originDied }

    /// With the sentence that each stands for, in the order of the table.
    var rows: [(name: String, count: Int)] {
        [
            ("presented", presented), ("completed", completed), ("answered", answered),
            ("originDied", originDied), ("duplicateCompletions", duplicateCompletions),
            ("lost", lost), ("duplicatePrompts", duplicatePrompts), ("misrouted", misrouted),
            ("attemptsOverOne", attemptsOverOne), ("disagreements", disagreements),
            ("openAtEnd", openAtEnd),
        ]
    }

    /// What does not hold, a sentence each.
    ///
    /// - Parameter expected: How many were to be presented.
    func violations(expected: Int, everyEndIsAnAnswer: Bool) -> [String] {
        var found: [String] = []
        if presented != expected { found.append("presented \(presented) of \(expected)") }
        for (name, count) in [
            ("lost", lost), ("duplicateCompletions", duplicateCompletions),
            ("duplicatePrompts", duplicatePrompts), ("misrouted", misrouted),
            ("attemptsOverOne", attemptsOverOne), ("disagreements", disagreements),
            ("openAtEnd", openAtEnd),
        ] where count != 0 {
            found.append("\(name) is \(count), must be 0")
        }
        if everyEndIsAnAnswer, answered != completed {
            found.append("\(completed - answered) ended without an answer")
        }
        return found
    }
}
