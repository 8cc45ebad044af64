import CZMQ
import Glibc
import Synchronization

/// The thread that owns this node's sockets. Its executor blocks in `zmq_poll` over the sockets and
/// an eventfd; jobs of this actor and of the drivers that share the executor run between polls.
/// Sockets are not Sendable and live in this actor's state, so no other thread can use one.
actor Reactor {
    /// The time that a turn reads messages of one socket, and delivers them, before waiting jobs
    /// run.
    private static let readNanoseconds: UInt64 = 300_000
    private static let deliverNanoseconds: UInt64 = 300_000
    /// The time that a turn reads while libzmq holds more and the process is large: libzmq's queues
    /// have no bound, and unread messages take more memory there than anything else.
    private static let readNanosecondsInFlood: UInt64 = 10_000_000
    /// The number of messages, and their bytes that are read, between two looks at the clock.
    private static let messagesPerLook = 16
    private static let byteCountPerLook = 1 << 20
    /// The poll returns at least this often: parts of a message without an end do not wake it.
    private static let pollMillisecondsMax: UInt64 = 250
    private static let pollMillisecondsMaxInFlood: UInt64 = 25
    /// The time that a lost link is read for its peer's last messages: over a new connection, which
    /// libzmq makes by itself, the peer may send on without an end.
    private static let lastWordsMilliseconds: UInt64 = 200
    /// The time that closing waits for the last messages to leave.
    private static let farewellMilliseconds: Int32 = 200

    nonisolated let reactorExecutor = ReactorExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        reactorExecutor.asUnownedSerialExecutor()
    }

    /// The time of a receiver's wake-up. Weak, so that a node that never ran can be freed.
    private struct Wake {
        weak var receiver: (any TransportReceiver)?
        let time: MonotonicTime
    }

    private struct Nudge {
        weak var receiver: (any TransportReceiver)?
    }

    /// The keys of the reactor's tcp sockets; nil: links without keys.
    nonisolated let keys: ReactorKeys?
    private var context: ZMQContext?
    private(set) var slots: [SocketID: Slot] = [:]
    private var wakes: [ObjectIdentifier: Wake] = [:]
    private var socketCount = 0
    private var pollItems: [zmq_pollitem_t] = []
    private var pollSockets: [SocketID] = []
    private var backlog: ConnectionBacklog
    /// The sockets with messages that were not read yet.
    private var undrained: Set<SocketID> = []
    /// The ends of the times in which lost links are read, before their receivers get the loss.
    private var losses: [SocketID: MonotonicTime] = [:]
    /// The next time at which failures of the listening sockets are delivered.
    var nextFailures = MonotonicTime(milliseconds: 0)
    /// The events of connections, which the monitors' threads add.
    private nonisolated let connectionEvents = Mutex<[(SocketID, ConnectionEvent)]>([])
    /// The failures of endpoint checks, which any thread adds.
    private nonisolated let checkFailures = Mutex<[(SocketID, String)]>([])
    /// The receivers to wake, which any thread adds.
    private nonisolated let nudged = Mutex<[ObjectIdentifier: Nudge]>([:])
    /// The number of polls.
    private(set) var turnCount = 0
    /// The addresses of peers whose connections were ended for a revoked key, by libzmq's id of the
    /// peer, since the keys were last replaced; nil before that.
    var endedPeers: [Frame: String]?
    /// The connections of peers that prove their keys.
    var keyed: KeyedConnections

    init(
        keys: KeyRing? = nil, backlog: ConnectionBacklog = ConnectionBacklog(),
        keyed: KeyedConnections = KeyedConnections()
    ) {
        let executor = reactorExecutor
        (self.backlog, self.keyed) = (backlog, keyed)
        self.keys = keys.map { ReactorKeys($0) { executor.signal() } }
    }

    deinit {
        // No sockets are open: each socket's owner keeps the reactor until it is shut down.
        reactorExecutor.stop()
    }

    /// Starts the thread, once. It ends with ``shutDown()`` or with the reactor.
    nonisolated func start() throws(TransportError) {
        // Every presentation comes here.
        guard !reactorExecutor.isStarted else { return }
        ProcessFiles.prepare()
        try reactorExecutor.start { [weak self] mayWait in
            self?.assumeIsolated { $0.turn(mayWait: mayWait) }
        }
    }

    /// Closes every socket and ends the thread. Messages sent just before (BYE, WITHDRAW) get a
    /// moment to leave; a peer that reads nothing delays it no longer.
    func shutDown() {
        for slot in slots.values { slot.socket.setLinger(milliseconds: Self.farewellMilliseconds) }
        for socket in Array(slots.keys) { closeSocket(socket) }
        wakes.removeAll()
        context?.terminate()
        context = nil
        reactorExecutor.stop()
    }

    /// One turn of the thread between jobs: waits, then delivers messages.
    private func turn(mayWait: Bool) {
        turnCount += 1
        waitForWork(mayWait)
        deliverConnectionEvents()
        deliverNewsOfKeys()
        deliverFailedConnections()
        deliverNudges()
        for (index, socket) in pollSockets.enumerated() where index + 1 < pollItems.count {
            if pollItems[index + 1].revents != 0 || losses[socket] != nil { read(socket) }
        }
        endFloods()
        deliverMessages()
        deliverLosses()
        deliverWakes()
    }

    private func waitForWork(_ mayWait: Bool) {
        if pollItems.isEmpty { rebuildPollItems() }
        let count = Int32(pollItems.count)
        let due = wakes.values.lazy.map(\.time).min()?.since(now) ?? .max
        let hasWork = slots.contains { !$1.queue.isEmpty && $1.receiver.isReady(on: $0) }
        let mayWait =
            mayWait && !hasWork && losses.isEmpty && reactorExecutor.mayBeginWait()
        let most =
            backlog.isUrgent ? Self.pollMillisecondsMaxInFlood : Self.pollMillisecondsMax
        let milliseconds = mayWait ? Int(min(due, most)) : 0
        // After EINTR or any other failure the turn goes on; the next poll reports the events
        // again.
        if zmq_poll(&pollItems, count, milliseconds) < 0 {
            for index in pollItems.indices { pollItems[index].revents = 0 }
        }
        reactorExecutor.waited(isReadable: pollItems[0].revents != 0)
    }

    private func rebuildPollItems() {
        pollSockets = Array(slots.keys)
        let wake = zmq_pollitem_t(
            socket: nil, fd: reactorExecutor.wakeDescriptor, events: Int16(ZMQ_POLLIN), revents: 0)
        pollItems = [wake]
        for id in pollSockets {
            guard let slot = slots[id] else { continue }
            pollItems.append(
                zmq_pollitem_t(
                    socket: slot.socket.raw, fd: 0, events: Int16(ZMQ_POLLIN), revents: 0))
        }
    }

    /// Reads the messages that wait on a socket, of each connection in turn. If more wait, the next
    /// poll returns at once.
    private func read(_ id: SocketID) {
        guard let slot = slots[id] else { return }
        let (socket, receiver) = (slot.socket, slot.receiver)
        let isFlood = backlog.isWatching && undrained.contains(id)
        let end =
            Self.nanoseconds + (isFlood ? Self.readNanosecondsInFlood : Self.readNanoseconds)
        // Only tcp connections are held back.
        let withSource = backlog.isWatching && socket.isTCP || socket.isKeyed
        var isDrained = false
        var droppedCount = 0
        repeat {
            var (count, byteCount) = (0, 0)
            while count < Self.messagesPerLook, byteCount < Self.byteCountPerLook {
                guard
                    let message = socket.receive(
                        withSource: withSource,
                        isWanted: { slot.queue.hasRoom(for: $0, key: $1) })
                else {
                    isDrained = true
                    break
                }
                count += 1
                byteCount += message.frames.reduce(0) { $0 + $1.count }
                if let source = message.source { backlog.read(source) }
                guard message.isWhole, !isRevoked(message, receiver) else { continue }
                droppedCount +=
                    message.isWanted
                    ? slot.queue.add(message.frames, from: message.key) ?? 0 : 1
            }
        } while !isDrained && Self.nanoseconds < end
        if isDrained { undrained.remove(id) } else { undrained.insert(id) }
        if isFlood || droppedCount > 0 { slot.givesBack = true }
        if droppedCount > 0 { receiver.dropped(droppedCount, on: id) }
    }

    /// Holds back peers that send more than is read, and ends connections without progress.
    private func endFloods() {
        let begin = now
        guard backlog.isDue(at: begin),
            let slot = slots.values.first(where: { $0.socket.kind == .router })
        else { return }
        var inodes: [Int32: UInt64] = [:]
        let orders = backlog.orders(
            at: begin, resident: ProcessMemory.residentByteCount, isDrained: undrained.isEmpty
        ) {
            let found = PeerConnection.all(at: boundEndpoints())
            for one in found ?? [] { inodes[one.descriptor] = one.inode }
            return found
        }
        for order in orders {
            guard let flood = PeerConnection.carryOut(order, inodes) else { continue }
            slot.receiver.ended(flood)
            slot.givesBack = true
        }
        backlog.looked(from: begin, to: now)
    }

    private func deliverMessages() {
        for id in pollSockets {
            let end = Self.nanoseconds + Self.deliverNanoseconds
            var count = 0
            // Looked up each time: a delivered message may close the socket.
            while let slot = slots[id], !slot.queue.isEmpty,
                losses[id] != nil || slot.receiver.isReady(on: id)
            {
                deliverNext(of: slot, id)
                count += 1
                if count % Self.messagesPerLook == 0, Self.nanoseconds >= end { break }
            }
            if let slot = slots[id], slot.givesBack, slot.queue.isEmpty, !undrained.contains(id) {
                slot.givesBack = false
                returnMemory()
            }
        }
    }

    /// Delivers the next message of a socket, whose key may have been revoked while it waited.
    private func deliverNext(of slot: Slot, _ id: SocketID) {
        guard let (frames, key) = slot.queue.next() else { return }
        let sender = key.flatMap { keys?.ring.holder(of: $0) }
        if sender == nil, slot.socket.isKeyed {
            slot.receiver.refused(RefusedKey(key: key, address: "a live link"), count: 1)
        } else {
            slot.receiver.received(frames, on: id, from: sender)
        }
    }

    private func deliverConnectionEvents() {
        let events = connectionEvents.withLock { events in
            defer { events.removeAll() }
            return events
        }
        for (id, event) in events where slots[id]?.isLost == false {
            if event == .disconnected, slots[id]?.wasConnected == true {
                slots[id]?.isLost = true
                losses[id] = now + Self.lastWordsMilliseconds
                undrained.insert(id)
                continue
            }
            if event == .connected { slots[id]?.wasConnected = true }
            if case .failed = event, let endpoint = slots[id]?.socket.endpoint {
                keys?.failed(to: endpoint)
            }
            slots[id]?.receiver.changed(event.naming(slots[id]?.socket.keys), on: id)
        }
        let failures = checkFailures.withLock { failures in
            defer { failures.removeAll() }
            return failures
        }
        for (id, reason) in failures where slots[id]?.wasConnected == false {
            slots[id]?.receiver.changed(.failed(reason), on: id)
        }
    }

    /// A parent's last messages come before its disconnection.
    private func deliverLosses() {
        for (id, end) in losses {
            let isRead = slots[id]?.queue.isEmpty != false && !undrained.contains(id)
            guard isRead || now >= end else { continue }
            losses[id] = nil
            slots[id]?.receiver.changed(.disconnected, on: id)
        }
    }

    private func deliverNudges() {
        let receivers = nudged.withLock { receivers in
            defer { receivers.removeAll(keepingCapacity: true) }
            return receivers
        }
        for nudge in receivers.values { nudge.receiver?.woke() }
    }

    private func deliverWakes() {
        let now = now
        for key in wakes.filter({ $0.value.time <= now }).keys {
            // Looked up each time: a delivered wake may set a new time.
            guard let wake = wakes[key], wake.time <= now else { continue }
            wakes[key] = nil
            wake.receiver?.woke()
        }
    }

    func openSocket(
        _ kind: ZMQSocket.Kind, _ endpoint: Endpoint, _ receiver: any TransportReceiver
    ) throws(TransportError) -> SocketID {
        let context = if let made = self.context { made } else { try ZMQContext(for: endpoint) }
        self.context = context
        let keys = try keys?.keys(of: kind, endpoint, context)
        let socket = try ZMQSocket(kind, endpoint: endpoint, keys: keys, context: context)
        socketCount += 1
        let id = SocketID(number: socketCount)
        let watch = kind == .router ? ListenerWatch(isKeyed: socket.isKeyed) : nil
        let monitor = self.monitor(of: socket, id, context, watch)
        do throws(TransportError) {
            switch kind {
            case .router: try socket.bind()
            case .dealer: try socket.connect()
            }
        } catch {
            monitor?.stop(socket)
            socket.close()
            throw error
        }
        slots[id] = Slot(socket, receiver, monitor, watch)
        pollItems = []
        if kind == .dealer { check(endpoint, for: id) }
        return id
    }

    private func check(_ endpoint: Endpoint, for id: SocketID) {
        EndpointCheck.start(endpoint) { [weak self] reason in
            guard let self else { return }
            checkFailures.withLock { $0.append((id, reason)) }
            reactorExecutor.signal()
        }
    }

    /// The monitor of a socket. The findings at a listening socket wait in its watch.
    private func monitor(
        of socket: ZMQSocket, _ id: SocketID, _ context: ZMQContext, _ watch: ListenerWatch?
    ) -> SocketMonitor? {
        SocketMonitor(socket, number: id.number, context: context) { [weak self] event in
            guard let self else { return }
            if let watch { return watch.take(event, at: now) }
            guard let change = ConnectionEvent(event) else { return }
            connectionEvents.withLock { $0.append((id, change)) }
            reactorExecutor.signal()
        }
    }

    func closeSocket(_ id: SocketID) {
        guard let slot = slots.removeValue(forKey: id) else { return }
        slot.monitor?.stop(slot.socket)
        slot.socket.close()
        undrained.remove(id)
        losses[id] = nil
        pollItems = []
        pollSockets = []
    }

    func closeSocketOnceSent(_ id: SocketID) {
        slots[id]?.socket.setLinger(milliseconds: Self.farewellMilliseconds)
        closeSocket(id)
    }

    func sendMessage(_ frames: [Frame], on id: SocketID) -> SendResult {
        slots[id]?.socket.send(frames) ?? .unroutable
    }

    func setWake(_ receiver: any TransportReceiver, _ time: MonotonicTime?) {
        wakes[ObjectIdentifier(receiver)] = time.map { Wake(receiver: receiver, time: $0) }
    }

    nonisolated func nudge(_ receiver: any TransportReceiver) {
        let isFirst = nudged.withLock {
            $0.updateValue(Nudge(receiver: receiver), forKey: ObjectIdentifier(receiver)) == nil
        }
        if isFirst { reactorExecutor.signal() }
    }
}
