import Logging
import Synchronization

/// Drives an ``UplinkMachine``: the socket to the parent on one side, waiting callers on the
/// other. Shares its transport's thread.
actor Uplink {
    /// How asking the parent ended.
    enum Ending: Hashable, Sendable {
        case answered(Message.Decision)
        case refused(Message.Reject)
        case expired
        /// No parent could be reached within the grace; what was tried.
        case unreachable(String, Message.Reject?)
        /// The caller was cancelled.
        case withdrawn
        case shutDown
    }

    /// Told where a presentation stands. On the transport's thread: must not wait.
    typealias Moved = @Sendable (Message.Pending.State, String?) -> Void

    /// What other threads leave for this one, in order.
    private enum Posted: Sendable {
        case settled(PresentationID, answer: UniqueID, RecoveryResult)
        case passedOn(Message.Settled)
        case passedOnWithdrawal(PresentationID, Message.Asked)
        case withdrawnForGood(PresentationID)
        case reachable(PresentationID, Bool)
    }

    private struct Waiter {
        let token: Int
        let continuation: CheckedContinuation<Ending, Never>
        let moved: Moved
    }

    nonisolated let transport: any Transport
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        transport.executor.asUnownedSerialExecutor()
    }

    private let endpoints: [Endpoint]
    private let logger: Logger
    private let faults: RecentFaults
    private let linkChanged: @Sendable (LinkChange) -> Void
    private var machine: UplinkMachine
    private var socket: SocketID?
    /// To an earlier parent, while the way back is tried.
    private var probe: SocketID?
    private var waiters: [PresentationID: Waiter] = [:]
    private var tokens = 0
    private var isStopped = false
    private var anomalies = AnomalyLog()
    private var parentLog: ParentLog
    private nonisolated let isGoingDown = Atomic(false)
    /// What other threads leave for this one.
    private nonisolated let mailbox = Mutex<[Posted]>([])

    init(
        _ machine: UplinkMachine, endpoints: [Endpoint], transport: any Transport,
        faults: RecentFaults, logger: Logger,
        linkChanged: @escaping @Sendable (LinkChange) -> Void = { _ in }
    ) {
        self.machine = machine
        parentLog = ParentLog(times: machine.times)
        self.endpoints = endpoints
        self.transport = transport
        self.logger = logger
        self.faults = faults
        self.linkChanged = linkChanged
    }

    func start() {
        parentLog.started(at: transport.now)
        perform(machine.started(at: transport.now))
    }

    /// Asks, and waits until it is decided. Cancelling the task withdraws, for `withdrawal()`'s
    /// reason; nil means: leave it, the asker comes back. `isOriginReachable()` is asked when it
    /// goes out: what changes later comes by ``setReachable(_:_:)``.
    func present(
        _ request: UplinkRequest, moved: @escaping Moved,
        withdrawal: @escaping @Sendable () -> Message.WithdrawReason? = { .origin },
        isOriginReachable: @Sendable () -> Bool = { true }
    ) async -> Ending {
        let id = request.present.id
        takePosted()
        var request = request
        request.present.isOriginReachable = isOriginReachable()
        tokens += 1
        let token = tokens
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard !Task.isCancelled, !isStopped else {
                    continuation.resume(returning: isStopped ? .shutDown : .withdrawn)
                    return
                }
                // An asking that was withdrawn but has not noticed yet makes room.
                waiters.removeValue(forKey: id)?.continuation.resume(returning: .withdrawn)
                waiters[id] = Waiter(token: token, continuation: continuation, moved: moved)
                perform(machine.presented(request, at: transport.now))
            }
        } onCancel: {
            let reason = withdrawal()
            Task { await self.cancelled(id, token: token, reason: reason) }
        }
    }

    private func cancelled(_ id: PresentationID, token: Int, reason: Message.WithdrawReason?) {
        guard let waiter = waiters[id], waiter.token == token else { return }
        waiters[id] = nil
        waiter.continuation.resume(returning: .withdrawn)
        if let reason { perform(machine.withdrew(id, reason: reason, at: transport.now)) }
    }

    /// Whether the origin can be reached from here, for who shows its presentation. Unknown ids are
    /// none of this uplink's. From anywhere, in order.
    nonisolated func setReachable(_ id: PresentationID, _ isReachable: Bool) {
        post(.reachable(id, isReachable))
    }

    /// The answer was carried out here or below. Unknown ids are none of this uplink's. From
    /// anywhere; nothing asked or stopped after this overtakes it.
    nonisolated func settle(_ id: PresentationID, answer: UniqueID, result: RecoveryResult) {
        // Only this node waits no longer: the child that has the answer tells the next life.
        if result == .unknown, isGoingDown.load(ordering: .relaxed) { return }
        post(.settled(id, answer: answer, result))
    }

    /// The node goes down: results that come from now on are sent, those that do not are left open.
    nonisolated func willStop() { isGoingDown.store(true, ordering: .relaxed) }

    /// A child says what came of an answer that this life of the node did not pass down. From
    /// anywhere, in order.
    nonisolated func passOn(_ settled: Message.Settled) { post(.passedOn(settled)) }

    /// A child says that the origin gave up what this life of the node did not ask. From anywhere,
    /// in order.
    nonisolated func passOnWithdrawal(of id: PresentationID, _ asked: Message.Asked) {
        post(.passedOnWithdrawal(id, asked))
    }

    /// The origin has given up what this node had given up before. From anywhere, in order.
    nonisolated func withdrawForGood(_ id: PresentationID) { post(.withdrawnForGood(id)) }

    private nonisolated func post(_ posted: Posted) {
        mailbox.withLock { $0.append(posted) }
        transport.nudge(self)
    }

    private func takePosted() {
        let posted = mailbox.withLock { posted in
            defer { posted.removeAll() }
            return posted
        }
        for item in posted {
            switch item {
            case .settled(let id, let answer, let result):
                perform(machine.settled(id, answer: answer, result: result, at: transport.now))
            case .passedOn(let settled): perform(machine.passOn(settled, at: transport.now))
            case .passedOnWithdrawal(let id, let asked):
                perform(machine.passOnWithdrawal(of: id, asked, at: transport.now))
            case .withdrawnForGood(let id):
                perform(machine.withdrew(id, reason: .origin, at: transport.now))
            case .reachable(let id, let isReachable):
                perform(machine.reachabilityChanged(id, isReachable, at: transport.now))
            }
        }
    }

    /// Withdraws what is this node's own, says goodbye, and completes every waiting caller.
    func stop() {
        guard !isStopped else { return }
        takePosted()
        isStopped = true
        parentLog.stopped()
        perform(machine.stopped(at: transport.now))
        for waiter in waiters.values { waiter.continuation.resume(returning: .shutDown) }
        waiters.removeAll()
        transport.wake(self, at: nil)
    }

    /// Adds what this side of the node holds.
    func count(into sizes: inout TableSizes) {
        let rememberedCount = machine.remembered.count + machine.passedOn.count
        sizes.rememberedAbove += rememberedCount
        sizes.openAbove += machine.entries.count - rememberedCount
        sizes.waiting += waiters.count
    }

    /// Puts in how this side of the node is.
    func tell(into status: inout NodeStatus) {
        count(into: &status.tables)
        machine.tell(into: &status, endpoints: endpoints, at: transport.now)
        status.dropped.merge(anomalies.totals, uniquingKeysWith: +)
    }

    private func perform(_ actions: [UplinkAction]) {
        for action in actions { perform(action) }
        let due = [machine.nextDue, parentLog.nextDue].compactMap(\.self).min()
        if !isStopped { transport.wake(self, at: due) }
    }

    private func perform(_ action: UplinkAction) {
        switch action {
        case .open(let parent): open(endpoints[parent])
        case .close: closeSocket()
        case .send(let message): send(message, on: socket)
        case .openProbe(let parent): openProbe(endpoints[parent])
        case .closeProbe: closeProbe()
        case .sendProbe(let message): send(message, on: probe)
        case .adoptProbe: adoptProbe()
        case .linkUp(let welcome):
            parentLog.up(welcome.node).write(to: logger)
            linkChanged(.up(parent: welcome.node, path: welcome.path))
        case .linkDown(let reason):
            parentLog.down(reason, at: transport.now).write(to: logger)
            linkChanged(.down(reason: reason))
        case .moved(let id, let state, let by): waiters[id]?.moved(state, by)
        case .answered(let id, let decision): answered(id, decision)
        case .refused(let id, let reject): end(id, .refused(reject))
        case .expired(let id): end(id, .expired)
        case .graceOver(let id, let refusal):
            end(id, .unreachable(tried, refusal))
            // Only an origin's giving up is final under its id.
            let isForwarded = machine.entries[id]?.request.isForwarded == true
            perform(
                machine.withdrew(
                    id, reason: isForwarded ? .abandoned : .origin, at: transport.now))
        case .dropped(let anomaly):
            anomalies.note(anomaly, at: transport.now, logger)
        }
    }

    private func answered(_ id: PresentationID, _ decision: Message.Decision) {
        guard waiters[id] != nil else {
            // The caller is gone without a word to the parent, and may come back for it.
            perform(
                machine.settled(id, answer: decision.answer, result: .unknown, at: transport.now))
            return
        }
        end(id, .answered(decision))
    }

    private func end(_ id: PresentationID, _ ending: Ending) {
        waiters.removeValue(forKey: id)?.continuation.resume(returning: ending)
    }

    /// What was tried and how it went, for an "unreachable" a person can act on.
    private var tried: String {
        let list = endpoints.map(\.description).joined(separator: ", ")
        return "tried \(list): \(machine.whyNotAccepted)"
    }

    private func open(_ endpoint: Endpoint) {
        closeSocket()
        do throws(TransportError) {
            socket = try transport.connect(to: endpoint, for: self)
        } catch {
            perform(machine.giveUp(error.reason, at: transport.now))
        }
    }

    private func closeSocket() {
        if let socket { transport.close(socket) }
        socket = nil
    }

    private func openProbe(_ endpoint: Endpoint) {
        closeProbe()
        do throws(TransportError) {
            probe = try transport.connect(to: endpoint, for: self)
        } catch {
            perform(machine.probeLost(error.reason, at: transport.now))
        }
    }

    private func closeProbe() {
        if let probe { transport.close(probe) }
        probe = nil
    }

    private func adoptProbe() {
        if let socket { transport.closeOnceSent(socket) }
        (socket, probe) = (probe, nil)
    }

    /// A full queue or no connection is no matter here: what must arrive is sent again.
    private func send(_ message: Message, on socket: SocketID?) {
        guard let socket else { return }
        _ = transport.send([[]] + message.frames, on: socket)
    }
}

