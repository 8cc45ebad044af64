@testable import ErrorBus

/// One TCP connection: order is kept within it, and it can die without either side being told.
final class Connection {
    struct Way {
        var lastArrival: UInt64 = 0
        var underWay = 0
        /// Held back by a partition, as TCP would send it again afterwards.
        var held: [Packed] = []
    }

    struct Packed {
        let packet: Packet
        let correlation: Frame?
    }

    let number: UInt64
    let link: Int
    let parent: SimulatedNode
    let parentLife: Int
    weak var socket: ChildSocket?
    var up = Way()
    var down = Way()
    /// Dead, whoever knows it.
    var isReset = false
    /// The parent's ROUTER can still route to it.
    var isRoutable = true
    let frame: Frame

    init(number: UInt64, link: Int, socket: ChildSocket, parent: SimulatedNode) {
        self.number = number
        self.link = link
        self.socket = socket
        self.parent = parent
        parentLife = parent.life
        frame = Array("c\(number)".utf8)
    }

    func peer(_ correlation: Frame?) -> PeerID {
        let frames = correlation.map { [frame, $0, []] } ?? [frame, []]
        return PeerID(socket: 0, envelope: Envelope(frames: frames))
    }
}

/// A child's socket to one parent: connects, and connects again by itself, until it is closed.
final class ChildSocket {
    let child: SimulatedNode
    let childLife: Int
    let parent: NodeName
    let link: Int
    var connection: Connection?
    var isClosed = false
    let connected: () -> Void
    let disconnected: () -> Void
    let received: (Packet, Frame?) -> Void

    init(
        child: SimulatedNode, parent: NodeName, link: Int, connected: @escaping () -> Void,
        disconnected: @escaping () -> Void, received: @escaping (Packet, Frame?) -> Void
    ) {
        self.child = child
        childLife = child.life
        self.parent = parent
        self.link = link
        self.connected = connected
        self.disconnected = disconnected
        self.received = received
    }
}
