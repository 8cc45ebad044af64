import Logging
import Synchronization

/// Drives a ``DownlinkMachine``: the listening sockets on one side, the node's chain on the other.
/// Shares its transport's thread.
actor Downlink {
    private struct Attempt: Hashable {
        let id: PresentationID
        let answer: UniqueID
    }

    /// What other threads leave for this one.
    private enum Posted: Sendable {
        case moved(PresentationID, generation: Int, Message.Pending.State, by: String?)
        case completed(PresentationID, generation: Int, DownlinkVerdict)
        case bare(Result<BareRequest, WireError>, byteCount: Int, PeerID)
        case pathUpward([NodeName])
        case state(Frame, PeerID)
    }

    /// Bytes of one-frame reports being read at once; above it a client gets "busy". Many
    /// clients fail at once for one cause, and their reports are small.
    private static let bareReadingByteCountMax = 64 << 20
    /// With so many of them, what comes next waits.
    private static let bareReadingCountMax = 128

    nonisolated let transport: any Transport
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        transport.executor.asUnownedSerialExecutor()
    }

    private let endpoints: [Endpoint]
    private let logger: Logger
    private let handler: any DownlinkHandler
    private let faults: RecentFaults
    /// What STATE says. Made off this thread.
    private let state: @Sendable () async -> Frame
    private var machine: DownlinkMachine
    private var sockets: [SocketID] = []
    private var attempts: [Attempt: [CheckedContinuation<RecoveryResult, Never>]] = [:]
    private var bareReadingByteCount = 0
    private var bareReadingCount = 0
    private var isStopped = false
    private var anomalies = AnomalyLog()
    private var refusedCount = 0
    private var refusals = RefusalLog()
    private nonisolated let mailbox = Mutex<[Posted]>([])

    init(
        _ machine: DownlinkMachine, endpoints: [Endpoint], transport: any Transport,
        handler: any DownlinkHandler, faults: RecentFaults,
        state: @escaping @Sendable () async -> Frame, logger: Logger
    ) {
        self.machine = machine
        self.endpoints = endpoints
        self.transport = transport
        self.handler = handler
        self.faults = faults
        self.state = state
        self.logger = logger
    }

    /// Listens on every endpoint, or on none.
    func start() throws(TransportError) {
        for endpoint in endpoints {
            do throws(TransportError) {
                sockets.append(try transport.listen(on: endpoint, for: self))
            } catch {
                closeSockets()
                throw error
            }
        }
    }

    /// Sends the answer to the child whose option it names; returns what came of it.
    func attempt(
        _ answer: Answer, of id: PresentationID, generation: Int
    ) async -> RecoveryResult {
        await withCheckedContinuation { continuation in
            guard !isStopped else { return continuation.resume(returning: .unknown) }
            var actions = machine.answered(
                id, generation: generation, with: answer, at: transport.now)
            // Known at once, it is this asking's result: a later one may wait for another.
            let isKnown: (DownlinkAction) -> RecoveryResult? = { action in
                if case .settled(id, answer.id, let result) = action { result } else { nil }
            }
            if let index = actions.firstIndex(where: { isKnown($0) != nil }),
                let result = isKnown(actions.remove(at: index))
            {
                continuation.resume(returning: result)
            } else {
                attempts[Attempt(id: id, answer: answer.id), default: []].append(continuation)
            }
            perform(actions)
        }
    }

    /// The chain is done with it. From anywhere, in order with ``move(_:generation:to:by:)``.
    nonisolated func complete(_ id: PresentationID, generation: Int, verdict: DownlinkVerdict) {
        post(.completed(id, generation: generation, verdict))
    }

    /// The chain says where it stands. From anywhere, in order.
    nonisolated func move(
        _ id: PresentationID, generation: Int, to state: Message.Pending.State, by: String?
    ) {
        post(.moved(id, generation: generation, state, by: by))
    }

    /// What WELCOME tells of the way up. From anywhere.
    nonisolated func setPathUpward(_ path: [NodeName]) { post(.pathUpward(path)) }

    private nonisolated func post(_ posted: Posted) {
        mailbox.withLock { $0.append(posted) }
        transport.nudge(self)
    }

    /// Says goodbye; what is open is left for the children to ask again.
    func stop() {
        guard !isStopped else { return }
        takePosted()
        perform(machine.stopped(at: transport.now))
        isStopped = true
        for waiting in attempts.values.joined() { waiting.resume(returning: .unknown) }
        attempts.removeAll()
        transport.wake(self, at: nil)
    }

    /// Adds what this side of the node holds.
    func count(into sizes: inout TableSizes) {
        sizes.children = machine.children.count
        sizes.openBelow = machine.unsettledCount
        sizes.rememberedBelow = machine.entries.count - machine.unsettledCount
        sizes.attempts = attempts.values.reduce(0) { $0 + $1.count }
    }

    /// Puts in how this side of the node is.
    func tell(into status: inout NodeStatus) {
        count(into: &status.tables)
        machine.tell(into: &status, at: transport.now)
        status.counters.refusedBelow = refusedCount
        status.dropped.merge(anomalies.totals, uniquingKeysWith: +)
    }

    private func closeSockets() {
        for socket in sockets { transport.close(socket) }
        sockets.removeAll()
    }

    private func perform(_ actions: [DownlinkAction]) {
        var vanished: [PeerID] = []
        for action in actions { perform(action, &vanished) }
        // Each peer once: a second finding of the same loss changes nothing.
        for peer in Set(vanished) { perform(machine.vanished(peer, at: transport.now)) }
        if !isStopped { transport.wake(self, at: machine.nextDue) }
    }

    private func perform(_ action: DownlinkAction, _ vanished: inout [PeerID]) {
        switch action {
        case .send(let message, let peer):
            if case .reject(let reject) = message { noteRefusal(reject, of: peer) }
            send(message.frames, to: peer, &vanished)
        case .reply(let reply, let peer): send([reply.frame], to: peer, &vanished)
        case .offer(let offer): handler.offered(offer)
        case .cancel(let id, let generation, let reason):
            handler.cancelled(id, generation: generation, reason: reason)
        case .settled(let id, let answer, let result): settled(id, answer, result)
        case .passOn(let settled): handler.passOn(settled)
        case .passOnWithdrawal(let id, let asked): handler.passOnWithdrawal(of: id, asked)
        case .withdrawnForGood(let id): handler.withdrawnForGood(id)
        case .reachable(let id, let isReachable): handler.reachable(id, isReachable)
        case .childUp(let name): logger.info("child is up", metadata: ["child": "\(name)"])
        case .childDown(let name, let reason):
            logger.info(
                "child is down", metadata: ["child": "\(name)", "reason": "\(reason)"])
        case .dropped(let anomaly):
            anomalies.note(anomaly, at: transport.now, logger)
        case .tellState(let peer):
            Task.detached { [self] in post(.state(await state(), peer)) }
        }
    }

    private func noteRefusal(_ reject: Message.Reject, of peer: PeerID) {
        refusedCount += 1
        let child = machine.namesOfPeers[peer]
        let addressee = child.map { "to \($0): " } ?? ""
        faults.note(.sent, "\(addressee)\(reject.code.rawValue) \(reject.reason)")
        refusals.note(reject, of: child, at: transport.now, logger)
    }

    private func settled(_ id: PresentationID, _ answer: UniqueID, _ result: RecoveryResult) {
        guard let waiting = attempts.removeValue(forKey: Attempt(id: id, answer: answer)) else {
            if let given = machine.entries[id]?.answer, given.id == answer {
                handler.settledLater(id, given, result)
            }
            return
        }
        for continuation in waiting { continuation.resume(returning: result) }
    }

    /// A full queue is no matter here: answers are sent again, and requesters ask again.
    private func send(_ frames: [Frame], to peer: PeerID, _ vanished: inout [PeerID]) {
        let socket = SocketID(number: peer.socket)
        if transport.send(peer.envelope.frames + frames, on: socket) == .unroutable {
            vanished.append(peer)
        }
    }
}

