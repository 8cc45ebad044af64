import ErrorBus

/// The links between processes, as ZeroMQ has them over TCP: in order, and slow, lossy, doubling,
/// silent in one direction or both, and torn down with or without word of it.
// Unchecked: see Scheduler.
final class Network: @unchecked Sendable {
    /// Between a child and an endpoint that it connects to.
    struct LinkID: Hashable, Comparable {
        let child: String
        let parent: String

        static func < (left: LinkID, right: LinkID) -> Bool {
            (left.child, left.parent) < (right.child, right.parent)
        }
    }

    /// How bad all links are while faults happen.
    struct Weather {
        var delayMax: UInt64 = 30
        var loss = 0.0
        var duplication = 0.0
    }

    /// A DEALER's connection to a ROUTER; never used again once it is lost.
    // Unchecked: see Scheduler.
    fileprivate final class Connection: @unchecked Sendable {
        let link: LinkID
        let child: SimulatedTransport
        let socket: SocketID
        let receiver: any TransportReceiver
        let address: Frame
        /// How the trace names what goes up or down.
        let signs: (up: String, down: String)
        /// Set when it is established.
        @exclusivity(unchecked) var listener: Listener?
        /// The child has closed it; what it sent before still arrives.
        @exclusivity(unchecked) var isClosed = false
        @exclusivity(unchecked) var isLost = false
        /// Whether the child was notified that the connection is accepted.
        @exclusivity(unchecked) var isWelcomed = false
        /// How often a silence of it ended.
        var mendedCount = 0
        @exclusivity(unchecked) var lastArrival = Both<UInt64>(0)
        /// How many were sent in which second.
        @exclusivity(unchecked) var sent = Both<(second: UInt64, count: Int)>((0, 0))
        /// Under way when the direction went silent.
        var held = Both<[[Frame]]>([])
        /// Has come to a parent that takes no more for now.
        @exclusivity(unchecked) var unread: [[Frame]] = []

        init(
            _ link: LinkID, _ child: SimulatedTransport, _ socket: SocketID,
            _ receiver: any TransportReceiver
        ) {
            self.link = link
            self.child = child
            self.socket = socket
            self.receiver = receiver
            signs = ("\(link.child)>\(link.parent) ", "\(link.child)<\(link.parent) ")
            address = [0] + withUnsafeBytes(of: UInt32(socket.number).bigEndian, Array.init)
        }

        var isUp: Bool {
            listener.map { !$0.transport.isDead } == true && !isClosed && !isLost && !child.isDead
        }
    }

    fileprivate struct Listener {
        let transport: SimulatedTransport
        let socket: SocketID
        let receiver: any TransportReceiver
    }

    let scheduler: Scheduler
    var weather = Weather()
    private var listeners: [Endpoint: Listener] = [:]
    @exclusivity(unchecked) private var connections: [SocketID: Connection] = [:]
    @exclusivity(unchecked) private var byAddress: [Frame: Connection] = [:]
    private var socketCount = 0
    private var silences: [LinkID: Both<Int>] = [:]
    /// How many directions of links are silent.
    @exclusivity(unchecked) private var silentCount = 0
    /// How often a silence has begun or ended.
    private(set) var wayCount = 0
    /// The process behind each endpoint.
    private let names: [Endpoint: String]
    @exclusivity(unchecked) private(set) var deliveredCount = 0
    /// The most messages of one link and direction in one second.
    @exclusivity(unchecked) private(set) var busiest = 0
    /// Links that a child has kept, though nothing came back on them.
    private(set) var clung: [String] = []
    private(set) lazy var acknowledgements = Acknowledgements(scheduler)
    private(set) lazy var partings = Partings(scheduler)
    /// See ``Plan/queueMax``.
    var queueMax = Int.max
    /// When a message of a link found no room last.
    private(set) var fullAt: [LinkID: UInt64] = [:]
    /// Asked of each message when it arrives.
    var fate: (_ link: LinkID, _ frames: [Frame]) -> Ambush.Fate = { _, _ in .goes }

    init(_ scheduler: Scheduler, names: [Endpoint: String]) {
        self.scheduler = scheduler
        self.names = names
    }

    private func isSilent(_ link: LinkID, _ direction: Direction) -> Bool {
        silentCount > 0 && (silences[link]?[direction] ?? 0) > 0
    }

    /// Whether everything gets through in both directions.
    func isClear(_ link: LinkID) -> Bool { !isSilent(link, .up) && !isSilent(link, .down) }

    // MARK: What a transport asks for

    private func makeSocket() -> SocketID {
        socketCount += 1
        return SocketID(number: socketCount)
    }

    func listen(
        on endpoint: Endpoint, _ transport: SimulatedTransport, _ receiver: any TransportReceiver
    ) -> SocketID {
        let socket = makeSocket()
        listeners[endpoint] = Listener(transport: transport, socket: socket, receiver: receiver)
        return socket
    }

