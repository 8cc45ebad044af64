@testable import ErrorBus

/// A process without a node link that asks with plain requests, each by a socket of its own.
final class ClientNode: SimulatedNode {
    private let makeCall: (ClientNode, PresentationID) -> any ClientCall
    private var calls: [PresentationID: any ClientCall] = [:]
    private var kept: Set<PresentationID> = []

    init(
        _ planned: Plan.Node, in world: World,
        _ makeCall: @escaping (ClientNode, PresentationID) -> any ClientCall
    ) {
        self.makeCall = makeCall
        super.init(planned, in: world)
    }

    override func began() {
        for id in kept.sorted(by: { $0.value.isBefore($1.value) }) { ask(id) }
    }

    override func stopping() {}
    override func lostMemory() { calls = [:] }

    override func present(_ presentation: Plan.Presentation, number: Int) {
        guard isUp, !isFrozen else { return }
        let id = PresentationID(world.makeID())
        if presentation.isKept { kept.insert(id) }
        ask(id)
    }

    private func ask(_ id: PresentationID) {
        world.ledger.note(
            .presented(id, by: name, life: life, deadline: nil, isLink: false))
        let call = makeCall(self, id)
        calls[id] = call
        let parent = planned.parents[0]
        let socket = ChildSocket(
            child: self, parent: parent, link: world.link(child: name, parent: parent),
            connected: { [weak call] in call?.connected() }, disconnected: {},
            received: { [weak call] packet, correlation in
                call?.received(packet, correlation)
            })
        call.socket = socket
        world.network.connect(socket)
        call.begin()
    }

    func send(_ packet: Packet, _ correlation: Frame, by socket: ChildSocket) {
        guard mayAct() else { return }
        world.network.sendUp(packet, correlation, by: socket)
    }

    func complete(_ id: PresentationID, _ ending: Fact.Ending, didRecover: Bool) {
        // The last action may have been its death.
        guard isUp else { return }
        kept.remove(id)
        world.ledger.note(.completed(id, by: name, life: life, ending, didRecover: didRecover))
    }

    /// The call needs its socket no longer.
    func done(_ id: PresentationID) {
        if let socket = calls[id]?.socket { world.network.close(socket) }
        calls[id] = nil
    }

    override var isQuiet: Bool { calls.isEmpty }
    override var openText: String { "calls \(calls.keys.map(\.short).sorted())" }
}

/// One presentation of a client.
protocol ClientCall: AnyObject {
    var socket: ChildSocket? { get set }
    func begin()
    func connected()
    func received(_ packet: Packet, _ correlation: Frame?)
}
