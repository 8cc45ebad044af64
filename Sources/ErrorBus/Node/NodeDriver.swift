import Logging
import Synchronization

/// The driver of a ``NodeMachine``: it has sockets on one side and the node's chain on the other,
/// and shares its transport's thread.
actor NodeDriver {
    /// A closure that gets the state of a presentation. Called on the transport's thread; must not
    /// wait.
    typealias Moved = @Sendable (PresentationState) -> Void

    /// A responder of this process that waits for a parent's answer.
    private struct Caller {
        let moved: Moved
        let ended: CheckedContinuation<UplinkEnding, Never>
    }

    /// Calls from other threads, in order.
    private enum Posted: Sendable {
        case moved(PresentationID, generation: Int, PresentationState)
        case completed(PresentationID, generation: Int, DownlinkVerdict)
        case settled(PresentationID, answer: UniqueID, RecoveryResult, NodeMachine.Way)
        case bare(Result<BareRequest, WireError>, byteCount: Int, PeerID)
        case state(Frame, PeerID)
    }

    /// The sockets of one link upward.
    struct WaySockets {
        var socket: SocketID?
        /// The socket to another parent while the switch to it is tried.
        var probe: SocketID?
        var log: ParentLog
    }

    /// The node's chain, from start to stop.
    struct Chain: Sendable {
        let presentations: ChildPresentations
        /// Whether the chain leads only to the parents.
        let isPassage: Bool
        /// The maker of the content of STATE, off this thread.
        let state: @Sendable () async -> Frame
    }

    nonisolated let transport: any Transport
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        transport.executor.asUnownedSerialExecutor()
    }

    let faults: RecentFaults
    let logger: Logger
    var machine: NodeMachine
    var ways: [WaySockets]
    var anomalies = AnomalyLog()
    var failures = FailedConnectionLog()
    var largeMessages = LargeMessages()
    /// The keys; nil until they are replaced for the first time: until then the keys of all links
    /// are accepted.
    var keys: KeyRing?
    private(set) var isStopped = false
    private let listens: [Endpoint]
    /// The listening sockets.
    private(set) var sockets: [SocketID] = []
    /// The chain; nil before the start and after the stop, so that it keeps no other object alive.
    private var chain: Chain?
    private var callers: [Int: Caller] = [:]
    private var callerCount = 0
    private var attempts: [NodeMachine.Attempt: [CheckedContinuation<RecoveryResult?, Never>]] = [:]
    /// The cost of the one-frame reports that are being read, as ``ChildPresentations`` counts.
    private var bareReadingCost = 0
    /// The senders of these reports, one for each.
    private var bareSenders: [PeerID] = []
    private(set) var refusedCount = 0
    private var refusals = RefusalLog()
    private var children = ChildLog()
    private var burst = BurstMeter()
    /// The requested time of the next wake-up; nil if none was requested since the last one.
    private var wakeTime: MonotonicTime?
    /// The calls from other threads; nil after the stop.
    private nonisolated let mailbox = Mutex<[Posted]?>([])

    init(
        _ machine: NodeMachine, listens: [Endpoint], transport: any Transport,
        faults: RecentFaults, logger: Logger
    ) {
        self.machine = machine
        self.listens = listens
        self.transport = transport
        self.faults = faults
        self.logger = logger
        ways = machine.above.map { WaySockets(log: ParentLog(times: $0.times)) }
    }

    /// Listens on every endpoint, or on none, and connects to the parents.
    func start(_ chain: Chain) throws(TransportError) {
        for endpoint in listens {
            do throws(TransportError) {
                sockets.append(try transport.listen(on: endpoint, for: self))
            } catch {
                for socket in sockets { transport.close(socket) }
                sockets.removeAll()
                throw error
            }
        }
        self.chain = chain
        machine.isPassage = chain.isPassage
        for way in ways.indices {
            ways[way].log.started(at: transport.now)
            above(way) { machine, now in machine.started(at: now) }
        }
    }

    /// Sends BYE, withdraws the node's own presentations, and completes every waiting caller.
    /// Children present again.
    func stop() {
        guard !isStopped else { return }
        takePosted()
        for way in ways.indices { ways[way].log.stopped() }
        perform(machine.stopped(at: transport.now))
        isStopped = true
        mailbox.withLock { $0 = nil }
        // What is still being read comes back no more.
        for peer in bareSenders { refuseAsStopped(peer) }
        bareSenders = []
        bareReadingCost = 0
        chain = nil
        transport.wake(self, at: nil)
    }

    // MARK: For the chain

    /// Presents on a link upward, and waits for the decision. Cancelling the task withdraws, with
    /// the reason of `withdrawal()`. `isOriginReachable()` is read at the sending: the machine
    /// knows of later changes.
    func present(
        _ request: UplinkRequest, on way: NodeMachine.Way, moved: @escaping Moved,
        withdrawal: @escaping @Sendable () -> Message.WithdrawReason = { .origin },
        isOriginReachable: @Sendable () -> Bool = { true }
    ) async -> UplinkEnding {
        let id = request.present.id
        var request = request
        request.present.isOriginReachable = isOriginReachable()
        callerCount += 1
        let caller = callerCount
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                ask(request, on: way, caller, Caller(moved: moved, ended: continuation))
            }
        } onCancel: {
            let reason = withdrawal()
            Task { await self.gaveUp(id, on: way, caller: caller, reason) }
        }
    }

    /// Sends the request of a caller. Not inlined, so that the waiting caller keeps nothing of
    /// this.
    @inline(never)
    private func ask(
        _ request: UplinkRequest, on way: NodeMachine.Way, _ number: Int, _ caller: Caller
    ) {
        guard isStopped || !Task.isCancelled else {
            return caller.ended.resume(returning: .withdrawn)
        }
        // No request or stop overtakes a result that was posted before.
        takePosted()
        guard !isStopped else { return caller.ended.resume(returning: .shutDown) }
        callers[number] = caller
        perform(machine.asked(request, on: way, caller: number, at: transport.now))
    }

    private func gaveUp(
        _ id: PresentationID, on way: NodeMachine.Way, caller: Int,
        _ reason: Message.WithdrawReason
    ) {
        perform(machine.gaveUp(id, on: way, caller: caller, reason, at: transport.now))
    }

    /// Sends the answer to the child whose option it names; returns the result. Nil when the node
    /// stops and the child has the answer: the next life of the node gets the result.
    func attempt(
        _ answer: Answer, of id: PresentationID, generation: Int
    ) async -> RecoveryResult? {
        guard !isStopped else { return .unknown }
        return await withCheckedContinuation { continuation in
            send(answer, of: id, generation: generation, continuation)
        }
    }

    /// Sends an answer down. Not inlined, so that the waiting caller keeps nothing of this.
    @inline(never)
    private func send(
        _ answer: Answer, of id: PresentationID, generation: Int,
        _ continuation: CheckedContinuation<RecoveryResult?, Never>
    ) {
        let (known, actions) = machine.answered(
            id, generation: generation, with: answer, at: transport.now)
        if let known {
            continuation.resume(returning: known)
        } else {
            let attempt = NodeMachine.Attempt(id: id, answer: answer.id)
            attempts[attempt, default: []].append(continuation)
        }
        perform(actions)
    }

    /// The chain ended a presentation. Callable from any thread, in order with
    /// ``move(_:generation:to:)``.
    nonisolated func complete(_ id: PresentationID, generation: Int, verdict: DownlinkVerdict) {
        post(.completed(id, generation: generation, verdict))
    }

    /// The chain reports the state of the presentation. Callable from any thread, in order.
    nonisolated func move(
        _ id: PresentationID, generation: Int, to state: PresentationState
    ) {
        post(.moved(id, generation: generation, state))
    }

    /// An attempt here or below ended. Unknown ids change nothing. Callable from any thread; no
    /// later request or stop overtakes it.
    nonisolated func settle(
        _ id: PresentationID, answer: UniqueID, result: RecoveryResult, on way: NodeMachine.Way
    ) {
        post(.settled(id, answer: answer, result, way))
    }

    private nonisolated func post(_ posted: Posted) {
        if mailbox.withLock({ $0?.append(posted) != nil }) { transport.nudge(self) }
    }

    func takePosted() {
        let posted = mailbox.withLock { posted in
            defer { posted?.removeAll(keepingCapacity: true) }
            return posted ?? []
        }
        for item in posted { take(item) }
    }

    private func take(_ posted: Posted) {
        switch posted {
        case .moved(let id, let generation, let state):
            below { machine, now in
                machine.moved(
                    id, generation: generation, to: state.station, by: state.by,
                    since: state.since, at: now)
            }
        case .completed(let id, let generation, let verdict):
            below { machine, now in
                machine.completed(id, generation: generation, verdict: verdict, at: now)
            }
        case .settled(let id, let answer, let result, let way):
            perform(machine.settled(id, answer: answer, result, on: way, at: transport.now))
        case .bare(let result, let byteCount, let peer):
            bareReadingCost -= ChildPresentations.taskCost + byteCount
            if let index = bareSenders.firstIndex(of: peer) { bareSenders.remove(at: index) }
            switch result {
            // Its key may have been revoked while it was read.
            case .success where isRevoked(peer): break
            case .success(let request):
                below { machine, now in machine.bareReceived(request, from: peer, at: now) }
            case .failure(let error): perform([.reply(BareReply(error), to: peer)])
            }
        case .state(let payload, let peer): perform([.send(.state(payload), to: peer)])
        }
    }

    // MARK: How it is

    /// Adds the sizes of this node's tables.
    func count(into sizes: inout TableSizes) {
        let offered = sizes.offered
        sizes = machine.tableSizes
        sizes.offered += offered
        // Attempts that wait here also wait in the machine, or have been forgotten there.
        sizes.attempts = max(sizes.attempts, attempts.values.reduce(0) { $0 + $1.count })
        sizes.waiting = max(sizes.waiting, callers.count)
    }

    // MARK: Actions of the machine

    /// An event of the link to the children.
    func below(_ event: (inout DownlinkMachine, MonotonicTime) -> [DownlinkAction]) {
        let now = transport.now
        perform(machine.below(at: now) { event(&$0, now) })
    }

    /// An event of a link upward.
    func above(
        _ way: NodeMachine.Way, _ event: (inout UplinkMachine, MonotonicTime) -> [UplinkAction]
    ) {
        let now = transport.now
        perform(machine.above(way, at: now) { event(&$0, now) })
    }

    func perform(_ actions: [NodeAction]) {
        var vanished: Set<PeerID> = []
        for action in actions { perform(action, &vanished) }
        // Each peer once: a second report of the same loss changes nothing.
        for peer in vanished { below { machine, now in machine.vanished(peer, at: now) } }
        guard !isStopped else { return }
        var due = machine.nextDue.orEarlier(children.nextDue).orEarlier(failures.nextDue)
            .orEarlier(burst.nextDue)
        for way in ways.indices { due = due.orEarlier(ways[way].log.nextDue) }
        guard due != wakeTime else { return }
        wakeTime = due
        transport.wake(self, at: due)
    }

    private func perform(_ action: NodeAction, _ vanished: inout Set<PeerID>) {
        switch action {
        case .send(let message, let peer): send(message, to: peer, &vanished)
        case .reply(let reply, let peer): send(reply, to: peer, &vanished)
        case .tellState(let peer): tellState(to: peer)
        case .log(let line): children.note(line, at: transport.now, logger)
        case .above(let way, let action): perform(action, on: way)
        case .offer(let offer): chain?.presentations.offered(offer, by: self)
        case .cancel(let id, let generation, let reason):
            chain?.presentations.cancelled(id, generation: generation, reason: reason)
        case .reachable(let id, let isReachable):
            chain?.presentations.reachable(id, isReachable)
        case .attempted(let attempt, let result):
            for waiting in attempts.removeValue(forKey: attempt) ?? [] {
                waiting.resume(returning: result)
            }
        case .leftToNextLife(let attempt):
            for waiting in attempts.removeValue(forKey: attempt) ?? [] {
                waiting.resume(returning: nil)
            }
        case .settledLater(let id, let answer, let result):
            chain?.presentations.settledLater(id, answer, result)
        case .settledBefore(let settled, let asked):
            chain?.presentations.settledBefore(settled, of: asked, by: self)
        case .withdrawnBefore(let id, let asked, let isHere):
            chain?.presentations.withdrawnBefore(id, asked, isHere: isHere, by: self)
        case .moved(let caller, let station, let by, let since):
            callers[caller]?.moved(PresentationState(station, by: by, since: since))
        case .ended(let caller, let ending):
            callers.removeValue(forKey: caller)?.ended.resume(returning: ending)
        case .dropped(let anomaly): anomalies.note(anomaly, at: transport.now, logger)
        }
    }

    private func tellState(to peer: PeerID) {
        guard let chain else { return }
        Task.detached { [self] in post(.state(await chain.state(), peer)) }
    }

    func noteRefusal(_ reject: Message.Reject, of peer: PeerID) {
        refusedCount += 1
        let child = machine.below.namesOfPeers[peer]
        let addressee = child.map { "to \($0): " } ?? ""
        faults.note(.sent, "\(addressee)\(reject.code.rawValue) \(reject.reason)")
        refusals.note(reject, of: child, at: transport.now, logger)
    }

    // MARK: One-frame reports

    /// Whether messages of children are accepted.
    var takesMore: Bool {
        bareReadingCost < ChildPresentations.waitingMax && chain?.presentations.isReady ?? true
    }

    /// Reads a one-frame report off this thread, which parses no JSON.
    func takeBare(_ frame: Frame, from peer: PeerID) {
        guard !isStopped else { return refuseAsStopped(peer) }
        bareReadingCost += ChildPresentations.taskCost + frame.count
        bareSenders.append(peer)
        let limits = machine.below.wireLimits
        Task.detached { [self] in
            let result = Result { () throws(WireError) in try BareRequest(frame, limits: limits) }
            post(.bare(result, byteCount: frame.count, peer))
        }
    }

    /// Refuses a one-frame report that is not read any longer: its client waits for one reply.
    private func refuseAsStopped(_ peer: PeerID) {
        perform([.reply(BareReply(machine.below.goingDown(nil)), to: peer)])
    }

    func tick() {
        guard !isStopped else { return }
        wakeTime = nil
        takePosted()
        children.ticked(at: transport.now, logger)
        logFailures()
        for way in ways.indices {
            ways[way].log.ticked(at: transport.now, tried: machine.tried(on: way))?
                .write(to: logger)
        }
        let actions = machine.ticked(at: transport.now)
        if burst.isOver(holding: machine.heldCount, at: transport.now) {
            transport.returnMemory()
        }
        perform(actions)
    }
}
