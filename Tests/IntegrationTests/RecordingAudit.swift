import ErrorBusTesting

@testable import ErrorBus
@testable import ErrorBusCore

/// Keeps the ledger in memory.
final class RecordingAudit: AuditLog {
    private let record = Recorder<PresentationEvent>()

    var events: [PresentationEvent] { record.elements }

    func record(_ event: PresentationEvent) { record.record(event) }

    /// The next result; what happened before it is passed over.
    func nextResult() async throws -> RecoveryResult {
        while true {
            if case .settled(let result, _) = try await record.next().what { return result }
        }
    }
}
