package import Foundation
package import Logging

/// The walk of one error through rules: the only code that applies rules, for live nodes and for
/// explanations.
package struct RuleWalk {
    /// A closure that says, before a rule answers, whether its limit allows the answer.
    package typealias Permission = (Rule, IntensityLimit, ErrorReport) -> IntensityLimiter.Use
    /// A closure that says whether the presentation keeps a rule from answering the error, which it
    /// gets as the rule changed it. The rule then declines.
    package typealias Obstacle = (Rule, RuleAnswer, any Error) -> Bool

    private let book: RuleBook
    private let origin: NodeName
    private let commands: RuleCommands
    private let date: () -> Date
    private let prevents: Obstacle
    private let permits: Permission
    private let logger: Logger

    /// - Parameters:
    ///   - origin: The node that the error arose in.
    ///   - date: The time, read only if a rule has a schedule.
    package init(
        _ book: RuleBook, origin: NodeName, commands: RuleCommands,
        logger: Logger, date: @escaping () -> Date,
        prevents: @escaping Obstacle = { _, _, _ in false },
        permits: @escaping Permission = { _, _, _ in .permitted }
    ) {
        self.book = book
        self.origin = origin
        self.commands = commands
        self.date = date
        self.prevents = prevents
        self.permits = permits
        self.logger = logger
    }

    /// The evaluation of the rules that answer, before the rest of the chain. Nil for user
    /// cancellations, which no rule answers.
    func answering(_ error: any Error) -> RuleEvaluation? {
        UserCancellation.standard.matches(error) ? nil : walk(error, mayAnswer: true)
    }

    /// The error after the rules that do not answer: withheld, or passed on as changed.
    func changing(_ error: any Error) -> RuleEvaluation { walk(error, mayAnswer: false) }

    /// The evaluation of both kinds of rules, in the order of a ``RuleResponder``.
    package func explain(_ error: any Error) -> RuleEvaluation {
        let answering = answering(error)
        if let answering, case .answered = answering.ending { return answering }
        var result = changing(error)
        let declined = answering?.steps.filter { $0.rule.answer != nil } ?? []
        result.steps = (declined + result.steps).sorted { $0.rule.position < $1.rule.position }
        return result
    }

    /// Walks the rules. Without `mayAnswer` it skips the rules that answer: they ran before.
    private func walk(_ error: any Error, mayAnswer: Bool) -> RuleEvaluation {
        var current = error
        var report = ErrorReport(describing: error)
        var steps: [RuleStep] = []
        for rule in book.rules where rule.match.matches(report, origin: origin) {
            if rule.answer != nil, !mayAnswer { continue }
            guard let (effect, changed) = apply(rule, to: current, report) else { continue }
            if case .routed = effect {
                let after = ErrorReport(describing: changed)
                if after != report {
                    steps.append(RuleStep(rule: rule, effect: .changed(from: report, to: after)))
                }
            }
            steps.append(RuleStep(rule: rule, effect: effect))
            if rule.isDryRun { continue }
            switch effect {
            case .declined: continue
            case .withheld:
                return RuleEvaluation(ending: .withheld(by: rule), error: current, steps: steps)
            case .answered(let answer):
                return RuleEvaluation(
                    ending: .answered(answer, by: rule), error: changed, steps: steps)
            case .routed(let name):
                return RuleEvaluation(
                    ending: .routed(name, by: rule), error: changed, steps: steps)
            case .changed(_, let after):
                current = changed
                report = after
            }
            if book.mode == .firstMatch { break }
        }
        return RuleEvaluation(ending: .passed, error: current, steps: steps)
    }

    /// The effect of a rule, and the error after it. Nil if the presentation prevents the answer.
    private func apply(
        _ rule: Rule, to error: any Error, _ report: ErrorReport
    ) -> (RuleStep.Effect, any Error)? {
        if let schedule = rule.schedule, !schedule.contains(date()) {
            return (.declined(.outsideSchedule(schedule)), error)
        }
        if rule.withholds { return (.withheld, error) }
        let changed = commands.applying(rule, to: error, report, origin: origin, logger: logger)
        if let name = rule.route { return (.routed(name), changed) }
        let after = ErrorReport(describing: changed)
        guard let answer = rule.answer else { return (.changed(from: report, to: after), changed) }
        let offered = after.offered
        guard let option = offered.first(where: { $0.id == answer.option }) else {
            let ids = offered.map(\.id)
            return (.declined(.notOffered(answer.option, offered: ids)), error)
        }
        if option.needsTwoPeople { return (.declined(.needsTwoPeople(answer.option)), error) }
        let values = answer.values(for: option.fields)
        do throws(FieldFault) { _ = try FieldValues(values, for: option.fields) } catch let fault {
            return (.declined(.badValue(answer.option, fault)), error)
        }
        // Before the limit, which counts only answers that are given.
        if prevents(rule, answer, changed) { return nil }
        guard let limit = answer.limit else { return (.answered(answer), changed) }
        switch permits(rule, limit, report) {
        case .permitted: return (.answered(answer), changed)
        case .limitReached: return (.declined(.limitReached(limit)), error)
        case .tooManyCounted: return (.declined(.tooManyCounted), error)
        }
    }
}

/// One rule that matched, and its effect, for explanations and logs.
package struct RuleStep: Sendable {
    package enum Effect: Hashable, Sendable {
        /// The report before and after; equal if there was nothing to change.
        case changed(from: ErrorReport, to: ErrorReport)
        case withheld
        case answered(RuleAnswer)
        /// Routed to another destination than `next`.
        case routed(String)
        case declined(Refusal)
    }

    /// The reason why a matching rule has no effect.
    package enum Refusal: Hashable, Sendable {
        case outsideSchedule(RuleSchedule)
        case notOffered(String, offered: [String])
        case limitReached(IntensityLimit)
        /// The limits of all rules already count as many errors and origins as they can.
        case tooManyCounted
        case needsTwoPeople(String)
        /// The option takes other values than those of the rule.
        case badValue(String, FieldFault)
    }

    package let rule: Rule
    /// The effect; with ``Rule/isDryRun``, the effect that the rule would have.
    package let effect: Effect
}

/// The effect of rules on one error.
package struct RuleEvaluation: Sendable {
    package enum Ending: Sendable {
        case withheld(by: Rule)
        case answered(RuleAnswer, by: Rule)
        /// The error goes on to another destination than `next`.
        case routed(String, by: Rule)
        /// The error goes on to `next`: no rule decided.
        case passed
    }

    package let ending: Ending
    /// The error after the rules.
    package let error: any Error
    /// Every rule that matched, in order.
    package internal(set) var steps: [RuleStep]

    /// The original report, if rules changed it.
    var changedReport: ErrorReport? {
        for case .changed(let before, let after) in steps.lazy.filter({ !$0.rule.isDryRun })
            .map(\.effect) where before != after
        {
            return before
        }
        return nil
    }

    /// The same evaluation with only those steps.
    func keeping(_ isKept: (RuleStep) -> Bool) -> RuleEvaluation {
        var result = self
        result.steps = steps.filter(isKept)
        return result
    }
}
