import Dispatch
import ErrorBusTesting

@testable import ErrorBus
@testable import ErrorBusCore

/// A transport without sockets, whose time stands still. It calls no driver by itself.
final class StillTransport: Transport {
    /// The drivers' requests to be woken.
    let nudges = Recorder<Void>()
    /// The times at which a driver asked to be woken; nil where it took that back.
    let wakes = Recorder<MonotonicTime?>()
    /// The messages that a driver sent.
    let sent = Recorder<[Frame]>()
    let now = MonotonicTime(milliseconds: 1_000_000)
    private let queue = QueueExecutor()
    private let token: LifeToken?

    /// - Parameter token: Ends with the transport, which its driver keeps.
    init(_ token: LifeToken? = nil) { self.token = token }

    var executor: any SerialExecutor { queue }

    func listen(on endpoint: Endpoint, for receiver: any TransportReceiver) -> SocketID {
        SocketID(number: 0)
    }

    func connect(to endpoint: Endpoint, for receiver: any TransportReceiver) -> SocketID {
        SocketID(number: 0)
    }

    func send(_ frames: [Frame], on socket: SocketID) -> SendResult {
        sent.record(frames)
        return .sent
    }

    func close(_ socket: SocketID) {}
    func closeOnceSent(_ socket: SocketID) {}
    func wake(_ receiver: any TransportReceiver, at time: MonotonicTime?) { wakes.record(time) }
    func nudge(_ receiver: any TransportReceiver) { nudges.record(()) }
    func returnMemory() {}
}

/// A serial executor that runs the jobs of drivers on a queue.
private final class QueueExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "errorbus.still")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in job.runSynchronously(on: asUnownedSerialExecutor()) }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }
}

extension NodeDriver {
    /// The driver of a root that listens nowhere.
    static func still(on transport: StillTransport) -> NodeDriver {
        let below = DownlinkMachine(name: "central", boot: BootID(number: 99), seed: 1)
        return NodeDriver(
            NodeMachine(below: below, above: [], endpoints: []), listens: [],
            transport: transport, faults: RecentFaults(), logger: .silent)
    }
}
