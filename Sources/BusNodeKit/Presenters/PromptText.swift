import ErrorBus
import Foundation

/// A prompt as lines of text. All text from a peer is escaped here, once, and has a bar in front:
/// it cannot be mistaken for a line of this program.
struct PromptText {
    private static let bodyLineMax = 12

    let prompt: Prompt
    let keys: PromptKeys

    init(_ prompt: Prompt) {
        self.prompt = prompt
        keys = PromptKeys(prompt.report.options)
    }

    /// Title, body and options.
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
        // If the terminal broke a long title, part of it could begin a line without a bar.
        return lines + keys.texts.flatMap { Self.broken($0, columns: columns) }
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

    private static let bar = "  │ "

    private static func pieces(_ text: String, columns: Int) -> [String] {
        TextWidth.pieces(text, columns: max(8, columns - bar.count - 1))
    }

    /// The confirmation asked before a destructive option counts.
    func confirmation(of option: ErrorReport.Option, columns: Int = 80) -> [String] {
        Self.broken("\(PromptKeys.shownTitle(of: option))?", columns: columns)
            + ["  This cannot be undone. Type yes to confirm; anything else cancels."]
    }

    /// The notice that the origin of a shown prompt became unreachable, or reachable again.
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
        if prompt.origin == .bare { parts.append("(may no longer be waiting)") }
        if prompt.wasShownBefore { parts.append("may have been shown before") }
        if let deadline = prompt.deadline {
            let left = ContinuousClock.now.duration(to: deadline).components.seconds
            parts.append("answer within \(max(0, left)) s")
        }
        return parts.joined(separator: " ") + " ──"
    }

    /// The text for `?`: all facts. It answers nothing.
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
                "option   \(option.id.shown()): \(PromptKeys.shownTitle(of: option))\(role)")
        }
        return lines.flatMap { Self.broken($0, columns: columns) } + ["  Nothing was answered."]
    }

    private static func identity(of report: ErrorReport) -> String {
        report.domain.shown() + (report.code.map { " \($0)" } ?? "")
    }
}
