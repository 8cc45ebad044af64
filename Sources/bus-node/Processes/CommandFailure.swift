import ErrorBus
import Foundation

/// A command that failed, as an error that people can decide about.
struct CommandFailure: ReportableError {
    /// Lines of standard error that go into the report.
    static let errorLineMax = 10
    /// Words of the command that go into the report, and bytes of each.
    static let argumentMax = 64
    static let argumentByteMax = 1_024
    private static let shownScalarMax = 200

    /// For people: no more of it than the report holds.
    private let command: [String]
    private let directory = FileManager.default.currentDirectoryPath
    /// Tells the command, whole and as bytes, and the directory from others.
    private let digest: ReportDigest
    let ending: CommandEnding

    init(command: [[UInt8]], ending: CommandEnding) {
        self.command = command.prefix(Self.argumentMax + 1)
            .map {
                String(decoding: $0.prefix(Self.argumentByteMax), as: UTF8.self).withoutMarkFloods
            }
        self.ending = ending
        // No word of a command and no path has a zero in it.
        digest = ReportDigest(of: (command + [Array(directory.utf8)]).joined(separator: [0]))
    }

    var report: ErrorReport {
        var report = ErrorReport(
            domain: "bus-node.exec", code: Int(ending.exitCode),
            description: "\(shownCommand) \(how).",
            failureReason: lastLines,
            recoverySuggestion: "Mend the cause, then retry; skip it; or abort.")
        // One group is the same command that failed in the same way, on whatever host.
        report.coalesceKey = "\(digest) \(how)"
        report.userInfo = [
            "command": .string(command.prefix(Self.argumentMax).joined(separator: " ")),
            "arguments": .array(command.prefix(Self.argumentMax).map { .string($0) }),
            "directory": .string(directory),
            "host": .string(ProcessInfo.processInfo.hostName),
            "durationMilliseconds": .integer(Int64(ending.duration / .milliseconds(1))),
        ]
        if command.count > Self.argumentMax { report.userInfo["argumentsAreCut"] = true }
        switch ending.status {
        case .exited(let code): report.userInfo["exitCode"] = .integer(Int64(code))
        case .signaled(let number): report.userInfo["signal"] = .integer(Int64(number))
        case .notStarted(let reason, _): report.userInfo["notStarted"] = .string(reason)
        }
        report.occurredAt = Date.now.formatted(.iso8601)
        return report
    }

    private var shownCommand: String {
        let text = command.prefix(Self.argumentMax)
            .map { $0.contains(" ") ? "'\($0)'" : $0 }.joined(separator: " ")
        let start = text.unicodeScalars.prefix(Self.shownScalarMax)
        guard start.endIndex < text.endIndex || command.count > Self.argumentMax else {
            return text
        }
        return String(String.UnicodeScalarView(start.dropLast())) + "…"
    }

    private var how: String {
        switch ending.status {
        case .exited(let code): "failed with exit code \(code)"
        case .signaled(let number): "was ended by signal \(number)"
        case .notStarted: "could not be started"
        }
    }

    private var lastLines: String? {
        if case .notStarted(let reason, _) = ending.status { return reason }
        let lines = ending.errorTail.split(separator: "\n").suffix(Self.errorLineMax)
        return lines.isEmpty ? nil : lines.joined(separator: "\n").withoutMarkFloods
    }
}
