import ErrorBusTesting

@testable import ErrorBus

/// Keeps the ledger in memory.
final class RecordingAudit: AuditLog {
    private let record = Recorder<AuditEvent>()

    var events: [AuditEvent] { record.elements }

    func record(_ event: AuditEvent) { record.record(event) }

    /// The next event of a kind; those before it are passed over.
    func next(_ kind: AuditEvent.Kind) async throws -> AuditEvent {
        while true {
            let event = try await record.next()
            if event.kind == kind { return event }
        }
    }
}
