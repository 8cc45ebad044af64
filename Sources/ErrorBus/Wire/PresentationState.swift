/// Where a presentation stands on its way up, as far as the caller's side knows.
public struct PresentationState: Hashable, Sendable {
    /// The stations, as PENDING names them on the wire.
    public enum Station: String, Sendable, CaseIterable {
        /// Passed on; not in front of a person yet.
        case relayed
        /// With a presenter, behind others.
        case queued
        /// In front of a person.
        case presented
        /// A person took it on.
        case claimed
        /// Waiting for a link to come back.
        case unreachable
    }

    public let station: Station
    /// The node or person concerned, where one is known.
    public let by: String?

    public init(_ station: Station, by: String? = nil) {
        self.station = station
        self.by = by
    }
}
