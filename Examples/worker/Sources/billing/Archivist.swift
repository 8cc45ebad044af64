import ErrorBus
import Foundation

/// A responder on the way up: where an invoice is in the way it offers to keep the old one, and is
/// the owner of that option. The store's own options stay the store's.
final class Archivist: Responder {
    let next: (any Responder)?

    init(next: (any Responder)?) { self.next = next }

    func willPresentError(
        _ error: any Error, in context: PresentationContext
    ) async throws -> (any Error)? {
        guard case .exists(let path) = error.causing(SaveError.self) else { return error }
        return error.addingRecoveryOptions(.first) {
            RecoveryOption("Keep the old one", id: "archive", role: .default) {
                try FileManager.default.moveItem(
                    atPath: path, toPath: "\(path).\(UUID().uuidString)")
                return true
            }
        }
    }
}
