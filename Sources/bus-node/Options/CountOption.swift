import BusNodeKit

/// A whole number given on the command line.
enum CountOption {
    /// - Throws: When the number is outside the range.
    static func check<Count: FixedWidthInteger>(
        _ count: Count, option: String, in range: ClosedRange<Count>
    ) throws(Failure) {
        guard range.contains(count) else {
            throw refusal(count, option, "\(range.lowerBound) to \(range.upperBound)")
        }
    }

    /// - Throws: When the number is below the range.
    static func check<Count: FixedWidthInteger>(
        _ count: Count, option: String, in range: PartialRangeFrom<Count>
    ) throws(Failure) {
        guard range.contains(count) else {
            throw refusal(count, option, "\(range.lowerBound) and above")
        }
    }

    private static func refusal(
        _ count: some FixedWidthInteger, _ option: String, _ allowed: String
    ) -> Failure {
        Failure(.usage, "\(option): found \(count), allowed: \(allowed)")
    }
}
