import ErrorBus
import OrderedCollections
import Testing

@testable import BusLab
@testable import BusNodeKit

struct ChaosPlanTests {
    private func plan(_ nodes: TopologyNode...) throws -> ChaosPlan {
        try ChaosPlan(
            Topology(
                nodes: OrderedDictionary(uniqueKeysWithValues: nodes.map { ($0.name, $0) })),
            path: "t.yaml")
    }

    private func node(
        _ name: NodeName, next: [Hop] = [], listen: [String] = [], presents: Bool = false
    ) throws -> TopologyNode {
        var settings = TopologyNode(name: name)
        settings.next = next
        settings.listen = try listen.map { try Endpoint($0) }
        settings.presenters = presents ? [.terminal] : []
        return settings
    }

    @Test("Leaves present, nodes with presenters answer, all others relay")
    func roles() throws {
        let plan = try FaultScheduleTests.plan()
        #expect(plan.processes.map(\.role) == [.presenter, .relay, .worker, .worker])
        #expect(
            plan.links.map(\.name) == [
                "relay-to-centre", "w1-to-relay", "w2-to-relay", "w2-to-centre",
            ])
        #expect(plan.links[0].target.description == "tcp://127.0.0.1:7001")
    }

    @Test("A parent that a node names by its endpoint is of the topology, and linked there")
    func endpoints() throws {
        let listening = ["tcp://127.0.0.1:1", "tcp://127.0.0.1:2"]
        let root = try node("r", listen: listening, presents: true)
        let parent = Hop.endpoint(try Endpoint("tcp://127.0.0.1:2"))
        let links = try plan(root, try node("w", next: [parent])).links
        #expect(links.map(\.name) == ["w-to-r"])
        #expect(links.map(\.target.description) == ["tcp://127.0.0.1:2"])
    }

    @Test("Shares differ by at most one and add up", arguments: [0, 1, 2, 7, 1_000])
    func shares(count: Int) throws {
        let shares = try FaultScheduleTests.plan().shares(of: count)
        #expect(Set(shares.keys) == ["w1", "w2"])
        #expect(shares.values.reduce(0, +) == count)
        #expect((shares.values.max() ?? 0) - (shares.values.min() ?? 0) <= 1)
    }

    @Test("A worker waits for the start of the run, and one that starts later finds it")
    func start() async throws {
        let temporary = try TemporaryFolder()
        let folder = ChaosFolder(path: temporary.path)
        async let early = folder.start()
        try folder.begin(at: .microseconds(1_234_567))
        #expect(try await early == .microseconds(1_234_567))
        #expect(try await folder.start() == .microseconds(1_234_567))
    }

    @Test("Every end is an answer unless a worker may give up by itself")
    func answers() throws {
        let root = try node("r", listen: ["tcp://127.0.0.1:1"], presents: true)
        var worker = try node("w", next: [.node("r")])
        #expect(try plan(root, worker).everyEndIsAnAnswer)
        worker.deadline = .seconds(1)
        #expect(try !plan(root, worker).everyEndIsAnAnswer)
        worker.deadline = nil
        worker.whenUnreachable = .fail
        #expect(try !plan(root, worker).everyEndIsAnAnswer)
    }

    @Test("An unusable topology is refused with the reason")
    func refusals() throws {
        let listening = ["tcp://127.0.0.1:1"]
        let root = try node("r", listen: listening, presents: true)
        func problem(_ nodes: TopologyNode...) -> String {
            do {
                _ = try ChaosPlan(
                    Topology(
                        nodes: OrderedDictionary(
                            uniqueKeysWithValues: nodes.map { ($0.name, $0) })), path: "t.yaml")
                return "none"
            } catch {
                #expect(error.status == .badConfiguration)
                return error.text
            }
        }
        #expect(problem(root).contains("no node would present"))
        let mute = try node("r", listen: listening)
        #expect(
            problem(mute, try node("w", next: [.node("r")])).contains("no node would answer"))
        let outside = try node("w", next: [.endpoint(try Endpoint("tcp://127.0.0.1:9"))])
        #expect(problem(root, outside).contains("not of this topology"))
        var routed = try node("w", next: [.node("r")])
        routed.responders = [Rule(match: RuleMatch(), actions: [.route("r")], position: 1)]
        #expect(problem(root, routed).contains("node w: found a rule with route"))
        let twice = try node("w", next: [.node("r"), .endpoint(try Endpoint("tcp://127.0.0.1:2"))])
        let root2 = try node("r", listen: listening + ["tcp://127.0.0.1:2"], presents: true)
        #expect(problem(root2, twice).contains("two ways to node r"))
        let hidden = try node("r", listen: ["tcp://127.0.0.1:*"], presents: true)
        #expect(
            problem(hidden, try node("w", next: [.node("r")])).contains("no `listen` endpoint"))
    }
}
