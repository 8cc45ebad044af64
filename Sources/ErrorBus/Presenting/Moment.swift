public import Foundation

/// A point in time, as machines count it and as people read it. Only the first decides anything:
/// a wall clock that jumps changes what is shown, not what happens.
public struct Moment: Hashable, Sendable {
    public let instant: ContinuousClock.Instant
    public let date: Date

    public init(instant: ContinuousClock.Instant, date: Date) {
        self.instant = instant
        self.date = date
    }

    public static var now: Moment { Moment(instant: .now, date: Date()) }

    public static func + (moment: Moment, duration: Duration) -> Moment {
        let (seconds, attoseconds) = duration.components
        return Moment(
            instant: moment.instant + duration,
            date: moment.date + TimeInterval(seconds) + TimeInterval(attoseconds) * 1e-18)
    }
}

extension Moment: Comparable {
    public static func < (left: Moment, right: Moment) -> Bool { left.instant < right.instant }
}
