import ErrorBus

/// Tells several logs of each event, in order.
struct AuditLogs: AuditLog {
    let logs: [any AuditLog]

    func record(_ event: AuditEvent) {
        for log in logs { log.record(event) }
    }
}
