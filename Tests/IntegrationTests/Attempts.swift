import Synchronization

@testable import ErrorBus
@testable import ErrorBusCore

/// Notes which options were attempted, and where.
final class Attempts: Sendable {
    private let state = Mutex<[String]>([])

    var all: [String] { state.withLock { $0 } }
    var count: Int { all.count }

    func note(_ text: String) { state.withLock { $0.append(text) } }

    /// An option that notes `"place:id"` when it is attempted.
    func option(
        _ id: String, at place: String = "origin", role: ErrorReport.Option.Role? = nil,
        recovers: Bool = true
    ) -> RecoveryOption {
        RecoveryOption("Do \(id)", id: id, role: role) {
            self.note("\(place):\(id)")
            return recovers
        }
    }

    /// An error of the origin with Retry and Cancel.
    func saveFailed() -> Recoverable {
        SaveFailed().recoverable {
            option("retry", role: .default)
            RecoveryOption.cancel
        }
    }
}

struct SaveFailed: Error {}
