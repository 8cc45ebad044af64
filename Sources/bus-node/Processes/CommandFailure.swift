import ErrorBus
import Foundation

/// A command that failed, as an error that people can decide about.
struct CommandFailure: ReportableError {
    /// Lines of standard error that go into the report.
    static let errorLineMax = 10

    let command: [String]
    let ending: CommandEnding

    var report: ErrorReport {
        var report = ErrorReport(
            domain: "bus-node.exec", code: Int(ending.exitCode),
            description: "\(shownCommand) \(how).",
            failureReason: lastLines,
            recoverySuggestion: "Mend the cause, then retry; skip it; or abort.")
        report.userInfo = [
            "command": .string(command.joined(separator: " ")),
            "arguments": .array(command.map { .string($0) }),
            "directory": .string(FileManager.default.currentDirectoryPath),
            "host": .string(ProcessInfo.processInfo.hostName),
            "durationMilliseconds": .integer(Int64(ending.duration / .milliseconds(1))),
        ]
        switch ending.status {
        case .exited(let code): report.userInfo["exitCode"] = .integer(Int64(code))
        case .signaled(let number): report.userInfo["signal"] = .integer(Int64(number))
        case .notStarted(let reason): report.userInfo["notStarted"] = .string(reason)
        }
        report.occurredAt = Date.now.formatted(.iso8601)
        return report
    }

    private var shownCommand: String {
        let text = command.map { $0.contains(" ") ? "'\($0)'" : $0 }.joined(separator: " ")
        return text.unicodeScalars.count > 200
            ? String(String.UnicodeScalarView(text.unicodeScalars.prefix(199))) + "…" : text
    }

    private var how: String {
        switch ending.status {
        case .exited(let code): "failed with exit code \(code)"
        case .signaled(let number): "was ended by signal \(number)"
        case .notStarted: "could not be started"
        }
    }

    private var lastLines: String? {
        if case .notStarted(let reason) = ending.status { return reason }
        let lines = ending.errorTail.split(separator: "\n").suffix(Self.errorLineMax)
        return lines.isEmpty ? nil : lines.joined(separator: "\n")
    }
}
