import NIOCore
import Synchronization

/// The open connections of a console. Those that have not shown the token make room: who has it
/// always finds a slot. None of them holds up the end of a node.
final class ConsoleConnections: Sendable {
    fileprivate struct Connection {
        let channel: any Channel
        let number: Int
        /// A request on it had the token.
        var isKnown = false
    }

    fileprivate struct State {
        var connections: [ObjectIdentifier: Connection] = [:]
        var lastNumber = 0
    }

    private let state = Mutex(State())

    func add(_ channel: any Channel) {
        let id = ObjectIdentifier(channel)
        let surplus = state.withLock { state in
            state.lastNumber += 1
            state.connections[id] = Connection(channel: channel, number: state.lastNumber)
            let surplus = state.surplus(of: channel.peerHost)
            // Now, since it may take a while to close.
            return surplus.flatMap { state.connections.removeValue(forKey: $0) }?.channel
        }
        channel.closeFuture.whenComplete { [weak self] _ in
            self?.state.withLock { _ = $0.connections.removeValue(forKey: id) }
        }
        surplus?.close(promise: nil)
    }

    /// Keeps it from now on: it belongs to a client with the token.
    func know(_ channel: any Channel) {
        state.withLock { $0.connections[ObjectIdentifier(channel)]?.isKnown = true }
    }

    func closeAll() {
        let channels = state.withLock { $0.connections.values.map(\.channel) }
        for channel in channels { channel.close(promise: nil) }
    }
}

extension ConsoleConnections.State {
    /// The stranger that has to go after another one came from `host`: the oldest from there, or
    /// of all, where they are too many.
    fileprivate func surplus(of host: String) -> ObjectIdentifier? {
        let strangers = connections.filter { !$0.value.isKnown }
            .sorted { $0.value.number < $1.value.number }
        let own = strangers.filter { $0.value.channel.peerHost == host }
        if own.count > ConsoleLimits.strangerCountMaxPerHost { return own.first?.key }
        let isFull = connections.count >= ConsoleLimits.connectionCountMax
        guard isFull || strangers.count > ConsoleLimits.strangerCountMax else { return nil }
        return strangers.dropLast().first?.key
    }
}
