// What a reactor reports of peers that exchange no message, to the receivers of its listening
// sockets.
extension Reactor {
    /// The time from one report of failed connections to the next.
    private static let failurePauseMilliseconds: UInt64 = 1_000

    func deliverNewsOfKeys() {
        guard let keys, case let news = keys.takeNews() else { return }
        end(keyed.overdue(at: now))
        let listening = slots.values.first { $0.socket.kind == .router }
        for (key, count) in news.refused { listening?.receiver.refused(key, count: count) }
        guard news.isReplaced else { return }
        endedPeers = [:]
        let open = PeerConnection.all(at: keyedEndpoints) ?? []
        end(keyed.replaced(open, at: now) { keys.ring.holder(of: $0) != nil })
        listening?.receiver.replaced(keys.ring)
        for (id, slot) in slots where !keys.accepts(slot.socket) {
            slot.receiver.changed(.keysReplaced, on: id)
        }
    }

    /// Ends connections, and reports those whose key is known.
    private func end(_ endings: [KeyedConnections.Ending]) {
        guard !endings.isEmpty, case let endpoints = keyedEndpoints else { return }
        let listening = slots.values.first { $0.socket.isKeyed }
        for ending in endings {
            let connection = PeerConnection(descriptor: ending.descriptor)
            guard connection.inode == ending.inode, let address = connection.end(at: endpoints),
                let key = ending.key
            else { continue }
            listening?.receiver.refused(RefusedKey(key: key, address: address), count: 1)
        }
    }

    /// The endpoints where children prove their keys.
    private var keyedEndpoints: [Endpoint] {
        slots.values.filter(\.socket.isKeyed).map(\.socket.boundEndpoint)
    }

    /// Whether the key of a message was revoked. The connection that it came over is ended, so that
    /// the peer finds that out at once, and a connection that it makes is refused. Otherwise the
    /// connection is noted as that key's.
    func isRevoked(
        _ message: ZMQSocket.Received, _ receiver: any TransportReceiver
    ) -> Bool {
        guard let key = message.key else { return false }
        guard endedPeers != nil, keys?.ring.holder(of: key) == nil else {
            // Each time: the next connection on the descriptor may be of the same key.
            if let descriptor = message.source?.descriptor,
                let inode = PeerConnection(descriptor: descriptor).inode
            {
                keyed.received(key, over: descriptor, inode)
            }
            return false
        }
        guard let peer = message.frames.first else { return false }
        // More of its messages may wait, and the descriptor be another's by the time they are read.
        let address =
            endedPeers?[peer] ?? message.source.flatMap {
                PeerConnection(descriptor: $0.descriptor).end(at: boundEndpoints())
            } ?? "a connection that has ended"
        endedPeers?[peer] = address
        receiver.refused(RefusedKey(key: key, address: address), count: 1)
        return true
    }

    /// The endpoints where children can connect, in the order they were opened.
    func boundEndpoints() -> [Endpoint] {
        let listening = slots.filter { $0.value.socket.kind == .router }
        return listening.sorted { $0.key.number < $1.key.number }.map(\.value.socket.boundEndpoint)
    }

    /// Reports the connections that failed since the last report, and a lack of descriptors.
    ///
    /// libzmq's own event of that lack comes 200 000 times a second while a connection waits.
    func deliverFailedConnections() {
        let now = now
        guard now >= nextFailures else { return }
        nextFailures = now + Self.failurePauseMilliseconds
        let listening = slots.values.filter { $0.watch != nil }
        for slot in listening {
            for failed in slot.watch?.takeFailed() ?? [] { slot.receiver.failed(failed) }
        }
        if let slot = listening.first, !ProcessFiles.hasRoom {
            slot.receiver.failed(FailedConnections(.noDescriptors, from: nil))
        }
    }
}
