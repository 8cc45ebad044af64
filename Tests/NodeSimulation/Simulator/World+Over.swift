import ErrorBus

/// When a world ends.
extension World {
    /// Nothing is under way, and nothing more will come.
    var isOver: Bool {
        scheduler.now > start + allBegunAfter && areAsksOver && areDecisionsOver
            && ledger.prompts.values.allSatisfy { $0 == 0 }
            && talks.allSatisfy(\.isOver)
            && ledger.bareReplies.values.allSatisfy { !$0.isEmpty }
            && ledger.bareSeconds.values.allSatisfy { !$0.isEmpty }
            && (lives.count == plan.processes.count
                || plan.processes.allSatisfy {
                    lives[$0.name] != nil || plan.goesForGood($0.name)
                })
    }

    private var areAsksOver: Bool {
        while overCounts.asks < ledger.asks.count {
            let isOver =
                !ledger.asks[overCounts.asks].completions.isEmpty
                || ledger.asks[overCounts.asks].isLifeOver
            guard isOver else { return false }
            overCounts.asks += 1
        }
        return true
    }

    private var areDecisionsOver: Bool {
        while overCounts.decisions < ledger.decisions.count {
            let decision = ledger.decisions[overCounts.decisions]
            // A bare client says nothing of what it carries out.
            guard let result = decision.result,
                result != .unknown || ledger.bareAsks[decision.id] != nil
            else { return false }
            overCounts.decisions += 1
        }
        return true
    }
}
