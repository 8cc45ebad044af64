/// What a rule does with an error that it matches.
public enum RuleAction: Hashable, Sendable {
    /// It is not presented; the caller completes with reason `withheld`.
    case withhold
    /// Other words or another severity; domain, code and options stay.
    case rewrite(ReportRewrite)
    /// One more choice, run by this node.
    case addOption(AddedOption)
    /// Takes choices away, by id.
    case removeOption([String])
    /// Decides: picks an option, at most as often as its limit says. Past the limit, or where the
    /// option is not offered, the rule declines as if it had not matched.
    case answer(RuleAnswer)
    /// Takes these keys out of `userInfo`, also in the errors beneath.
    case redact([String])
    /// Offers the error to another node or endpoint instead of to `next`, once the rule's other
    /// actions are done; rules after it are not asked. The name of a way in the ``RouteTable``.
    case route(String)
}
