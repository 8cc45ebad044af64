import ErrorBus

/// The logs of all processes of a run, read as they grow.
struct ChaosLedger {
    private var readers: [LedgerReader]
    private var tally: LedgerTally
    /// Everything read so far.
    private(set) var events: [LedgerEvent] = []

    init(_ plan: ChaosPlan, folder: ChaosFolder) {
        readers = plan.processes.map { LedgerReader(folder.log(of: $0.name)) }
        let durable = plan.processes.filter { $0.settings.journal != nil }
        tally = LedgerTally(durableNodes: Set(durable.map(\.name.description)))
    }

    mutating func read() {
        for index in readers.indices {
            for event in readers[index].newEvents() {
                tally.add(event)
                events.append(event)
            }
        }
    }

    func counts(_ processes: [NodeName: ChaosProcess]) -> LedgerCounts {
        var dead: Set<LedgerEvent.Life> = []
        for (name, process) in processes {
            for mark in process.marks where mark.kind == .killed || mark.kind == .crashed {
                dead.insert(LedgerEvent.Life(node: name.description, pid: Int64(mark.pid)))
            }
        }
        return tally.counts(dead: dead)
    }
}
