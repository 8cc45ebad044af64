package import ErrorBus
import Synchronization

/// Whether a presentation was in front of a person: one that is withheld then was asked all the
/// same.
package final class ShownMark: Sendable {
    private let isSet = Atomic(false)

    package init() {}

    package var wasShown: Bool { isSet.load(ordering: .acquiring) }

    /// Another presentation begins.
    func begin() { isSet.store(false, ordering: .releasing) }

    /// Takes a state of the presentation.
    package func take(_ state: PresentationState) {
        switch state.station {
        case .presented, .claimed: isSet.store(true, ordering: .releasing)
        // A rule reports a presentation as queued while it waits with its answer.
        case .relayed, .queued, .unreachable: break
        }
    }
}
