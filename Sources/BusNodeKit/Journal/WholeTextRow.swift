import Foundation
package import GRDB

/// A row whose texts are kept whole. GRDB hands a text to SQLite, and reads one, only up to its
/// first U+0000: a text with one is kept as its bytes.
package protocol WholeTextRow: Codable, FetchableRecord, PersistableRecord {}

extension WholeTextRow {
    package init(row: Row) throws {
        // A copy has the bytes; of the row of a statement they would be read as a text.
        self = try FetchableRecordDecoder().decode(Self.self, from: row.copy())
    }

    package func encode(to container: inout PersistenceContainer) throws {
        try RowAsEncoded(row: self).encode(to: &container)
        for (column, value) in Array(container) {
            guard let text = value.storage.text, text.utf8.contains(0) else { continue }
            container[column] = Data(text.utf8)
        }
    }
}

/// A row as GRDB encodes it.
private struct RowAsEncoded<Kept: WholeTextRow>: EncodableRecord, Encodable {
    let row: Kept

    func encode(to encoder: any Encoder) throws { try row.encode(to: encoder) }
}

extension DatabaseValue.Storage {
    fileprivate var text: String? {
        if case .string(let text) = self { return text }
        return nil
    }
}
