package import ErrorBus
import Foundation

/// The trial of rules with presentations of the past, oldest first.
///
/// The trial applies the rules as a live node does, at the time of each presentation, with their
/// limits; a `dryRun` does not count. An answer does not count either if the presentation ended
/// within the rule's delay: a node gives none then.
struct RuleTrial {
    /// A use of a limit by an answer that is not given. A node takes it back at the end of the
    /// presentation.
    private struct PassingUse {
        let rule: Rule
        let report: ErrorReport
        let origin: NodeName
        let time: ContinuousClock.Instant
        let end: ContinuousClock.Instant
    }

    private let list: RuleList
    private let node: NodeName
    private let now: Moment
    private var limiter = IntensityLimiter()
    private var passing: [PassingUse] = []
    private var steps = 0
    private(set) var view: RuleTrialView

    /// - Parameters:
    ///   - node: The origin of the node's own errors.
    ///   - view: The result without counts.
    init(_ rules: [Rule], of node: NodeName, _ view: RuleTrialView, at now: Moment) {
        list = RuleList(
            name: "policy", file: "", book: RuleBook(rules.map(\.acting), mode: .firstMatch))
        self.node = node
        self.now = now
        self.view = view
    }

    /// - Throws: When the patterns take too many steps.
    mutating func add(_ row: PastRow) throws(Failure) {
        guard let past = row.presentation, let opened = Moment(row.row.openedAt, at: now) else {
            view.unread += 1
            return
        }
        let origin = past.origin ?? node
        steps += list.book.rules.reduce(0) { $0 + $1.match.cost(of: past.report, origin: origin) }
        guard steps <= ConsoleLimits.matchStepMax else {
            throw Failure(
                .usage,
                "the patterns take more than \(ConsoleLimits.matchStepMax) steps for what was "
                    + "presented: try fewer days, or texts instead of patterns")
        }
        view.compared += 1
        takeBack(at: opened.instant)
        let over = past.endUnanswered.flatMap { Moment($0.time, at: now)?.instant }
        let isExpired = past.endUnanswered?.isExpiry == true
        let (reading, isPrevented) = evaluate(
            past.report, origin: origin, opened, deadline: isExpired ? over : nil)
        if isPrevented, case .passed = reading.ending { return view.add(endedWithinDelay: past) }
        guard !reading.steps.isEmpty else { return }
        guard case .answered(let answer, let rule) = reading.ending, let end = over,
            !isExpired, opened.instant.duration(to: end) < answer.delay
        else { return view.add(reading, past) }
        view.add(endedWithinDelay: past)
        guard answer.limit != nil else { return }
        passing.append(
            PassingUse(
                rule: rule, report: past.report, origin: origin, time: opened.instant, end: end))
    }

    /// Takes the uses back whose presentation has ended.
    private mutating func takeBack(at now: ContinuousClock.Instant) {
        guard passing.contains(where: { $0.end <= now }) else { return }
        for use in passing where use.end <= now {
            limiter.takeBack(use.rule, on: use.report, from: use.origin, at: use.time)
        }
        passing.removeAll { $0.end <= now }
    }

    /// Applies the rules at that moment.
    ///
    /// - Parameter deadline: A rule whose delay passes it declines.
    /// - Returns: The reading, and whether the deadline kept a rule from its answer.
    private mutating func evaluate(
        _ report: ErrorReport, origin: NodeName, _ moment: Moment,
        deadline: ContinuousClock.Instant?
    ) -> (reading: RuleReading, isPrevented: Bool) {
        // A closure that escapes cannot change self.
        var limiter = IntensityLimiter()
        swap(&limiter, &self.limiter)
        defer { swap(&limiter, &self.limiter) }
        var isPrevented = false
        let reading = list.evaluate(
            report, origin: origin, date: moment.date,
            prevents: { _, answer, _ in
                guard let deadline, moment.instant + answer.delay > deadline else { return false }
                isPrevented = true
                return true
            },
            permits: { rule, limit, report in
                limiter.use(rule, on: report, from: origin, within: limit, at: moment.instant)
            })
        return (reading, isPrevented)
    }
}

extension PastPresentation {
    /// Whether the answer has the values of a rule's answer, defaults included, apart from secrets,
    /// which no journal has.
    fileprivate func hasValues(of answer: RuleAnswer) -> Bool {
        let fields = report.fields[answer.option] ?? []
        let checked = try? FieldValues(answer.values(for: fields), for: fields)
        return (checked?.given.values ?? [:]) == values
    }
}

extension Rule {
    /// The rule without its dry run.
    fileprivate var acting: Rule {
        Rule(
            match: match, actions: actions, position: position, schedule: schedule, line: line)
    }
}

