import ErrorBus
import Foundation

/// A prompt as lines of text. All text from a peer is escaped here, once, and has a bar in front:
/// it cannot be mistaken for a line of this program.
struct PromptText {
    /// The most lines of each text in a prompt, so that its title stays on the screen.
    private static let bodyLineMax = 6
    /// The most lines and characters of a text in the details, and of a value of the context.
    private static let wholeLineMax = 400
    private static let wholeScalarMax = 20_000
    private static let valueLineMax = 60
    private static let valueScalarMax = 4_000
    /// The time from which the header says how long the presentation waits.
    private static let waitMin: Duration = .seconds(60)
    private static let bar = "  │ "

    let prompt: Prompt
    let keys: PromptKeys
    /// The earlier presentations of the same cause; nil if they are not known.
    private let earlier: EarlierView?

    init(_ prompt: Prompt, earlier: EarlierView? = nil) {
        self.prompt = prompt
        self.earlier = earlier
        let marks = prompt.report.options.compactMap { option in
            Self.mark(prompt.refusal(ofOnePersons: option.id)).map { (option.id, $0) }
        }
        keys = PromptKeys(
            prompt.report.options, marks: Dictionary(marks) { first, _ in first })
    }

    /// Why an option cannot be chosen at a terminal, in few words.
    private static func mark(_ refusal: AnswerRefusal?) -> String? {
        switch refusal {
        case .needsTwoPeople: "two people: at a console"
        case .cannotSign: "signed: at another node"
        case .notOffered, .badValue, .alreadyAnswered, .closed, nil: nil
        }
    }

    /// The lines of title, body and options.
    ///
    /// - Parameter since: The time since when the presentation waits; nil if it is not known.
    func lines(
        isColored: Bool, columns: Int = 80, since: ContinuousClock.Instant? = nil,
        at now: ContinuousClock.Instant = .now
    ) -> [String] {
        var lines = ["", header(since: since, at: now)]
        if let earlier = prompt.report.retryOf { lines.append("  retry of \(earlier)") }
        return lines + title(isColored: isColored, columns: columns) + body(columns: columns)
            + runbook(columns: columns) + expiry(columns: columns) + options(columns: columns)
    }

    /// The beginning of the title, and the options, which stay visible below other lines.
    func reminder(isColored: Bool, columns: Int = 80) -> String {
        (title(isColored: isColored, columns: columns).prefix(1) + options(columns: columns))
            .joined(separator: "\n")
    }

    /// The whole prompt with the number of its notes and the comment on its answer, and the part
    /// that stays visible.
    func asked(
        isColored: Bool, columns: Int, status: String, comment: String?, noteCount: Int = 0,
        since: ContinuousClock.Instant? = nil
    ) -> PromptFoot.Asked {
        var below: [String] = []
        if noteCount > 0 {
            below.append("  \(noteCount) \(noteCount == 1 ? "note" : "notes"): see [?]")
        }
        if let claim = prompt.claim {
            below += Self.broken("claimed by \(claim.person.shown())", columns: columns)
        }
        if let comment { below += Self.broken("comment: \(comment.shown())", columns: columns) }
        let reminder = [reminder(isColored: isColored, columns: columns)] + below
        return PromptFoot.Asked(
            lines(isColored: isColored, columns: columns, since: since) + below,
            foot: PromptFoot.Content(reminder: reminder.joined(separator: "\n"), status: status))
    }

    private func title(isColored: Bool, columns: Int) -> [String] {
        let report = prompt.report
        let style = SeverityLook.style(report.severity).sequence(isColored: true)
        let mark = isColored ? (style, TextStyle.reset) : ("", "")
        return Self.foreign(heading, columns: columns).map { "\(mark.0)\($0)\(mark.1)" }
    }

    /// The title in one line, escaped.
    var heading: String {
        let title = prompt.report.description.shown()
        return title.isEmpty ? prompt.report.domain.shown() : title
    }

    /// The beginning of each text; a line says how much is left out.
    private func body(columns: Int) -> [String] {
        var lines: [String] = []
        var leftCount = 0
        for (text, words) in prompt.report.filledTexts where text.isBody {
            let all = Self.whole(words).flatMap { Self.foreign($0, columns: columns) }
            lines += all.prefix(Self.bodyLineMax)
            leftCount += max(0, all.count - Self.bodyLineMax)
        }
        guard leftCount > 0 else { return lines }
        let count = leftCount == 1 ? "1 more line" : "\(leftCount) more lines"
        return lines + ["  (\(count): [?] shows all)"]
    }

    /// The address of the instructions, as far as it is one of the web.
    private func runbook(columns: Int) -> [String] {
        guard let anchor = prompt.report.helpAnchor,
            anchor.wholeMatch(of: /https?:\/\/\S+/) != nil
        else { return [] }
        return Self.broken("runbook  \(anchor.shown())", columns: columns)
    }

