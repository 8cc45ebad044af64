import ErrorBus

/// The prompts at a terminal that one choice answers, in words: a group of equal prompts, or a
/// single one.
struct PromptGroup {
    struct Member {
        /// The number of the group's place in the queue.
        let number: Int
        let text: PromptText
    }

    /// The most lines about the members.
    private static let lineMax = 20

    /// The members, oldest first.
    let members: [Member]

    /// The different texts, escaped, oldest first; above one text a reader sees more than one
    /// error.
    private var headings: [String] { Self.different(members.map(\.text.heading)) }

    /// The different reasons of the failures, oldest first: equal texts may have different causes.
    private var reasons: [String] { Self.different(members.map(Self.reason)) }

    private static func reason(_ member: Member) -> String {
        member.text.prompt.report.failureReason ?? "no reason"
    }

    private static func different(_ texts: [String]) -> [String] {
        var seen: Set<String> = []
        return texts.filter { seen.insert($0).inserted }
    }

    /// The people who have claimed a member, escaped, each once. The terminal knows its person only
    /// by the account, so that it cannot tell who of them that is.
    private var claimants: [String] {
        var seen: Set<String> = []
        return members.compactMap { $0.text.prompt.claim?.person.shown() }
            .filter { seen.insert($0).inserted }
    }

    /// Whether an option counts only after a word.
    func needsConfirmation(of option: ErrorReport.Option) -> Bool {
        option.role == .destructive || members.count > ConsoleLimits.unconfirmedCountMax
            || headings.count > 1 || reasons.count > 1 || !claimants.isEmpty
    }

    /// The confirmation asked before a destructive option counts, one for many or for different
    /// errors, or one for what a person has claimed.
    func confirmation(of option: ErrorReport.Option, columns: Int = 80) -> [String] {
        let (headings, reasons) = (headings, reasons)
        var asked = PromptKeys.shownTitle(of: option)
        if members.count > 1 { asked += " for \(members.count) like this" }
        var lines: [String] = []
        if headings.count > 1 {
            asked += ", with \(headings.count) different descriptions"
            lines = Self.cut(headings).flatMap { PromptText.foreign($0, columns: columns) }
        } else if reasons.count > 1 {
            asked += ", with \(reasons.count) different reasons"
            lines = Self.cut(reasons).flatMap { PromptText.foreign($0.shown(), columns: columns) }
        }
        let claimants = claimants
        let claimed = claimants.isEmpty ? [] : ["claimed by \(claimants.joined(separator: ", "))"]
        let warning = option.role == .destructive ? "This cannot be undone. " : ""
        return lines
            + (claimed + ["\(asked)?"]).flatMap { PromptText.broken($0, columns: columns) }
            + ["  \(warning)Type yes to confirm; anything else cancels."]
    }

    /// The members for `?`, each with its number; empty for a single member.
    func details(columns: Int = 80) -> [String] {
        guard members.count > 1 else { return [] }
        let (headingsDiffer, reasonsDiffer) = (headings.count > 1, reasons.count > 1)
        let lines = members.map { member in
            let origin = member.text.prompt.origin.map { " \($0.words)" } ?? ""
            let text =
                headingsDiffer
                ? ": \(member.text.heading)"
                : reasonsDiffer ? ": \(Self.reason(member).shown())" : ""
            return "like     #\(member.number)\(origin)\(text)"
        }
        return Self.cut(lines).flatMap { PromptText.broken($0, columns: columns) }
    }

    private static func cut(_ lines: [String]) -> [String] {
        guard lines.count > lineMax else { return lines }
        return lines.prefix(lineMax) + ["and \(lines.count - lineMax) more"]
    }
}

/// The tally of an answer to a group that is being recorded: the prompts for which the answer
/// counts.
struct AnswerTally: Hashable {
    let option: String
    /// The number of prompts that got the answer and wait for their record.
    private(set) var awaitedCount: Int
    private var recordedCount = 0
    private var lostCount = 0

    init(_ option: String, count: Int) {
        self.option = option
        awaitedCount = count
    }

    /// Whether the answer to each prompt is recorded, or does not count.
    var isOver: Bool { awaitedCount == 0 }

    mutating func ended(isRecorded: Bool) {
        awaitedCount -= 1
        if isRecorded { recordedCount += 1 } else { lostCount += 1 }
    }

    /// The lines that a person reads at the end.
    var lines: [String] {
        let count = recordedCount > 1 ? " for \(recordedCount)" : ""
        let lost = lostCount > 1 || recordedCount > 0 ? "\(lostCount) " : ""
        return (recordedCount > 0 ? ["  answered: \(option.shown())\(count)"] : [])
            + (lostCount > 0
                ? [
                    "  refused: \(lost)not recorded: the presentation ended first, or the log "
                        + "says why"
                ] : [])
    }
}
