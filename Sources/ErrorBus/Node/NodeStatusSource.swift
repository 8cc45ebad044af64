import Synchronization

/// Puts together how a node is, from the parts that know.
final class NodeStatusSource: Sendable {
    private struct State {
        var startedAt: ContinuousClock.Instant?
        /// Weak: the downlink has this to answer from.
        weak var downlink: Downlink?
    }

    private let name: NodeName
    private let version: String
    private let faults: RecentFaults
    private let uplinks: [Uplink]
    private let presentations: ChildPresentations
    private let state = Mutex(State())

    init(
        _ name: NodeName, uplinks: [Uplink], presentations: ChildPresentations, parts: NodeParts
    ) {
        self.name = name
        self.uplinks = uplinks
        self.presentations = presentations
        version = parts.version
        faults = parts.faults
    }

    /// Set once, before the downlink listens.
    func setDownlink(_ downlink: Downlink) { state.withLock { $0.downlink = downlink } }

    /// The sockets' thread runs from now on: it may be asked.
    func started() { state.withLock { $0.startedAt = .now } }

    /// Asks the thread of the sockets.
    var status: NodeStatus {
        get async {
            var status = NodeStatus(node: name)
            status.version = version
            let (startedAt, downlink) = state.withLock { ($0.startedAt, $0.downlink) }
            guard let startedAt else { return status }
            status.upMilliseconds = startedAt.duration(to: .now).clampedMilliseconds
            await downlink?.tell(into: &status)
            for uplink in uplinks { await uplink.tell(into: &status) }
            status.tables.offered = presentations.count
            status.faults = faults.list()
            status.arrangeChildren()
            return status
        }
    }

    /// How full the tables are, without the rest.
    var tableSizes: TableSizes {
        get async {
            var sizes = TableSizes()
            let (startedAt, downlink) = state.withLock { ($0.startedAt, $0.downlink) }
            guard startedAt != nil else { return sizes }
            await downlink?.count(into: &sizes)
            for uplink in uplinks { await uplink.count(into: &sizes) }
            sizes.offered = presentations.count
            return sizes
        }
    }
}
