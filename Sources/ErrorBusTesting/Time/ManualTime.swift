package import ErrorBus
package import Foundation
import Synchronization

/// The time as a test says it is, for types that ask for the time and do not sleep: it stands
/// still until the test moves it, however long the test waits for a processor.
///
/// ```swift
/// let time = ManualTime()
/// let silences = Silences(now: { time.now })
/// time.advance(by: .seconds(60))
/// ```
package final class ManualTime: Sendable {
    private let moment: Mutex<Moment>

    /// - Parameter date: What people read at the start.
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
