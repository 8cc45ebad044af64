import Foundation

/// Which seeds to run: `ERRORBUS_SEED` one, `ERRORBUS_SEEDS` how many.
enum Seeds {
    static let standardCount: UInt64 = 2_000
    private static let chunkSize: UInt64 = 50

    static var chunks: [Range<UInt64>] {
        if let one = number("ERRORBUS_SEED") { return [one..<one + 1] }
        let count = number("ERRORBUS_SEEDS") ?? standardCount
        return stride(from: 0, to: count, by: Int(chunkSize)).map { start in
            start..<min(start + chunkSize, count)
        }
    }

    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap(UInt64.init)
    }
}
