import ErrorBus
import Foundation
import Logging

/// A program as a presenter: it gets the report as JSON on its standard input, and prints the id of
/// the chosen option. Exit 0 with an id answers; anything else declines, and its standard error is
/// logged.
struct CommandPresenter: Presenter {
    /// The limit of a program for a presentation without a deadline.
    static let timeLimit: Duration = .seconds(600)

    let command: [String]
    let runner: any CommandRunner
    let logger: Logger

    var presenterName: String { "command \(command.first ?? "")" }

    func present(_ prompt: Prompt) async throws -> Answer? {
        prompt.moved(to: .presented, by: presenterName)
        let result = try await runner.run(
            command, environment: environment(of: prompt), input: prompt.report.payload(),
            timeLimit: Self.timeLimit)
        if !result.standardErrorTail.isEmpty {
            logger.info(
                "presenter said",
                metadata: [
                    "command": "\(command.first ?? "")", "text": "\(result.standardErrorTail)",
                ])
        }
        guard result.status == .exited(0) else {
            logger.notice(
                "presenter declined",
                metadata: ["command": "\(command.first ?? "")", "status": "\(result.status)"])
            return nil
        }
        let output = String(decoding: result.standardOutput.prefix(256), as: UTF8.self)
        let option = output.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !option.isEmpty else { return nil }
        return try prompt.answer(option, by: author, via: .policy)
    }

    /// The command line. Its words may have been secrets of the environment, and all that read the
    /// answer see its author.
    private var author: String {
        SecretMask.ofThisProcess.masking(words: command.map { Array($0.utf8) })
            .map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
    }

    private func environment(of prompt: Prompt) -> [String: String] {
        var environment = [
            "ERRORBUS_ID": prompt.id.description,
            "ERRORBUS_OPTIONS": prompt.report.options.map(\.id).joined(separator: " "),
            "ERRORBUS_RETRIES": String(prompt.retryCount),
        ]
        environment["ERRORBUS_ORIGIN"] = prompt.origin?.description
        return environment
    }
}
