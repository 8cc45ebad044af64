import Synchronization

/// A child's error in this process: an ordinary recoverable error whose attempter lives elsewhere.
///
/// Its report is parsed when a responder asks for it, so a relay whose chain leaves the error
/// unchanged passes the bytes on unparsed.
package struct RemoteError: AttemptableError {
    /// The payload of the report, as received.
    let payload: Frame
    let remote: RemoteAttempter

    package var report: ErrorReport { remote.reading.report }
    package var attempter: any RecoveryAttempter { remote }
}

/// A report that is parsed once, when a responder asks for it.
final class ReportReading: Sendable {
    private let payload: Frame
    private let result = Mutex<Result<ErrorReport, ReportError>?>(nil)

    init(_ payload: Frame) { self.payload = payload }

    /// The report, or why it cannot be parsed.
    var reading: Result<ErrorReport, ReportError> {
        result.withLock { result in
            if let result { return result }
            let read = Result { () throws(ReportError) in try ErrorReport(payload: payload) }
            result = read
            return read
        }
    }

    /// The report; for invalid bytes, the report of that fault.
    var report: ErrorReport {
        switch reading {
        case .success(let report): report
        case .failure(let error):
            ErrorReport(
                domain: "ErrorBus.UnreadableReport", description: "A report could not be read.",
                failureReason: "\(error)")
        }
    }
}

extension Error {
    /// The options that this node cannot choose: a child's options that need a signature, at a node
    /// that signs no answers.
    func unsignableOptions(in context: PresentationContext) -> Set<String> {
        guard !context.signsAnswers, let attempter = recoveryAttempter else { return [] }
        return Set(
            ErrorReport(describing: self).options.lazy
                .filter { $0.needsSignature && attempter.leavesToChild($0.id) }.map(\.id))
    }
}

extension RecoveryAttempter {
    /// Whether a child owns the option, so that no attempt runs in this process. False for an
    /// attempter of any kind that is not known here.
    func leavesToChild(_ option: String) -> Bool {
        switch self {
        case is RemoteAttempter: true
        case let combined as CombinedAttempter:
            !combined.added.options.contains { $0.id == option }
                && combined.below?.leavesToChild(option) == true
        default: false
        }
    }

    /// The answer of an attempt that has ended, with this node's signature where the option is a
    /// child's and needs one: its caller may act on the option.
    func signedAfterAttempt(_ answer: Answer) -> Answer {
        switch self {
        case let remote as RemoteAttempter: remote.signedWithoutValues(answer)
        case let combined as CombinedAttempter where combined.leavesToChild(answer.option):
            combined.below?.signedAfterAttempt(answer) ?? answer
        default: answer
        }
    }
}

/// The attempter of a child's options: sends the answer down and waits for the result. The attempts
/// behind the options never leave their process.
struct RemoteAttempter: RecoveryAttempter {
    let reading: ReportReading
    let received: ReceivedPresentation
    /// The keys that sign this node's own answers; nil at a node without keys.
    let keys: KeyRing?
    let driver: NodeDriver
    let generation: Int

    private var id: PresentationID { received.present.id }

    var options: [ErrorReport.Option] { reading.report.options }

    /// Sends the answer down. The presenter has checked the option, and the owner checks it too.
    func attemptRecovery(_ answer: Answer) async -> AttemptResult {
        guard
            let result = await driver.attempt(signed(answer), of: id, generation: generation)
        else {
            received.leavesResult()
            return .remote(.unknown)
        }
        switch result {
        case .recovered, .failed, .late, .withdrawn: received.hasEnded()
        // It may still be open.
        case .invalid, .unknown: break
        }
        return .remote(result)
    }

    /// The answer with its signature, without values: with a result it travels without them.
    fileprivate func signedWithoutValues(_ answer: Answer) -> Answer {
        keys?.signs == true ? signed(answer.withoutValues) : answer
    }

    /// The answer with its signature: an answer from above keeps the signature of the node that
    /// gave it, if any.
    private func signed(_ answer: Answer) -> Answer {
        guard let keys, keys.signs, !answer.isFromAbove,
            options.contains(where: { $0.id == answer.option && $0.needsSignature })
        else { return answer }
        // The origin and the report as the child sent them, which the option's owner compares.
        return keys.sign(answer, to: received.present)
    }
}
