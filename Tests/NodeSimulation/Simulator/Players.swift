import ErrorBus
import Foundation

/// What two children say that are no nodes: each stands for an origin behind it, and says what a
/// script has. So a hop gets things in orders that chance seldom has, and what has to come of them
/// is known from the script alone.
enum Play {
    /// An origin withdraws what is answered; then one path does not know the option, and the other
    /// not its result.
    case withdrawnThenInvalid
    /// Of two paths one gives up, before the answer or after it, and the other is lost.
    case firstGivesUp, secondGivesUp, firstIsThrough, secondIsThrough
    /// Of two paths that ask for longer than a lease, the later is lost.
    case longAsked
    /// To a hop that was restarted an origin reports the result of another answer than that on
    /// record, and then of that; or withdraws what has the result "unknown", or none.
    case otherResult, withdrawnLate, withdrawnUnsettled
    /// A path gives it up and asks again, over and over, while the disk is slow.
    case givenUpAgain
    /// A path gives it up, and asks again with much more time.
    case otherDeadline

    /// What has to be on record in the end of what is answered.
    var result: RecoveryResult {
        switch self {
        case .withdrawnThenInvalid, .withdrawnLate, .withdrawnUnsettled: .withdrawn
        default: .failed
        }
    }

    fileprivate var steps: [Players.Step] {
        switch self {
        case .withdrawnThenInvalid:
            [
                .present(0), .pause(20), .present(1), .answered(1), .withdraw(0, "origin"),
                .pause(30), .settle(0, "invalid"), .pause(30), .settle(1, "unknown"),
            ]
        case .firstGivesUp:
            // Before people can have it in front of them.
            [
                .present(0), .pause(15), .present(1), .pause(15), .withdraw(1, "abandoned"),
                .pause(1_000), .leave(0), .pause(1_000), .reachable(false), .pause(30_000),
                .end(1),
            ]
        case .secondGivesUp:
            [
                .present(1), .pause(15), .present(0), .pause(15), .withdraw(1, "abandoned"),
                .pause(1_000), .leave(0), .pause(1_000), .reachable(false), .pause(30_000),
                .end(1),
            ]
        case .firstIsThrough:
            [
                .present(0), .pause(15), .present(1), .answered(1), .settle(1, "unknown"),
                .answered(0), .leave(0), .pause(10_000), .end(1),
            ]
        case .secondIsThrough:
            [
                .present(0), .pause(15), .present(1), .answered(1), .settle(0, "unknown"),
                .pause(1_000), .leave(1), .pause(10_000), .end(0),
            ]
        case .longAsked:
            [.present(0), .pause(15), .present(1), .again(4), .pause(5_000)]
                + [.leave(1), .pause(1_000), .reachable(true), .pause(40_000), .reachable(true)]
                + [.end(0)]
        case .otherResult:
            [
                .present(0), .answered(0), .restart, .settle(0, "recovered", isOther: true),
                .pause(1_000), .end(0),
            ]
        case .withdrawnLate:
            [
                .present(0), .answered(0), .settle(0, "unknown"), .pause(1_000), .restart,
                .withdraw(0, "origin"),
            ]
        case .withdrawnUnsettled: [.present(0), .answered(0), .restart, .withdraw(0, "origin")]
        case .givenUpAgain: [.present(0), .over(14), .answered(0), .end(0)]
        case .otherDeadline:
            // The one at the end is longer than any world: a refusal comes of the first alone.
            [
                .present(0, within: 6_000), .pause(1_000), .withdraw(0, "abandoned"), .pause(10),
                .present(0, within: 3_600_000), .answered(0), .end(0),
            ]
        }
    }
}

/// The two children of a ``Play``, and how far it has come.
// Unchecked: see Scheduler.
final class Players: @unchecked Sendable {
    /// What comes next, for all that is asked in the play. Children go by their number.
    fileprivate enum Step {
        case present(Int, within: UInt64? = nil), ask(Int)
        case withdraw(Int, String)
        /// Reports the result of the answer; or of another one.
        case settle(Int, String, isOther: Bool = false)
        /// Goes on once it has the answer.
        case answered(Int)
        case pause(UInt64)
        /// Says that it leaves.
        case leave(Int)
        /// The presenter is killed; goes on once the links are up again.
        case restart
        /// What people have to read of the origin. What is answered, the first has to have.
        case reachable(Bool)
        /// Both say that they still ask, so many times; or one gives up and asks again.
        case again(Int), over(Int)
        /// Says that it has failed; or withdraws what is not answered.
        case end(Int)
    }

    static let origin = "worker7"

