@testable import ErrorBus
@testable import ErrorBusCore

extension Message.Present {
    /// What a client that knows only the protocol asks.
    static func client(
        id: PresentationID = .make(), origin: NodeName = "cron", wait: UInt64? = 20_000,
        payload: String = clientReport
    ) -> Message.Present {
        Message.Present(
            id: id, origin: origin, path: [origin], waitMilliseconds: wait,
            payload: Frame(payload.utf8))
    }

    static let clientReport = """
        {"domain":"org.example.cron","description":"The backup failed.",\
        "recoveryOptions":[{"id":"retry","title":"Retry"},{"id":"cancel","title":"Cancel"}]}
        """
}
