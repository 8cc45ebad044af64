package import Logging
import Synchronization

/// A responder made of rules, for nodes without Swift code of their own: the `responders:` of a
/// topology (``RuleBook/Mode/everyMatch``) and policy files (``RuleBook/Mode/firstMatch``).
///
/// The responder withholds, rewrites, redacts and changes options in ``willPresentError(_:in:)``. A
/// rule may also route the error elsewhere than to `next`, through ``RouteTable``. Rules that
/// answer run first, in ``presentError(_:in:)``: they choose the option and its owner runs the
/// attempt, as for a person's answer. An error that no rule answers goes on to `next`. No rule
/// answers a user cancellation.
package final class RuleResponder: Responder {
    package let responderName: String
    /// The name of the node, which is also the origin of errors that arose in this process.
    private let node: NodeName
    /// The author of the answers, without the rule.
    private let author: String
    private let following: (any Responder)?
    private let commands: RuleCommands
    private let timing: RuleTiming
    private let audit: (any AuditLog)?
    private let decisions: Decisions
    private let logger: Logger
    private let routes: RouteTable
    private let state: Mutex<State>

    private struct State {
        var book: RuleBook
        var limiter = IntensityLimiter()
    }

    /// - Parameters:
    ///   - node: The name of its node: in outcomes, in answers and as the origin of local errors.
    ///   - policy: The name of the policy in the author of its answers; see
    ///     ``author(of:policy:)``.
    ///   - book: The rules; see ``replaceRules(_:)``.
    ///   - next: The responder that gets the errors which no rule answers or withholds.
    ///   - routes: The destinations of rules that route.
    ///   - commands: Runs the commands of added options.
    ///   - journal: The store of decisions that survive this process; nil for rules below a
    ///     presenter.
    ///   - audit: The log of what rules decide and withhold.
    ///   - timing: The clocks of limits, delays and schedules.
    package init(
        _ node: NodeName, policy: String? = nil, book: RuleBook, next: (any Responder)?,
        routes: RouteTable = RouteTable(), commands: RuleCommands,
        journal: (any DecisionJournal)? = nil, audit: (any AuditLog)? = nil, logger: Logger,
        timing: RuleTiming = RuleTiming()
    ) {
        responderName = node.description
        self.node = node
        author = Self.author(of: node, policy: policy)
        following = next
        self.routes = routes
        self.commands = commands
        self.audit = audit
        decisions = Decisions(
            by: node.description, journal: journal, audit: audit, logger: logger)
        self.logger = logger
        self.timing = timing
        state = Mutex(State(book: book))
    }

    /// The author of the answers of a node's rules, without the rule.
    ///
    /// - Parameter policy: The name of the policy, if the node has other rules; else nil.
    package static func author(of node: NodeName, policy: String?) -> String {
        "policy \(node)" + (policy.map { " \($0)" } ?? "")
    }

    package var next: (any Responder)? { get async { following } }

    /// Replaces the rules for errors that arrive from now on. Limits keep their counts, by the
    /// position of the rule.
    package func replaceRules(_ book: RuleBook) { state.withLock { $0.book = book } }

    package func willPresentError(
        _ error: any Error, in context: PresentationContext
    ) async throws -> (any Error)? {
        changed(error, in: context).error
    }

    /// The error as the rules changed it, nil if they withhold it, and its destination.
    private func changed(
        _ error: any Error, in context: PresentationContext
    ) -> (error: (any Error)?, route: String?) {
        let evaluation = walk(context, at: timing.now()).changing(error)
        note(evaluation, ErrorReport(describing: error), context)
        let route: String?
        switch evaluation.ending {
        case .withheld:
            audit?.record(
                PresentationEvent(
                    context.id,
                    .ended(
                        ErrorReport(describing: error), .withheld,
                        origin: context.received?.origin, by: responderName)))
            return (nil, nil)
        case .routed(let name, _): route = name
        case .answered, .passed: route = nil
        }
        // An unchanged error goes on as it came, unparsed where possible.
        guard let before = evaluation.changedReport else { return (evaluation.error, route) }
        return (
            evaluation.error.rewriting { $0.noteChanges(from: before, by: node) }, route
        )
    }

    package func presentError(
        _ error: any Error, in context: PresentationContext
    ) async -> Outcome {
        await carryOn(context) { context in
            guard let chosen = choice(error, in: context) else {
                return await passOn(error, in: context)
            }
            let end = await pause(chosen.wait, in: context)
            if end != .over { takeBack(chosen, in: context) }
            switch end {
            case .over: break
            case .tooLong: return await passOn(error, in: context)
            case .withdrawn:
                return Outcome(didRecover: false, reason: .withdrawn, decidedBy: responderName)
            }
            guard let answer = answer(chosen.answer, by: chosen.rule, to: chosen.error) else {
                takeBack(chosen, in: context)
                return await passOn(error, in: context)
            }
            await decisions.presenting(chosen.error, in: context)
            // Withdrawn during the write: if presented again, another answer may count.
            guard !Task.isCancelled else {
                takeBack(chosen, in: context)
                return Outcome(didRecover: false, reason: .withdrawn, decidedBy: responderName)
            }
            guard !isLate(context) else {
                takeBack(chosen, in: context)
                return await decisions.expire(chosen.error, in: context)
                    ?? Outcome(didRecover: false, reason: .expired, decidedBy: responderName)
            }
            return await decisions.carryOut(answer, chosen.error, in: context) { standing in
                // Refused or withdrawn before it was recorded, or another answer counts.
                if standing.isOver, standing != .recorded { takeBack(chosen, in: context) }
            }
        }
    }

    private struct Choice {
        let answer: RuleAnswer
        let rule: Rule
        /// The error as the earlier rules changed it.
        let error: any Error
        /// The time until the answer: its delay and a part of its jitter.
        let wait: Duration
        /// The time at which the limit counted the answer.
        let countedAt: ContinuousClock.Instant
    }

    /// The answer of a rule to an error; nil if no rule answers. Apart from the call that waits, so
    /// that the waiting call keeps nothing of the walk.
    @inline(never)
    private func choice(_ error: any Error, in context: PresentationContext) -> Choice? {
        let now = timing.now()
        var wait = Duration.zero
        let walk = walk(context, at: now) { [self] rule, answer, changed in
            wait = answer.delay + timing.part(answer.jitter)
            guard
                let why = obstacle(to: answer.option, of: changed, at: now + wait, in: context)
            else { return false }
            logger.notice(
                "rule does not answer: \(why)",
                metadata: [
                    "rule": "\(rule.position)", "option": "\(answer.option)",
                    "id": "\(context.id)",
                ])
            return true
        }
        guard let evaluation = walk.answering(error) else { return nil }
        note(evaluation.keeping { $0.rule.answer != nil }, ErrorReport(describing: error), context)
        guard case .answered(let answer, let rule) = evaluation.ending else { return nil }
        return Choice(
            answer: answer, rule: rule, error: evaluation.error, wait: wait, countedAt: now)
    }

    /// Takes a rule's answer out of the count of its limit: the rule does not give it.
    private func takeBack(_ chosen: Choice, in context: PresentationContext) {
        guard chosen.answer.limit != nil else { return }
        let report = ErrorReport(describing: chosen.error)
        let origin = context.received?.origin ?? node
        state.withLock {
            $0.limiter.takeBack(chosen.rule, on: report, from: origin, at: chosen.countedAt)
        }
    }

    /// The answer with its values, which the walk has checked.
    private func answer(_ chosen: RuleAnswer, by rule: Rule, to error: any Error) -> Answer? {
        let fields = ErrorReport(describing: error).fields[chosen.option] ?? []
        let given = GivenValues(chosen.values(for: fields), for: fields)
        return try? Answer(
            option: chosen.option, by: "\(author) rule \(rule.position)", via: .policy,
            values: given.values, secrets: given.secrets, comment: chosen.comment
        ).filled(for: fields)
    }

    /// The reason why no rule may choose an option at that time; nil if a rule may.
    private func obstacle(
        to option: String, of error: any Error, at time: ContinuousClock.Instant,
        in context: PresentationContext
    ) -> String? {
        if error.unsignableOptions(in: context).contains(option) {
            return "the option needs a signature, and this node gives none"
        }
        if let deadline = context.deadline, time >= deadline {
            return "the deadline comes before the answer"
        }
        return nil
    }

    /// Passes the error to `next`, or to the destination that a rule chose.
    private func passOn(_ error: any Error, in context: PresentationContext) async -> Outcome {
        var route: String?
        return await forward(
            error, in: context,
            hook: { error, context in
                let changed = changed(error, in: context)
                route = changed.route
                return changed.error
            },
            offer: { error, context in
                guard let route else { return await offerToNext(error, in: context) }
                if let way = routes[route] { return await way.presentError(error, in: context) }
                logger.error(
                    "rule routes to a destination added since the start; passed to next instead",
                    metadata: ["route": "\(route)", "id": "\(context.id)"])
                return await offerToNext(error, in: context)
            })
    }

    // MARK: Rules

    /// - Parameters:
    ///   - now: The time at which limits count.
    ///   - prevents: Whether the presentation keeps a rule from answering.
    private func walk(
        _ context: PresentationContext, at now: ContinuousClock.Instant,
        prevents: @escaping RuleWalk.Obstacle = { _, _, _ in false }
    ) -> RuleWalk {
        let origin = context.received?.origin ?? node
        return RuleWalk(
            state.withLock(\.book), origin: origin, commands: commands, logger: logger,
            date: timing.date, prevents: prevents,
            permits: { [self] rule, limit, report in
                state.withLock {
                    $0.limiter.use(rule, on: report, from: origin, within: limit, at: now)
                }
            })
    }

    /// Logs the actions of dry runs, and rules at their limit.
    private func note(
        _ evaluation: RuleEvaluation, _ report: @autoclosure () -> ErrorReport,
        _ context: PresentationContext
    ) {
        for step in evaluation.steps {
            let text: Logger.Message
            switch step.effect {
            case .declined(.limitReached): text = "rule declines, its limit is reached"
            case .declined(.tooManyCounted):
                text = "rule declines, its limits count too many errors and origins already"
            case .declined(.needsTwoPeople(let option)):
                text = "rule declines, option \(option) needs two people"
            case .declined(.badValue(let option, let fault)):
                text = "rule declines, option \(option): \(fault)"
            case .answered(let answer) where step.rule.isDryRun:
                text = "dry run: rule would answer \(answer.option)"
            case .withheld where step.rule.isDryRun: text = "dry run: rule would withhold"
            case .routed(let name) where step.rule.isDryRun:
                text = "dry run: rule would route to \(name)"
            case .changed where step.rule.isDryRun: text = "dry run: rule would change the report"
            case .changed, .withheld, .answered, .routed, .declined: continue
            }
            logger.log(
                level: step.rule.isDryRun ? .notice : .info, text,
                metadata: [
                    "rule": "\(step.rule.position)", "domain": "\(report().domain)",
                    "id": "\(context.id)",
                ])
        }
    }

    // MARK: Delays

    private enum Pause {
        case over
        /// The deadline has passed.
        case tooLong
        case withdrawn
    }

    private func pause(_ wait: Duration, in context: PresentationContext) async -> Pause {
        if wait > .zero {
            context.stateChanged(PresentationState(.queued, by: author))
            do { try await timing.wait(wait) } catch { return .withdrawn }
        }
        return isLate(context) ? .tooLong : .over
    }

    /// Whether the deadline has passed, as while a process was stopped, or its disk was slow.
    private func isLate(_ context: PresentationContext) -> Bool {
        context.deadline.map { timing.now() >= $0 } ?? false
    }
}
