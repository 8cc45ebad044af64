package import Foundation

/// A point in time on two clocks: monotonic for machines, wall clock for people. Only the monotonic
/// clock decides, so a jump of the wall clock changes only the text.
package struct Moment: Hashable, Sendable {
    package let instant: ContinuousClock.Instant
    package let date: Date

    package init(instant: ContinuousClock.Instant, date: Date) {
        self.instant = instant
        self.date = date
    }

    package static var now: Moment { Moment(instant: .now, date: Date()) }

    package static func + (moment: Moment, duration: Duration) -> Moment {
        let (seconds, attoseconds) = duration.components
        return Moment(
            instant: moment.instant + duration,
            date: moment.date + TimeInterval(seconds) + TimeInterval(attoseconds) * 1e-18)
    }
}

extension Moment: Comparable {
    package static func < (left: Moment, right: Moment) -> Bool { left.instant < right.instant }
}
