package import BusNodeKit
import ErrorBus
import Foundation

/// The logs of all processes of a run, read while they grow.
struct ChaosLedger {
    private var readers: [LedgerReader]
    private var tally: LedgerTally
    /// Everything read so far, where it is kept.
    private(set) var events: [LedgerEvent] = []
    private let keepsEvents: Bool

    /// - Parameter keepsEvents: For a picture; a long run has too many of them.
    init(_ plan: ChaosPlan, folder: ChaosFolder, keepsEvents: Bool) {
        self.keepsEvents = keepsEvents
        readers = plan.processes.map { LedgerReader(folder.log(of: $0.name)) }
        let durable = plan.processes.filter { $0.settings.journal != nil }
        tally = LedgerTally(durableNodes: Set(durable.map(\.name.description)))
    }

    mutating func read() {
        for index in readers.indices {
            for event in readers[index].newEvents() {
                tally.add(event)
                if keepsEvents { events.append(event) }
            }
        }
    }

    /// The presentations that began.
    var presentedCount: Int { tally.presentedCount }

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

/// The logs of nodes started elsewhere, in containers, where process ids repeat: a line in the log
/// marks the start of a life.
package struct SharedLedger {
    private struct Log {
        let node: String
        var reader: LedgerReader
        var lifeCount: Int64 = 0
    }

    private var logs: [Log]
    private var tally: LedgerTally

    package init(_ topology: Topology, folder: ChaosFolder) {
        logs = topology.settings.map { settings in
            Log(
                node: settings.name.description, reader: LedgerReader(folder.log(of: settings.name))
            )
        }
        let durable = topology.settings.filter { $0.journal != nil }
        tally = LedgerTally(durableNodes: Set(durable.map(\.name.description)))
    }

    package mutating func read() {
        for index in logs.indices {
            for var event in logs[index].reader.newEvents() {
                if event.kind == .start { logs[index].lifeCount += 1 }
                event.life = LedgerEvent.Life(node: logs[index].node, pid: logs[index].lifeCount)
                tally.add(event)
            }
        }
    }

    /// How often each node was started.
    package var lifeCounts: [(node: String, count: Int64)] { logs.map { ($0.node, $0.lifeCount) } }

    /// The counts, with each node's latest life taken as still running.
    package var counts: LedgerCounts {
        var dead: Set<LedgerEvent.Life> = []
        for log in logs where log.lifeCount > 1 {
            for life in 1..<log.lifeCount { dead.insert(.init(node: log.node, pid: life)) }
        }
        return tally.counts(dead: dead)
    }
}

/// Reads a growing log: each call returns the whole lines added since the last one.
package struct LedgerReader {
    private let path: String
    private var offset: UInt64 = 0

    package init(_ path: String) { self.path = path }

    package mutating func newEvents() -> [LedgerEvent] {
        guard let handle = FileHandle(forReadingAtPath: path) else { return [] }
        defer { try? handle.close() }
        guard (try? handle.seek(toOffset: offset)) != nil,
            let data = try? handle.readToEnd(),
            let end = data.lastIndex(of: UInt8(ascii: "\n"))
        else { return [] }
        let whole = data[...end]
        offset += UInt64(whole.count)
        return whole.split(separator: UInt8(ascii: "\n")).compactMap { LedgerEvent(line: $0) }
    }
}