    func connect(
        to endpoint: Endpoint, _ transport: SimulatedTransport, _ receiver: any TransportReceiver
    ) -> SocketID {
        let socket = makeSocket()
        let link = LinkID(child: transport.name, parent: names[endpoint] ?? "")
        let connection = Connection(link, transport, socket, receiver)
        connections[socket] = connection
        byAddress[connection.address] = connection
        scheduler.after(scheduler.random.number(1...40)) { [self] in
            establish(connection, endpoint)
        }
        return socket
    }

    /// As libzmq does: tried until it can be reached or the socket is closed.
    private func establish(_ connection: Connection, _ endpoint: Endpoint) {
        guard !connection.isClosed, !connection.child.isDead else { return }
        guard let listener = listeners[endpoint], !listener.transport.isDead,
            isClear(connection.link)
        else {
            let pause = scheduler.random.number(50...500)
            return scheduler.after(pause) { [self] in establish(connection, endpoint) }
        }
        connection.listener = listener
        connection.child.run { connection.receiver.changed(.connected, on: connection.socket) }
    }

    func send(
        _ frames: [Frame], on socket: SocketID, by sender: SimulatedTransport
    ) -> SendResult {
        if let connection = connections[socket] {
            guard connection.isUp, connection.held.up.count < queueMax else {
                fullAt[connection.link] = scheduler.now
                return .full
            }
            transmit(frames, on: connection, .up)
            return .sent
        }
        guard let address = frames.first, let connection = byAddress[address], connection.isUp,
            connection.listener?.transport === sender
        else { return .unroutable }
        let body = Array(frames.dropFirst())
        guard connection.held.down.count < queueMax else {
            fullAt[connection.link] = scheduler.now
            // It is said all the same.
            acknowledgements.sent(body, on: connection.socket)
            return .full
        }
        transmit(body, on: connection, .down)
        return .sent
    }

    /// The keys of a node are others.
    func replaced(_ keys: KeyRing, at endpoint: Endpoint) {
        guard let listener = listeners[endpoint] else { return }
        listener.transport.run { listener.receiver.replaced(keys) }
    }

    func close(_ socket: SocketID, onceSent: Bool) {
        guard let connection = connections.removeValue(forKey: socket) else {
            if let (endpoint, _) = listeners.first(where: { $0.value.socket == socket }) {
                listeners[endpoint] = nil
            }
            return
        }
        watchParting(connection)
        connection.isClosed = true
        if !onceSent { connection.isLost = true }
    }

    // MARK: On the way

    private func transmit(_ frames: [Frame], on connection: Connection, _ direction: Direction) {
        let second = scheduler.now / 1_000
        let before = connection.sent[direction]
        let count = before.second == second ? before.count + 1 : 1
        connection.sent[direction] = (second, count)
        // What an intruder says has no measure; a storm has no end.
        if connection.link.child != Intruder.name { busiest = max(busiest, count) }
        if count > 3_000 { scheduler.stop() }
        if direction == .down { acknowledgements.sent(frames, on: connection.socket) }
        if scheduler.random.happens(weather.loss) { return }
        let arrival = max(
            connection.lastArrival[direction],
            scheduler.now + scheduler.random.number(1...weather.delayMax))
        connection.lastArrival[direction] = arrival
        for _ in 0..<(scheduler.random.happens(weather.duplication) ? 2 : 1) {
            scheduler.at(arrival) { [self] in arrive(frames, on: connection, direction) }
        }
    }

    private func arrive(_ frames: [Frame], on connection: Connection, _ direction: Direction) {
        guard !connection.isLost, let listener = connection.listener else { return }
        if isSilent(connection.link, direction) {
            connection.held[direction].append(frames)
            return
        }
        if direction == .up { partings.received(frames, on: connection.socket) }
        switch fate(connection.link, frames) {
        case .goes: hand(frames, on: connection, to: listener, direction)
        case .lost: break
        case .doubled(let later):
            hand(frames, on: connection, to: listener, direction)
            scheduler.after(later) { [self] in
                if !connection.isLost { hand(frames, on: connection, to: listener, direction) }
            }
        case .late(let later):
            // On its way to the parent when the child closed the connection, and opened another.
            scheduler.after(later) { [self] in
                hand(frames, on: connection, to: listener, direction)
            }
        }
    }

    private func hand(
        _ frames: [Frame], on connection: Connection, to listener: Listener, _ direction: Direction
    ) {
        switch direction {
        case .up:
            guard !listener.transport.isDead,
                listener.transport.takesOne(most: queueMax, listener.receiver, listener.socket)
            else { return }
            trace(connection.signs.up, frames)
            watch(frames, on: connection, to: listener)
            listener.transport.run { [self] in
                connection.unread.append(frames)
                if connection.unread.count == 1 { read(connection, listener) }
            }
        case .down:
            guard !connection.child.isDead, !connection.isClosed else { return }
            trace(connection.signs.down, frames)
            if !connection.isWelcomed {
                connection.isWelcomed = frames.contains { $0.elementsEqual("WELCOME".utf8) }
            }
            connection.child.run {
                connection.receiver.received(frames, on: connection.socket, from: nil)
            }
        }
    }

