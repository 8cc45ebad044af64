package import ErrorBus
import ServiceLifecycle
import Synchronization
package import UnixSignals

/// A leaf node for one piece of work: it starts before the work and closes after it.
package enum Client {
    /// - Parameter signals: The signals that end the work: they cancel it, which withdraws its
    ///   presentation, and ``Interrupted`` is thrown. The node closes afterwards, so that the
    ///   withdrawal is sent. A signal that was ignored at the start, as with nohup, stays ignored.
    package static func run<Value: Sendable>(
        _ node: Node, endingOn signals: [UnixSignal] = [],
        work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let heeded = signals.filter { !ReceivedSignal.isIgnored($0.rawValue) }
        let trapped = await UnixSignalsSequence(trapping: heeded)
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask {
                try await node.run()
                return nil
            }
            group.addTask { try await interruptible(by: trapped, work) }
            while let value = try await group.next() {
                guard let value else { continue }
                group.cancelAll()
                while (try? await group.next()) != nil {}
                return value
            }
            throw Failure(.software, "the node ended before its work")
        }
    }

    private static func interruptible<Value: Sendable>(
        by signals: UnixSignalsSequence, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await work() }
            group.addTask {
                for await signal in signals { throw Interrupted(signal: signal.rawValue) }
                return nil
            }
            while let value = try await group.next() {
                guard let value else { continue }
                group.cancelAll()
                return value
            }
            throw CancellationError()
        }
    }
}

/// The notice of a presentation's state to a person at a terminal; no state is said twice in a row.
package final class WaitingNotice: Sendable {
    private enum Said { case link, answer }

    private struct Progress {
        var hasLink = false
        var said: Said?

        /// Whether the last notice was another one.
        mutating func isNew(_ next: Said) -> Bool {
            defer { said = next }
            return said != next
        }
    }

    private let progress = Mutex(Progress())
    /// The time within which a link that comes up is not reported.
    private let linkTime: Duration
    private let say: @Sendable (String) -> Void

    package init(
        linkTime: Duration = .seconds(1),
        say: @escaping @Sendable (String) -> Void = { Terminal.say("bus-node: " + $0) }
    ) {
        self.linkTime = linkTime
        self.say = say
    }

    /// A closure for the options of a presentation.
    package var stateChanged: @Sendable (PresentationState) -> Void { { self.moved(to: $0) } }

    private func moved(to state: PresentationState) {
        switch state.station {
        case .unreachable: waitForLink()
        case .relayed: progress.withLock { $0.hasLink = true }
        case .queued, .presented, .claimed:
            let isNew = progress.withLock { progress in
                progress.hasLink = true
                return progress.isNew(.answer)
            }
            if isNew {
                say("waiting for an answer" + (state.by.map { " by \($0.shown())" } ?? ""))
            }
        }
    }

    private func waitForLink() {
        progress.withLock { $0.hasLink = false }
        Task {
            try await Task.sleep(for: linkTime)
            let isNew = progress.withLock { progress in
                guard !progress.hasLink else { return false }
                return progress.isNew(.link)
            }
            if isNew { say("waiting for a link") }
        }
    }
}

/// The exit status of an outcome, and a sentence if the printed option does not say enough.
package struct Conclusion {
    package let status: ExitStatus
    package let text: String?

    /// - Parameter wasShown: Whether the presentation was in front of a person.
    package init(_ outcome: Outcome, wasShown: Bool = false) {
        let detail = outcome.detail.map { ": \($0.shown())" } ?? ""
        switch outcome.reason {
        case .answered, .handled:
            status = outcome.didRecover ? .ok : .declined
            text =
                switch outcome.answer {
                case nil: "handled by \(outcome.decidedBy.shown())"
                case let answer? where answer.via == .expiry:
                    "\(RejectCode.noAnswer): \(answer.option.shown()) applied (on expiry)"
                case _?: nil
                }
        case .withheld, .userCancelled:
            status = .declined
            let unasked = wasShown ? "" : ": no presenter was asked"
            text = "\(outcome.reason.words) by \(outcome.decidedBy.shown())\(unasked)"
        case .unreachable:
            // A node is running, and at a limit.
            let isBusy = outcome.refusalCode == RejectCode.busy.rawValue
            status = isBusy ? .temporaryFailure : .unavailable
            let remedy =
                outcome.isTooSoon ? "; --grace 1m, or longer, waits for one that starts again" : ""
            text = "no node could be reached\(detail)\(remedy)"
        case .detached:
            status = .unavailable
            text = "no upstream node has a presenter\(detail)"
        case .expired:
            status = .temporaryFailure
            text = RejectCode.noAnswer
        case .busy, .shutDown:
            status = .temporaryFailure
            text = "\(outcome.reason.words)\(detail)"
        case .rejected, .cycle, .tooManyHops:
            status = .badData
            text = "refused\(detail)"
        case .withdrawn:
            status = .declined
            text = outcome.reason.words
        default:
            status = .declined
            text = "\(outcome.reason.words.shown())\(detail)"
        }
    }
}

extension Outcome {
    /// The outcome for scripts, with the keys of the reply to a bare client.
    package var json: JSONValue { json(with: FieldValues()) }

    /// The comment on the answer as a line for a terminal; nil without a comment.
    package var commentLine: String? {
        let limit = 4 * ErrorReport.Limits.commentByteCount
        return answer?.comment.map { "comment: \($0.escapedForTerminal(scalarLimit: limit))" }
    }

    /// - Parameter values: The values of the option's fields, if the option is the script's own.
    package func json(with values: FieldValues) -> JSONValue {
        var object: [String: JSONValue] = [
            "didRecover": .bool(didRecover), "reason": .string(reason.rawValue),
            "by": .string(answer?.by ?? decidedBy),
        ]
        object["id"] = presentation.map { .string($0.description) } ?? .null
        object["option"] = answer.map { .string($0.option) } ?? .null
        object["via"] = answer.map { .string($0.via.rawValue) } ?? .null
        object["second"] = answer?.second.map { .string($0) }
        object["comment"] = answer?.comment.map { .string($0) }
        object["code"] = refusalCode.map { .integer(Int64($0)) } ?? .null
        object["values"] = values.isEmpty ? nil : .object(values.json)
        object["detail"] = detail.map { .string($0) } ?? .null
        return .object(object)
    }
}

/// A report whose options have no effect here: the script acts on the chosen option.
package struct PresentedReport: AttemptableError {
    package let report: ErrorReport
    private let answered = Answered()

    package init(report: ErrorReport) { self.report = report }

    package var attempter: any RecoveryAttempter {
        Choice(options: report.options, answered: answered)
    }

    /// The values that came with the answer, secrets included: for the script, which carries the
    /// option out.
    package var values: FieldValues { answered.values.withLock { $0 } }

    private final class Answered: Sendable {
        let values = Mutex(FieldValues())
    }

    private struct Choice: RecoveryAttempter {
        let options: [ErrorReport.Option]
        let answered: Answered

        func attemptRecovery(_ answer: Answer) async -> AttemptResult {
            guard let option = options.first(where: { $0.id == answer.option }) else {
                return options.isEmpty ? .notRecovered : .notOffered
            }
            do throws(FieldFault) {
                let values = try answer.values(for: option)
                answered.values.withLock { $0 = values }
            } catch {
                return .badValue(error)
            }
            return option.role == .cancel ? .notRecovered : .recovered
        }
    }
}
