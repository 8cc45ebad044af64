import ArgumentParser
import Foundation
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore
@testable import bus_node

struct LogTests {
    @Test("A grace goes with what is presented again, and with nothing else")
    func grace() throws {
        let log = try Log.parse(["--topology", "t.yaml", "--reoffer", "0192", "--grace", "3s"])
        #expect(log.grace == "3s")
        try log.check()
        let alone = try Log.parse(["--topology", "t", "--grace", "3s"])
        #expect(throws: Failure.self) { try alone.check() }
    }

    @Test(
        "What chooses rows does not go with what is presented again",
        arguments: [["--since", "1h"], ["--tail", "3"]])
    func rows(option: [String]) throws {
        try Log.parse(["--topology", "t"] + option).check()
        let both = try Log.parse(["--topology", "t", "--reoffer", "0192"] + option)
        #expect {
            try both.check()
        } throws: { error in
            (error as? Failure)?.status == .usage
        }
    }

    @Test(
        "The start is a time or an age, as for the history",
        arguments: [
            ("2026-11-27T01:59:00Z", "2026-11-27T01:59:00.000Z"),
            ("2026-11-27T01:59:00.250Z", "2026-11-27T01:59:00.250Z"),
            ("90s", "2026-11-27T09:58:30.000Z"), ("1h", "2026-11-27T09:00:00.000Z"),
        ])
    func since(text: String, start: String) throws {
        let now = try #require(TimeText.read("2026-11-27T10:00:00Z"))
        #expect(try Log.start(text, now: now) == start)
    }

    @Test(
        "What each presenter declined is not presented again, and went on only to a next node",
        arguments: [
            (true, "was passed on to the next node: there is nothing to present again here"),
            (
                false,
                "was declined by each presenter of node central, which has no next: it ended there "
                    + "without an answer, and is not presented again"
            ),
        ])
    func declined(hasNext: Bool, problem: String) async throws {
        let folder = try TemporaryFolder()
        let id = PresentationID.make()
        var node = TopologyNode(name: "central")
        if hasNext { node.next = [.node("parent")] }
        node.journal = folder.path + "/central.sqlite"
        let journal = try SQLiteJournal(folder.path + "/central.sqlite")
        let report = ErrorReport(domain: "d", description: "Boom")
        try await journal.shown(
            id, DecisionRecord.Asked(origin: "worker-1", digest: nil, report: report))
        try await journal.ended(id, .declined)
        let nodes = [node]
        #expect {
            _ = try Reoffer(id.description, topology: folder.path, nodes: nodes, grace: nil)
        } throws: { error in
            (error as? Failure)?.text == "\(id) \(problem)"
        }
    }

    /// A node with a parent, whose journal has shown a presentation, and that journal.
    private func presenter(
        _ name: NodeName, of id: PresentationID, in folder: TemporaryFolder,
        ended reason: Outcome.Reason? = nil
    ) async throws -> (node: TopologyNode, journal: SQLiteJournal) {
        let path = "\(folder.path)/\(name).sqlite"
        var node = TopologyNode(name: name)
        node.next = [.node("parent")]
        node.journal = path
        let journal = try SQLiteJournal(path)
        let report = ErrorReport(domain: "d", description: "Boom")
        try await journal.shown(
            id, DecisionRecord.Asked(origin: "worker-1", digest: nil, report: report))
        if let reason { try await journal.ended(id, reason) }
        return (node, journal)
    }

    @Test("What has no end, open or left by an earlier life of the node, is not presented again")
    func open() async throws {
        let folder = try TemporaryFolder()
        let id = PresentationID.make()
        let central = try await presenter("central", of: id, in: folder)
        #expect {
            _ = try Reoffer(
                id.description, topology: folder.path, nodes: [central.node], grace: nil)
        } throws: { error in
            (error as? Failure)?.text
                == "\(id) has no end in the journal: it is open, or was when node central last "
                + "went down, and its origin may still ask for it; if the origin has given up, "
                + "present the error again with bus-node present"
        }
        withExtendedLifetime(central.journal) {}
    }

    @Test("What one presenter passed on is presented again where it ended without an answer")
    func passedOn() async throws {
        let folder = try TemporaryFolder()
        let id = PresentationID.make()
        let relay = try await presenter("relay", of: id, in: folder, ended: .declined)
        let central = try await presenter("central", of: id, in: folder, ended: .expired)
        for nodes in [[relay.node, central.node], [central.node, relay.node]] {
            #expect(throws: Never.self) {
                try Reoffer(id.description, topology: folder.path, nodes: nodes, grace: nil)
            }
        }
        withExtendedLifetime((relay.journal, central.journal)) {}
    }

    @Test("Another start is refused with both forms", arguments: ["yesterday", "1", "1 h"])
    func otherStart(text: String) {
        let allowed =
            "a time such as 2026-11-21T10:00:00Z, a day such as 2026-11-21 (UTC), "
            + "or how long ago, as 30m, 2h, 7d or 2w"
        #expect {
            _ = try Log.start(text)
        } throws: { error in
            (error as? Failure)?.text == "--since: found \"\(text)\", allowed: \(allowed)"
        }
    }
}
