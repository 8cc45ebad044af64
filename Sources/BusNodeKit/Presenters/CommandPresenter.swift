import ErrorBus
import Foundation
import Logging

/// A program as a presenter: it gets the report as JSON on its standard input, and prints a
/// ``CommandReply``. Exit 0 with a reply answers; any other end declines, and the log has the
/// program's standard error.
struct CommandPresenter: Presenter {
    /// The limit of a program for a presentation without a deadline.
    static let timeLimit: Duration = .seconds(600)

    let command: [String]
    let runner: any CommandRunner
    let logger: Logger

    var presenterName: String { "command \(command.first ?? "")" }

    func present(_ prompt: Prompt) async throws -> Answer? {
        prompt.moved(to: .presented, by: "command \(program)")
        let result = try await runner.run(
            command, environment: environment(of: prompt), input: prompt.report.payload(),
            timeLimit: Self.timeLimit)
        let read = Result { () throws(CommandReply.Fault) in
            try CommandReply(result.standardOutput, offered: prompt.report.options.map(\.id))
        }
        if !result.standardErrorTail.isEmpty {
            let mask = Self.mask(of: try? read.get(), in: prompt.report)
            logger.info(
                "presenter said",
                metadata: [
                    "command": "\(command.first ?? "")",
                    "text": "\(mask.masking(result.standardErrorTail))",
                ])
        }
        guard result.status == .exited(0) else {
            logger.notice(
                "presenter declined",
                metadata: ["command": "\(command.first ?? "")", "status": "\(result.status)"])
            return nil
        }
        guard let reply = try read.get() else { return nil }
        do {
            return try prompt.answer(
                reply.option, by: author, via: .policy, values: reply.values,
                comment: reply.comment)
        } catch {
            guard case AnswerRefusal.notOffered(let text, let offered) = error else { throw error }
            // Whatever the program printed goes to the log and the status. It is cut once it is
            // masked, so that no part of a secret is left.
            let shown = SecretMask.ofThisProcess.masking(text).clipped(CommandReply.idByteCountMax)
            throw AnswerRefusal.notOffered(option: shown, offered: offered)
        }
    }

    /// The mask for the log, which also knows the secrets of the reply: a program may trace what it
    /// prints, as `set -x` has a shell do.
    private static func mask(of reply: CommandReply?, in report: ErrorReport) -> SecretMask {
        guard let reply else { return .ofThisProcess }
        return SecretMask.ofThisProcess.adding(
            GivenValues(reply.values, for: report.fields[reply.option] ?? []))
    }

    /// The program's name without its folder, which is this host's own: each node below sees the
    /// name before there is an answer.
    private var program: Substring { command.first?.split(separator: "/").last ?? "" }

    /// The command line. The command's words may have been secrets of the environment, and everyone
    /// who reads the answer sees its author.
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

/// The answer that a program prints: the id of an option, or a JSON object with the id, the values
/// that the option asks for, and a comment.
struct CommandReply: Hashable {
    /// The fault of an output that is neither.
    struct Fault: LocalizedError, Hashable {
        let found: String
        var errorDescription: String? {
            // It goes to the log, cut once it is masked, so that no part of a secret is left.
            let shown = SecretMask.ofThisProcess.masking(found).clipped(idByteCountMax)
            return "standard output: found \(shown), expected the id of an option, or "
                + #"{"option": "id", "values": {"name": value}, "comment": "text"}"#
        }
    }

    /// The most bytes read of an id.
    static let idByteCountMax = 256
    /// The most bytes of an object: less than is kept of an output, so that no cut one is read.
    static let objectByteCountMax = SubprocessRunner.outputMax - 1

    let option: String
    /// By the names of the option's fields.
    var values: [String: JSONValue] = [:]
    var comment: String?

    /// The reply in an output; nil for white space alone: the program declines.
    ///
    /// - Parameter offered: The ids of the options; an output that is an id is never read as an
    ///   object.
    /// - Throws: When the output begins as an object and does not have this form.
    init?(_ output: [UInt8], offered: [String]) throws(Fault) {
        let text = String(decoding: output.prefix(Self.idByteCountMax), as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        guard !text.isEmpty else { return nil }
        guard text.hasPrefix("{"), !offered.contains(text) else {
            // A text that is no id goes to the log: whole, to be masked there.
            self.option =
                offered.contains(text)
                ? text
                : String(decoding: output, as: UTF8.self)
                    .trimmingCharacters(in: .whitespacesAndNewlines)
            return
        }
        guard output.count <= Self.objectByteCountMax else {
            throw Fault(found: "more than \(Self.objectByteCountMax) bytes")
        }
        let members: [String: JSONValue]
        do throws(JSONError) {
            members = try JSONValue.parse(output).objectValue ?? [:]
        } catch {
            // Whole, to be masked.
            if case .duplicateKey(let key) = error.reason {
                throw Fault(found: "the key \"\(key)\" a second time")
            }
            throw Fault(found: "no usable JSON (byte \(error.offset): \(error.reason))")
        }
        guard let option = members["option"]?.stringValue else {
            throw Fault(found: "an object without a text \"option\"")
        }
        let known = ["option", "values", "comment"]
        if let other = members.keys.filter({ !known.contains($0) }).min() {
            throw Fault(found: "the unknown key \"\(other)\"")
        }
        if let json = members["values"] {
            guard let given = json.objectValue else {
                throw Fault(found: "\"values\" that are no object")
            }
            values = given
        }
        if let comment = members["comment"] {
            guard let text = comment.stringValue, text.isComment else {
                throw Fault(
                    found: "another \"comment\" than \(GivenValues.allowedComment)")
            }
        }
        self.option = option
        comment = members["comment"]?.stringValue
    }
}
