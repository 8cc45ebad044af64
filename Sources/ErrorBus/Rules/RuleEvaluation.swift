/// What rules made of one error.
package struct RuleEvaluation: Sendable {
    package enum Ending: Sendable {
        case withheld(by: Rule)
        case answered(RuleAnswer, by: Rule)
        /// It goes on by another way than `next`.
        case routed(String, by: Rule)
        /// No rule decided: it goes on.
        case passed
    }

    package let ending: Ending
    /// The error as the rules left it.
    package let error: any Error
    /// Every rule that matched and was asked, in order.
    package internal(set) var steps: [RuleStep]

    /// The report as it came, where rules changed it.
    var changedReport: ErrorReport? {
        for case .changed(let before, let after) in steps.lazy.filter({ !$0.rule.isDryRun })
            .map(\.effect) where before != after
        {
            return before
        }
        return nil
    }

    /// With only those steps.
    func keeping(_ isKept: (RuleStep) -> Bool) -> RuleEvaluation {
        var result = self
        result.steps = steps.filter(isKept)
        return result
    }
}
