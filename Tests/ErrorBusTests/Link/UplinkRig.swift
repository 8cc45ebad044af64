@testable import ErrorBus
@testable import ErrorBusCore

/// An uplink machine with a clock, and what it did.
struct UplinkRig {
    var machine: UplinkMachine
    var now: MonotonicTime = 1_000_000

    init(parents: Int = 1, limits: LinkLimits = LinkLimits()) {
        machine = UplinkMachine(
            name: "c", boot: BootID(number: 7), parentCount: parents, limits: limits, seed: 1)
    }

    static func welcome(
        boot: UInt64 = 50, maxPayload: UInt64 = 262_144, maxOpen: UInt64 = 100_000
    ) -> Message {
        .welcome(
            .init(
                node: "p", boot: BootID(number: boot), maxHeader: 8192, maxPayload: maxPayload,
                maxOpen: maxOpen, pingMilliseconds: 4000, path: ["p"]))
    }

    /// Started, connected and welcomed.
    static func live(parents: Int = 1, limits: LinkLimits = LinkLimits()) -> UplinkRig {
        var rig = UplinkRig(parents: parents, limits: limits)
        _ = rig.machine.started(at: rig.now)
        _ = rig.machine.connected(at: rig.now)
        _ = rig.get(welcome())
        return rig
    }

    static func request(
        _ id: PresentationID, deadline: MonotonicTime? = nil, grace: UInt64? = nil,
        isForwarded: Bool = false, payload: Frame = Message.samplePayload
    ) -> UplinkRequest {
        UplinkRequest(
            present: .init(id: id, origin: "c", path: [], payload: payload), deadline: deadline,
            grace: grace, isForwarded: isForwarded)
    }

    mutating func get(_ message: Message) -> [UplinkAction] { machine.received(message, at: now) }

    mutating func present(
        _ id: PresentationID, deadline: UInt64? = nil, grace: UInt64? = nil,
        isForwarded: Bool = false
    ) -> [UplinkAction] {
        let request = Self.request(
            id, deadline: deadline.map { now + $0 }, grace: grace, isForwarded: isForwarded)
        return machine.presented(request, at: now)
    }

    mutating func withdraw(_ id: PresentationID) -> [UplinkAction] {
        machine.withdrew(id, reason: .origin, at: now)
    }

    mutating func settle(
        _ id: PresentationID, _ result: RecoveryResult = .recovered
    ) -> [UplinkAction] {
        machine.settled(id, answer: Message.sampleAnswer, result: result, at: now)
    }

    /// Loses the connection and makes it again.
    mutating func reconnect() {
        _ = machine.disconnected("x", at: now)
        _ = run(200)
        _ = machine.connected(at: now)
    }

    /// Time passes without a tick.
    mutating func pass(_ milliseconds: UInt64) { now = now + milliseconds }

    mutating func run(_ milliseconds: UInt64) -> [(at: UInt64, UplinkAction)] {
        let start = now
        let end = now + milliseconds
        var actions: [(at: UInt64, UplinkAction)] = []
        while let due = machine.nextDue, due <= end {
            now = max(now, due)
            actions += machine.ticked(at: now).map { (now.since(start), $0) }
        }
        now = end
        return actions
    }

    /// The parent is heard of every second.
    mutating func runAlive(_ milliseconds: UInt64) -> [(at: UInt64, UplinkAction)] {
        var actions: [(at: UInt64, UplinkAction)] = []
        for second in 0..<(milliseconds / 1000) {
            actions += run(1000).map { ($0.at + second * 1000, $0.1) }
            actions += get(.pong(0)).map { (second * 1000, $0) }
        }
        return actions
    }
}

extension [UplinkAction] {
    var sent: [Message] { compactMap { if case .send(let message) = $0 { message } else { nil } } }
    var verbs: [Verb] { sent.map(\.verb) }
    var refusals: [RejectCode] {
        compactMap { if case .refused(_, let reject) = $0 { reject.code } else { nil } }
    }
    var drops: [Anomaly.Kind] {
        compactMap { if case .dropped(let anomaly) = $0 { anomaly.kind } else { nil } }
    }
}
