import ErrorBus
import Foundation

/// A prompt as lines of text. Everything that came from a peer is escaped here, once, and stands
/// behind a bar: nothing in it can pass for a line of ours.
struct PromptText {
    private static let bodyLineMax = 12

    let prompt: Prompt
    let keys: PromptKeys

    init(_ prompt: Prompt) {
        self.prompt = prompt
        keys = PromptKeys(prompt.report.options)
    }

    /// Title, body and choices.
    func lines(pending: Int, isColored: Bool, columns: Int = 80) -> [String] {
        let report = prompt.report
        let style = SeverityLook.style(report.severity).sequence(isColored: true)
        let mark = isColored ? (style, TextStyle.reset) : ("", "")
        var lines = ["", header(pending: pending)]
        if let earlier = report.retryOf { lines.append("  retry of \(earlier)") }
        let title = report.description.shown()
        lines += Self.foreign(title.isEmpty ? report.domain.shown() : title, columns: columns)
            .map { "\(mark.0)\($0)\(mark.1)" }
        for (text, words) in report.filledTexts where text.isBody {
            lines += words.escapedForTerminal(keepingLines: Self.bodyLineMax, scalarLimit: 2_000)
                .split(separator: "\n", omittingEmptySubsequences: false)
                .flatMap { Self.foreign(String($0), columns: columns) }
        }
        if keys.line.unicodeScalars.count + 2 < columns { return lines + ["  " + keys.line] }
        // Broken by the terminal, a long title could begin a line of its own.
        return lines + keys.texts.flatMap { Self.broken($0, columns: columns) }
    }

    /// Escaped text, broken into lines by us instead of by the terminal, each behind a bar.
    static func foreign(_ text: String, columns: Int) -> [String] {
        pieces(text, columns: columns).map { bar + $0 }
    }

    /// A line of ours with foreign text in it; what does not fit goes on behind a bar.
    static func broken(_ text: String, columns: Int) -> [String] {
        let pieces = pieces(text, columns: columns)
        return ["  \(pieces[0])"] + pieces.dropFirst().map { bar + $0 }
    }

    private static let bar = "  │ "

    private static func pieces(_ text: String, columns: Int) -> [String] {
        TextWidth.pieces(text, columns: max(8, columns - bar.count - 1))
    }

    /// What is asked before a destructive option counts.
    func confirmation(of option: ErrorReport.Option, columns: Int = 80) -> [String] {
        Self.broken("\(PromptKeys.shownTitle(of: option))?", columns: columns)
            + ["  This cannot be undone. Type yes to confirm; anything else answers nothing."]
    }

    /// What is said when the origin gets out of reach while its question is shown, or is back.
    func contactLine(isReachable: Bool) -> String {
        let origin = prompt.origin?.description ?? "the caller"
        return isReachable
            ? "(\(origin) can be reached again)"
            : "(\(origin) cannot be reached: an answer is kept for it)"
    }

    private func header(pending: Int) -> String {
        let severity = prompt.report.severity
        var parts = ["── \(SeverityLook.mark(severity)) \(severity)"]
        if pending > 0 { parts.append("(\(pending) more waiting)") }
        if let origin = prompt.origin { parts.append("from \(origin)") }
        let via = prompt.path.dropFirst()
        if !via.isEmpty {
            parts.append("via \(via.map(\.description).joined(separator: " > "))")
        }
        if prompt.retryCount > 0 {
            let count = prompt.retryCount
            parts.append("after \(count) \(count == 1 ? "retry" : "retries")")
        }
        if prompt.contact?.isReachable == false { parts.append("(cannot be reached)") }
        if prompt.origin == .bare { parts.append("(not known whether it still waits)") }
        if prompt.wasShownBefore { parts.append("may have been shown before") }
        if let deadline = prompt.deadline {
            let left = ContinuousClock.now.duration(to: deadline).components.seconds
            parts.append("answer within \(max(0, left)) s")
        }
        return parts.joined(separator: " ") + " ──"
    }

    /// What `?` shows: everything that is known, and that it answers nothing.
    func details(columns: Int = 80) -> [String] {
        let report = prompt.report
        var lines = ["id       \(prompt.id)", "error    \(Self.identity(of: report))"]
        if let earlier = report.retryOf { lines.append("retry of \(earlier)") }
        for (text, words) in report.filledTexts where !text.isBody {
            lines.append(text.label.padding(toLength: 9) + words.shown())
        }
        for (key, value) in report.userInfo.sorted(by: { $0.key < $1.key }) {
            let text = String(decoding: value.encoded(), as: UTF8.self)
            lines.append("info     \(key.shown()) = \(text.shown())")
        }
        for cause in report.underlyingErrors {
            lines.append("because  \(cause.description.shown()) (\(Self.identity(of: cause)))")
        }
        for option in report.options {
            let role = option.role.map { ", \($0.rawValue)" } ?? ""
            lines.append(
                "choice   \(option.id.shown()): \(PromptKeys.shownTitle(of: option))\(role)")
        }
        return lines.flatMap { Self.broken($0, columns: columns) } + ["  Nothing was answered."]
    }

    private static func identity(of report: ErrorReport) -> String {
        report.domain.shown() + (report.code.map { " \($0)" } ?? "")
    }
}