/// The node's chain, as its downlink sees it. Called on the transport's thread: must not wait.
protocol DownlinkHandler: Sendable {
    /// Whether it takes more offers. Once it does again, it nudges the downlink.
    var isReady: Bool { get }
    func offered(_ offer: DownlinkOffer)
    func cancelled(_ id: PresentationID, generation: Int, reason: DownlinkAction.Outcome)
    func reachable(_ id: PresentationID, _ isReachable: Bool)
    /// A result that came after the chain had stopped waiting for it.
    func settledLater(_ id: PresentationID, _ answer: Answer, _ result: RecoveryResult)
    /// What came of an answer that an earlier life of this node gave or passed down.
    func passOn(_ settled: Message.Settled)
    /// The origin has given up what an earlier life of this node was asked.
    func passOnWithdrawal(of id: PresentationID, _ asked: Message.Asked)
    /// The origin has given up what had ended here before without its word.
    func withdrawnForGood(_ id: PresentationID)
}

extension Downlink: TransportReceiver {
    nonisolated var isReady: Bool {
        assumeIsolated { $0.handler.isReady && $0.bareReadingCount < Self.bareReadingCountMax }
    }

    nonisolated func received(_ frames: [Frame], on socket: SocketID) {
        assumeIsolated { $0.take(frames, from: socket) }
    }

