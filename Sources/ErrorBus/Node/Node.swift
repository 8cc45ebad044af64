import OrderedCollections
public import ServiceLifecycle
import Synchronization

/// One process on the bus: listens for children, offers their presentations to its chain, and
/// passes errors that the chain does not handle to its parent.
///
/// ```swift
/// let node = Node(
///     NodeSettings(name: "billing"), parents: [try Endpoint("tcp://127.0.0.1:7701")],
///     parts: NodeParts(logger: logger))
/// let importer = Importer(next: node.uplink)
/// try await ServiceGroup(services: [node], logger: logger).run()
/// ```
///
/// A relay has no logic of its own: it is a downlink, a chain and an uplink.
public final class Node: Service {
    /// The name on the bus: the origin of this process's presentations.
    public let name: NodeName
    /// The parent process as a responder: the `next` of this process's own responders.
    public let uplink: any Responder
    /// The head of this node's chain: children's errors enter here, and so do errors of this
    /// process that its rules and presenters should see.
    public let chain: any Responder

    private let transport: any NodeTransport
    private let driver: NodeDriver
    private let presentations: ChildPresentations
    private let source: NodeStatusSource
    /// Whether children's errors only go to the parents.
    private let isPassage: Bool
    private let parts: NodeParts
    /// The number of endpoints that the node listens on while it runs.
    let listenCount: Int
    /// The reason why the node may not run: an endpoint beyond this machine, without keys.
    private let insecurity: NodeError?
    private let isStarted = Atomic(false)

    /// A node by its settings alone. ``run()`` starts it.
    ///
    /// - Parameters:
    ///   - settings: The name, the endpoints, and the times of the node.
    ///   - parents: The parents' endpoints, in order of preference; empty at a root.
    ///   - routes: The destinations of rules that route, by name.
    ///   - parts: The parts that are code: responders, presenters, keys, the logger.
    public convenience init(
        _ settings: NodeSettings, parents: [Endpoint], routes: [(name: String, Endpoint)] = [],
        parts: NodeParts
    ) {
        self.init(
            settings, parents: parents, routes: routes, parts: parts,
            transport: Reactor(keys: parts.keys))
    }

    /// A node with its own `transport`.
    package init(
        _ settings: NodeSettings, parents: [Endpoint], routes: [(name: String, Endpoint)] = [],
        parts: NodeParts, transport: any NodeTransport
    ) {
        name = settings.name
        self.parts = parts
        listenCount = settings.listen.count
        insecurity =
            settings.allowUnauthenticated || parts.keys?.isEmpty == false
            ? nil
            : settings.listen.first { !$0.isLocal }.map(NodeError.unauthenticated)
                ?? (parents + routes.map { $0.1 }).first { !$0.isLocal }
                .map(NodeError.unauthenticatedParent)
        self.transport = transport
        let boot = BootID.make()
        var times = parts.times
        times.abandonAfter = settings.abandonAfter.wholeMilliseconds
        let limits = settings.limits(parts.limits)
        // The link to the parents comes first, if there are any.
        let ways = (parents.isEmpty ? [] : [parents]) + routes.map { [$0.1] }
        let above = ways.map { endpoints in
            UplinkMachine(
                name: settings.name, boot: boot, parentCount: endpoints.count, times: times,
                limits: limits, seed: .random(in: 0...UInt64.max))
        }
        let below = DownlinkMachine(
            name: settings.name, boot: boot, times: times, limits: limits,
            seed: .random(in: 0...UInt64.max))
        let driver = NodeDriver(
            NodeMachine(below: below, above: above, endpoints: ways), listens: settings.listen,
            transport: transport, faults: parts.faults, logger: parts.logger)
        self.driver = driver
        let presenting = NodePresenting(settings, parts)
        let isFallback = settings.whenUnreachable == .presentLocally && !parents.isEmpty
        func responder(_ way: Int?) -> UplinkResponder {
            UplinkResponder(
                settings, uplink: way.map { .init(driver: driver, way: $0) }, parts: parts,
                fallback: presenting.map { $0.ending(in: CutEnd(name: settings.name)) },
                wake: { () throws(TransportError) in try transport.start() })
        }
        let uplink = responder(parents.isEmpty ? nil : 0)
        self.uplink = parts.redacting(before: uplink)
        let firstRoute = ways.count - routes.count
        parts.routes.set(
            Dictionary(
                routes.enumerated().map { ($1.name, responder(firstRoute + $0)) }
            ) { first, _ in first })
        // Fallback presenters are asked only when the parent cannot be reached.
        let end = isFallback ? uplink : presenting?.ending(in: uplink) ?? uplink
        // A responder of the chain may present an error of its own.
        let head = parts.chain?(parts.redacting(before: end)) ?? end
        chain = parts.redacting(before: head)
        isPassage = (head as? UplinkResponder)?.isPassage(of: driver) ?? false
        presentations = ChildPresentations(
            name: settings.name, chain: head,
            readsReports: parts.chain != nil || (presenting != nil && !isFallback), parts: parts)
        source = NodeStatusSource(
            settings.name, driver: driver, presentations: presentations, parts: parts)
        parts.journal?.onCaughtUp { [weak driver] in
            if let driver { driver.transport.nudge(driver) }
        }
    }

