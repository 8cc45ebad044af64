import OrderedCollections
public import ServiceLifecycle
import Synchronization

/// One process on the bus: listens for children, offers what they ask to its chain, and passes
/// on to its parent what the chain does not deal with.
///
/// ```swift
/// let node = try Node("billing", topology: topology, parts: NodeParts(logger: logger))
/// let importer = Importer(next: node.uplink)
/// try await ServiceGroup(services: [node], logger: logger).run()
/// ```
///
/// A relay has no logic of its own: it is a downlink, a chain and an uplink.
public final class Node: Service {
    public let name: NodeName
    /// The parent process as a responder: the `next` of this process's own responders.
    public let uplink: UplinkResponder
    /// The head of this node's chain: where children's errors enter, and where this process's own
    /// enter when its rules and presenters are to see them too.
    public let chain: any Responder

    private let transport: any NodeTransport
    /// To the parents, then one for each way that rules route by.
    private let uplinks: [Uplink]
    private let downlink: Downlink
    private let source: NodeStatusSource
    private let parts: NodeParts
    /// How many endpoints it listens on once it runs.
    let listenCount: Int
    private let isStarted = Atomic(false)

    /// A node of a topology.
    public convenience init(
        _ name: NodeName, topology: Topology, parts: NodeParts
    ) throws(NodeError) {
        guard let settings = topology.nodes[name] else {
            throw .unknownNode(name, known: Array(topology.nodes.keys))
        }
        self.init(
            settings, parents: topology.parentEndpoints(of: name),
            routes: topology.routeEndpoints(of: name), parts: parts)
    }

    /// A node by its settings alone.
    ///
    /// - Parameters:
    ///   - parents: Where to find the parents, in order of preference; empty at a root.
    ///   - routes: Where rules can send errors instead, by the names that they use.
    public convenience init(
        _ settings: NodeSettings, parents: [Endpoint], routes: [(name: String, Endpoint)] = [],
        parts: NodeParts
    ) {
        self.init(settings, parents: parents, routes: routes, parts: parts, transport: Reactor())
    }

    /// A node whose messages go by `transport`, which is its own.
    package init(
        _ settings: NodeSettings, parents: [Endpoint], routes: [(name: String, Endpoint)] = [],
        parts: NodeParts, transport: any NodeTransport
    ) {
        name = settings.name
        self.parts = parts
        listenCount = settings.listen.count
        self.transport = transport
        let boot = BootID.make()
        var times = parts.times
        times.abandonAfter = settings.abandonAfter.wholeMilliseconds
        let box = DownlinkBox()
        func makeUplink(
            to endpoints: [Endpoint], changed: @escaping @Sendable (LinkChange) -> Void = { _ in }
        ) -> Uplink {
            Uplink(
                UplinkMachine(
                    name: settings.name, boot: boot, parentCount: endpoints.count, times: times,
                    limits: parts.limits, seed: .random(in: 0...UInt64.max)),
                endpoints: endpoints, transport: transport, faults: parts.faults,
                logger: parts.logger, linkChanged: changed)
        }
        let upward =
            parents.isEmpty
            ? nil : makeUplink(to: parents) { box.linkChanged($0, below: settings.name) }
        let ways = routes.map { ($0.name, makeUplink(to: [$0.1])) }
        uplinks = (upward.map { [$0] } ?? []) + ways.map(\.1)
        let presenting = NodePresenting(settings, parts)
        let isFallback = settings.whenUnreachable == .presentLocally && !parents.isEmpty
        func responder(_ uplink: Uplink?) -> UplinkResponder {
            UplinkResponder(
                settings, uplink: uplink, parts: parts,
                fallback: presenting.map { $0.ending(in: CutEnd(name: settings.name)) },
                wake: { () throws(TransportError) in try transport.start() })
        }
        uplink = responder(upward)
        parts.routes.set(Dictionary(ways.map { ($0, responder($1)) }) { first, _ in first })
        // Presenters that are a fallback are asked only when the parent cannot be.
        let end = isFallback ? uplink : presenting?.ending(in: uplink) ?? uplink
        chain = parts.chain?(end) ?? end
        let presentations = ChildPresentations(
            name: settings.name, chain: chain,
            readsReports: parts.chain != nil || (presenting != nil && !isFallback),
            uplinks: uplinks, parts: parts)
        let source = NodeStatusSource(
            settings.name, uplinks: uplinks, presentations: presentations, parts: parts)
        self.source = source
        downlink = Downlink(
            DownlinkMachine(
                name: settings.name, boot: boot, times: times, limits: parts.limits,
                seed: .random(in: 0...UInt64.max)),
            endpoints: settings.listen, transport: transport, handler: presentations,
            faults: parts.faults, state: { await source.status.json.encoded() },
            logger: parts.logger)
        presentations.setDownlink(downlink)
        source.setDownlink(downlink)
        box.set(downlink)
    }

    /// Where children can connect while it runs, in the order of the settings, with the port that
    /// the system chose where a port was left open (`tcp://HOST:*`). Empty before and after.
    public var boundEndpoints: [Endpoint] {
        get async { isStarted.load(ordering: .acquiring) ? await transport.boundEndpoints() : [] }
    }

    /// How full this node's tables are; all empty before it runs. Asks the thread of the sockets,
    /// so a reply also says that this thread works.
    public var tableSizes: TableSizes {
        get async { await source.tableSizes }
    }

    /// How this node is: its links, what is open, what went wrong last. Before it runs, only who
    /// it is. Others get the same by ``NodeStatus/ask(_:within:)``.
    public var status: NodeStatus {
        get async { await source.status }
    }

    /// Runs until the service group shuts down gracefully or the task is cancelled: then children
    /// and parent hear so, every caller in this process completes with reason `shutDown`, and
    /// the sockets are closed, all within a second.
    ///
    /// - Throws: ``NodeError`` when an endpoint cannot be listened on, or it ran before.
    public func run() async throws {
        guard name != .bare else { throw NodeError.reservedName(name) }
        guard !isStarted.exchange(true, ordering: .acquiringAndReleasing) else {
            throw NodeError.ranBefore(name)
        }
        do throws(TransportError) { try transport.start() } catch {
            throw NodeError.transport(error)
        }
        source.started()
        do {
            try await downlink.start()
        } catch {
            await stopUplinks()
            await transport.shutDown()
            throw NodeError.transport(error)
        }
        for uplink in uplinks { await uplink.start() }
        parts.ready()
        // Cancellation and graceful shutdown end it alike.
        try? await gracefulShutdown()
        for uplink in uplinks { uplink.willStop() }
        await downlink.stop()
        await stopUplinks()
        await transport.shutDown()
    }

    private func stopUplinks() async {
        for uplink in uplinks { await uplink.stop() }
        // Its ways know the rules, and the rules their ways.
        parts.routes.set([:])
    }
}

/// Lets the uplink, which is made first, reach the downlink, which is made last.
private final class DownlinkBox: Sendable {
    /// Weak: the downlink's handler has the uplink.
    private struct Reference {
        weak var downlink: Downlink?
    }

    private let reference = Mutex(Reference())

    func set(_ downlink: Downlink) { reference.withLock { $0.downlink = downlink } }

    func linkChanged(_ change: LinkChange, below name: NodeName) {
        guard case .up(let parent, let path) = change else { return }
        let upward = path.isEmpty ? [parent] : path
        reference.withLock { $0.downlink }?.setPathUpward([name] + upward)
    }
}
