import ErrorBus
import OrderedCollections
import Testing

@testable import BusLab
@testable import BusNodeKit

struct FaultScheduleTests {
    /// Two workers, a relay, a centre.
    static func plan(journal: String? = nil) throws -> ChaosPlan {
        var centre = TopologyNode(name: "centre")
        centre.listen = [try Endpoint("tcp://127.0.0.1:7001")]
        centre.presenters = [.terminal]
        centre.journal = journal
        var relay = TopologyNode(name: "relay")
        relay.listen = [try Endpoint("ipc:///tmp/relay")]
        relay.next = [.node("centre")]
        var first = TopologyNode(name: "w1")
        first.next = [.node("relay")]
        var second = TopologyNode(name: "w2")
        second.next = [.node("relay"), .node("centre")]
        return try ChaosPlan(
            Topology(
                nodes: OrderedDictionary(
                    uniqueKeysWithValues: [centre, relay, first, second].map { ($0.name, $0) })),
            path: "t.yaml")
    }

    private func schedule(
        _ seed: UInt64, _ faults: [ChaosFault] = ChaosFault.standard, journal: String? = nil
    ) throws -> FaultSchedule {
        FaultSchedule(
            seed: seed, duration: .seconds(60), plan: try Self.plan(journal: journal),
            faults: faults)
    }

    @Test("The same seed gives the same schedule, another seed another", arguments: 1...20)
    func seeds(seed: UInt64) throws {
        #expect(try schedule(seed) == schedule(seed))
        #expect(try schedule(seed).faults != schedule(seed + 1).faults)
    }

    @Test("Faults are within the run, and in sequence on one target", arguments: 1...50)
    func order(seed: UInt64) throws {
        let faults = try schedule(seed).faults
        #expect(faults.allSatisfy { $0.start < $0.end && $0.end <= .seconds(60) })
        for (_, own) in Dictionary(grouping: faults, by: \.target) {
            for (former, later) in zip(own, own.dropFirst()) { #expect(former.end < later.start) }
        }
    }

    @Test("A few seeds cover every sort of fault and every target")
    func coverage() throws {
        let faults = try (1...10).flatMap { try schedule(UInt64($0)).faults }
        #expect(Set(faults.map(\.fault)) == Set(ChaosFault.standard))
        #expect(
            Set(faults.map(\.target)) == [
                "centre", "relay", "w1", "w2", "relay-to-centre", "w1-to-relay", "w2-to-relay",
                "w2-to-centre",
            ])
    }

    @Test("One fault is in the singular")
    func words() {
        #expect([0, 1, 2].map(FaultSchedule.words(of:)) == ["0 faults", "1 fault", "2 faults"])
    }

    @Test("Only the requested faults", arguments: ChaosFault.allCases)
    func only(fault: ChaosFault) throws {
        let faults = try (1...5).flatMap { try schedule(UInt64($0), [fault]).faults }
        #expect(!faults.isEmpty)
        let expected: ChaosFault = fault == .killPresenter ? .kill : fault
        #expect(Set(faults.map(\.fault)) == [expected])
    }

    @Test("A presenter without a journal is killed only on request")
    func presenters() throws {
        func killed(_ faults: [ChaosFault], journal: String? = nil) throws -> Bool {
            try (1...10).contains { seed in
                try schedule(UInt64(seed), faults, journal: journal).faults.contains {
                    $0.target == "centre" && $0.action == .kill
                }
            }
        }
        #expect(try !killed([.kill]))
        #expect(try killed([.kill], journal: "var/j"))
        #expect(try killed([.killPresenter]))
        #expect(try Self.plan().killable([.kill]).spared == ["centre"])
        #expect(try Self.plan(journal: "var/j").killable([.kill]).spared == [])
    }

    @Test("Faults are read as a list; an unknown one is named")
    func reading() throws {
        #expect(try ChaosFault.read("drop,kill,drop") == [.drop, .kill])
        #expect(try ChaosFault.read("all") == ChaosFault.standard)
        #expect(try ChaosFault.read("kill,all,corrupt").count == ChaosFault.standard.count + 1)
        for text in ["", "drop,", "fire"] {
            #expect(throws: Failure.self) { try ChaosFault.read(text) }
        }
    }
}
