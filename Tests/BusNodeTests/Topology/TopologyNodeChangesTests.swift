import ErrorBus
import Testing

@testable import BusNodeKit

/// What a running node does not take from a topology that was read again.
struct TopologyNodeChangesTests {
    private static let changes: [(String, @Sendable (inout TopologyNode) throws -> Void)] = [
        ("next", { $0.next = [.node("other")] }),
        ("listen", { $0.listen = [try Endpoint("tcp://127.0.0.1:1")] }),
        ("advertise", { $0.advertise = try Endpoint("tcp://10.0.0.1:1") }),
        ("presenters", { $0.presenters = [.terminal] }),
        (
            "notify",
            {
                let url = HookURL(host: "127.0.0.1", port: 9_000, path: "/")
                $0.notify = [HookSettings(name: "hook", url: url)]
            }
        ),
        ("deadline", { $0.deadline = .seconds(1) }),
        ("whenUnreachable", { $0.whenUnreachable = .presentLocally }),
        ("grace", { $0.grace = .seconds(1) }),
        ("abandonAfter", { $0.abandonAfter = .seconds(1) }),
        ("maxOpen", { $0.maxOpen = 1 }),
        ("allowUnauthenticated", { $0.allowUnauthenticated = true }),
        ("events", { $0.events = "events.jsonl" }),
        ("journal", { $0.journal = "journal.sqlite" }),
        ("afterRestart", { $0.afterRestart = .never }),
        ("retention", { $0.retention.age = .seconds(7_200) }),
    ]

    private let former = TopologyNode(name: "central")

    @Test("Each key of a node is taken at SIGHUP, or named", arguments: changes.indices)
    func named(index: Int) throws {
        let (key, change) = Self.changes[index]
        var fresh = former
        try change(&fresh)
        #expect(former.changes(in: fresh).filter(\.value).map(\.key) == [key])
    }

    @Test("The first rules of responders need a restart, and later ones none")
    func firstResponders() throws {
        let rule = Rule(match: RuleMatch(), actions: [.withhold], position: 1)
        var fresh = former
        fresh.responders = [rule]
        #expect(former.changes(in: fresh).filter(\.value).map(\.key) == ["responders"])
        #expect(fresh.changes(in: former).filter(\.value).isEmpty)
    }

    @Test("No key is forgotten")
    func all() {
        #expect(
            Set(former.changes(in: former).map(\.key)) == Set(TopologyReader.nodeKeys))
        #expect(
            Set(Self.changes.map(\.0)) == Set(TopologyReader.nodeKeys).subtracting(["responders"]))
        #expect(former.changes(in: former).filter(\.value).isEmpty)
    }
}
