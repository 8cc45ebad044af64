import ErrorBus

/// One conversation as it goes on: the node of a ``Script`` and its peers, in a network of their
/// own. Times are milliseconds.
// Unchecked: see Scheduler.
final class Talk: @unchecked Sendable {
    let script: Script
    let scheduler: Scheduler
    let network: Network
    /// Where children of the node connect.
    let endpoint: Endpoint
    /// The journal of the node.
    let notebook: Notebook
    private let number: Int
    private let world: World
    private let parentEndpoints: [Endpoint]
    private let routeEndpoints: [Endpoint]
    private(set) var parents: [Speaker] = []
    private(set) var routes: [Speaker] = []
    private var children: [Speaker] = []
    private(set) var desk: Desk
    private(set) var node: Node!
    private(set) var transport: SimulatedTransport
    private var task: Task<Void, Never>?
    private var ids: [Int: PresentationID] = [:]
    var calls: [OwnCall] = []
    /// What was attempted in the node itself, in order.
    var attempts: [String] = []
    /// What the node's audit log gets.
    private(set) var events: [PresentationEvent] = []
    private(set) var isOver = false
    /// What the node has beside its desk, where its script has it.
    private(set) lazy var beside = Beside()

    /// The first parent.
    var up: Speaker { parents[0] }
    /// The second one.
    var second: Speaker { parents[1] }

    init(_ script: Script, number: Int, in world: World) throws {
        self.script = script
        self.number = number
        self.world = world
        scheduler = world.scheduler
        let endpoints = try (0..<(1 + script.hop.parentCount + script.hop.routes.count)).map {
            try Endpoint("tcp://127.0.0.1:\(7_700 + $0)")
        }
        endpoint = endpoints[0]
        parentEndpoints = Array(endpoints[1..<(1 + script.hop.parentCount)])
        routeEndpoints = Array(endpoints[(1 + script.hop.parentCount)...])
        let names = ["hop"] + ["up", "second"].prefix(script.hop.parentCount) + script.hop.routes
        network = Network(
            scheduler,
            names: Dictionary(
                zip(endpoints, names.map { "\(number):\($0)" }), uniquingKeysWith: { $1 }))
        network.weather.delayMax = 1
        notebook = Notebook(scheduler)
        desk = Desk("desk", script.hop.inbox, scheduler)
        transport = SimulatedTransport("\(number):hop", network)
    }

    /// As it is called in the trace.
    func named(_ name: String) -> String { "\(number):\(name)" }

    /// Starts the node and its parents, runs the script, and ends all of them.
    func begin() {
        boot()
        for (name, endpoint) in zip(["up", "second"], parentEndpoints) {
            let parent = Speaker(name, boot: "0a", isParent: true, in: self)
            parent.listen(on: endpoint)
            parents.append(parent)
        }
        for (name, endpoint) in zip(script.hop.routes, routeEndpoints) {
            let route = Speaker(name, boot: "0b", isParent: true, in: self)
            route.listen(on: endpoint)
            routes.append(route)
        }
        Task.detached { [self] in
            do {
                // The node listens by then.
                try await pause(60)
                try await script.play(self)
                try checkUnread()
                world.ledger.spokenCount += 1
            } catch {
                world.ledger.misspoken.append("\"\(script.rule)\" (\(number)): \(error)")
            }
            end()
        }
    }

    /// What is left unread was not expected.
    private func checkUnread() throws {
        for peer in parents + routes + children {
            if let said = peer.heard.unread.first {
                throw Misspoken(description: "in the end \(peer.name) has unread \(said)")
            }
        }
        if let (what, prompt, _) = desk.seen.unread.first {
            throw Misspoken(description: "in the end people see \(prompt.id) \(what)")
        }
        if let call = calls.first(where: { $0.outcomes.unread.count > 0 }) {
            throw Misspoken(description: "in the end \(call.id) has an outcome more")
        }
    }

    private func end() {
        isOver = true
        transport.die()
        task?.cancel()
        for peer in parents + routes + children { peer.die() }
    }

    // MARK: The node

    private func boot() {
        var settings = NodeSettings(name: "hop")
        settings.listen = [endpoint]
        script.hop.settings(&settings)
        var parts = NodeParts(logger: world.logger)
        parts.audit = Record(talk: self)
        if script.hop.hasPeople {
            parts.presenters = [desk]
            parts.journal = notebook
        }
        script.hop.parts(&parts, self)
        let node = Node(
            settings, parents: parentEndpoints,
            routes: Array(zip(script.hop.routes, routeEndpoints)).map { (name: $0, $1) },
            parts: parts, transport: transport)
        self.node = node
        task = Task.detached { try? await node.run() }
    }

    /// The node is killed.
    func kill() { transport.die() }

    /// Another life of the node begins: with the same journal, and an empty inbox.
    func bootAgain() async throws {
        transport.die()
        desk = Desk("desk", script.hop.inbox, scheduler)
        transport = SimulatedTransport("\(number):hop", network)
        boot()
        try await pause(60)
    }

    /// The node stops in order.
    func stop() { task?.cancel() }

    /// How often this life of the node has returned memory to the system.
    var memoryReturnCount: Int { transport.memoryReturnCount }

    /// The node's sockets and timers stand still.
    func freeze(for time: UInt64) { transport.freeze(for: time) }

    // MARK: Its peers

    /// A child that is linked to the node.
    func child(_ name: String, boot: String = "01", key: KeyHolder? = nil) async throws -> Speaker {
        let child = try await peer(name, boot: boot, key: key)
        child.say("HELLO", "from: \(name)", "boot: \(boot)", "versions: EB1")
        try await child.hears("WELCOME", "node: hop", "version: EB1")
        return child
    }

