/// The choices behind an error and the way to run one: AppKit's recovery attempter, addressed by
/// option id instead of index, so that reordering or translating options changes nothing.
///
/// An attempter whose owner is another process conforms as well: there an attempt is an answer
/// sent down and a result that comes back up.
public protocol RecoveryAttempter: Sendable {
    /// What is offered, in order.
    var options: [ErrorReport.Option] { get }

    /// Runs the attempt behind `answer.option`. Never throws: whatever happens is a result.
    func attemptRecovery(_ answer: Answer) async -> AttemptResult
}

/// An error that brings its own attempter.
public protocol AttemptableError: ReportableError {
    var attempter: any RecoveryAttempter { get }
}

extension Error {
    /// What can attempt this error's recovery: its own attempter, or Foundation's
    /// `RecoverableError` adapted; nil when the error offers nothing.
    public var recoveryAttempter: (any RecoveryAttempter)? {
        if let error = self as? any AttemptableError { return error.attempter }
        return FoundationAttempter(self)
    }
}

extension Error {
    /// Runs what stands behind the answer to this error.
    ///
    /// The OK of an error without options recovers nothing and needs no attempter (HRS raises
    /// an index error there). An attempter that there is hears of it all the same, since its owner
    /// may be waiting in another process.
    func attemptRecovery(_ answer: Answer) async -> AttemptResult {
        let result = await recoveryAttempter?.attemptRecovery(answer) ?? .noAttempter
        let isUnknown = result == .noAttempter || result == .notOffered
        guard isUnknown, ErrorReport(describing: self).options.isEmpty else { return result }
        return .notRecovered
    }
}
