@testable import ErrorBus
@testable import ErrorBusCore

/// A node under the events of a ``WalkInput``, with what has to hold after each.
///
/// Children, parents and the chain do anything at any time: ids, names, answers and lives are a few
/// of each, so that they meet. The limits are small, so that they are reached.
struct NodeWalk {
    private static let pauses: [UInt64] = [
        1, 100, 1_000, 2_500, 5_000, 13_000, 62_000, 185_000, 605_000,
    ]
    private static let limits: LinkLimits = {
        var limits = LinkLimits()
        limits.openPerChildMax = 2
        limits.openPerNodeMax = 8
        limits.undeliveredMax = 3
        limits.rememberedMax = 4
        limits.unaskedMax = 2
        limits.childrenMax = 3
        limits.openUpwardMax = 3
        limits.openPerKeyMax = 2
        limits.childrenPerKeyMax = 2
        limits.lastWordsMax = 2
        limits.statesPerSecondMax = 2
        // A bare request has about a hundred bytes, each other report one.
        (limits.reportBytesPerNodeMax, limits.reportBytesPerKeyMax) = (400, 101)
        limits.largeReportBytesMin = 0
        (limits.largeReportBytesMax, limits.largeReportBytesPerSecond) = (200, 10)
        return limits
    }()
    /// The holders of the keys of the last two peers; the others have none.
    private static let holders: [UInt8: KeyHolder] = [
        4: KeyHolder(
            key: PublicKey(checked: "three's"), name: "three", reserved: [], isRelay: false),
        5: KeyHolder(key: PublicKey(checked: "two's"), name: "two", reserved: [], isRelay: true),
    ]
    /// How often a node may be ticked at one time until it waits.
    private static let tickMax = 4
    /// How many ticks a node needs at most in the quiet time at the end.
    private static let quietTickMax = 20_000
    /// Longer than anything is kept.
    private static let quietTime: UInt64 = 1_800_000

    private var input: WalkInput
    private var machine: NodeMachine
    private var now = MonotonicTime(milliseconds: 1_000_000)
    /// The presentations of this process that wait.
    private var callers: [Int: PresentationID] = [:]
    private var callerCount = 0
    /// What is in the node's chain, by generation.
    private var offers: [PresentationID: Int] = [:]
    /// What was ever offered, by generation: the chain may be late.
    private var offered: [PresentationID: Int] = [:]
    private var attempts: [NodeMachine.Attempt: Int] = [:]

    init(_ input: [UInt8]) {
        self.input = WalkInput(input)
        let ways = self.input.number(3)
        let boot = BootID(number: 1)
        let above = (0..<ways).map { way in
            UplinkMachine(
                name: "node", boot: boot, parentCount: 1 + way % 2, limits: Self.limits,
                seed: UInt64(way))
        }
        machine = NodeMachine(
            below: DownlinkMachine(name: "node", boot: boot, limits: Self.limits, seed: 7),
            above: above,
            endpoints: above.map { way in
                (0..<way.parentCount).compactMap { try? Endpoint("tcp://127.0.0.1:\(7_000 + $0)") }
            })
        machine.isPassage = ways > 0 && self.input.number(2) == 1
    }

    mutating func run() throws(FuzzFinding) {
        for way in machine.above.indices { try above(way) { $0.started(at: $1) } }
        while let event = input.event() { try take(event) }
        try letQuietTimePass()
        try perform(machine.stopped(at: now))
        try hold(callers.isEmpty, "callers that wait after the stop: \(callers)")
        try hold(attempts.isEmpty, "attempts that wait after the stop: \(attempts)")
    }

    // MARK: Events

    private mutating func take(_ event: WalkInput.Event) throws(FuzzFinding) {
        switch event {
        case .child: try fromBelow()
        case .parent: try fromAbove()
        case .responder: try byChain()
        case .caller: try byCaller()
        case .time:
            now = now + input.pick(Self.pauses)
            try tick()
        case .vanished: try below { machine, now, peer in machine.vanished(peer, at: now) }
        case .malformed:
            try below { machine, now, peer in
                machine.malformed(WireError(.malformed, "x"), from: peer, at: now)
            }
        case .bare: try bare()
        case .connection: try connection()
        case .keys:
            try below { machine, now, _ in
                machine.keysReplaced(at: now) { _, name in name != "three" }
            }
        }
        try check()
    }

    private mutating func below(
        _ event: (inout DownlinkMachine, MonotonicTime, PeerID) -> [DownlinkAction]
    ) throws(FuzzFinding) {
        try below(peer(), event)
    }

    private mutating func below(
        _ peer: PeerID,
        _ event: (inout DownlinkMachine, MonotonicTime, PeerID) -> [DownlinkAction]
    ) throws(FuzzFinding) {
        let now = now
        try perform(machine.below(at: now) { event(&$0, now, peer) })
    }