    /// A program that is connected to the node and has not said anything.
    func peer(
        _ name: String = "peer", boot: String = "01", key: KeyHolder? = nil
    ) async throws -> Speaker {
        let peer = Speaker(name, boot: boot, isParent: false, in: self)
        peer.has(key)
        children.append(peer)
        try await peer.connect()
        return peer
    }

    /// The parent with this number restarts: what it knew is lost.
    func restartParent(_ index: Int = 0, boot: String = "0c") async throws {
        parents[index].die()
        try await pause(100)
        parents[index].revive(on: parentEndpoints[index], boot: boot)
    }

    /// Nothing gets through between the node and this peer, in these directions, until mended.
    func cut(_ peer: Speaker, _ directions: Network.Direction...) {
        for direction in directions { network.silence(link(to: peer), direction) }
    }

    func mend(_ peer: Speaker, _ directions: Network.Direction...) {
        for direction in directions { network.mend(link(to: peer), direction) }
    }

    func link(to peer: Speaker) -> Network.LinkID {
        let (hop, name) = (named("hop"), named(peer.name))
        return peer.isParent
            ? Network.LinkID(child: hop, parent: name) : Network.LinkID(child: name, parent: hop)
    }

    /// The holder of a key: a peer that has it proves itself by that. For a node whose parts have
    /// keys.
    static func holder(_ name: NodeName, isRelay: Bool = false) -> KeyHolder {
        KeyHolder(
            key: PublicKey(checked: "\(name)"), name: name, reserved: ["hop", "up", "second"],
            isRelay: isRelay)
    }

    // MARK: What is presented

    /// The id that this script has under a number.
    func id(_ number: Int) -> PresentationID {
        let id = ids[number] ?? .make()
        ids[number] = id
        return id
    }

    /// An id that no other call returns.
    func newID() -> PresentationID { .make() }

    /// The usual one.
    static let report = trouble()

    static func digest(_ report: String = report) -> String { Requester.digest(of: report) }

    func pause(_ time: UInt64) async throws { await scheduler.sleep(time) }

    /// Waits until `now` is this time; returns at once if it has passed.
    func until(_ time: UInt64) async throws {
        if time > scheduler.now { await scheduler.sleep(time - scheduler.now) }
    }

    var now: UInt64 { scheduler.now }

    func check(_ isTrue: Bool, _ what: String, line: Int = #line) throws {
        if !isTrue { throw Misspoken(description: "line \(line): not so: \(what)") }
    }

    /// A caller in the node's own process presents an error: this one, or one with the options
    /// `retry` and `skip`.
    func asks(
        _ id: PresentationID? = nil, of given: (any Error)? = nil, deadline: UInt64? = nil,
        onExpiry: String? = nil,
        throughChain: Bool = false, attemptLasts: UInt64 = 0, recovers: Bool = true
    ) -> OwnCall {
        var options = PresentationOptions()
        options.id = id
        options.deadline = deadline.map { .milliseconds($0) }
        options.onExpiry = onExpiry
        let own = Trouble().recoverable {
            RecoveryOption("Retry", id: "retry") { [self] in
                attempts.append("retry")
                if attemptLasts > 0 { await scheduler.sleep(attemptLasts) }
                return recovers
            }
            RecoveryOption("Skip", id: "skip", role: .cancel) { [self] in
                attempts.append("skip")
                return false
            }
        }
        return presents(given ?? own, options, throughChain: throughChain)
    }

    /// The node's audit log.
    private struct Record: AuditLog {
        unowned let talk: Talk
        func record(_ event: PresentationEvent) {
            talk.events.append(event)
            talk.desk.inbox.record(event)
        }
    }

    struct Trouble: Error {}
}

/// A caller in the node's own process.
// Unchecked: see Scheduler.
final class OwnCall: @unchecked Sendable {
    let id: PresentationID
    let outcomes: Mailbox<(outcome: Outcome, time: UInt64)>
    let states: Mailbox<PresentationState>
    var task: Task<Void, Never>?
    private let scheduler: Scheduler

    init(_ id: PresentationID, _ scheduler: Scheduler) {
        self.id = id
        self.scheduler = scheduler
        outcomes = Mailbox(scheduler)
        states = Mailbox(scheduler)
    }

    func cancel() { task?.cancel() }

    /// Its outcome comes within these milliseconds from now.
    @discardableResult
    func ends(
        _ reason: Outcome.Reason, didRecover: Bool = false, in time: ClosedRange<UInt64> = 0...200,
        line: Int = #line
    ) async throws -> Outcome {
        let from = scheduler.now
        let next = await outcomes.next(within: time.upperBound)
        guard let (outcome, at) = next, outcome.reason == reason, outcome.didRecover == didRecover,
            time.contains(max(at, from) - from)
        else {
            let found = next.map { "\($0.outcome) after \(max($0.time, from) - from)" } ?? "nothing"
            throw Misspoken(
                description: "line \(line): the caller expects \(reason), \(didRecover), in "
                    + "\(time) ms; gets \(found)")
        }
        return outcome
    }

    func waits(for time: UInt64, line: Int = #line) async throws {
        if let (outcome, _) = await outcomes.next(within: time) {
            throw Misspoken(description: "line \(line): the caller waits; gets \(outcome)")
        }
    }

    /// Learns this state next.
    func learns(
        _ station: PresentationState.Station, in time: ClosedRange<UInt64> = 0...200,
        line: Int = #line
    ) async throws {
        let from = scheduler.now
        let state = await states.next(within: time.upperBound)
        guard state?.station == station, time.contains(scheduler.now - from) else {
            throw Misspoken(
                description: "line \(line): the caller expects \(station) in \(time) ms; learns "
                    + "\(state.map { "\($0)" } ?? "nothing") after \(scheduler.now - from) ms")
        }
    }
}