    /// A parent takes what has come, as long as it takes any.
    private func read(_ connection: Connection, _ listener: Listener) {
        while let frames = connection.unread.first {
            guard listener.receiver.isReady(on: listener.socket) else {
                return scheduler.after(5) { [self] in
                    guard !listener.transport.isDead, !connection.isLost else { return }
                    listener.transport.run { [self] in read(connection, listener) }
                }
            }
            connection.unread.removeFirst()
            listener.receiver.received(
                [connection.address] + frames, on: listener.socket, from: connection.child.holder)
        }
    }

    /// Does its parent say what becomes of it? Only of one child by one connection, which is
    /// neither lost nor taken over, and of a parent that is not held up.
    private func watch(_ frames: [Frame], on connection: Connection, to listener: Listener) {
        let frozenUntil = listener.transport.frozenUntil
        guard connection.isWelcomed, frozenUntil < scheduler.now else { return }
        acknowledgements.received(frames, on: connection.socket) { [self] in
            connection.isUp && listener.transport.frozenUntil == frozenUntil
                && byAddress.values.count { $0.link == connection.link && $0.isUp } == 1
        }
    }

    /// Does a child that has another parent by now say that it leaves this one?
    private func watchParting(_ connection: Connection) {
        guard connection.isUp, isClear(connection.link), weather.loss == 0, queueMax == .max,
            let parent = connection.listener?.transport,
            connections.values.contains(where: {
                $0.child === connection.child && $0.isWelcomed && $0.isUp
            })
        else { return }
        let before = wayCount
        partings.closed(connection.socket, connection.link) { [self] in
            wayCount == before && !parent.isDead && !connection.child.isDead
                && parent.frozenUntil == 0 && connection.child.frozenUntil == 0
        }
    }

    /// Every byte counts: a run is the same only if all messages are.
    private func trace(_ sign: String, _ frames: [Frame]) {
        deliveredCount += 1
        scheduler.note(sign, frames)
    }

    // MARK: Faults

    /// The connections of a link break; each side learns of it where the way to it is open.
    func reset(_ link: LinkID) {
        scheduler.note("fault: reset \(link.child) - \(link.parent)")
        for connection in sorted where connection.link == link { lose(connection) }
    }

    private var sorted: [Connection] {
        connections.values.sorted { $0.socket.number < $1.socket.number }
    }

    private func lose(_ connection: Connection) {
        guard !connection.isLost, connection.listener != nil else { return }
        connection.isLost = true
        guard !isSilent(connection.link, .down) else { return }
        scheduler.after(scheduler.random.number(0...60)) {
            guard !connection.child.isDead, !connection.isClosed else { return }
            connection.child.run {
                connection.receiver.changed(.disconnected, on: connection.socket)
            }
        }
    }

    /// From now on nothing arrives in a direction, without word of it.
    func silence(_ link: LinkID, _ direction: Direction) {
        scheduler.note("fault: silence \(link.child) - \(link.parent) \(direction.rawValue)")
        silences[link, default: Both(0)][direction] += 1
        if silences[link]?[direction] == 1 { silentCount += 1 }
        wayCount += 1
        for connection in sorted where connection.link == link && connection.isWelcomed {
            watch(connection, direction)
        }
    }

    /// Does its child give it up?
    private func watch(_ connection: Connection, _ direction: Direction) {
        let mendedCount = connection.mendedCount
        let frozenUntil = connection.child.frozenUntil
        scheduler.after(15_000 + weather.delayMax) { [self] in
            guard connection.isUp, isSilent(connection.link, direction),
                connection.mendedCount == mendedCount, connection.child.frozenUntil == frozenUntil
            else { return }
            clung.append("\(connection.link.child) - \(connection.link.parent)")
        }
    }

    func mend(_ link: LinkID, _ direction: Direction) {
        silences[link]?[direction] -= 1
        if silences[link]?[direction] == 0 { silentCount -= 1 }
        wayCount += 1
        guard !isSilent(link, direction) else { return }
        scheduler.note("mended: \(link.child) - \(link.parent) \(direction.rawValue)")
        for connection in sorted where connection.link == link {
            connection.mendedCount += 1
            let held = connection.held[direction]
            connection.held[direction] = []
            for frames in held { arrive(frames, on: connection, direction) }
            if connection.isLost, direction == .down {
                // What was not said during the silence is found out by keepalive.
                scheduler.after(scheduler.random.number(0...60)) {
                    guard !connection.child.isDead, !connection.isClosed else { return }
                    connection.child.run {
                        connection.receiver.changed(.disconnected, on: connection.socket)
                    }
                }
            }
        }
    }

    /// All that a process had open goes with it.
    func died(_ transport: SimulatedTransport, isInOrder: Bool) {
        for (endpoint, listener) in listeners where listener.transport === transport {
            listeners[endpoint] = nil
        }
        for connection in sorted {
            if connection.child === transport {
                connection.isClosed = true
                connection.isLost = !isInOrder
                connections[connection.socket] = nil
            } else if connection.listener?.transport === transport {
                lose(connection)
            }
        }
    }
}
