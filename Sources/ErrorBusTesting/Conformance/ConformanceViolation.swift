import ErrorBus
public import Logging

/// A broken rule of a protocol, with the behaviour found.
public struct ConformanceViolation: Error, Hashable, Sendable, CustomStringConvertible {
    /// The rule, in words.
    public let rule: String
    /// The behaviour found.
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

/// Waits for `operation` at most `limit` on `clock`; nil when the limit passes first. The operation
/// is then cancelled and not waited for.
func withPatience<Value: Sendable>(
    _ limit: Duration, on clock: any Clock<Duration>,
    _ operation: @escaping @Sendable () async throws -> Value
) async -> Value? {
    await withTimeLimit(limit, clock: clock) { try? await operation() } ?? nil
}

extension Logger {
    /// A logger that drops everything, for checks whose failures need no log.
    public static var silent: Logger {
        Logger(label: "silent") { _ in SwiftLogNoOpLogHandler() }
    }
}
