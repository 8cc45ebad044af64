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
    /// Attempts of an option that no presenter is on record for.
    var attemptsUnchosen = 0
    /// Completions with an answer that no presenter is on record for.
    var disagreements = 0
    /// Answers beyond the first that one presenter has on record for a presentation.
    var duplicateDecisions = 0
    /// Decisions for an option that was not offered to their presenter.
    var notOffered = 0
    /// Decisions, of a presenter and an origin that live, that have no result.
    var unsettled = 0
    /// Results on record at a presenter that are not what its origin completed with.
    var untrueResults = 0
    /// Prompts shown and presentations waiting when the run was over.
    var openAtEnd = 0

    var lost: Int { presented - completed - originDied }

    /// Whether nothing is on its way: no prompt, no presentation, no result.
    var isSettled: Bool { openAtEnd == 0 && unsettled == 0 }

    /// What has to be 0, by its name, in the order of the table.
    private var faults: [(name: String, count: Int)] {
        [
            ("duplicateCompletions", duplicateCompletions), ("lost", lost),
            ("duplicatePrompts", duplicatePrompts), ("misrouted", misrouted),
            ("attemptsOverOne", attemptsOverOne), ("attemptsUnchosen", attemptsUnchosen),
            ("disagreements", disagreements), ("duplicateDecisions", duplicateDecisions),
            ("notOffered", notOffered), ("unsettled", unsettled),
            ("untrueResults", untrueResults), ("openAtEnd", openAtEnd),
        ]
    }

    /// The table's rows.
    var rows: [(name: String, count: Int)] {
        [
            ("presented", presented), ("completed", completed), ("answered", answered),
            ("originDied", originDied),
        ] + faults
    }

    /// What does not hold, a sentence each.
    ///
    /// - Parameter expected: How many were to be presented.
    func violations(expected: Int, everyEndIsAnAnswer: Bool) -> [String] {
        var found: [String] = []
        if presented != expected { found.append("presented \(presented) of \(expected)") }
        for (name, count) in faults where count != 0 {
            found.append("\(name) is \(count), must be 0")
        }
        if everyEndIsAnAnswer, answered != completed {
            found.append("\(completed - answered) ended without an answer")
        }
        return found
    }
}
