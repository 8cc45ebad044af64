/// An error that knows its own report: one that was received, rewritten or made recoverable.
/// `ErrorReport(describing:)` takes it as it is instead of reading the Foundation protocols.
public protocol ReportableError: Error {
    /// The error as a value. Total: whatever was received, reading it never fails.
    var report: ErrorReport { get }
}
