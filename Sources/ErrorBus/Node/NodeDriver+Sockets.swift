// The sockets of a node.
extension NodeDriver: TransportReceiver {
    /// Whether the driver accepts more messages of a socket. Messages of parents are always
    /// accepted.
    nonisolated func isReady(on socket: SocketID) -> Bool {
        assumeIsolated { $0.takesMore || !$0.sockets.contains(socket) }
    }

    nonisolated func received(
        _ frames: [Frame], on socket: SocketID, from sender: KeyHolder?
    ) {
        assumeIsolated { $0.take(frames, from: socket, sender) }
    }

    nonisolated func refused(_ key: RefusedKey, count: Int) {
        let what = key.key.map { "the unknown key \($0)" } ?? "a malformed CURVE key"
        let anomaly = Anomaly(kind: .unknownKey, detail: "\(what), from \(key.address)")
        assumeIsolated { $0.note(anomaly, count: count) }
    }

    nonisolated func ended(_ flood: EndedFlood) {
        let anomaly = Anomaly(
            kind: .flood,
            detail: "the connection from \(flood.peer) was ended: its message had no end "
                + "after \(flood.byteCount >> 10) KiB")
        assumeIsolated { $0.perform([.dropped(anomaly)]) }
    }

    nonisolated func replaced(_ keys: KeyRing) {
        assumeIsolated { driver in
            driver.keys = keys
            driver.below { machine, now in machine.keysReplaced(at: now, keys.accepts) }
        }
    }

    nonisolated func dropped(_ count: Int, on socket: SocketID) {
        // Every message that matters is sent again.
        let anomaly = Anomaly(kind: .overflow, detail: "\(count) messages: the queue is full")
        assumeIsolated { $0.note(anomaly, count: count) }
    }

    nonisolated func changed(_ event: ConnectionEvent, on socket: SocketID) {
        assumeIsolated { $0.take(event, from: socket) }
    }

    nonisolated func woke() {
        assumeIsolated { $0.tick() }
    }

    /// The owner of a socket.
    private enum Side {
        case below
        case above(NodeMachine.Way)
        case probe(NodeMachine.Way)
    }

    /// The owner of a socket; nil for a closed socket, whose late messages belong to no link.
    private func side(of socket: SocketID) -> Side? {
        if sockets.contains(socket) { return .below }
        for way in ways.indices {
            if ways[way].socket == socket { return .above(way) }
            if ways[way].probe == socket { return .probe(way) }
        }
        return nil
    }

    private func note(_ anomaly: Anomaly, count: Int) {
        anomalies.note(anomaly, count: count, at: transport.now, logger)
    }

    private func take(_ frames: [Frame], from socket: SocketID, _ sender: KeyHolder?) {
        switch side(of: socket) {
        case nil: break
        case .below: takeFromBelow(frames, socket, sender)
        case .above(let way):
            takeFromAbove(frames, way) { message, machine, now in
                machine.received(message, at: now)
            }
        case .probe(let way):
            takeFromAbove(frames, way) { message, machine, now in
                machine.probeReceived(message, at: now)
            }
        }
    }

    /// Takes a message of a child. Also called after the stop, until the socket is closed: the
    /// machine then refuses requests for a while.
    private func takeFromBelow(_ frames: [Frame], _ socket: SocketID, _ sender: KeyHolder?) {
        let peer: PeerID
        let body: ArraySlice<Frame>
        do throws(WireError) {
            let (envelope, rest) = try Envelope.split(frames)
            (peer, body) = (PeerID(socket: socket.number, envelope: envelope, holder: sender), rest)
        } catch {
            guard let nearest = Envelope.nearest(to: frames) else {
                return perform([.dropped(Anomaly(kind: .malformed, detail: error.description))])
            }
            let peer = PeerID(socket: socket.number, envelope: nearest, holder: sender)
            return below { machine, now in machine.malformed(error, from: peer, at: now) }
        }
        if body.count == 1, let frame = body.first, !frame.starts(with: "EB".utf8) {
            return takeBare(frame, from: peer)
        }
        do throws(WireError) {
            let message = try Message(frames: body, limits: machine.below.wireLimits)
            // What returns finds the end of its former call.
            if case .present = message { takePosted() }
            below { machine, now in machine.received(message, from: peer, at: now) }
        } catch {
            below { machine, now in machine.malformed(error, from: peer, at: now) }
        }
    }

    private func takeFromAbove(
        _ frames: [Frame], _ way: NodeMachine.Way,
        _ received: (Message, inout UplinkMachine, MonotonicTime) -> [UplinkAction]
    ) {
        guard !isStopped else { return }
        let body = frames.first == [] ? frames.dropFirst() : frames[...]
        do throws(WireError) {
            // The limit for messages from a parent is wider than the one for messages to it.
            let limits = WireLimits(headerByteCountMax: 32 * 1024, payloadByteCountMax: 1 << 20)
            let message = try Message(frames: body, limits: limits)
            if case .reject(let reject) = message {
                faults.note(.got, "\(reject.code.rawValue) \(reject.reason)")
                if reject.id == nil {
                    ways[way].log.refused(reject, at: transport.now)?.write(to: logger)
                }
            }
            above(way) { machine, now in received(message, &machine, now) }
        } catch {
            perform([.dropped(Anomaly(kind: .malformed, detail: error.description))])
        }
    }

