import Foundation

/// Which seeds to run: `ERRORBUS_SEED` one, `ERRORBUS_SEEDS` how many from
/// `ERRORBUS_FIRST_SEED` on.
enum Seeds {
    static let standardCount: UInt64 = 2_000
    private static let chunkSize: UInt64 = 50

    static var chunks: [Range<UInt64>] {
        if let one = number("ERRORBUS_SEED") { return [one..<one + 1] }
        let first = number("ERRORBUS_FIRST_SEED") ?? 0
        let end = first + (number("ERRORBUS_SEEDS") ?? standardCount)
        return stride(from: first, to: end, by: Int(chunkSize)).map { start in
            start..<min(start + chunkSize, end)
        }
    }

    /// `ERRORBUS_VERBOSE=1` prints a line per seed.
    static var isVerbose: Bool { number("ERRORBUS_VERBOSE") == 1 }

    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap(UInt64.init)
    }
}