    private mutating func peer() -> PeerID {
        let number = UInt8(1 + input.number(5))
        return PeerID(
            socket: 0, envelope: Envelope(frames: [[number], []]), holder: Self.holders[number])
    }

    private mutating func fromBelow() throws(FuzzFinding) {
        guard let letter = input.letter() else { return }
        let peer = peer()
        // What cannot be read does not come to the machine.
        guard let message = input.message(letter).read else { return }
        try below(peer) { machine, now, peer in machine.received(message, from: peer, at: now) }
    }

    private mutating func above(
        _ way: Int, _ event: (inout UplinkMachine, MonotonicTime) -> [UplinkAction]
    ) throws(FuzzFinding) {
        let now = now
        try perform(machine.above(way, at: now) { event(&$0, now) })
    }

    private mutating func fromAbove() throws(FuzzFinding) {
        guard !machine.above.isEmpty, let letter = input.letter() else { return }
        let (way, isProbe) = (input.number(machine.above.count), input.number(8) == 0)
        guard let message = input.message(letter).read else { return }
        try above(way) { machine, now in
            isProbe
                ? machine.probeReceived(message, at: now) : machine.received(message, at: now)
        }
    }

    private mutating func connection() throws(FuzzFinding) {
        guard !machine.above.isEmpty else { return }
        let (way, kind) = (input.number(machine.above.count), input.number(5))
        try above(way) { machine, now in
            switch kind {
            case 0: machine.disconnected("lost", at: now)
            case 1: machine.giveUp("failed", at: now)
            case 2: machine.probeConnected(at: now)
            case 3: machine.probeLost("lost", at: now)
            default: machine.connected(at: now)
            }
        }
    }

    private mutating func byChain() throws(FuzzFinding) {
        let id = input.pick(WalkInput.ids)
        guard let generation = offered[id] else { return }
        let (kind, answer, now) = (input.number(4), input.answer(), now)
        let isLate = offers[id] != generation
        switch kind {
        case 0, 1:
            // A responder attempts an option that was offered to it, also one that came too late.
            guard answer.chosen != nil else { return }
            let attempt = NodeMachine.Attempt(id: id, answer: answer.id)
            let (known, actions) = machine.answered(
                id, generation: generation, with: answer, at: now)
            if known == nil { attempts[attempt, default: 0] += 1 }
            try perform(actions)
        case 2:
            let station = input.pick(PresentationState.Station.allCases)
            try perform(
                machine.below(at: now) {
                    $0.moved(id, generation: generation, to: station, by: "ann", at: now)
                })
        default:
            let isRefused = input.number(2) == 0
            if !isLate { offers[id] = nil }
            try perform(
                machine.below(at: now) {
                    $0.completed(
                        id, generation: generation,
                        verdict: isRefused ? .refused(.noResponder, "x") : .decided(answer),
                        at: now)
                })
        }
    }

    private mutating func byCaller() throws(FuzzFinding) {
        guard !machine.above.isEmpty else { return }
        let (way, id) = (input.number(machine.above.count), input.pick(WalkInput.ids))
        switch input.number(4) {
        case 0:
            let reason: Message.WithdrawReason = [.origin, .abandoned][input.number(2)]
            guard let caller = callers.first(where: { $0.value == id })?.key else { return }
            try perform(machine.gaveUp(id, on: way, caller: caller, reason, at: now))
        case 1:
            let result = input.pick(RecoveryResult.allCases)
            try perform(machine.settled(id, answer: input.answer().id, result, on: way, at: now))
        default:
            callerCount += 1
            callers[callerCount] = id
            let present = Message.Present(
                id: id, origin: "node", path: [],
                digest: ReportDigest(of: [UInt8(input.number(2))]),
                payload: [UInt8](repeating: 0x20, count: 1 + input.number(3)))
            let limits: [UInt64?] = [nil, 500, 20_000]
            let request = UplinkRequest(
                present: present, deadline: limits[input.number(3)].map { now + $0 },
                grace: limits[input.number(3)], isForwarded: false)
            try perform(machine.asked(request, on: way, caller: callerCount, at: now))
        }
    }

    private mutating func bare() throws(FuzzFinding) {
        let id = input.pick(WalkInput.ids)
        let json = "{\"id\":\"\(id)\",\"domain\":\"d\",\"description\":\"\(input.number(2))\"}"
        guard let request = try? BareRequest(Array(json.utf8)) else { return }
        try below { machine, now, peer in machine.bareReceived(request, from: peer, at: now) }
    }

    // MARK: What holds