    private let world: World
    private let ids = (0..<3).map { _ in PresentationID.make() }
    private var children: [Player] = []
    private var steps: [Step]
    private var isPaused = false

    init(_ play: Play, in world: World) {
        self.world = world
        steps = play.steps
        for id in ids { world.ledger.played[id] = play.result }
        children = ["relay8", "relay9"].map { Player($0, of: self, in: world) }
    }

    func begin() {
        for child in children { child.begin() }
    }

    private var isReady: Bool { !isPaused && children.allSatisfy { $0.isUp || $0.hasLeft } }

    /// Something has come that may have been waited for.
    fileprivate func goOn() {
        while isReady, let step = steps.first {
            if case .answered(let child) = step, !children[child].answered.isSuperset(of: ids) {
                return
            }
            steps.removeFirst()
            perform(step)
        }
    }

    private func perform(_ step: Step) {
        switch step {
        case .present(let child, let time):
            for id in ids { children[child].present(id, within: time) }
        case .ask(let child): for id in ids { children[child].ask(id) }
        case .withdraw(let child, let reason):
            for id in ids { children[child].withdraw(id, reason) }
        case .settle(let child, let result, let isOther):
            for id in ids { children[child].settle(id, result, isOther: isOther) }
        case .answered: break
        case .pause(let time):
            isPaused = true
            world.scheduler.after(time) { [self] in
                isPaused = false
                goOn()
            }
        case .leave(let child): children[child].leave()
        case .restart:
            for child in children { child.isUp = false }
            world.strike(.kill(Plan.presenter, downFor: world.scheduler.random.number(100...900)))
        case .reachable(let isReachable): look(isReachable)
        case .again(let count):
            for _ in 0..<count {
                steps.insert(contentsOf: [.pause(50_000), .ask(0), .pause(15), .ask(1)], at: 0)
            }
        case .over(let count):
            for _ in 0..<count {
                let pauses = (
                    world.scheduler.random.number(1...20),
                    world.scheduler.random.number(100...2_000)
                )
                steps.insert(
                    contentsOf: [
                        .withdraw(0, "abandoned"), .pause(pauses.0), .present(0), .pause(pauses.1),
                    ], at: 0)
            }
        case .end(let child):
            for id in ids {
                if world.ledger.decision(of: id) == nil {
                    children[child].withdraw(id, "origin")
                } else {
                    children[child].settle(id, "failed", isFull: true)
                }
            }
        }
    }

    private func look(_ isReachable: Bool) {
        for id in ids {
            if let decision = world.ledger.decision(of: id) {
                if isReachable, decision.time + 500 < world.scheduler.now,
                    !children[0].answered.contains(id)
                {
                    world.ledger.misplayed.append("\(id): its answer went to no path that is left")
                }
            } else if world.lives[Plan.presenter]?.isReachable(id) == !isReachable {
                world.ledger.misplayed.append("\(id): people read otherwise than \(isReachable)")
            }
        }
    }
}

/// One of the children of a ``Play``.
// Unchecked: see Scheduler.
final class Player: TransportReceiver, @unchecked Sendable {
    private let name: String
    private let players: Players
    private let world: World
    private let transport: SimulatedTransport
    private var socket: SocketID?
    private var attempt = 0
    /// When it gave up what it had asked, or said that it is through with the answer to it.
    private var throughAt: [PresentationID: UInt64] = [:]
    private var answers: [PresentationID: String] = [:]
    var isUp = false
    private(set) var hasLeft = false

    var answered: Set<PresentationID> { Set(answers.keys) }

    init(_ name: String, of players: Players, in world: World) {
        self.name = name
        self.players = players
        self.world = world
        transport = SimulatedTransport(name, world.network)
    }

    func begin() {
        guard let endpoint = world.endpoint(of: Plan.presenter) else { return }
        transport.run { [self] in
            if let socket { transport.close(socket) }
            socket = try? transport.connect(to: endpoint, for: self)
        }
    }

    func changed(_ event: ConnectionEvent, on socket: SocketID) {
        guard socket == self.socket, !hasLeft else { return }
        if event == .connected {
            let boot = name == "relay8" ? "08" : "09"
            say("HELLO", "from: \(name)", "boot: \(boot)", "versions: EB1")
        } else {
            isUp = false
            begin()
        }
    }

    // MARK: What it says

    func present(_ id: PresentationID, within time: UInt64? = nil) {
        attempt += 1
        throughAt[id] = nil
        say(
            "PRESENT",
            [
                "id: \(id)", "attempt: \(attempt)", "origin: \(Players.origin)",
                "path: \(Players.origin),\(name)",
            ] + (time.map { ["left-ms: \($0)"] } ?? []), payload: Self.report)
    }

