import ErrorBus
import Foundation

/// The failure to save an invoice. A prompt shows its `errorDescription`.
enum SaveError: LocalizedError {
    case exists(String)

    var errorDescription: String? {
        switch self {
        case .exists(let path): "\(path) exists already."
        }
    }
}

/// A folder of invoices.
struct InvoiceStore: Sendable {
    let folder: String

    /// - Throws: ``SaveError`` with the options that this store owns.
    func save(_ invoice: String) throws {
        let path = "\(folder)/\(invoice)"
        guard !FileManager.default.fileExists(atPath: path) else {
            throw SaveError.exists(path).recoverable {
                RecoveryOption("Overwrite", id: "overwrite", role: .destructive) {
                    try FileManager.default.removeItem(atPath: path)
                    return true  // save(invoice) works now
                }
                RecoveryOption.cancel
            }
        }
        try Data("\(invoice)\n".utf8).write(to: URL(filePath: path))
    }
}
