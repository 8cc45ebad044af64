import Synchronization

/// A child's error in this process: an ordinary recoverable error whose attempter lives elsewhere.
///
/// Its report is read when a responder asks for it, so a relay whose chain leaves the error alone
/// passes the bytes on unread.
public struct RemoteError: AttemptableError {
    /// The report as it came.
    let payload: Frame
    let remote: RemoteAttempter

    public var report: ErrorReport { remote.reading.report }
    public var attempter: any RecoveryAttempter { remote }
}

/// A report that is read once, when it is needed.
final class ReportReading: Sendable {
    private let payload: Frame
    private let result = Mutex<Result<ErrorReport, ReportError>?>(nil)

    init(_ payload: Frame) { self.payload = payload }

    /// The report, or why it cannot be read.
    var reading: Result<ErrorReport, ReportError> {
        result.withLock { result in
            if let result { return result }
            let read = Result { () throws(ReportError) in try ErrorReport(payload: payload) }
            result = read
            return read
        }
    }

    /// The report; for bytes that are none, an error that says so.
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
