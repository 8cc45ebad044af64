extension NodeStatus {
    /// The most requests at once, each with its own connection and thread.
    private static let askedMax = 128

    /// Reads the status of the nodes that listen at these endpoints, in parallel. Takes as long as
    /// the slowest of them, at most `limit` for each 128 of them.
    ///
    /// - Parameter keys: The keys for nodes whose tcp sockets have keys.
    /// - Returns: One result for each endpoint, in their order.
    package static func ask(
        _ endpoints: [Endpoint], keys: KeyRing? = nil, within limit: Duration = .seconds(2)
    ) async -> [Result<NodeStatus, StatusFailure>] {
        var results: [Result<NodeStatus, StatusFailure>] = []
        var rest = endpoints[...]
        while !rest.isEmpty {
            let inquiry = StatusInquiry(Array(rest.prefix(askedMax)), keys)
            results += await inquiry.run(within: limit)
            rest = rest.dropFirst(askedMax)
        }
        return results
    }
}

/// A driver that reads the status of several nodes, once. Shares its transport's thread.
private actor StatusInquiry {
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        reactor.reactorExecutor.asUnownedSerialExecutor()
    }

    private typealias Reply = Result<Frame, StatusFailure>

    private nonisolated let reactor: Reactor
    private let endpoints: [Endpoint]
    /// The index of the endpoint of each socket.
    private var open: [SocketID: Int] = [:]
    private var connected: Set<SocketID> = []
    /// Why one of two keys failed, by the indices of the endpoints that were tried with the other.
    private var firstReasons: [Int: String] = [:]
    private var replies: [Reply?]
    private var waiting: CheckedContinuation<Void, Never>?
    private var limitText = ""

    init(_ endpoints: [Endpoint], _ keys: KeyRing?) {
        self.endpoints = endpoints
        reactor = Reactor(keys: keys)
        replies = Array(repeating: nil, count: endpoints.count)
    }

    /// Runs the inquiry. The replies are parsed here, off the sockets' thread.
    nonisolated func run(within limit: Duration) async -> [Result<NodeStatus, StatusFailure>] {
        do throws(TransportError) { try reactor.start() } catch {
            return endpoints.map { _ in .failure(.unreachable(error.description)) }
        }
        let replies = await gather(within: limit)
        await reactor.shutDown()
        return replies.map { reply in
            reply.flatMap { payload in
                do throws(StatusFailure) { return .success(try NodeStatus(payload: payload)) } catch
                { return .failure(error) }
            }
        }
    }

    private func gather(within limit: Duration) async -> [Reply] {
        limitText = "no answer within \(limit.formattedSeconds)"
        for (index, endpoint) in endpoints.enumerated() {
            do throws(TransportError) {
                open[try reactor.connect(to: endpoint, for: self)] = index
            } catch {
                replies[index] = .failure(.unreachable(error.reason))
            }
        }
        if !open.isEmpty {
            reactor.wake(self, at: reactor.now + limit.clampedMilliseconds)
            await withCheckedContinuation { waiting = $0 }
        }
        return replies.map { $0 ?? .failure(.unreachable(limitText)) }
    }

    private func end(_ socket: SocketID, _ reply: Reply) {
        guard let index = open.removeValue(forKey: socket) else { return }
        reactor.close(socket)
        replies[index] = reply
        if open.isEmpty { finish() }
    }

    private func finish() {
        reactor.wake(self, at: nil)
        waiting?.resume()
        waiting = nil
    }
}

extension StatusInquiry: TransportReceiver {
    nonisolated func received(
        _ frames: [Frame], on socket: SocketID, from sender: KeyHolder?
    ) {
        assumeIsolated { $0.take(frames, from: socket) }
    }

    nonisolated func dropped(_ count: Int, on socket: SocketID) {}

    nonisolated func changed(_ event: ConnectionEvent, on socket: SocketID) {
        assumeIsolated { $0.take(event, from: socket) }
    }

    nonisolated func woke() {
        assumeIsolated { $0.limitReached() }
    }

    private func take(_ frames: [Frame], from socket: SocketID) {
        let body = frames.first == [] ? frames.dropFirst() : frames[...]
        do throws(WireError) {
            switch try Message(frames: body) {
            case .state(let payload): end(socket, .success(payload))
            case .reject(let reject):
                let code = Int(reject.code.rawValue)
                end(socket, .failure(.refused(code: code, reason: reject.reason)))
            default: break
            }
        } catch {
            end(socket, .failure(.malformed(error.reason)))
        }
    }

    private func take(_ event: ConnectionEvent, from socket: SocketID) {
        switch event {
        case .connected:
            connected.insert(socket)
            _ = reactor.send([[]] + Message.status.frames, on: socket)
        case .disconnected: end(socket, .failure(.unreachable("the connection was lost")))
        case .failed(let reason):
            if triesAgain(socket, after: reason) { return }
            // With the wrong key of the node it does not come to what it says of this one's.
            let first = open[socket].flatMap { firstReasons[$0] }
            let reasons = first.map { $0 == reason ? [reason] : [$0, reason] } ?? [reason]
            end(socket, .failure(.unreachable(reasons.joined(separator: "; then "))))
        }
    }

    /// Tries a node whose pair is being replaced with its other key, once: it may not use the new
    /// pair yet.
    private func triesAgain(_ socket: SocketID, after reason: String) -> Bool {
        guard let index = open[socket], firstReasons[index] == nil,
            let parents = reactor.keys?.ring.keys(to: endpoints[index])?.parents, parents.count > 1,
            let next = try? reactor.connect(to: endpoints[index], for: self)
        else { return false }
        firstReasons[index] = reason
        open[socket] = nil
        open[next] = index
        reactor.close(socket)
        return true
    }

    private func limitReached() {
        for socket in open.keys {
            let reason = connected.contains(socket) ? "connected, but \(limitText)" : limitText
            end(socket, .failure(.unreachable(reason)))
        }
    }
}

extension Duration {
    fileprivate var formattedSeconds: String {
        let milliseconds = clampedMilliseconds
        return milliseconds % 1_000 == 0 ? "\(milliseconds / 1_000) s" : "\(milliseconds) ms"
    }
}
