@testable import ErrorBus

/// The links between the nodes: slow, lossy, doubling, cut one way or both, clogged, and torn
/// down without a word.
final class SimulatedNetwork {
    enum Direction: Sendable { case up, down }
    enum Cut: Sendable, CaseIterable {
        case up, down, both

        func includes(_ direction: Direction) -> Bool {
            switch (self, direction) {
            case (.both, _), (.up, .up), (.down, .down): true
            case (.up, .down), (.down, .up): false
            }
        }
    }
    enum SendResult { case sent, full, unroutable }

    private struct Link {
        var cuts: [Cut] = []
        var clogged: (up: UInt64, down: UInt64) = (0, 0)

        func isCut(_ direction: Direction) -> Bool {
            cuts.contains { $0.includes(direction) }
        }
    }

    private unowned let world: World
    private var links: [Link]
    private var connections: [UInt64: Connection] = [:]
    private var numbers: UInt64 = 0
    private(set) var droppedFull = 0

    init(world: World) {
        self.world = world
        links = world.plan.links.map { _ in Link() }
    }

    /// What is sent on it arrives, both ways.
    func isOpen(_ connection: Connection) -> Bool {
        let link = links[connection.link]
        return !connection.isReset && connection.isRoutable && link.cuts.isEmpty
            && max(link.clogged.up, link.clogged.down) <= world.now
    }

    // MARK: Connecting

    func connect(_ socket: ChildSocket) {
        world.scheduler.after(world.random.number(in: 1...50)) { [self] in tryConnecting(socket) }
    }

    private func tryConnecting(_ socket: ChildSocket) {
        guard !socket.isClosed, socket.child.life == socket.childLife, socket.child.isUp,
            socket.connection == nil
        else { return }
        let parent = world.node(socket.parent)
        let link = links[socket.link]
        let isPossible =
            parent.isUp && !parent.isFrozen && !socket.child.isFrozen && link.cuts.isEmpty
        guard isPossible else {
            return world.scheduler.after(world.random.number(in: 100...2_000)) { [self] in
                tryConnecting(socket)
            }
        }
        numbers += 1
        let connection = Connection(
            number: numbers, link: socket.link, socket: socket, parent: parent)
        connections[numbers] = connection
        socket.connection = connection
        world.trace("\(socket.child.name) connected to \(parent.name) by c\(numbers)")
        socket.child.perform(inLife: socket.childLife) { [self] in
            guard socket.connection === connection else { return }
            _ = self
            socket.connected()
        }
    }

    /// The child closes its socket.
    func close(_ socket: ChildSocket) {
        socket.isClosed = true
        if let connection = socket.connection { kill(connection) }
        socket.connection = nil
    }

    /// Everything a process had open dies with it.
    func processDied(_ node: SimulatedNode) {
        for (_, connection) in connections.sorted(by: { $0.key < $1.key })
        where !connection.isReset {
            if connection.parent === node || connection.socket?.child === node {
                kill(connection)
            }
        }
    }

    func reset(link: Int) {
        for (_, connection) in connections.sorted(by: { $0.key < $1.key })
        where connection.link == link && !connection.isReset {
            kill(connection)
        }
    }

    /// Each side learns of it only if the way to it is open.
    private func kill(_ connection: Connection) {
        guard !connection.isReset else { return }
        connection.isReset = true
        connection.up.held = []
        connection.down.held = []
        let link = links[connection.link]
        if !link.isCut(.up) {
            world.scheduler.after(world.random.number(in: 0...50)) {
                connection.isRoutable = false
            }
        }
        guard !link.isCut(.down), let socket = connection.socket, !socket.isClosed else { return }
        world.scheduler.after(world.random.number(in: 0...50)) { [self] in
            lose(connection, at: socket)
        }
    }

    private func lose(_ connection: Connection, at socket: ChildSocket) {
        guard socket.connection === connection, !socket.isClosed else { return }
        socket.connection = nil
        socket.child.perform(inLife: socket.childLife) {
            if !socket.isClosed { socket.disconnected() }
        }
        connect(socket)
    }

    // MARK: Sending

    func sendUp(_ packet: Packet, _ correlation: Frame? = nil, by socket: ChildSocket) {
        guard let connection = socket.connection else { return droppedFull += 1 }
        world.trace("\(socket.child.name) -> \(socket.parent): \(packet.text)")
        transmit(.init(packet: packet, correlation: correlation), on: connection, .up)
    }

