import BusNodeKit

/// A whole number given on the command line.
enum CountOption {
    /// - Throws: When the number is outside the range.
    static func check(
        _ count: Int, option: String, in range: ClosedRange<Int>
    ) throws(Failure) {
        guard range.contains(count) else {
            throw refusal(count, option, "\(range.lowerBound) to \(range.upperBound)")
        }
    }

    /// - Throws: When the number is below the range.
    static func check(
        _ count: Int, option: String, in range: PartialRangeFrom<Int>
    ) throws(Failure) {
        guard range.contains(count) else {
            throw refusal(count, option, "\(range.lowerBound) and above")
        }
    }

    private static func refusal(_ count: Int, _ option: String, _ allowed: String) -> Failure {
        Failure(.usage, "\(option): found \(count), allowed: \(allowed)")
    }
}
