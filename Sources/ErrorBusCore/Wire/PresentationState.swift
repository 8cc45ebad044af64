/// The state of a presentation on its way up, as far as the caller's side knows.
public struct PresentationState: Hashable, Sendable {
    /// The stations, as PENDING names them on the wire.
    public enum Station: String, Sendable, CaseIterable {
        /// Passed on; not yet in front of a person.
        case relayed
        /// Behind other presentations at a presenter.
        case queued
        /// In front of a person.
        case presented
        /// Claimed by a person.
        case claimed
        /// Waiting for a link to come back.
        case unreachable

        /// Whether a presenter has the presentation.
        var isHeld: Bool {
            switch self {
            case .queued, .presented, .claimed: true
            case .relayed, .unreachable: false
            }
        }
    }

    /// The station that the presentation has reached.
    public let station: Station
    /// The node or person concerned, when known.
    public let by: String?
    /// The time since which the state holds, as the node above reported it; nil for a state that
    /// has just begun. Two states are equal without it.
    package let since: MonotonicTime?

    /// A state; a presenter reports one with ``Prompt/moved(to:by:)``.
    public init(_ station: Station, by: String? = nil) {
        self.init(station, by: by, since: nil)
    }

    package init(_ station: Station, by: String?, since: MonotonicTime?) {
        self.station = station
        self.by = by
        self.since = since
    }

    public static func == (left: Self, right: Self) -> Bool {
        left.station == right.station && left.by == right.by
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(station)
        hasher.combine(by)
    }
}
