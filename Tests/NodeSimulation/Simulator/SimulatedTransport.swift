import ErrorBus

/// The sockets, the clock and the thread of one life of a process. Once that life is over, nothing
/// goes in or out and no job runs.
// Unchecked: see Scheduler.
final class SimulatedTransport: NodeTransport, @unchecked Sendable {
    let name: String
    /// The holder of the key that it proves itself by.
    var holder: KeyHolder?
    private let network: Network
    private let simulated: SimulatedExecutor
    @exclusivity(unchecked) private(set) var isDead = false
    /// Of each receiver, of which there are one or two, the number of its wake.
    @exclusivity(unchecked) private var wakes: [(receiver: ObjectIdentifier, number: UInt64)] = []
    @exclusivity(unchecked) private var wakeCount: UInt64 = 0
    private var listening: [Endpoint] = []

    init(_ name: String, _ network: Network) {
        self.name = name
        self.network = network
        simulated = SimulatedExecutor(network.scheduler)
    }

    /// Nothing comes in and no timer goes off until then.
    @exclusivity(unchecked) private(set) var frozenUntil: UInt64 = 0

    func freeze(for time: UInt64) {
        frozenUntil = max(frozenUntil, network.scheduler.now + time)
        simulated.frozenUntil = frozenUntil
    }

    /// What waits to be read while it stands still, and what found no room there so far.
    private var unreadCount = 0
    private(set) var droppedCount = 0

    /// Whether a message has room. When it goes on it learns of all that had none, at once.
    func takesOne(most: Int, _ receiver: any TransportReceiver, _ socket: SocketID) -> Bool {
        guard most < .max, network.scheduler.now < frozenUntil else { return true }
        unreadCount += 1
        if unreadCount == 1 {
            let before = droppedCount
            run { [self] in
                unreadCount = 0
                if droppedCount > before { receiver.dropped(droppedCount - before, on: socket) }
            }
        }
        guard unreadCount > most else { return true }
        droppedCount += 1
        return false
    }

    func run(_ body: @escaping () -> Void) {
        // What was kept back comes first.
        guard frozenUntil > 0, network.scheduler.now <= frozenUntil else {
            return simulated.run(body)
        }
        network.scheduler.at(frozenUntil) { [self] in
            if !isDead { simulated.run(body) }
        }
    }

    /// - Parameter isInOrder: What it has sent still arrives.
    func die(isInOrder: Bool = false) {
        guard !isDead else { return }
        isDead = true
        simulated.isDead = true
        network.died(self, isInOrder: isInOrder)
    }

    var executor: any SerialExecutor { simulated }

    var now: MonotonicTime { MonotonicTime(milliseconds: network.scheduler.now) }

    func start() {}

    /// How often the memory of what has ended was returned.
    private(set) var memoryReturnCount = 0

    func returnMemory() { memoryReturnCount += 1 }

    /// What was sent last gets the reactor's moment to leave.
    func shutDown() async { network.scheduler.after(200) { [self] in die(isInOrder: true) } }

    func boundEndpoints() async -> [Endpoint] { listening }

    func listen(
        on endpoint: Endpoint, for receiver: any TransportReceiver
    ) throws(TransportError) -> SocketID {
        listening.append(endpoint)
        return network.listen(on: endpoint, self, receiver)
    }

    func connect(
        to endpoint: Endpoint, for receiver: any TransportReceiver
    ) throws(TransportError) -> SocketID {
        network.connect(to: endpoint, self, receiver)
    }

    func send(_ frames: [Frame], on socket: SocketID) -> SendResult {
        isDead ? .sent : network.send(frames, on: socket, by: self)
    }

    func close(_ socket: SocketID) { network.close(socket, onceSent: false) }

    func closeOnceSent(_ socket: SocketID) { network.close(socket, onceSent: true) }

    func wake(_ receiver: any TransportReceiver, at time: MonotonicTime?) {
        let key = ObjectIdentifier(receiver)
        let place = wakes.firstIndex { $0.receiver == key }
        guard let time else {
            if let place { wakes.remove(at: place) }
            return
        }
        wakeCount += 1
        let number = wakeCount
        if let place { wakes[place].number = number } else { wakes.append((key, number)) }
        guard time.milliseconds < UInt64.max / 2 else { return }
        network.scheduler.at(time.milliseconds) { [self] in
            // A later wake of the same receiver has another number.
            guard !isDead, let place = wakes.firstIndex(where: { $0.number == number }) else {
                return
            }
            wakes.remove(at: place)
            run { receiver.woke() }
        }
    }

    func nudge(_ receiver: any TransportReceiver) {
        network.scheduler.after(0) { [self] in
            if !isDead { run { receiver.woke() } }
        }
    }
}