    /// The option that its origin applies at the deadline; nil if none is declared.
    private var applied: ErrorReport.Option? {
        guard prompt.deadline != nil, let id = prompt.report.onExpiry else { return nil }
        return prompt.report.options.first { $0.id == id }
    }

    private func expiry(columns: Int) -> [String] {
        guard let applied else { return [] }
        let title = PromptKeys.shownTitle(of: applied)
        return Self.broken("without an answer: \(title)", columns: columns)
    }

    private func options(columns: Int) -> [String] {
        let results = earlier?.results ?? [:]
        if results.isEmpty, TextWidth.columns(of: keys.line) + 2 < columns {
            return ["  " + keys.line]
        }
        // If the terminal broke a long title, part of it could begin a line without a bar.
        return keys.texts(with: results).flatMap { Self.broken($0, columns: columns) }
    }

    /// A text as escaped lines.
    private static func whole(
        _ text: String, lines: Int = wholeLineMax, scalars: Int = wholeScalarMax
    ) -> [String] {
        text.escapedForTerminal(keepingLines: lines, scalarLimit: scalars)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// Escaped text, broken into lines here instead of by the terminal, each with a bar in front.
    static func foreign(_ text: String, columns: Int) -> [String] {
        pieces(text, columns: columns).map { bar + $0 }
    }

    /// A line of this program with a peer's text in it; continuation lines have a bar in front.
    static func broken(_ text: String, columns: Int) -> [String] {
        let pieces = pieces(text, columns: columns)
        return ["  \(pieces[0])"] + pieces.dropFirst().map { bar + $0 }
    }

    private static func pieces(_ text: String, columns: Int) -> [String] {
        TextWidth.pieces(text, columns: max(8, columns - bar.count - 1))
    }

    /// The notice that the origin of a shown prompt became unreachable, or reachable again.
    func contactLine(isReachable: Bool) -> String {
        let origin = prompt.origin?.words ?? "the caller"
        return isReachable
            ? "(\(origin) can be reached again)"
            : "(\(origin) cannot be reached: an answer is kept for it)"
    }

    /// The notice that a person has claimed a shown prompt, or that the claim is over.
    func claimLines(of person: String?, columns: Int = 80) -> [String] {
        let text = person.map { "claimed by \($0.shown())" } ?? "no longer claimed"
        return Self.broken("(\(text))", columns: columns)
    }

    /// The notice that a shown prompt needs no answer now.
    func goneLines(columns: Int = 80) -> [String] {
        let title = prompt.report.description.escapedForTerminal(scalarLimit: 120)
        return Self.broken("(\(ending), no answer needed:)", columns: columns)
            + Self.foreign(title, columns: columns)
    }

    /// The refusal of a line that was probably meant for this prompt, which has ended.
    func lateLines(columns: Int = 80) -> [String] {
        let title = prompt.report.description.escapedForTerminal(scalarLimit: 120)
        return Self.broken(
            "ignored: \(title) (\(ending)); no other prompt is waiting", columns: columns)
    }

    private var ending: String {
        guard let answer = prompt.answer else {
            let (reason, report) = (prompt.closeReason ?? .withdrawn, prompt.report)
            let applied = reason == .expired ? report.onExpiry : nil
            let option = report.options.first { $0.id == applied }?.id
            return reason.words(applying: option).shown()
        }
        return "answered by \(answer.by.shown()) with \(answer.option.shown())"
    }

    private func header(
        since: ContinuousClock.Instant?, at now: ContinuousClock.Instant
    ) -> String {
        let severity = prompt.report.severity
        var who = "── \(SeverityLook.mark(severity)) \(severity)"
        if let origin = prompt.origin { who += " from \(origin.words)" }
        let via = prompt.path.dropFirst()
        if !via.isEmpty { who += " via \(via.map(\.description).joined(separator: " > "))" }
        if prompt.contact?.isReachable == false { who += " (cannot be reached)" }
        if prompt.origin == .bare { who += " (may no longer be waiting)" }
        var parts = [who]
        if let waited = since.map({ $0.duration(to: now) }), waited >= Self.waitMin {
            parts.append("waits \(AgeText.text(milliseconds: UInt64(waited / .milliseconds(1))))")
        }
        if prompt.retryCount > 0 {
            let count = prompt.retryCount
            parts.append("after \(count) \(count == 1 ? "retry" : "retries")")
        }
        if prompt.wasShownBefore { parts.append("may have been shown before") }
        if let deadline = prompt.deadline {
            let left = max(.zero, now.duration(to: deadline))
            let text = AgeText.text(milliseconds: UInt64(left / .milliseconds(1)))
            parts.append("answer within \(text)")
        }
        return parts.joined(separator: " · ") + " ──"
    }

    /// The text for `?`: all facts. It answers nothing.
    func details(columns: Int = 80, notes: [InboxNote] = []) -> [String] {
        let report = prompt.report
        var lines = ["id       \(prompt.id)", "error    \(Self.identity(of: report))"]
        if let origin = prompt.origin { lines.append("from     \(origin.words)") }
        if prompt.path.count > 1 {
            let path = prompt.path.map(\.words).joined(separator: " > ")
            lines.append("path     \(path)")
        }
        if let earlier = report.retryOf { lines.append("retry of \(earlier)") }
        if let claim = prompt.claim {
            lines.append(
                "claimed  by \(claim.person.shown()) until \(claim.until.date.ISO8601Format())")
        }
        var shown = lines.flatMap { Self.broken($0, columns: columns) }
        for (text, words) in report.filledTexts {
            shown += Self.labelled(text.label, Self.whole(words), columns: columns)
        }
        for (key, value) in report.userInfo.sorted(by: { $0.key < $1.key }) {
            var lines = Self.whole(
                value.inLines, lines: Self.valueLineMax, scalars: Self.valueScalarMax)
            lines[0] = "\(key.shown()) = \(lines[0])"
            shown += Self.labelled("info", lines, columns: columns)
        }
        let noted = notes.map { note in
            let text = note.text.escapedForTerminal(scalarLimit: ConsoleLimits.noteScalarMax)
            return "note     \(note.at.date.ISO8601Format()) \(note.by.shown()): \(text)"
        }
        return shown + (facts + noted).flatMap { Self.broken($0, columns: columns) }
            + ["  [:] and a text adds a comment to your answer, for the origin as well"]
    }

    /// Escaped lines with a label in front of the first.
    private static func labelled(_ label: String, _ lines: [String], columns: Int) -> [String] {
        broken(label.padding(toLength: 9) + (lines.first ?? ""), columns: columns)
            + lines.dropFirst().flatMap { foreign($0, columns: columns) }
    }

    /// The causes, and the options with the values that they ask for.
    private var facts: [String] {
        let report = prompt.report
        var lines: [String] = []
        for cause in report.underlyingErrors {
            lines.append("because  \(cause.description.shown()) (\(Self.identity(of: cause)))")
        }
        lines += (earlier?.lines ?? []).map { "earlier  \($0.shown())" }
        for option in report.options {
            let role = option.role.map { ", \($0.rawValue)" } ?? ""
            lines.append(
                "option   \(option.id.shown()): \(PromptKeys.shownTitle(of: option))\(role)")
            lines += option.fields.map { field in
                let request = "\(field.name): \(InboxDetail.request(for: field))"
                return "value    \(option.id.shown()) asks for \(request.shownWhole())"
            }
        }
        if let applied { lines.append("expires  without an answer: \(applied.id.shown())") }
        return lines
    }

    private static func identity(of report: ErrorReport) -> String {
        report.domain.shown() + (report.code.map { " \($0)" } ?? "")
    }
}

// The prompts that wait at a terminal.
extension PromptText {
    /// The most prompts in a list.
    private static let listMax = 20

