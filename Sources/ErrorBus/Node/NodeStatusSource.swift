import Synchronization

/// The source of a node's status, which it assembles from the node's parts.
final class NodeStatusSource: Sendable {
    private let name: NodeName
    private let version: String
    private let faults: RecentFaults
    private let driver: NodeDriver
    private let presentations: ChildPresentations
    private let startedAt = Mutex<ContinuousClock.Instant?>(nil)

    init(
        _ name: NodeName, driver: NodeDriver, presentations: ChildPresentations, parts: NodeParts
    ) {
        self.name = name
        self.driver = driver
        self.presentations = presentations
        version = parts.version
        faults = parts.faults
    }

    /// Notes that the sockets' thread runs from now on and can be asked.
    func started() { startedAt.withLock { $0 = .now } }

    /// The status, from the thread of the sockets.
    var status: NodeStatus {
        get async {
            var status = NodeStatus(node: name)
            status.version = version
            guard let startedAt = startedAt.withLock(\.self) else { return status }
            status.upMilliseconds = startedAt.duration(to: .now).clampedMilliseconds
            status.tables.offered = presentations.count
            await driver.describe(into: &status)
            status.faults = faults.list()
            status.arrangeChildren()
            return status
        }
    }

    /// The table sizes alone.
    var tableSizes: TableSizes {
        get async {
            var sizes = TableSizes()
            guard startedAt.withLock({ $0 != nil }) else { return sizes }
            sizes.offered = presentations.count
            await driver.count(into: &sizes)
            return sizes
        }
    }
}
