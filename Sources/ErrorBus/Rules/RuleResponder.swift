public import Logging
import Synchronization

/// A responder made of rules, for nodes without Swift code of their own: the `responders:` of a
/// topology (``RuleBook/Mode/everyMatch``) and policy files (``RuleBook/Mode/firstMatch``).
///
/// It withholds, rewrites, redacts and changes options in ``willPresentError(_:)``. A rule that
/// answers is asked first, in ``presentError(_:)``: it picks the option and the option's owner
/// runs the attempt, just as when a person picks it. What no rule answers goes on to `next`.
/// Errors that say "user cancelled" are never answered.
public final class RuleResponder: Responder {
    public let responderName: String
    /// Stands for the origin of errors that arose in this process.
    private let node: NodeName
    private let following: (any Responder)?
    private let commands: RuleCommands
    private let now: @Sendable () -> ContinuousClock.Instant
    private let audit: (any AuditLog)?
    private let decisions: Decisions
    private let logger: Logger
    private let state: Mutex<State>

    private struct State {
        var book: RuleBook
        var limiter = IntensityLimiter()
    }

    /// - Parameters:
    ///   - node: The node it stands in: in outcomes, in answers and as the origin of local errors.
    ///   - book: The rules; see ``replaceRules(_:)``.
    ///   - next: Whom to offer what no rule answers or withholds.
    ///   - commands: Runs what added options run.
    ///   - journal: Where decisions survive this process; nil for rules below a presenter.
    ///   - audit: Where what rules decide and withhold is written.
    ///   - now: The clock that limits are counted by.
    public init(
        _ node: NodeName, book: RuleBook, next: (any Responder)?, commands: RuleCommands,
        journal: (any DecisionJournal)? = nil, audit: (any AuditLog)? = nil, logger: Logger,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock().now }
    ) {
        responderName = node.description
        self.node = node
        following = next
        self.commands = commands
        self.audit = audit
        decisions = Decisions(
            by: node.description, journal: journal, audit: audit, logger: logger)
        self.logger = logger
        self.now = now
        state = Mutex(State(book: book))
    }

    public var next: (any Responder)? { get async { following } }

    /// Puts other rules in place, for errors that come from now on. What limits have counted
    /// stays counted, by the position of the rule.
    public func replaceRules(_ book: RuleBook) { state.withLock { $0.book = book } }

    public func willPresentError(_ error: any Error) async throws -> (any Error)? {
        switch apply(to: error, mayAnswer: false) {
        case .withheld: withheld(error)
        case .passed(let changed), .answered(let changed, _, _): changed
        }
    }

    public func presentError(_ error: any Error) async -> Outcome {
        await inPresentation { context in
            guard !UserCancellation.standard.matches(error),
                case .answered(let changed, let option, let rule) = apply(
                    to: error, mayAnswer: true)
            else { return await forwardError(error) }
            let answer = Answer(
                id: PresentationID.make().value, option: option,
                by: "policy \(node) rule \(rule.position)", via: .policy)
            await decisions.presenting(changed, context.id)
            return await decisions.carryOut(answer, changed, context.id)
        }
    }

    private func withheld(_ error: any Error) -> (any Error)? {
        if let id = PresentationContext.current?.id {
            audit?.record(AuditEvent(withholding: error, id, by: responderName))
        }
        return nil
    }

    private enum Verdict {
        case withheld
        case passed(any Error)
        case answered(any Error, option: String, by: Rule)
    }

    /// Without `mayAnswer` every rule that answers declines: `presentError` asked them before.
    private func apply(to error: any Error, mayAnswer: Bool) -> Verdict {
        let book = state.withLock(\.book)
        let origin = PresentedOrigin.current?.origin ?? node
        var current = error
        var report = ErrorReport(describing: error)
        for rule in book.rules where rule.match.matches(report, origin: origin) {
            if rule.withholds { return .withheld }
            if rule.answer != nil, !mayAnswer { continue }
            let changed = commands.applying(
                rule, to: current, report, origin: origin, logger: logger)
            if let (option, limit) = rule.answer {
                guard offers(option, changed), permits(rule, limit, report, origin) else {
                    continue
                }
                return .answered(changed, option: option, by: rule)
            }
            current = changed
            report = ErrorReport(describing: changed)
            if book.mode == .firstMatch { break }
        }
        return .passed(current)
    }

    private func offers(_ option: String, _ error: any Error) -> Bool {
        let options = ErrorReport(describing: error).options
        if options.isEmpty { return option == RecoveryOption.okay.option.id }
        return options.contains { $0.id == option }
    }

    private func permits(
        _ rule: Rule, _ limit: IntensityLimit?, _ report: ErrorReport, _ origin: NodeName
    ) -> Bool {
        guard let limit else { return true }
        let key = IntensityLimiter.Key(
            rule: rule.position, domain: report.domain, code: report.code, origin: origin)
        let isPermitted = state.withLock { $0.limiter.permits(key, within: limit, at: now()) }
        if !isPermitted {
            logger.debug(
                "rule declines, its limit is reached",
                metadata: ["rule": "\(rule.position)", "domain": "\(report.domain)"])
        }
        return isPermitted
    }
}
