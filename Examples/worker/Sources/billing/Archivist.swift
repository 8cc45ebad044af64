import ErrorBus
import Foundation

/// The service's own responder: when an invoice exists already, it adds an option that keeps the
/// old one, under a name that may come with the answer, and owns that option. The store keeps its
/// own options.
final class Archivist: Responder {
    let next: (any Responder)?

    init(next: (any Responder)?) { self.next = next }

    func willPresentError(
        _ error: any Error, in context: PresentationContext
    ) async throws -> (any Error)? {
        guard case .exists(let path) = error.causing(SaveError.self) else { return error }
        return error.addingRecoveryOptions(.first) {
            RecoveryOption(
                "Keep the old one", id: "archive", role: .default,
                fields: [
                    .text("name", label: "Its new name", isRequired: false, pattern: "/^[^/]+$/")
                ]
            ) { values in
                let name = values.text("name") ?? "\(UUID().uuidString).old"
                let folder = URL(filePath: path).deletingLastPathComponent()
                try FileManager.default.moveItem(
                    at: URL(filePath: path), to: folder.appending(path: name))
                return true
            }
        }
    }
}
