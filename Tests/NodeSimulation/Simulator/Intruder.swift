import ErrorBus

/// A process that says what is not its own to say: answers from below, last words on what others
/// asked, their ids for other reports, names that are taken, and frames that are no messages. All
/// of it is refused, and no presentation fares differently.
// Unchecked: see Scheduler.
final class Intruder: TransportReceiver, @unchecked Sendable {
    private enum Saying: CaseIterable {
        case answer, settled, withdrawal, otherReport, await, takenName, ownName, garbage, flood
    }

    static let name = "intruder"

    private let world: World
    private let transport: SimulatedTransport
    private let hosts: [String]
    private var host = Plan.presenter
    private var socket: SocketID?

    init(in world: World) {
        self.world = world
        transport = SimulatedTransport(Self.name, world.network)
        hosts = world.plan.processes.map(\.name).filter { world.endpoint(of: $0) != nil }
    }

    /// Goes to another node every few seconds, until no fault begins any longer.
    func begin() {
        transport.run { [self] in
            if let socket { transport.close(socket) }
            socket = nil
            guard world.scheduler.now < world.start + world.plan.chaosLasts else { return }
            host = world.scheduler.random.pick(hosts)
            guard let endpoint = world.endpoint(of: host) else { return }
            socket = try? transport.connect(to: endpoint, for: self)
        }
        guard socket != nil else { return }
        let stay = world.scheduler.random.number(1_000...8_000)
        world.scheduler.after(stay) { [self] in begin() }
    }

    func changed(_ event: ConnectionEvent, on socket: SocketID) {
        if event == .connected { forge(on: socket) }
    }

    private func forge(on socket: SocketID) {
        guard socket == self.socket else { return }
        for frames in forged() { _ = transport.send([[]] + frames, on: socket) }
        let pause = world.scheduler.random.number(20...900)
        world.scheduler.after(pause) { [self] in
            transport.run { [self] in forge(on: socket) }
        }
    }

    private func forged() -> [[Frame]] {
        // An id can be overheard, not guessed: every node of its way knows it by then.
        guard !world.ledger.shown.isEmpty else { return [] }
        let saying = world.scheduler.random.pick(Saying.allCases)
        let id = world.scheduler.random.pick(world.ledger.shown).id
        let answer = world.ledger.decision(of: id)?.answer.id ?? PresentationID.make().value
        world.scheduler.note("forge \(saying) \(id)")
        switch saying {
        case .answer:
            return [
                message(
                    "ANSWER", "id: \(id)", "answer: \(answer)", "by: x", "via: person",
                    "option: retry")
            ]
        case .settled:
            return [message("SETTLED", "id: \(id)", "answer: \(answer)", "result: recovered")]
        case .withdrawal: return [message("WITHDRAW", "id: \(id)", "reason: origin")]
        case .otherReport:
            let report = Array(#"{"domain":"x","description":"Another."}"#.utf8)
            return [
                message(
                    "PRESENT", "id: \(id)", "attempt: 1", "origin: \(Self.name)",
                    "path: \(Self.name)",
                    payload: report)
            ]
        case .await: return [message("AWAIT", "id: \(id)", "wait-ms: 0")]
        case .takenName:
            // One that is not taken here would be the intruder's: names prove nothing.
            let taken = world.plan.processes.filter { $0.parents.contains(host) }
            let name = world.scheduler.random.pick(taken).name
            return [message("HELLO", "from: \(name)", "boot: 0f", "versions: EB1")]
        case .ownName:
            return [message("HELLO", "from: \(host)", "boot: 0f", "versions: EB1")]
        case .garbage:
            let size = world.scheduler.random.index(below: 40)
            let noise = (0..<size).map { _ in UInt8(world.scheduler.random.index(below: 256)) }
            return [[noise], [[], [], []]]
        case .flood: return Array(repeating: message("STATUS"), count: 50)
        }
    }

    private func message(_ verb: String, _ fields: String..., payload: Frame = []) -> [Frame] {
        let header = fields.map { $0 + "\n" }.joined()
        return [Array("EB1".utf8), Array(verb.utf8), Array(header.utf8), payload]
    }

    /// Refusals are all that it may get; what else comes changes nothing for it.
    func received(_ frames: [Frame], on socket: SocketID, from sender: KeyHolder?) {
        guard frames.count > 2, frames[2] == Frame("ANSWER".utf8) else { return }
        world.ledger.leakedCount += 1
    }

    func dropped(_ count: Int, on socket: SocketID) {}

    func woke() {}
}

extension Plan {
    mutating func stageIntruder(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 1, 2]))
        isCalm = true
        hasIntruder = true
        thinkingMax = random.pick([3_000, 20_000])
        chaosLasts = 40_000
        ask(10, in: 0...38_000, attempts: [0, 300, 8_000], using: &random) { call, random in
            if random.happens(0.2) { call.cancelledAfter = random.number(1_000...30_000) }
        }
    }
}

extension Checker {
    static let keptFromStrangers = Checker(
        name: "kept-from-strangers", rule: "no answer goes to a process that did not ask"
    ) { ledger, _ in
        ledger.leakedCount == 0 ? [] : ["\(ledger.leakedCount) answers went to the intruder"]
    }
}

extension Forgery {
    static let leak = Forgery(checker: "kept-from-strangers") { ledger, plan in
        ledger.leakedCount = 1
        return plan.hasIntruder
    }
}
