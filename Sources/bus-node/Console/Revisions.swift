import Foundation

/// The revisions of an inbox as clients see them. An inbox counts from zero in each life of its
/// node; here each life begins above the one before, so that what a client has seen of an earlier
/// one is never taken for this one's.
struct Revisions: Sendable {
    /// JSON numbers are exact up to here.
    static let max: Int64 = 1 << 53

    private let base: UInt64

    init(startedAt: Date) { base = UInt64(Swift.max(0, startedAt.timeIntervalSince1970) * 1_000) }

    func shown(_ revision: UInt64) -> Int64 { Int64(clamping: base + revision) }

    /// Nil for one that is not of this life.
    func own(_ shown: Int64, upTo latest: UInt64) -> UInt64? {
        guard let shown = UInt64(exactly: shown), shown >= base, shown - base <= latest else {
            return nil
        }
        return shown - base
    }
}
