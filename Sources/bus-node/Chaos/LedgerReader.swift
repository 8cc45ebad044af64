import ErrorBus
import Foundation

/// Reads a growing log: each call gives the whole lines that were added since the one before.
struct LedgerReader {
    private let path: String
    private var offset: UInt64 = 0

    init(_ path: String) { self.path = path }

    mutating func newEvents() -> [LedgerEvent] {
        guard let handle = FileHandle(forReadingAtPath: path) else { return [] }
        defer { try? handle.close() }
        guard (try? handle.seek(toOffset: offset)) != nil,
            let data = try? handle.readToEnd(),
            let end = data.lastIndex(of: UInt8(ascii: "\n"))
        else { return [] }
        let whole = data[...end]
        offset += UInt64(whole.count)
        return whole.split(separator: UInt8(ascii: "\n")).compactMap { LedgerEvent(line: $0) }
    }
}
