/// A moment of the monotonic clock, in milliseconds from an arbitrary start: the only time in
/// protocol decisions. Wall clocks jump, and two nodes' clocks are not comparable.
package struct MonotonicTime: Hashable, Sendable, Comparable {
    package var milliseconds: UInt64

    package init(milliseconds: UInt64) { self.milliseconds = milliseconds }

    package static func < (left: Self, right: Self) -> Bool {
        left.milliseconds < right.milliseconds
    }

    /// The time so much later, clamped to the end of time on overflow.
    package static func + (time: Self, milliseconds: UInt64) -> Self {
        let (sum, isOver) = time.milliseconds.addingReportingOverflow(milliseconds)
        return Self(milliseconds: isOver ? .max : sum)
    }

    /// The time so much earlier, clamped to the start of time.
    package static func - (time: Self, milliseconds: UInt64) -> Self {
        Self(milliseconds: time.milliseconds - min(time.milliseconds, milliseconds))
    }

    /// The milliseconds from `earlier` to this moment; 0 when `earlier` is later.
    package func since(_ earlier: Self) -> UInt64 {
        milliseconds > earlier.milliseconds ? milliseconds - earlier.milliseconds : 0
    }
}

extension MonotonicTime? {
    /// The earlier of this time and `other`, or the only one; nil without both.
    package func orEarlier(_ other: MonotonicTime?) -> MonotonicTime? {
        guard let self else { return other }
        return other.map { Swift.min($0, self) } ?? self
    }
}
