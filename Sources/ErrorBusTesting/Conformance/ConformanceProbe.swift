public import ErrorBus

/// The error that the conformance checks present.
public struct ConformanceProbe: ReportableError {
    public init() {}

    public var report: ErrorReport {
        ErrorReport(
            domain: "errorbus.conformance", code: 1, description: "A probe of this responder.",
            failureReason: "Its conformance is being checked.")
    }
}