    func ask(_ id: PresentationID) { say("AWAIT", "id: \(id)", "wait-ms: 0") }

    func withdraw(_ id: PresentationID, _ reason: String) {
        throughAt[id] = world.scheduler.now
        let asked = reason == "origin" ? Self.asked : []
        say("WITHDRAW", ["id: \(id)", "reason: \(reason)"] + asked)
    }

    func settle(
        _ id: PresentationID, _ result: String, isOther: Bool = false, isFull: Bool = false
    ) {
        throughAt[id] = world.scheduler.now
        let own = world.ledger.decision(of: id)?.answer.id ?? PresentationID.make().value
        let answer = isOther ? PresentationID.make().value : own
        let asked = isOther || isFull ? Self.asked : []
        say("SETTLED", ["id: \(id)", "answer: \(answer)", "result: \(result)"] + asked)
    }

    func leave() {
        say("BYE")
        (hasLeft, isUp) = (true, false)
    }

    private func say(_ verb: String, _ fields: String..., payload: String = "") {
        say(verb, fields, payload: payload)
    }

    private func say(_ verb: String, _ fields: [String], payload: String = "") {
        guard let socket else { return }
        let header = fields.map { $0 + "\n" }.joined()
        let frames = ["EB1", verb, header, payload].map { Frame($0.utf8) }
        transport.run { [self] in _ = transport.send([[]] + frames, on: socket) }
    }

    private static let report = """
        {"domain": "simulation.played", "code": 7, "description": "Trouble.",
        "recoveryOptions": [{"id": "retry", "title": "Retry"},
        {"id": "skip", "title": "Skip", "role": "cancel"}]}
        """

    private static let asked = [
        "origin: \(Players.origin)", "digest: \(Requester.digest(of: report))",
    ]

    // MARK: What it gets

    func received(_ frames: [Frame], on socket: SocketID, from sender: KeyHolder?) {
        guard socket == self.socket, frames.count > 3, !hasLeft else { return }
        let texts = frames.suffix(4).map { String(decoding: $0, as: UTF8.self) }
        var fields: [String: String] = [:]
        for line in texts[2].split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2 {
                fields[String(parts[0])] = parts[1].trimmingCharacters(in: .whitespaces)
            }
        }
        switch texts[1] {
        case "PING": say("PONG", "n: \(fields["n"] ?? "")")
        case "WELCOME": isUp = true
        case "ANSWER":
            if let id = fields["id"].flatMap({ PresentationID($0) }) { took(fields, id) }
        case "REJECT":
            world.ledger.misplayed.append(
                "\(fields["id"] ?? "\(name)"): refused, \(fields["code"] ?? "")")
        default: break
        }
        players.goOn()
    }

    private func took(_ fields: [String: String], _ id: PresentationID) {
        answers[id] = fields["answer"]
        // What was under way, crossed.
        if let time = throughAt[id], world.scheduler.now > time + 500 {
            world.ledger.misplayed.append("\(id): \(name) got its answer, and was through with it")
        }
    }

    /// What it has to say fills no queue.
    func dropped(_ count: Int, on socket: SocketID) {}

    func woke() {}
}

extension Plan {
    mutating func stagePlay(_ play: Play, using random: inout SeededGenerator) {
        isTight = true
        // So that what is said by two links comes in the order of the script.
        weather.delayMax = 5
        chaosLasts = 10_000
        self.play = play
        thinkingMax = play == .longAsked ? 400_000 : 15_000
        if play == .longAsked { isPatient = true }
        if play == .givenUpAgain {
            feature = .asksOnce
            thinkingMax = 60_000
            faults = [(500, .slowDisk(lasts: 60_000, latencyMax: random.number(200...600)))]
        }
    }
}

extension Checker {
    static let played = Checker(
        name: "played",
        rule: "the result of an answer is the origin's last word, by whatever path; a path that is "
            + "through gets it no more, and one that still asks gets it at once (C3, C6)"
    ) { ledger, _ in
        ledger.misplayed
            + ledger.decisions.compactMap { decision in
                guard let result = ledger.played[decision.id], decision.result != result else {
                    return nil
                }
                return "\(decision.id): \(decision.result?.rawValue ?? "no result"), the last word "
                    + "is \(result.rawValue)"
            }
    }
}

extension Forgery {
    static let played = Forgery(checker: "played") { ledger, _ in
        let ids = Set(ledger.played.keys)
        return change(&ledger.decisions, where: { ids.contains($0.id) }) { $0.result = .invalid }
    }
}