    nonisolated func dropped(_ count: Int, on socket: SocketID) {
        assumeIsolated { $0.noteOverflow(count) }
    }

    nonisolated func changed(_ event: ConnectionEvent, on socket: SocketID) {}

    nonisolated func woke() {
        assumeIsolated { $0.tick() }
    }

    /// What matters is sent again.
    private func noteOverflow(_ count: Int) {
        let anomaly = Anomaly(kind: .overflow, detail: "\(count) messages: the queue is full")
        anomalies.note(anomaly, count: count, at: transport.now, logger)
    }

    private func take(_ frames: [Frame], from socket: SocketID) {
        guard !isStopped else { return }
        let peer: PeerID
        let body: ArraySlice<Frame>
        do throws(WireError) {
            let (envelope, rest) = try Envelope.split(frames)
            (peer, body) = (PeerID(socket: socket.number, envelope: envelope), rest)
        } catch {
            guard let nearest = Envelope.nearest(to: frames) else {
                return perform([.dropped(Anomaly(kind: .malformed, detail: error.description))])
            }
            let peer = PeerID(socket: socket.number, envelope: nearest)
            return perform(machine.malformed(error, from: peer, at: transport.now))
        }
        if body.count == 1, let frame = body.first, !frame.starts(with: "EB".utf8) {
            return takeBare(frame, from: peer)
        }
        do throws(WireError) {
            let message = try Message(frames: body, limits: machine.wireLimits)
            perform(machine.received(message, from: peer, at: transport.now))
        } catch {
            perform(machine.malformed(error, from: peer, at: transport.now))
        }
    }

    /// Reads a one-frame report, off this thread: JSON has no place on it.
    private func takeBare(_ frame: Frame, from peer: PeerID) {
        guard bareReadingByteCount + frame.count <= Self.bareReadingByteCountMax else {
            let busy = WireError(
                .busy, "\(bareReadingByteCount) bytes of reports are being read; ask again")
            return perform([.reply(BareReply(busy), to: peer)])
        }
        bareReadingByteCount += frame.count
        bareReadingCount += 1
        let limits = machine.wireLimits
        Task.detached { [self] in
            let result = Result { () throws(WireError) in try BareRequest(frame, limits: limits) }
            post(.bare(result, byteCount: frame.count, peer))
        }
    }

    private func tick() {
        guard !isStopped else { return }
        takePosted()
        perform(machine.ticked(at: transport.now))
    }

    private func takePosted() {
        let posted = mailbox.withLock { posted in
            defer { posted.removeAll(keepingCapacity: true) }
            return posted
        }
        for item in posted { take(item) }
    }

    private func take(_ posted: Posted) {
        switch posted {
        case .moved(let id, let generation, let state, let by):
            perform(
                machine.moved(id, generation: generation, to: state, by: by, at: transport.now))
        case .completed(let id, let generation, let verdict):
            perform(
                machine.completed(id, generation: generation, verdict: verdict, at: transport.now))
        case .bare(let result, let byteCount, let peer):
            bareReadingByteCount -= byteCount
            bareReadingCount -= 1
            switch result {
            case .success(let request):
                perform(machine.bareReceived(request, from: peer, at: transport.now))
            case .failure(let error): perform([.reply(BareReply(error), to: peer)])
            }
        case .pathUpward(let path):
            machine.pathUpward = path
        case .state(let payload, let peer):
            perform([.send(.state(payload), to: peer)])
        }
    }
}
