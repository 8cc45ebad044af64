import Foundation

/// What is wrong with a journal. A node that meets it does not decide.
enum JournalFault: LocalizedError, Hashable {
    /// A row is not what was written.
    case damaged(id: String, path: String)
    /// An answer came for a presentation that is not in the journal.
    case unknown(id: String)
    /// Another answer is recorded already.
    case decidedBefore(id: String, option: String)

    var errorDescription: String? {
        switch self {
        case .damaged(let id, let path):
            "journal \(path): the record of \(id) is damaged; restore the file or remove the record"
        case .unknown(let id): "the journal does not know \(id)"
        case .decidedBefore(let id, let option): "\(id) is recorded as decided with \(option)"
        }
    }
}
