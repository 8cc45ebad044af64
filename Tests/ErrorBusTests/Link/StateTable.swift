@testable import ErrorBus
@testable import ErrorBusCore

/// A machine's states against its events, made by giving each event to a machine in each state.
struct StateTable {
    let title: String
    let states: [String]
    let events: [String]
    /// By event, then by state.
    let cells: [[String]]

    init<Rig>(
        _ title: String, states: [(name: String, rig: Rig)],
        events: [(name: String, apply: (inout Rig) -> [String])], state: (Rig) -> String
    ) {
        self.title = title
        self.states = states.map(\.name)
        self.events = events.map(\.name)
        cells = events.map { event in
            states.map { start in
                var rig = start.rig
                let actions = event.apply(&rig)
                let after = state(rig)
                var words = after == start.name ? [] : ["**\(after)**"]
                for action in actions where !words.contains(action) { words.append(action) }
                return words.isEmpty ? "–" : words.joined(separator: ", ")
            }
        }
    }

    var markdown: String {
        let head = [
            "## \(title)", "", "| event | " + states.joined(separator: " | ") + " |",
            "|" + String(repeating: " --- |", count: states.count + 1),
        ]
        let rows = zip(events, cells).map { "| \($0) | " + $1.joined(separator: " | ") + " |" }
        return (head + rows).joined(separator: "\n") + "\n"
    }
}

extension StateTable {
    static let all = [uplinkLink, uplinkPresentation, downlinkPresentation]

    /// The messages about no presentation that come from a child (`up`) or from a parent, by their
    /// golden files: the file of a new verb gives it a row.
    private static func messages(up isUp: Bool, except verbs: Set<Verb>) -> [Message] {
        let files = ((try? GoldenFile.all()) ?? []).filter {
            $0.expectation == .ok && $0.isUp == isUp
        }
        let messages = files.compactMap { try? Message(frames: $0.frames[...]) }
        return Verb.allCases.filter { !verbs.contains($0) }.compactMap { verb in
            let own = messages.filter { $0.verb == verb }
            return own.contains(where: isAboutPresentation) ? nil : own.first
        }
    }

    private static func isAboutPresentation(_ message: Message) -> Bool {
        let header = try? Header(message.frames[2])
        return header?.fields.contains { $0.name == "id" } ?? true
    }

    // MARK: The child's side

    private static let id = PresentationID(1)

    private static var uplinkLink: StateTable {
        var idle = UplinkRig(parents: 2)
        var states = [("idle", idle)]
        func add(_ name: String, _ step: (inout UplinkRig) -> Void) {
            step(&idle)
            states.append((name, idle))
        }
        add("opening") { _ = $0.machine.started(at: $0.now) }
        add("greeting") { _ = $0.machine.connected(at: $0.now) }
        add("live") { _ = $0.get(UplinkRig.welcome()) }
        add("waiting") { _ = $0.machine.giveUp("x", at: $0.now) }
        add("closed") { _ = $0.machine.stopped(at: $0.now) }
        func received(_ message: Message) -> (inout UplinkRig) -> [String] {
            { $0.get(message).map(word) }
        }
        var events: [(name: String, apply: (inout UplinkRig) -> [String])] = [
            ("connection made", { $0.machine.connected(at: $0.now).map(word) }),
            ("connection lost", { $0.machine.disconnected("x", at: $0.now).map(word) }),
            ("WELCOME", received(UplinkRig.welcome())),
            ("REJECT of the link", received(.reject(.init(.conflict, "x")))),
            ("BYE", received(.bye(reason: "x"))),
            ("PING", received(.ping(1))),
            (
                "9 s of silence",
                { rig in
                    guard rig.machine.link != .idle else { return [] }
                    return rig.run(9_000).map { word($0.1) }
                }
            ),
            (
                "the node stops",
                { rig in
                    rig.machine.link == .closed
                        ? [] : rig.machine.stopped(at: rig.now).map(word)
                }
            ),
        ]
        for message in messages(up: false, except: [.welcome, .reject, .bye, .ping]) {
            events.append((message.verb.rawValue, received(message)))
        }
        return StateTable(
            "The link to a parent", states: states, events: events,
            state: { name($0.machine.link) })
    }

