import DequeModule
import ErrorBus

/// The hooks of a node and the messages that none of their tries delivered. Does no I/O.
struct NotifyMachine: Sendable {
    private(set) var hooks: [HookMachine]
    private(set) var dead: [DeadLetter] = []
    /// The letters that were sent again, until they are delivered or dead once more.
    private var resent: [DeadLetter] = []
    private(set) var forgottenCount = 0
    private let limits: NotifyLimits
    private var lastLetter = 0
    private var notes: [NotifyNote] = []

    /// A message to send, by the index of its hook.
    struct Delivery: Sendable {
        let hook: Int
        let message: NotifyMessage
    }

    /// - Parameter life: The beginning of the ids of messages, different in each life.
    init(_ hooks: [HookSettings], limits: NotifyLimits = NotifyLimits(), life: String) {
        self.limits = limits
        self.hooks = hooks.map {
            HookMachine($0, limits: limits, prefix: "\(life)-\($0.name)")
        }
    }

    mutating func changed(_ change: InboxChange, at now: Moment) {
        for index in hooks.indices { hooks[index].changed(change, at: now) }
    }

    /// Changes were lost for want of room.
    mutating func restart(with items: [InboxItem], missed: Int) {
        for index in hooks.indices { hooks[index].restart(with: items, missed: missed) }
        notes.append(.missed(missed))
    }

    /// Does the due work. Returns the messages to send now, at most one of each hook.
    mutating func step(at now: Moment) -> [Delivery] {
        hooks.indices.compactMap { index in
            hooks[index].step(at: now).map { Delivery(hook: index, message: $0) }
        }
    }

    var nextStep: ContinuousClock.Instant? { hooks.compactMap(\.nextStep).min() }

    /// The dead letters of an earlier life of the node, oldest first.
    mutating func restore(_ letters: [DeadLetter]) {
        dead = letters
        lastLetter = letters.map(\.number).max() ?? 0
        // One that was sent again is a dead letter beside all later ones.
        trim()
    }

    /// The letters that a later life of the node would have to know.
    var kept: [DeadLetter] { resent + dead }

    /// - Parameters:
    ///   - problem: The reason why the try failed; nil for a delivery.
    ///   - pause: The pause that the receiver asks for before the next try.
    /// - Returns: Whether ``kept`` has changed.
    @discardableResult
    mutating func tried(
        _ hook: Int, _ problem: String?, pause: Duration? = nil, at now: Moment
    ) -> Bool {
        let message = hooks[hook].waiting.first?.id
        if let problem {
            guard let failed = hooks[hook].failed(problem, pause: pause, at: now) else {
                return false
            }
            bury(failed, of: hook, at: now)
        } else {
            hooks[hook].delivered()
        }
        let count = resent.count
        resent.removeAll { $0.failed.message.id == message }
        return problem != nil || resent.count < count
    }

    /// Sends a dead letter again, and returns it.
    @discardableResult
    mutating func retry(_ number: Int) throws(NotifyRefusal) -> DeadLetter {
        guard let index = dead.firstIndex(where: { $0.number == number }) else {
            throw .unknown(number)
        }
        guard let hook = hooks.firstIndex(where: { $0.settings.name == dead[index].hook }) else {
            throw .noHook(dead[index].hook)
        }
        guard hooks[hook].waiting.count < limits.waitingMax else {
            throw .full(dead[index].hook, waiting: limits.waitingMax)
        }
        let letter = dead.remove(at: index)
        resent.append(letter)
        hooks[hook].retry(letter.failed.message)
        return letter
    }

    /// Ends all waits, for a node that shuts down: collected events become messages.
    mutating func hurry(at now: Moment) {
        for index in hooks.indices { hooks[index].hurry(at: now) }
    }

    /// Whether each hook has nothing left to send, or has failed since ``hurry(at:)``.
    var isDone: Bool { hooks.allSatisfy(\.isDone) }

    /// Makes dead letters of all waiting messages.
    mutating func abandon(at now: Moment) {
        resent = []
        for index in hooks.indices {
            for failed in hooks[index].abandon() { bury(failed, of: index, at: now) }
        }
    }

    private mutating func bury(_ failed: DeadLetter.Failed, of hook: Int, at now: Moment) {
        lastLetter += 1
        let letter = DeadLetter(
            number: lastLetter, hook: hooks[hook].settings.name, failed: failed, diedAt: now)
        dead.append(letter)
        notes.append(.died(letter))
        trim()
    }

    /// Removes the oldest dead letters above the limit.
    private mutating func trim() {
        let surplus = dead.count - limits.deadMax
        guard surplus > 0 else { return }
        dead.removeFirst(surplus)
        forgottenCount += surplus
        notes.append(.forgotten(forgottenCount))
    }

    /// The notes for the log, each once.
    mutating func takeNotes() -> [NotifyNote] {
        defer { notes = [] }
        return hooks.indices.flatMap { hooks[$0].takeNotes() } + notes
    }
}

/// The limits of a node's hooks.
struct NotifyLimits: Hashable, Sendable {
    /// The pause after the first failed try; doubled after each further one.
    var retryTime: Duration = .seconds(1)
    var retryMax: Duration = .seconds(60)
    /// The longest pause that a receiver may ask for.
    var pauseMax: Duration = .seconds(600)
    /// The most waiting messages of a hook; above it events are summed up.
    var waitingMax = 256
    /// The most pairs of an event and a group that a hook collects at a time; above it events are
    /// summed up.
    var digestCountMax = 1_024
    /// The longest time that events of one group are collected for.
    var digestMax: Duration = .seconds(600)
    /// The most dead letters; the oldest go.
    var deadMax = 200
    /// The time in which messages are counted for the limit of their rate.
    var rateTime: Duration = .seconds(60)
    /// The most changes of presentations that wait to be read.
    var changeMax = 16_384
}

/// A message that none of its tries delivered.
struct DeadLetter: Hashable, Sendable {
    struct Failed: Hashable, Sendable {
        let message: NotifyMessage
        let tries: Int
        let reason: String
    }

    let number: Int
    let hook: NodeName
    let failed: Failed
    let diedAt: Moment
}

/// A hook's present failure.
struct HookFailure: Hashable, Sendable {
    /// The reason of the last try.
    let reason: String
    let since: Moment
    let tries: Int
}

/// A line for the log.
enum NotifyNote: Hashable, Sendable {
    case fails(NodeName, String)
    case worksAgain(NodeName, after: Int)
    case summing(NodeName)
    case died(DeadLetter)
    /// The number of dead letters that were removed for later ones.
    case forgotten(Int)
    case missed(Int)
}

/// The reason why a dead letter is not sent again.
enum NotifyRefusal: Error, Hashable, Sendable {
    case unknown(Int)
    /// The topology named the hook in an earlier life of the node.
    case noHook(NodeName)
    case full(NodeName, waiting: Int)
}

extension NotifyRefusal: CustomStringConvertible {
    var description: String {
        switch self {
        case .unknown(let number): "no dead letter \(number) here; it may have been sent again"
        case .noHook(let hook):
            "no hook \(hook) at this node; allowed: letters of the hooks in its topology"
        case .full(let hook, let count): "hook \(hook): \(count) messages wait already"
        }
    }
}