    /// The number of prompts that one choice answers, and of prompts behind them, with the commands
    /// to reach each, in one line; empty for a single prompt.
    static func waiting(
        _ others: PromptQueue.Others?, groupCount: Int = 1, columns: Int = 80
    ) -> String {
        var parts: [String] = []
        var keys: [String] = []
        if groupCount > 1 {
            // Both fit into 80 columns.
            parts.append("\(groupCount) like this" + (others == nil ? "" : " [*]"))
            if others == nil { keys.append("[*] one by one") }
        }
        if let others {
            parts.append("\(others.count) more waiting, most severe: \(others.severity)")
            keys += ["[+] next", "[#] list"]
        }
        guard !parts.isEmpty else { return "" }
        let text = ([parts.joined(separator: ", ")] + keys).joined(separator: "   ")
        return TextWidth.clipped("  " + text, to: max(8, columns - 1))
    }

    /// The prompts that wait, each in one line with its number.
    static func list(
        _ entries: [PromptQueue.Entry], shown: Int?, columns: Int = 80,
        text: (PromptQueue.Entry) -> PromptText?
    ) -> [String] {
        var lines = entries.prefix(listMax).compactMap { entry in
            text(entry)?.listLine(entry, isShown: entry.number == shown, columns: columns)
        }
        if entries.count > listMax { lines.append("  and \(entries.count - listMax) more") }
        return lines + ["  # and a number goes to that prompt; nothing was answered"]
    }

    /// The line of a prompt in the list: `* #3 ‼ critical ×12 worker │ description`
    private func listLine(
        _ entry: PromptQueue.Entry, isShown: Bool, columns: Int
    ) -> String {
        let origin = prompt.origin.map { " \($0.words)" } ?? ""
        let count = entry.members.count > 1 ? " ×\(entry.members.count)" : ""
        let own =
            "\(isShown ? "*" : " ") #\(entry.number) \(SeverityLook.mark(entry.severity)) "
            + "\(entry.severity)\(count)\(origin)"
        let start = TextWidth.clipped(own, to: max(8, columns * 2 / 3)) + " │ "
        let room = columns - 1 - TextWidth.columns(of: start)
        return start + TextWidth.clipped(heading, to: max(8, room))
    }
}
