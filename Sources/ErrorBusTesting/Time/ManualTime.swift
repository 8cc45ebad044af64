package import ErrorBus
package import Foundation
import Synchronization

/// A time that a test moves by hand, for types that read the time and do not sleep.
///
/// ```swift
/// let time = ManualTime()
/// let silences = Silences(now: { time.now })
/// time.advance(by: .seconds(60))
/// ```
package final class ManualTime: Sendable {
    private let moment: Mutex<Moment>

    /// - Parameter date: The wall-clock time at the start.
    package init(date: Date = Date(timeIntervalSince1970: 1_800_000_000)) {
        moment = Mutex(Moment(instant: ContinuousClock.now, date: date))
    }

    package var now: Moment { moment.withLock { $0 } }

    /// Moves the time, never backwards.
    package func advance(by duration: Duration) {
        precondition(duration >= .zero, "the time does not go backwards: \(duration)")
        moment.withLock { $0 = $0 + duration }
    }
}