/// What changed about the link to the parent.
enum LinkChange: Hashable, Sendable {
    case up(parent: NodeName, path: [NodeName])
    case down(reason: String)
}

extension Uplink: TransportReceiver {
    nonisolated func received(_ frames: [Frame], on socket: SocketID) {
        assumeIsolated { $0.take(frames, from: socket) }
    }

    nonisolated func dropped(_ count: Int, on socket: SocketID) {
        assumeIsolated { $0.noteOverflow(count) }
    }

    nonisolated func changed(_ event: ConnectionEvent, on socket: SocketID) {
        assumeIsolated { $0.take(event, from: socket) }
    }

    nonisolated func woke() {
        assumeIsolated { $0.tick() }
    }

    /// What matters is sent again.
    private func noteOverflow(_ count: Int) {
        let anomaly = Anomaly(kind: .overflow, detail: "\(count) messages: the queue is full")
        anomalies.note(anomaly, count: count, at: transport.now, logger)
    }

    private func take(_ frames: [Frame], from socket: SocketID) {
        guard socket == self.socket || socket == probe, !isStopped else { return }
        let body = frames.first == [] ? frames.dropFirst() : frames[...]
        do throws(WireError) {
            // Our own limit on what a parent may send is wider than what we may send it.
            let limits = WireLimits(headerByteCountMax: 32 * 1024, payloadByteCountMax: 1 << 20)
            let message = try Message(frames: body, limits: limits)
            if case .reject(let reject) = message {
                faults.note(.got, "\(reject.code.rawValue) \(reject.reason)")
                if reject.id == nil {
                    parentLog.refused(reject, at: transport.now)?.write(to: logger)
                }
            }
            perform(
                socket == probe
                    ? machine.probeReceived(message, at: transport.now)
                    : machine.received(message, at: transport.now))
        } catch {
            perform(.dropped(Anomaly(kind: .malformed, detail: error.description)))
        }
    }

    private func take(_ event: ConnectionEvent, from socket: SocketID) {
        guard !isStopped else { return }
        if socket == probe { return takeOfProbe(event) }
        guard socket == self.socket else { return }
        switch event {
        case .connected: perform(machine.connected(at: transport.now))
        case .disconnected:
            perform(machine.disconnected("the connection was lost", at: transport.now))
        case .failed(let reason): perform(machine.giveUp(reason, at: transport.now))
        }
    }

    private func takeOfProbe(_ event: ConnectionEvent) {
        switch event {
        case .connected: perform(machine.probeConnected(at: transport.now))
        case .disconnected:
            perform(machine.probeLost("the connection was lost", at: transport.now))
        case .failed(let reason): perform(machine.probeLost(reason, at: transport.now))
        }
    }

    private func tick() {
        guard !isStopped else { return }
        takePosted()
        parentLog.ticked(at: transport.now, tried: tried)?.write(to: logger)
        perform(machine.ticked(at: transport.now))
    }
}
