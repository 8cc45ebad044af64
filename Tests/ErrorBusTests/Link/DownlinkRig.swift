@testable import ErrorBus
@testable import ErrorBusCore

/// A downlink machine with a clock, and what it did, in short.
struct DownlinkRig {
    var machine: DownlinkMachine
    var now: MonotonicTime = 1_000_000

    init(limits: LinkLimits = LinkLimits(), times: LinkTimes = LinkTimes()) {
        machine = DownlinkMachine(
            name: "p", boot: BootID(number: 99), times: times, limits: limits, seed: 1)
    }

    /// With the child `a` on peer 1.
    static func withChild(
        limits: LinkLimits = LinkLimits(), times: LinkTimes = LinkTimes()
    ) -> DownlinkRig {
        var rig = DownlinkRig(limits: limits, times: times)
        _ = rig.get(.hello("a"), from: PeerID(1))
        return rig
    }

    mutating func get(_ message: Message, from peer: PeerID) -> [DownlinkAction] {
        machine.received(message, from: peer, at: now)
    }

    mutating func answer(
        _ id: PresentationID, generation: Int = 1, _ answer: Answer = .sample
    ) -> [DownlinkAction] {
        machine.answered(id, generation: generation, with: answer, at: now)
    }

    /// The generation of what is held under the id.
    func generation(of id: PresentationID) -> Int { machine.entries[id]?.generation ?? 1 }

    /// Time passes without a tick.
    mutating func pass(_ milliseconds: UInt64) { now = now + milliseconds }

    /// Time passes; the machine is ticked whenever it asks for it.
    mutating func run(_ milliseconds: UInt64) -> [(at: UInt64, DownlinkAction)] {
        let start = now
        let end = now + milliseconds
        var actions: [(at: UInt64, DownlinkAction)] = []
        while let due = machine.nextDue, due <= end {
            now = max(now, due)
            actions += machine.ticked(at: now).map { (now.since(start), $0) }
        }
        now = end
        return actions
    }

    /// As ``run(_:)``, with the child on `peer` alive: it is heard of every second.
    mutating func runAlive(_ milliseconds: UInt64, _ peer: PeerID = PeerID(1)) -> [DownlinkAction] {
        var actions: [DownlinkAction] = []
        for _ in 0..<(milliseconds / 1000) {
            actions += run(1000).map(\.1)
            actions += get(.pong(0), from: peer)
        }
        return actions
    }
}

extension EntryTable {
    /// In no order.
    var keys: [PresentationID] { compactMap { id, _ in id } }
    var values: [Entry] { compactMap { $1 } }
}

extension DownlinkAction {
    var bareReply: BareReply? {
        if case .reply(let reply, _) = self { reply } else { nil }
    }

    static func lostLink(_ message: Message) -> DownlinkAction {
        .dropped(Anomaly(kind: .lostLink, detail: message.verb.rawValue))
    }
}

extension [DownlinkAction] {
    /// What was sent to `peer`, in order.
    func sent(to peer: PeerID) -> [Message] {
        compactMap {
            if case .send(let message, peer) = $0 { message } else { nil }
        }
    }

    func verbs(to peer: PeerID) -> [Verb] { sent(to: peer).map(\.verb) }

    var offers: [DownlinkOffer] {
        compactMap { if case .offer(let offer) = $0 { offer } else { nil } }
    }

    var drops: [Anomaly.Kind] {
        compactMap { if case .dropped(let anomaly) = $0 { anomaly.kind } else { nil } }
    }

    func reject(to peer: PeerID) -> RejectCode? {
        for case .reject(let reject) in sent(to: peer) { return reject.code }
        return nil
    }
}