    func sendDown(_ packet: Packet, to peer: PeerID) -> SendResult {
        guard let frame = peer.envelope.frames.first,
            let number = UInt64(String(decoding: frame.dropFirst(), as: UTF8.self)),
            let connection = connections[number], connection.isRoutable
        else { return .unroutable }
        if let socket = connection.socket {
            world.trace("\(connection.parent.name) -> \(socket.child.name): \(packet.text)")
        }
        let correlation = peer.envelope.frames.count > 2 ? peer.envelope.frames[1] : nil
        transmit(.init(packet: packet, correlation: correlation), on: connection, .down)
        return .sent
    }

    private func transmit(
        _ packed: Connection.Packed, on connection: Connection, _ direction: Direction
    ) {
        let profile = world.plan.profile
        let path: WritableKeyPath<Connection, Connection.Way> =
            direction == .up ? \.up : \.down
        var connection = connection
        guard connection[keyPath: path].underWay < profile.queueMax else {
            droppedFull += 1
            return
        }
        var packed = packed
        if world.random.happens(0.01) {
            guard let reread = packed.packet.reread else {
                return world.ledger.note(.codecBroken(packed.packet.text))
            }
            packed = .init(packet: reread, correlation: packed.correlation)
        }
        let isChaos = !world.isHealed
        if isChaos, world.random.happens(profile.loss) { return }
        let clogged = links[connection.link].clogged
        let mean = isChaos ? profile.delayMean : min(profile.delayMean, 50)
        let arrival = max(
            connection[keyPath: path].lastArrival,
            world.now + profile.delayMin + world.random.waiting(mean: mean),
            isChaos ? (direction == .up ? clogged.up : clogged.down) : 0)
        connection[keyPath: path].lastArrival = arrival
        let copies = isChaos && world.random.happens(profile.duplication) ? 2 : 1
        for _ in 0..<copies {
            connection[keyPath: path].underWay += 1
            world.scheduler.after(arrival - world.now) { [self] in
                connection[keyPath: path].underWay -= 1
                arrive(packed, on: connection, direction)
            }
        }
        if isChaos, world.random.happens(profile.replay) {
            let later = world.random.number(in: 5_000...profile.times.tombstone / 2)
            world.scheduler.after(later) { [self] in replay(packed, from: connection, direction) }
        }
    }

    private func arrive(
        _ packed: Connection.Packed, on connection: Connection, _ direction: Direction
    ) {
        // What was read before the connection died may still come out of a queue.
        if connection.isReset, world.isHealed || !world.random.happens(0.3) { return }
        if links[connection.link].isCut(direction) {
            if direction == .up {
                connection.up.held.append(packed)
            } else {
                connection.down.held.append(packed)
            }
            return
        }
        deliver(packed, on: connection, direction)
    }

    private func deliver(
        _ packed: Connection.Packed, on connection: Connection, _ direction: Direction
    ) {
        switch direction {
        case .up:
            connection.parent.perform(inLife: connection.parentLife) {
                connection.parent.received(
                    packed.packet, from: connection.peer(packed.correlation))
            }
        case .down:
            guard let socket = connection.socket, !socket.isClosed else { return }
            socket.child.perform(inLife: socket.childLife) {
                guard !socket.isClosed else { return }
                socket.received(packed.packet, packed.correlation)
            }
        }
    }

    /// A recorded message comes again much later, on the connection there is then.
    private func replay(
        _ packed: Connection.Packed, from connection: Connection, _ direction: Direction
    ) {
        guard !world.isHealed else { return }
        let later = connection.socket?.connection ?? connection
        world.trace("replayed: \(packed.packet.text)")
        deliver(packed, on: later, direction)
    }

    // MARK: Faults

    func cut(link: Int, _ cut: Cut) { links[link].cuts.append(cut) }

    func mend(link: Int, _ cut: Cut) {
        if let index = links[link].cuts.firstIndex(of: cut) { links[link].cuts.remove(at: index) }
        flush(link: link)
    }

    func clog(link: Int, _ direction: Direction, until: UInt64) {
        if direction == .up {
            links[link].clogged.up = until
        } else {
            links[link].clogged.down = until
        }
    }

    func healed() {
        for link in links.indices {
            links[link] = Link()
            flush(link: link)
        }
        // What nobody was told during a partition is found out by keepalive.
        for (_, connection) in connections.sorted(by: { $0.key < $1.key }) where connection.isReset
        {
            connection.isRoutable = false
            if let socket = connection.socket { lose(connection, at: socket) }
        }
    }

    private func flush(link: Int) {
        for (_, connection) in connections.sorted(by: { $0.key < $1.key })
        where connection.link == link {
            if !links[link].isCut(.up) {
                let held = connection.up.held
                connection.up.held = []
                for packed in held { deliver(packed, on: connection, .up) }
            }
            if !links[link].isCut(.down) {
                let held = connection.down.held
                connection.down.held = []
                for packed in held { deliver(packed, on: connection, .down) }
            }
        }
    }
}
