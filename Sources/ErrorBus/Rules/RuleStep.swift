/// One rule that matched, and what it did: what explanations and logs are made of.
package struct RuleStep: Sendable {
    package enum Effect: Hashable, Sendable {
        /// The report before and after; equal when there was nothing to change.
        case changed(from: ErrorReport, to: ErrorReport)
        case withheld
        case answered(RuleAnswer)
        /// Sent another way than to `next`.
        case routed(String)
        case declined(Refusal)
    }

    /// Why a rule that matches does nothing.
    package enum Refusal: Hashable, Sendable {
        case outsideSchedule(RuleSchedule)
        case notOffered(String, offered: [String])
        case limitReached(IntensityLimit)
    }

    package let rule: Rule
    /// With ``Rule/isDryRun`` what it would have done.
    package let effect: Effect
}