    private static var uplinkPresentation: StateTable {
        var states: [(String, UplinkRig)] = [("none", .live())]
        func add(_ name: String, from rig: UplinkRig, _ step: (inout UplinkRig) -> Void) {
            var rig = rig
            step(&rig)
            states.append((name, rig))
        }
        add("asking", from: states[0].1) { _ = $0.present(id, deadline: 120_000) }
        add("accepted", from: states[1].1) { _ = $0.get(.accepted(id: id, attempt: 1)) }
        add("moving", from: states[2].1) {
            guard var entry = $0.machine.entries[id] else { return }
            entry.phase = .moving(next: $0.now, tries: 0)
            $0.machine.store(entry, id)
        }
        add("answered", from: states[2].1) { _ = $0.get(.answer(id, .decision())) }
        add("settled", from: states[4].1) { _ = $0.settle(id) }
        add("withdrawing", from: states[2].1) { _ = $0.withdraw(id) }
        add("gone", from: states[6].1) { _ = $0.get(.withdrawn(id: id)) }
        add("waiting", from: states[0].1) {
            $0.machine.room.most = 0
            _ = $0.present(id, deadline: 120_000)
        }
        func received(_ message: Message) -> (inout UplinkRig) -> [String] {
            { $0.get(message).map(word) }
        }
        func refused(_ code: RejectCode, retry: UInt64? = nil) -> (inout UplinkRig) -> [String] {
            received(.reject(.init(code, "", id: id, retryMilliseconds: retry)))
        }
        return StateTable(
            "A presentation, as its child's side has it", states: states,
            events: [
                ("asked (again)", { $0.present(id, deadline: 120_000).map(word) }),
                ("the origin gives up", { $0.withdraw(id).map(word) }),
                (
                    "a hop below gives up",
                    { $0.machine.withdrew(id, reason: .abandoned, at: $0.now).map(word) }
                ),
                ("carried out", { $0.settle(id).map(word) }),
                ("ACCEPTED", received(.accepted(id: id, attempt: 1))),
                ("PENDING", received(.pending(.init(id: id, state: .presented)))),
                ("ANSWER", received(.answer(id, .decision()))),
                ("another ANSWER", received(.answer(id, .decision(Answer.other.id)))),
                ("WITHDRAWN", received(.withdrawn(id: id))),
                ("OK", received(.ok(id: id))),
                ("REJECT 404", refused(.unknownID)),
                ("REJECT 403", refused(.notYours)),
                ("REJECT 429", refused(.busy, retry: 1_000)),
                ("REJECT 410", refused(.gone)),
                ("the link is lost", { $0.machine.disconnected("x", at: $0.now).map(word) }),
                ("time to send again", { sendAgain(&$0) }),
                ("the deadline passes", { pass(125_000, &$0) }),
                ("10 minutes pass", { pass(601_000, &$0) }),
            ],
            state: { name($0.machine.entries[id]?.phase) })
    }

    /// The parent is heard of meanwhile.
    private static func pass(_ milliseconds: UInt64, _ rig: inout UplinkRig) -> [String] {
        rig.pass(milliseconds)
        return (rig.get(.pong(0)) + rig.machine.ticked(at: rig.now)).map(word)
    }

    private static func sendAgain(_ rig: inout UplinkRig) -> [String] {
        guard let due = rig.machine.plans.next, due.since(rig.now) < 60_000 else { return [] }
        return pass(due.since(rig.now), &rig)
    }

    private static func name(_ link: UplinkMachine.LinkState) -> String {
        switch link {
        case .idle: "idle"
        case .opening: "opening"
        case .greeting: "greeting"
        case .live: "live"
        case .waiting: "waiting"
        case .closed: "closed"
        }
    }

    private static func name(_ phase: UplinkEntry.Phase?) -> String {
        switch phase {
        case nil: "none"
        case .waiting: "waiting"
        case .asking: "asking"
        case .accepted: "accepted"
        case .answered: "answered"
        case .settled: "settled"
        case .moving: "moving"
        case .withdrawing: "withdrawing"
        case .gone: "gone"
        }
    }

    private static func word(_ action: UplinkAction) -> String {
        switch action {
        case .open: "opens a socket"
        case .close: "closes the socket"
        case .send(let message), .sendProbe(let message): message.verb.rawValue
        case .openProbe: "opens a second socket"
        case .closeProbe: "closes the second socket"
        case .adoptProbe: "takes the second socket"
        case .linkUp: "link up"
        case .linkDown: "link down"
        case .crowded: "logs that there is no room"
        case .moved(_, let state, _, _): "says \(state.rawValue)"
        case .answered: "hands the answer down"
        case .answeredBefore: "hands an earlier life's answer to the node"
        case .refused(_, let reject): "refused \(reject.code.rawValue)"
        case .expired: "expired"
        case .graceOver: "grace over"
        case .dropped(let anomaly): "drops (\(anomaly.kind))"
        }
    }
}

// MARK: The parent's side

