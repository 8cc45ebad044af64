import Glibc

extension Reactor: NodeTransport {
    nonisolated var executor: any SerialExecutor { reactorExecutor }

    nonisolated var now: MonotonicTime {
        MonotonicTime(milliseconds: Self.nanoseconds / 1_000_000)
    }

    static var nanoseconds: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    nonisolated func returnMemory() { ProcessMemory.giveBack() }

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

    nonisolated func closeOnceSent(_ socket: SocketID) {
        assumeIsolated { $0.closeSocketOnceSent(socket) }
    }

    nonisolated func wake(_ receiver: any TransportReceiver, at time: MonotonicTime?) {
        assumeIsolated { $0.setWake(receiver, time) }
    }
}
