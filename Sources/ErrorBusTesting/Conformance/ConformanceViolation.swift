import ErrorBus
public import Logging

/// Something a type does that its protocol rules out.
public struct ConformanceViolation: Error, Hashable, Sendable, CustomStringConvertible {
    /// The rule, in words.
    public let rule: String
    /// What was seen instead.
    public let found: String

    public var description: String { "\(rule): \(found)" }
}

/// The error that the conformance checks present.
struct ConformanceProbe: ReportableError {
    var report: ErrorReport {
        ErrorReport(
            domain: "errorbus.conformance", code: 1, description: "A probe of this responder.",
            failureReason: "Its conformance is being checked.")
    }
}

/// Waits for `operation` at most `limit` on `clock`; nil when that was not enough. The operation is
/// then cancelled, and not waited for.
func withPatience<Value: Sendable>(
    _ limit: Duration, on clock: any Clock<Duration>,
    _ operation: @escaping @Sendable () async throws -> Value
) async -> Value? {
    await withTimeLimit(limit, clock: clock) { try? await operation() } ?? nil
}

extension Logger {
    /// A logger that drops everything, for checks whose failures say enough themselves.
    public static var silent: Logger {
        Logger(label: "silent") { _ in SwiftLogNoOpLogHandler() }
    }
}
