import CZMQ
import Glibc
import Synchronization

/// The thread that owns this node's sockets. Its executor blocks in `zmq_poll` over the sockets
/// and an eventfd; jobs of this actor and of the drivers that share the executor run between.
/// Nothing else touches a socket: they are not Sendable and live in this actor's state.
actor Reactor {
    /// Messages taken from one socket before the others, and waiting jobs, have their turn.
    private static let drainMax = 256
    /// The poll returns at least this often, should a wake-up ever be missed.
    private static let pollMillisecondsMax = 1_000
    /// How long closing waits for what was sent last.
    private static let farewellMilliseconds: Int32 = 200

    nonisolated let reactorExecutor = ReactorExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        reactorExecutor.asUnownedSerialExecutor()
    }

    private struct Slot {
        let socket: ZMQSocket
        let receiver: any TransportReceiver
        let monitor: SocketMonitor?
    }

    private struct Wake {
        let receiver: any TransportReceiver
        let time: MonotonicTime
    }

    private var context: ZMQContext?
    private var slots: [SocketID: Slot] = [:]
    private var wakes: [ObjectIdentifier: Wake] = [:]
    private var socketCount = 0
    private var pollItems: [zmq_pollitem_t] = []
    private var pollSockets: [SocketID] = []
    /// Filled by the monitors' threads.
    private nonisolated let connectionEvents = Mutex<[(SocketID, ConnectionEvent)]>([])
    /// Filled from anywhere.
    private nonisolated let nudged = Mutex<[any TransportReceiver]>([])

    /// Starts the thread.
    nonisolated func start() {
        reactorExecutor.start { [weak self] in self?.assumeIsolated { $0.turn() } }
    }

    /// Closes every socket and ends the thread. What was sent just before (BYE, WITHDRAW) gets a
    /// moment to leave; a peer that takes nothing holds nothing up for longer.
    func shutDown() {
        for slot in slots.values { slot.socket.setLinger(milliseconds: Self.farewellMilliseconds) }
        for socket in Array(slots.keys) { closeSocket(socket) }
        wakes.removeAll()
        context?.terminate()
        context = nil
        reactorExecutor.stop()
    }

    /// One turn of the thread between jobs: wait, then deliver what came.
    private func turn() {
        waitForWork()
        deliverConnectionEvents()
        deliverNudges()
        for (index, socket) in pollSockets.enumerated() where index + 1 < pollItems.count {
            if pollItems[index + 1].revents != 0 { drain(socket) }
        }
        deliverWakes()
    }

    private func waitForWork() {
        if pollItems.isEmpty { rebuildPollItems() }
        let count = Int32(pollItems.count)
        let timeout = wakes.values.map(\.time).min().map { Int($0.since(now)) }
        let milliseconds = min(timeout ?? .max, Self.pollMillisecondsMax)
        // EINTR and every other failure: the turn goes on, the next poll tells again.
        if zmq_poll(&pollItems, count, milliseconds) < 0 {
            for index in pollItems.indices { pollItems[index].revents = 0 }
        }
        if pollItems[0].revents != 0 { reactorExecutor.clearSignal() }
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

    private func drain(_ id: SocketID) {
        for _ in 0..<Self.drainMax {
            // Looked up each time: what is delivered may close the socket.
            guard let slot = slots[id], let frames = slot.socket.receive() else { return }
            slot.receiver.received(frames, on: id)
        }
        // More may wait: the next poll returns at once.
    }

    private func deliverConnectionEvents() {
        let events = connectionEvents.withLock { events in
            defer { events.removeAll() }
            return events
        }
        for (id, event) in events { slots[id]?.receiver.changed(event, on: id) }
    }

    private func deliverNudges() {
        let receivers = nudged.withLock { receivers in
            defer { receivers.removeAll(keepingCapacity: true) }
            return receivers
        }
        for receiver in receivers { receiver.woke() }
    }

    private func deliverWakes() {
        let now = now
        for (key, wake) in wakes where wake.time <= now {
            wakes[key] = nil
            wake.receiver.woke()
        }
    }

    fileprivate func openSocket(
        _ kind: ZMQSocket.Kind, _ endpoint: Endpoint, _ receiver: any TransportReceiver
    ) throws(TransportError) -> SocketID {
        let context = self.context ?? ZMQContext()
        self.context = context
        let socket = try ZMQSocket(kind, endpoint: endpoint, context: context)
        socketCount += 1
        let id = SocketID(number: socketCount)
        var monitor: SocketMonitor?
        do throws(TransportError) {
            switch kind {
            case .router: try socket.bind()
            case .dealer:
                monitor = watch(socket, id, context)
                try socket.connect()
            }
        } catch {
            monitor?.stop(socket)
            socket.close()
            throw error
        }
        slots[id] = Slot(socket: socket, receiver: receiver, monitor: monitor)
        pollItems = []
        return id
    }

    private func watch(_ socket: ZMQSocket, _ id: SocketID, _ context: ZMQContext) -> SocketMonitor? {
        SocketMonitor(socket, number: id.number, context: context) { [weak self] event in
            guard let self else { return }
            connectionEvents.withLock { $0.append((id, event)) }
            reactorExecutor.signal()
        }
    }

    fileprivate func closeSocket(_ id: SocketID) {
        guard let slot = slots.removeValue(forKey: id) else { return }
        slot.monitor?.stop(slot.socket)
        slot.socket.close()
        pollItems = []
        pollSockets = []
    }

    fileprivate func sendMessage(_ frames: [Frame], on id: SocketID) -> SendResult {
        slots[id]?.socket.send(frames) ?? .unroutable
    }

    fileprivate func setWake(_ receiver: any TransportReceiver, _ time: MonotonicTime?) {
        wakes[ObjectIdentifier(receiver)] = time.map { Wake(receiver: receiver, time: $0) }
    }

    fileprivate func boundEndpoint(of id: SocketID) -> String? { slots[id]?.socket.boundEndpoint }
}

extension Reactor: Transport {
    nonisolated var executor: any SerialExecutor { reactorExecutor }

    nonisolated var now: MonotonicTime {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return MonotonicTime(
            milliseconds: UInt64(time.tv_sec) * 1_000 + UInt64(time.tv_nsec) / 1_000_000)
    }

    nonisolated func listen(
        on endpoint: Endpoint, for receiver: any TransportReceiver
    ) throws(TransportError) -> SocketID {
        try open(.router, endpoint, receiver)
    }

    nonisolated func connect(
        to endpoint: Endpoint, for receiver: any TransportReceiver
    ) throws(TransportError) -> SocketID {
        try open(.dealer, endpoint, receiver)
    }

    private nonisolated func open(
        _ kind: ZMQSocket.Kind, _ endpoint: Endpoint, _ receiver: any TransportReceiver
    ) throws(TransportError) -> SocketID {
        let result = assumeIsolated { reactor -> Result<SocketID, TransportError> in
            do throws(TransportError) {
                return .success(try reactor.openSocket(kind, endpoint, receiver))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    nonisolated func send(_ frames: [Frame], on socket: SocketID) -> SendResult {
        assumeIsolated { $0.sendMessage(frames, on: socket) }
    }

    nonisolated func close(_ socket: SocketID) {
        assumeIsolated { $0.closeSocket(socket) }
    }

    nonisolated func nudge(_ receiver: any TransportReceiver) {
        nudged.withLock { $0.append(receiver) }
        reactorExecutor.signal()
    }

    nonisolated func wake(_ receiver: any TransportReceiver, at time: MonotonicTime?) {
        assumeIsolated { $0.setWake(receiver, time) }
    }
}