/// The result of a trial, as the console's reply.
package struct RuleTrialView: JSONObject, Sendable {
    /// The first moment that counts.
    package var since = ""
    /// Whether there were more than `countMax` presentations, so that only the latest count.
    package var isCut = false
    var countMax = ConsoleLimits.trialCountMax
    /// The number of presentations that the rules were compared with.
    package var compared = 0
    /// The number of presentations without a report in the journal.
    package var unread = 0
    /// The number of presentations that a rule matches.
    package var matched = 0
    /// The number of presentations that a rule answers.
    package var answered = 0
    /// The number of these that people answered with the same option and values.
    package var same = 0
    /// The presentations that people answered with another option, by that option.
    package var otherwise: [TrialPart] = []
    /// The presentations that people answered with the same option and other values, by the option.
    package var otherValues: [TrialPart] = []
    /// The presentations that no person answered, by their end.
    package var unanswered: [TrialPart] = []
    /// The presentations that match and that no rule decides, by the reason of the first rule that
    /// declines.
    package var declined: [TrialPart] = []
    package var withheld = 0
    package var routed = 0
    /// The number of presentations that rules change, and do not decide.
    package var changed = 0

    package init() {}

    init(since: String, isCut: Bool, countMax: Int) {
        self.since = since
        self.isCut = isCut
        self.countMax = countMax
    }

    package static let members: [JSONMember<RuleTrialView>] = [
        .init("since", \.since), .init("isCut", \.isCut), .init("countMax", \.countMax),
        .init("compared", \.compared), .init("unread", \.unread), .init("matched", \.matched),
        .init("answered", \.answered), .init("same", \.same), .init("otherwise", \.otherwise),
        .init("otherValues", \.otherValues), .init("unanswered", \.unanswered),
        .init("declined", \.declined),
        .init("withheld", \.withheld), .init("routed", \.routed), .init("changed", \.changed),
    ]

    /// The reason, in a word and for people, of an answer that is not given since the presentation
    /// ended within the rule's delay.
    static let endedWithinDelay = ("endedWithinDelay", "ended within its delay")

    fileprivate mutating func add(endedWithinDelay past: PastPresentation) {
        matched += 1
        declined.add(past, to: Self.endedWithinDelay.0)
    }

    fileprivate mutating func add(_ reading: RuleReading, _ past: PastPresentation) {
        matched += 1
        switch reading.ending {
        case .answered(let answer, _):
            answered += 1
            guard let chosen = past.chosen else { return unanswered.add(past, to: past.end) }
            guard chosen == answer.option else { return otherwise.add(past, to: chosen) }
            if past.hasValues(of: answer) { same += 1 } else { otherValues.add(past, to: chosen) }
        case .withheld: withheld += 1
        case .routed: routed += 1
        case .passed:
            let refusals = reading.steps.compactMap { step -> RuleStep.Refusal? in
                if case .declined(let refusal) = step.effect { refusal } else { nil }
            }
            if let refusal = refusals.first {
                declined.add(past, to: refusal.word)
            } else {
                changed += 1
            }
        }
    }
}

/// Presentations of a trial that have something in common.
package struct TrialPart: JSONObject, Sendable {
    fileprivate static let idCountMax = 20

    /// The option's id, the end or the reason.
    package var what = ""
    package var count = 0
    /// The ids of the latest ones, oldest first.
    package var ids: [String] = []

    package init() {}

    package static let members: [JSONMember<TrialPart>] = [
        .init("what", \.what), .init("count", \.count), .init("ids", \.ids),
    ]
}

extension [TrialPart] {
    fileprivate mutating func add(_ past: PastPresentation, to what: String) {
        var part = TrialPart()
        part.what = what
        let index = firstIndex { $0.what == what } ?? endIndex
        if index < endIndex { part = remove(at: index) }
        part.count += 1
        part.ids = [String]((part.ids + [past.row.id]).suffix(TrialPart.idCountMax))
        insert(part, at: index)
    }
}

extension RuleTrialView {
    /// The result for people.
    package var lines: [String] {
        let all = compared == 1 ? "1 presentation" : "\(compared) presentations"
        var lines = ["\(matched) of \(all) since \(since.shown()) match"]
        if isCut { lines[0] += "; only the latest \(countMax) count" }
        let others = (otherwise + otherValues).reduce(0) { $0 + $1.count }
        let rest = unanswered.reduce(0) { $0 + $1.count }
        lines.append(
            "would have answered \(answered): \(same) as people did, \(others) otherwise, "
                + "\(rest) that no person answered")
        lines += otherwise.map { "  people chose \($0.words)" }
        lines += otherValues.map { part in
            "  people chose \(part.what.shown()) with other values \(part.count): \(part.idWords)"
        }
        lines += unanswered.map { "  ended \($0.words)" }
        lines += declined.map { part in
            let (word, words) = Self.endedWithinDelay
            let refusal = RuleStep.Refusal.Kind(rawValue: part.what)
            let known = part.what == word ? words : refusal?.words
            let reason = known ?? part.what.shown()
            return "would have declined \(part.count), \(reason): \(part.idWords)"
        }
        for (count, word) in [(withheld, "withheld"), (routed, "routed"), (changed, "changed")]
        where count > 0 {
            lines.append("would have \(word) \(count)")
        }
        if unread > 0 { lines.append("\(unread) not compared: the journal has no report of them") }
        return lines
    }
}

extension TrialPart {
    fileprivate var words: String {
        "\(what.shown()) \(count): \(idWords)"
    }

    fileprivate var idWords: String {
        let more = count > ids.count ? " and \(count - ids.count) before" : ""
        return "\(ids.map { $0.shown() }.joined(separator: " "))\(more)"
    }
}