    private mutating func perform(_ actions: [NodeAction]) throws(FuzzFinding) {
        for action in actions { try note(action) }
    }

    private mutating func note(_ action: NodeAction) throws(FuzzFinding) {
        switch action {
        case .send(let message, _):
            try hold(message.verb.goesDown, "\(message.verb) is sent to a child")
            try checkWritten(message)
        case .above(_, .send(let message)), .above(_, .sendProbe(let message)):
            try hold(message.verb.goesUp, "\(message.verb) is sent to a parent")
            try checkWritten(message)
        case .offer(let offer):
            let id = offer.present.id
            try hold(
                !machine.isPassage, "\(id) is offered by a passage")
            try hold(offers[id] == nil, "\(id) is offered while it is in the chain")
            offers[id] = offer.generation
            offered[id] = offer.generation
        case .cancel(let id, let generation, _):
            if offers[id] == generation { offers[id] = nil }
        case .attempted(let attempt, _), .leftToNextLife(let attempt):
            try hold(attempts[attempt] != nil, "a result for which no responder waits: \(attempt)")
            attempts[attempt] = nil
        case .moved(let caller, _, _, _):
            try hold(callers[caller] != nil, "caller \(caller) gets a state after its end")
        case .ended(let caller, _):
            try hold(callers.removeValue(forKey: caller) != nil, "caller \(caller) ends twice")
        case .reply, .tellState, .log, .above, .reachable, .settledLater,
            .settledBefore, .withdrawnBefore, .dropped:
            break
        }
    }

    private func checkWritten(_ message: Message) throws(FuzzFinding) {
        try hold(message.read?.frames == message.frames, "not read again: \(message)")
    }

    private mutating func tick() throws(FuzzFinding) {
        var count = 0
        while let due = machine.nextDue, due <= now {
            try hold(count < Self.tickMax, "still due after \(count) ticks at one time")
            try perform(machine.ticked(at: now))
            count += 1
        }
    }

    private mutating func letQuietTimePass() throws(FuzzFinding) {
        let end = now + Self.quietTime
        var count = 0
        while let due = machine.nextDue, due <= end {
            try hold(count < Self.quietTickMax, "\(count) ticks in a quiet time")
            now = max(now, due)
            try tick()
            count += 1
        }
        now = end
        try tick()
        try check()
        try hold(machine.below.remembered.count == 0, "results are kept after the quiet time")
    }

    private mutating func check() throws(FuzzFinding) {
        let below = machine.below
        let unsettled = below.entries.values.filter(\.isUnsettled)
        try hold(below.unsettledCount == unsettled.count, "unsettledCount")
        try hold(below.openCount == below.entries.values.count(where: \.isOpen), "openCount")
        try hold(below.openCount <= Self.limits.openPerNodeMax, "more open than allowed")
        let byteCount = unsettled.reduce(0) { $0 + $1.byteCount }
        try hold(below.byteCount == byteCount, "byteCount")
        try hold(below.byteCountOfAccount.values.reduce(0, +) == byteCount, "bytes of accounts")
        try hold(below.undelivered.count == unsettled.count - below.openCount, "undelivered")
        try hold(
            below.remembered.count + below.unasked.count == below.entries.count - unsettled.count,
            "remembered")
        try hold(below.unasked.count <= Self.limits.unaskedMax, "more withdrawals than allowed")
        try hold(below.remembered.count <= Self.limits.rememberedMax, "more results than allowed")
        try hold(
            below.children.values.count(where: \.isReachable) <= Self.limits.childrenMax, "children"
        )
        for (name, child) in below.children {
            try hold(below.namesOfPeers[child.peer] == name, "the peer of \(name)")
        }
        let gone = below.children.count { name, child in
            !child.isReachable && below.unsettledOfChild[name] == nil
        }
        try hold(below.forgettable.count == gone, "children that have gone")
        let keyed = below.children.values.count { $0.peer.holder != nil }
        try hold(below.childCountOfKey.values.reduce(0, +) == keyed, "children of keys")
        for machine in machine.above {
            try hold(machine.openCount == machine.openIDs.count, "open entries upward")
            try hold(
                machine.placedCount == machine.entries.values.count(where: \.isPlaced),
                "placed entries upward")
        }
        try hold(
            callers.count >= machine.askers.reduce(0) { $0 + $1.values.count(where: \.isCaller) },
            "askers without a caller")
        try tick()
    }
}

extension Message {
    /// The message as the other side of a link reads it; nil where that refuses it.
    fileprivate var read: Message? { try? Message(frames: frames[...]) }
}

extension NodeMachine.Asker {
    fileprivate var isCaller: Bool {
        if case .caller = self { true } else { false }
    }
}

extension EntryTable {
    fileprivate var values: [Entry] { compactMap { $1 } }
}
