import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// A suite of nodes with keys: central, a relay and a worker, whose keys are known, and a stranger.
protocol KeyedSuite {
    var bus: Bus { get }
    var pairs: [NodeName: KeyPair] { get }
}

extension KeyedSuite {
    static func makePairs() throws -> [NodeName: KeyPair] {
        var pairs: [NodeName: KeyPair] = [:]
        for name in ["central", "relay", "worker", "stranger"] as [NodeName] {
            let pair = try #require(KeyPair.make())
            pairs[name] = pair
        }
        return pairs
    }

    /// The keys of `name`, with those of all others but `unknown`.
    func keys(
        _ name: NodeName, parents: [Endpoint: NodeName] = [:],
        unknown: Set<NodeName> = ["stranger"]
    ) throws -> LinkKeys {
        var keys = LinkKeys(
            own: try #require(pairs[name]),
            known: pairs.filter { !unknown.contains($0.key) }.mapValues(\.publicKey),
            parents: parents)
        keys.relays = ["relay"]
        return keys
    }

    func central(
        _ ring: KeyRing, option: String = "retry",
        silenceMax: UInt64 = LinkTimes().silenceMax
    ) async throws -> (running: RunningNode, endpoint: Endpoint) {
        try await central(ring, presenter: FixedPresenter(option: option)) {
            $0.times.silenceMax = silenceMax
        }
    }

    func central(
        _ ring: KeyRing, presenter: any Presenter,
        parts change: (inout NodeParts) -> Void = { _ in }
    ) async throws -> (running: RunningNode, endpoint: Endpoint) {
        let open = try Endpoint("tcp://127.0.0.1:*")
        let node = try bus.node(
            "central", parents: [], presenters: [presenter], settings: { $0.listen = [open] },
            parts: {
                $0.keys = ring
                change(&$0)
            })
        let running = try await RunningNode(node)
        return (running, try #require(await node.boundEndpoints.first))
    }

    /// A peer with the key of `own`.
    func peer(to endpoint: Endpoint, own: NodeName) throws -> CurvePeer {
        try CurvePeer(
            to: endpoint, holdingKeyOf: try #require(pairs["central"]).publicKey, own: pairs[own])
    }

    func worker(
        _ ring: KeyRing?, to endpoint: Endpoint, named name: NodeName = "worker",
        waits: Bool = false
    ) throws -> Node {
        try bus.node(
            name, parents: [endpoint], listens: false,
            settings: {
                $0.whenUnreachable = waits ? .hold : .fail
                $0.grace = .milliseconds(500)
            }, parts: { $0.keys = ring })
    }

    /// What the presentation of a node that runs for it comes to.
    func outcome(of node: Node) async throws -> Outcome {
        let running = try await RunningNode(node)
        let outcome = await node.uplink.presentError(Attempts().saveFailed())
        try await running.stop()
        return outcome
    }
}