    private func take(_ event: ConnectionEvent, from socket: SocketID) {
        guard !isStopped else { return }
        let lost = "the connection was lost"
        switch (side(of: socket), event) {
        case (nil, _), (.below, _): break
        case (.above(let way), .connected):
            above(way) { machine, now in machine.connected(at: now) }
        case (.above(let way), .disconnected):
            above(way) { machine, now in machine.disconnected(lost, at: now) }
        case (.above(let way), .failed(let reason)):
            if event != .keysReplaced {
                ways[way].log.failed(reason, at: transport.now)?.write(to: logger)
            }
            above(way) { machine, now in machine.giveUp(reason, at: now) }
        case (.probe(let way), .connected):
            above(way) { machine, now in machine.probeConnected(at: now) }
        case (.probe(let way), .disconnected):
            above(way) { machine, now in machine.probeLost(lost, at: now) }
        case (.probe(let way), .failed(let reason)):
            above(way) { machine, now in machine.probeLost(reason, at: now) }
        }
    }
}

// Messages to children and clients.
extension NodeDriver {
    /// Sends a message to a peer. If a STATE, or the answer to a peer without a link, cannot be
    /// sent, the peer gets a refusal: it gets one reply for each request.
    func send(_ message: Message, to peer: PeerID, _ vanished: inout Set<PeerID>) {
        if case .reject(let reject) = message { noteRefusal(reject, of: peer) }
        guard !send(message.frames, to: peer, &vanished) else { return }
        if case .state = message {
            send(Message.reject(LargeMessages.refusal()), to: peer, &vanished)
        } else if case .answer(let id, _, _) = message, machine.below.namesOfPeers[peer] == nil {
            send(Message.reject(LargeMessages.refusal(of: id)), to: peer, &vanished)
        }
    }

    /// Sends a reply to a bare client, or a refusal if the reply cannot be sent: the client waits
    /// for no other.
    func send(_ reply: BareReply, to peer: PeerID, _ vanished: inout Set<PeerID>) {
        let isTaken = send([reply.frame], to: peer, &vanished)
        if vanished.contains(peer), let id = reply.id {
            return below { machine, now in machine.lostReply(id, at: now) }
        }
        guard !isTaken else { return }
        let reject = LargeMessages.refusal(of: reply.id)
        noteRefusal(reject, of: peer)
        send([BareReply(reject).frame], to: peer, &vanished)
    }

    /// Sends frames, unless the peer's key was revoked. A full queue needs no reaction: answers are
    /// sent again, and requesters ask again.
    ///
    /// - Returns: False for a large message too many.
    @discardableResult
    private func send(
        _ frames: [Frame], to peer: PeerID, _ vanished: inout Set<PeerID>
    ) -> Bool {
        guard !isRevoked(peer) else {
            vanished.insert(peer)
            return true
        }
        let byteCount = frames.reduce(0) { $0 + $1.count }
        guard largeMessages.mayTake(byteCount, by: peer, at: transport.now) else {
            let name = machine.below.namesOfPeers[peer] ?? peer.holder?.name
            let detail = "\(byteCount >> 10) KiB to \(name?.description ?? "a client")"
            anomalies.note(Anomaly(kind: .oversupply, detail: detail), at: transport.now, logger)
            return false
        }
        let socket = SocketID(number: peer.socket)
        if transport.send(peer.envelope.frames + frames, on: socket) == .unroutable {
            vanished.insert(peer)
        }
        return true
    }
}

// The actions of a machine on the sockets of a link upward.
extension NodeDriver {
    func perform(_ action: WayAction, on way: NodeMachine.Way) {
        switch action {
        case .open(let endpoint): open(endpoint, way)
        case .close: close(&ways[way].socket)
        case .send(let message): send(message, on: ways[way].socket)
        case .openProbe(let endpoint): openProbe(endpoint, way)
        case .closeProbe: close(&ways[way].probe)
        case .sendProbe(let message): send(message, on: ways[way].probe)
        case .adoptProbe:
            if let socket = ways[way].socket { transport.closeOnceSent(socket) }
            (ways[way].socket, ways[way].probe) = (ways[way].probe, nil)
        case .up(let node): ways[way].log.up(node).write(to: logger)
        case .down(let reason):
            ways[way].log.down(reason, at: transport.now).write(to: logger)
        case .crowded(let count):
            ways[way].log.crowded(count, at: transport.now)?.write(to: logger)
        }
    }

    private func open(_ endpoint: Endpoint, _ way: NodeMachine.Way) {
        close(&ways[way].socket)
        do throws(TransportError) {
            ways[way].socket = try transport.connect(to: endpoint, for: self)
        } catch {
            above(way) { machine, now in machine.giveUp(error.reason, at: now) }
        }
    }

    private func openProbe(_ endpoint: Endpoint, _ way: NodeMachine.Way) {
        close(&ways[way].probe)
        do throws(TransportError) {
            ways[way].probe = try transport.connect(to: endpoint, for: self)
        } catch {
            above(way) { machine, now in machine.probeLost(error.reason, at: now) }
        }
    }

    private func close(_ socket: inout SocketID?) {
        if let socket { transport.close(socket) }
        socket = nil
    }

    /// Sends a message. A full queue or a missing connection needs no reaction: every message that
    /// matters is sent again.
    private func send(_ message: Message, on socket: SocketID?) {
        guard let socket else { return }
        _ = transport.send([[]] + message.frames, on: socket)
    }

    /// Whether the key of a peer is no longer accepted.
    func isRevoked(_ peer: PeerID) -> Bool {
        peer.holder.map { keys?.accepts($0) == false } ?? false
    }
}
