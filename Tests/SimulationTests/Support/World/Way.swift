@testable import ErrorBus

/// How an origin's words reach a presenter at the moment, by links that both ends hold to be live.
struct Way: Hashable, Sendable {
    struct Hop: Hashable, Sendable {
        let child: NodeName
        let life: Int
        let connection: UInt64
    }

    let hops: [Hop]
    let presenter: NodeName
    let presenterLife: Int
}

extension World {
    /// Nil while anything on it is dead, frozen, cut, clogged, or not greeted yet.
    func way(of origin: SimulatedNode) -> Way? {
        var hops: [Way.Hop] = []
        var node = origin
        while node.isUp, !node.isFrozen {
            if node.planned.role == .presenter {
                return Way(hops: hops, presenter: node.name, presenterLife: node.life)
            }
            guard let connection = node.uplink?.liveConnection, network.isOpen(connection),
                connection.parent.life == connection.parentLife,
                connection.parent.downlink?.hears(node.name, on: connection) == true
            else { return nil }
            hops.append(
                Way.Hop(child: node.name, life: node.life, connection: connection.number))
            node = connection.parent
        }
        return nil
    }
}
