import ErrorBus
import Foundation

/// A prompt as lines of text. Everything that came from a peer is escaped here, once.
struct PromptText {
    private static let bodyLineMax = 12

    let prompt: Prompt
    let keys: PromptKeys

    init(_ prompt: Prompt) {
        self.prompt = prompt
        keys = PromptKeys(prompt.report.options)
    }

    /// Title, body (reason, then suggestion) and choices.
    func lines(pending: Int, isColored: Bool) -> [String] {
        let report = prompt.report
        let mark = isColored ? Self.color(of: report.severity) : ("", "")
        var lines = ["", header(pending: pending)]
        lines.append("  \(mark.0)\(report.description.shown())\(mark.1)")
        for text in [report.failureReason, report.recoverySuggestion] {
            guard let text, !text.isEmpty else { continue }
            lines += text.escapedForTerminal(keepingLines: Self.bodyLineMax, scalarLimit: 2_000)
                .split(separator: "\n", omittingEmptySubsequences: false).map { "  \($0)" }
        }
        lines.append("  " + keys.line)
        return lines
    }

    /// What is said when the origin gets out of reach while its question is shown, or is back.
    func contactLine(isReachable: Bool) -> String {
        let origin = prompt.origin?.description ?? "whoever asks"
        return isReachable
            ? "(\(origin) can be reached again)"
            : "(\(origin) cannot be reached: an answer is kept for it)"
    }

    private func header(pending: Int) -> String {
        var parts = ["── \(prompt.report.severity)"]
        if pending > 0 { parts.append("(\(pending) more waiting)") }
        if let origin = prompt.origin { parts.append("from \(origin)") }
        let via = prompt.path.dropFirst()
        if !via.isEmpty {
            parts.append("via \(via.map(\.description).joined(separator: " > "))")
        }
        if prompt.report.retryCount > 0 || prompt.retryCount > 0 {
            let count = max(prompt.report.retryCount, prompt.retryCount)
            parts.append("after \(count) \(count == 1 ? "retry" : "retries")")
        }
        if prompt.contact?.isReachable == false { parts.append("(cannot be reached)") }
        if prompt.wasShownBefore { parts.append("shown before restart") }
        if let deadline = prompt.deadline {
            let left = ContinuousClock.now.duration(to: deadline).components.seconds
            parts.append("answer within \(max(0, left)) s")
        }
        return parts.joined(separator: " ") + " ──"
    }

    /// What `?` shows: everything that is known, and that it answers nothing.
    var details: [String] {
        let report = prompt.report
        var lines = ["  id       \(prompt.id)", "  error    \(Self.identity(of: report))"]
        if let when = report.occurredAt { lines.append("  when     \(when.shown())") }
        if let help = report.helpAnchor { lines.append("  help     \(help.shown())") }
        for (key, value) in report.userInfo.sorted(by: { $0.key < $1.key }) {
            let text = String(decoding: value.encoded(), as: UTF8.self)
            lines.append("  info     \(key.shown()) = \(text.shown())")
        }
        for cause in report.underlyingErrors {
            lines.append("  because  \(cause.description.shown()) (\(Self.identity(of: cause)))")
        }
        for option in report.options {
            let role = option.role.map { ", \($0.rawValue)" } ?? ""
            lines.append("  choice   \(option.id.shown()): \(option.title.shown())\(role)")
        }
        return lines + ["  Nothing was answered."]
    }

    private static func identity(of report: ErrorReport) -> String {
        report.domain.shown() + (report.code.map { " \($0)" } ?? "")
    }

    private static func color(of severity: Severity) -> (String, String) {
        switch severity {
        case .debug, .info: ("\u{1B}[1m", "\u{1B}[0m")
        case .warning: ("\u{1B}[1;33m", "\u{1B}[0m")
        case .error, .critical: ("\u{1B}[1;31m", "\u{1B}[0m")
        }
    }
}

extension String {
    /// One escaped line of at most 400 scalars.
    func shown() -> String { escapedForTerminal(scalarLimit: 400) }
}