    /// The endpoints where children can connect while the node runs, in the order of the settings,
    /// with the port that the system chose for `tcp://HOST:*`. Empty before and after.
    public var boundEndpoints: [Endpoint] {
        get async { isStarted.load(ordering: .acquiring) ? await transport.boundEndpoints() : [] }
    }

    /// The keys of the node's tcp links; nil: links without keys.
    package var keys: KeyRing? { parts.keys }

    /// The sizes of this node's tables; all 0 before it runs. Asks the thread of the sockets, so a
    /// reply also shows that this thread works.
    package var tableSizes: TableSizes {
        get async { await source.tableSizes }
    }

    /// The status of this node: its links, open presentations, latest faults. Before it runs, only
    /// its name and version. Other processes get it with STATUS (docs/wire.md, section 15).
    package var status: NodeStatus {
        get async { await source.status }
    }

    /// Runs until the service group shuts down gracefully or the task is cancelled: then children
    /// and parent get BYE, every caller in this process completes with reason `shutDown`, and the
    /// sockets are closed, all within a second.
    ///
    /// - Throws: ``NodeError`` when the node cannot listen on an endpoint, would be open to other
    ///   machines without keys, has a reserved name, or has run before.
    public func run() async throws {
        guard name != .bare else { throw NodeError.reservedName(name) }
        if let insecurity { throw insecurity }
        guard !isStarted.exchange(true, ordering: .acquiringAndReleasing) else {
            throw NodeError.ranBefore(name)
        }
        do throws(TransportError) { try transport.start() } catch {
            throw NodeError.transport(error)
        }
        source.started()
        do {
            try await driver.start(
                .init(
                    presentations: presentations, isPassage: isPassage,
                    state: { [source] in await source.status.json.encoded() }))
        } catch {
            await stop()
            throw NodeError.transport(error)
        }
        parts.ready()
        // Cancellation and graceful shutdown have the same effect.
        try? await gracefulShutdown()
        await stop()
    }

    private func stop() async {
        await driver.stop()
        // Breaks the reference cycle between links and rules.
        parts.routes.set([:])
        await transport.shutDown()
    }
}

/// The reason why a node cannot be made or run.
public enum NodeError: Error, Hashable, Sendable {
    /// The name has another meaning on every link.
    case reservedName(NodeName)
    /// The endpoint is open to other machines, and links are not authenticated.
    case unauthenticated(Endpoint)
    /// The parent, or a rule's destination, is on another machine, and links are not authenticated.
    case unauthenticatedParent(Endpoint)
    /// An endpoint could not be opened.
    case transport(TransportError)
    /// The node has run before; a node runs once.
    case ranBefore(NodeName)
}

extension NodeError: CustomStringConvertible {
    private static let secureWays =
        "allowed: ipc, tcp on a loopback host such as 127.0.0.1, or a topology with keys; "
        + "if the network itself is trusted, set allowUnauthenticated"

    public var description: String {
        switch self {
        case .reservedName(let name):
            "a node cannot be called \"\(name)\"; allowed: \(NodeName.allowedForNode)"
        case .unauthenticated(let endpoint):
            "cannot listen on \"\(endpoint)\": it is open to other machines without security; "
                + Self.secureWays
        case .unauthenticatedParent(let endpoint):
            "cannot connect to \"\(endpoint)\": it is on another machine, and without keys any "
                + "host on the way could read and answer; " + Self.secureWays
        case .transport(let error): error.description
        case .ranBefore(let name): "node \(name) was run before; make a new one"
        }
    }
}
