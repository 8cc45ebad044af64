import ArgumentParser
import ErrorBus
import Logging
import UnixSignals

/// Presents once more what ended without an answer, to the node whose journal has it.
///
/// The caller is gone or has gone on: so it is a new presentation, under an id of its own, that
/// names the old one in `retryOf`, and choosing an option is all that comes of it.
struct Reoffer {
    private let row: JournalRow
    private let journal: String
    private let node: NodeName
    private let topology: String

    /// - Throws: When no journal has the id, more than one begins or ends so, or it did not
    ///   end unanswered.
    init(_ id: String, topology: String, nodes: [NodeSettings]) throws {
        var found: [(row: JournalRow, journal: String, node: NodeName)] = []
        for node in nodes {
            guard let path = node.journal, let letters = try DeadLetters(path) else { continue }
            found += try letters.rows(withPartOfID: id).map { ($0, path, node.name) }
        }
        guard let first = found.first else {
            throw Failure(.declined, "no presentation \(id.shown()) in the journals")
        }
        guard Set(found.map(\.row.id)).count == 1 else {
            throw Failure(.usage, "more than one presentation begins or ends with \(id.shown())")
        }
        // Of two presenters that showed it, the one where it is still a dead letter.
        (row, journal, node) = found.first { Self.problem(of: $0.row) == nil } ?? first
        self.topology = topology
        if let problem = Self.problem(of: row) {
            throw Failure(.badData, "\(row.id) \(problem)")
        }
    }

    private static func problem(of row: JournalRow) -> String? {
        if !row.isIntact { return "is damaged in the journal: it is not presented again" }
        if let option = row.option {
            return "was answered with \(option.shown()): there is nothing to present again"
        }
        switch row.endReason {
        case nil: return "is still open"
        case DeadLetters.reoffered.rawValue: return "was presented again and answered before"
        default: return nil
        }
    }

    func run(json: Bool) async throws {
        var report = try ErrorReport(payload: Array(row.report))
        report.retryOf = PresentationID(row.id)
        let target = try Target.parse(["--topology", topology, "--node", node.description])
        let leaf = try target.leaf(
            origin: nil, command: "reoffer", logger: Logger(label: "log"))
        let error = PresentedReport(report: report)
        var options = PresentationOptions()
        if Terminal.isHeard { options.stateChanged = WaitingNotice().stateChanged }
        let outcome = try await Client.run(leaf.node, endingOn: [.sigint, .sigterm, .sighup]) {
            [options] in
            await leaf.node.chain.presentError(error, options: options)
        }
        if outcome.answer != nil { try await markAsAnswered() }
        try Present.conclude(outcome, offered: report.options, json: json)
    }

    /// It is listed no more.
    private func markAsAnswered() async throws {
        guard let id = PresentationID(row.id) else { return }
        do {
            try await SQLiteJournal(journal).ended(id, DeadLetters.reoffered)
        } catch {
            Terminal.say("bus-node: \(row.id) is still listed as unanswered: \(error)")
        }
    }
}