extension StateTable {
    private static var downlinkPresentation: StateTable {
        let child = PeerID(1)
        var states: [(String, DownlinkRig)] = [("none", .withChild())]
        func add(_ name: String, from rig: DownlinkRig, _ step: (inout DownlinkRig) -> Void) {
            var rig = rig
            step(&rig)
            states.append((name, rig))
        }
        add("new", from: states[0].1) { _ = $0.get(.present(id, left: 120_000), from: child) }
        add("open", from: states[1].1) { _ = $0.run(LinkTimes().holdBack) }
        add("answered", from: states[2].1) { _ = $0.answer(id) }
        add("settled", from: states[3].1) { _ = $0.get(.settled(id, .recovered), from: child) }
        add("withdrawn", from: states[2].1) {
            _ = $0.get(.withdraw(id: id, reason: .origin), from: child)
        }
        add("abandoned", from: states[2].1) {
            _ = $0.get(.withdraw(id: id, reason: .abandoned), from: child)
        }
        add("refused", from: states[2].1) { _ = pass(130_000, &$0, child) }
        func received(_ message: Message) -> (inout DownlinkRig) -> [String] {
            { $0.get(message, from: child).map(word) }
        }
        func generation(_ rig: DownlinkRig) -> Int { rig.machine.entries[id]?.generation ?? 1 }
        var events: [(name: String, apply: (inout DownlinkRig) -> [String])] = [
            ("PRESENT", received(.present(id, attempt: 2, left: 120_000))),
            ("AWAIT", received(.await(id: id, waitMilliseconds: 0))),
            ("WITHDRAW by the origin", received(.withdraw(id: id, reason: .origin))),
            ("WITHDRAW by a hop", received(.withdraw(id: id, reason: .abandoned))),
            ("SETTLED", received(.settled(id, .recovered))),
            ("SETTLED of another answer", received(.settled(id, .failed, answer: Answer.other.id))),
            ("the chain answers", { $0.answer(id, generation: generation($0)).map(word) }),
            (
                "the chain answers otherwise",
                { $0.answer(id, generation: generation($0), .other).map(word) }
            ),
            (
                "the chain refuses",
                {
                    $0.machine.completed(
                        id, generation: generation($0), verdict: .refused(.noResponder, "x"),
                        at: $0.now
                    ).map(word)
                }
            ),
            (
                "the chain moves on",
                {
                    $0.machine.moved(
                        id, generation: generation($0), to: .presented, by: nil, at: $0.now
                    ).map(word)
                }
            ),
            ("BYE", received(.bye(reason: "x"))),
            ("50 ms pass", { $0.run(LinkTimes().holdBack).map { word($0.1) } }),
            ("the deadline passes", { pass(130_000, &$0, child) }),
            ("11 minutes pass", { pass(661_000, &$0, child) }),
            ("the node stops", { $0.machine.stopped(at: $0.now).map(word) }),
        ]
        // HELLO opens another link.
        for message in messages(up: true, except: [.hello]) {
            events.append((message.verb.rawValue, received(message)))
        }
        return StateTable(
            "A presentation, as its parent's side has it", states: states, events: events,
            state: { rig in
                let entry = rig.machine.entries[id]
                return entry?.isOpen == true && entry?.heldBack != nil ? "new" : name(entry?.phase)
            })
    }

    /// The child is heard of meanwhile.
    private static func pass(
        _ milliseconds: UInt64, _ rig: inout DownlinkRig, _ child: PeerID
    ) -> [String] {
        rig.pass(milliseconds)
        return (rig.get(.pong(0), from: child) + rig.machine.ticked(at: rig.now)).map(word)
    }

    private static func name(_ phase: DownlinkEntry.Phase?) -> String {
        switch phase {
        case nil: "none"
        case .open: "open"
        case .answered(let delivery): delivery.result == nil ? "answered" : "settled"
        case .withdrawn: "withdrawn"
        case .abandoned: "abandoned"
        case .refused: "refused"
        }
    }

    private static func word(_ action: DownlinkAction) -> String {
        switch action {
        case .send(.reject(let reject), _): "REJECT \(reject.code.rawValue)"
        case .send(let message, _): message.verb.rawValue
        case .reply: "replies"
        case .offer: "offers it to the chain"
        case .cancel(_, _, let reason): "cancels the chain (\(reason.rawValue))"
        case .settled(_, _, let result): "result \(result.rawValue)"
        case .passOn: "passes the result up"
        case .passOnWithdrawal: "passes the withdrawal up"
        case .withdrawnForGood: "withdraws it above"
        case .reachable(_, let isReachable): isReachable ? "reachable" : "unreachable"
        case .log(let line): line.message
        case .dropped(let anomaly): "drops (\(anomaly.kind))"
        case .tellState: "STATE"
        }
    }
}
