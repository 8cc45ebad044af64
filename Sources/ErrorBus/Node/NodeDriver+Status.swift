import Logging

// What a node says of its links, to its operator.
extension NodeDriver {
    /// Adds the links' part to the status.
    func describe(into status: inout NodeStatus) {
        count(into: &status.tables)
        machine.below.describe(into: &status, at: transport.now)
        for (way, endpoints) in zip(machine.above, machine.endpoints) {
            way.describe(into: &status, endpoints: endpoints, at: transport.now)
        }
        status.counters.refusedBelow = refusedCount
        status.dropped.merge(anomalies.totals, uniquingKeysWith: +)
        status.dropped.merge(failures.totals, uniquingKeysWith: +)
    }

    nonisolated func failed(_ connections: FailedConnections) {
        assumeIsolated { driver in
            driver.failures.note(connections)
            driver.logFailures()
            // To be woken for a line that is due later.
            driver.perform([])
        }
    }

    /// Logs the failed connections whose line is due; the status has them among its faults.
    func logFailures() {
        for line in failures.ticked(at: transport.now) {
            faults.note(.connection, line.detail, count: line.count)
            logger.warning(
                "connections failed",
                metadata: [
                    "kind": "\(line.cause.rawValue)", "detail": "\(line.detail)",
                    "times": "\(line.count)",
                ])
        }
    }
}
