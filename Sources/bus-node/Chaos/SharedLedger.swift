import ErrorBus

/// The logs of nodes that were started by others, in containers, where process ids come again: a
/// life begins with its own line.
struct SharedLedger {
    private struct Log {
        let node: String
        var reader: LedgerReader
        var lifeCount: Int64 = 0
    }

    private var logs: [Log]
    private var tally: LedgerTally

    init(_ topology: Topology, folder: ChaosFolder) {
        logs = topology.settings.map { settings in
            Log(
                node: settings.name.description, reader: LedgerReader(folder.log(of: settings.name))
            )
        }
        let durable = topology.settings.filter { $0.journal != nil }
        tally = LedgerTally(durableNodes: Set(durable.map(\.name.description)))
    }

    mutating func read() {
        for index in logs.indices {
            for var event in logs[index].reader.newEvents() {
                if event.kind == .start { logs[index].lifeCount += 1 }
                event.life = LedgerEvent.Life(node: logs[index].node, pid: logs[index].lifeCount)
                tally.add(event)
            }
        }
    }

    /// How often each node was started.
    var lifeCounts: [(node: String, count: Int64)] { logs.map { ($0.node, $0.lifeCount) } }

    /// Taking each node's latest life for one that goes on.
    var counts: LedgerCounts {
        var dead: Set<LedgerEvent.Life> = []
        for log in logs where log.lifeCount > 1 {
            for life in 1..<log.lifeCount { dead.insert(.init(node: log.node, pid: life)) }
        }
        return tally.counts(dead: dead)
    }
}
