import ErrorBus
import Foundation
import Logging
import NIOHTTP1
import ServiceLifecycle
import Synchronization

/// The sender of the messages of a console's hooks, beside the presenters: no answer waits for it.
final class Notifier: Sendable {
    /// The time that a receiver may take for one message.
    private static let tryTime: Duration = .seconds(10)
    /// The time that waiting messages may take when the node stops.
    private static let shutdownTime: Duration = .seconds(1)
    /// The longest sleep: a cancelled sleep stays in memory until its time has come.
    private static let sleepMax: Duration = .seconds(5)

    private struct State {
        var machine: NotifyMachine
        var isStopping = false
        /// The end of the next sleep.
        var wakesAt: ContinuousClock.Instant?
    }

    /// The changes that were not read yet.
    private struct Arrivals {
        var changes: [InboxChange] = []
        var missedCount = 0
    }

    private let state: Mutex<State>
    /// The changes to read. Locked for moments only, unlike ``state``: answers wait for it.
    private let arrivals = Mutex(Arrivals())
    private let limits: NotifyLimits
    private let inbox: Inbox
    private let secrets: [NodeName: String]
    private let authorities: [NodeName: Authorities]
    let writer: NotifyWriter
    private let logger: Logger
    private let store = Mutex<(any LetterStore)?>(nil)
    private let wakes: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation

    /// - Parameters:
    ///   - url: The address of the console.
    ///   - links: The maker of links that answer; nil: there are none.
    /// - Throws: When a secret or authorities cannot be read.
    init(
        _ hooks: [HookSettings], of node: NodeName, url: String, links: AnswerLinks?,
        inbox: Inbox, logger: Logger, startedAt: Date, limits: NotifyLimits = NotifyLimits()
    ) throws(Failure) {
        secrets = try Self.read("secret", \.secretFile, of: hooks) {
            file throws(FileRefusal) in try ConsoleToken(reading: file).text
        }
        authorities = try Self.read("ca", \.authorityFile, of: hooks) {
            file throws(FileRefusal) in try Authorities(reading: file)
        }
        self.limits = limits
        self.inbox = inbox
        self.logger = logger
        writer = NotifyWriter(node: node, url: url, links: links)
        (wakes, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        let life = String(UInt64(max(0, startedAt.timeIntervalSince1970) * 1_000), radix: 36)
        state = Mutex(
            State(machine: NotifyMachine(hooks, limits: limits, life: "\(node)-\(life)")))
        inbox.watch { [weak self] change in self?.take(change) }
    }

    /// The content of the hooks' files.
    private static func read<Content>(
        _ key: String, _ file: (HookSettings) -> String?, of hooks: [HookSettings],
        _ read: (String) throws(FileRefusal) -> Content
    ) throws(Failure) -> [NodeName: Content] {
        var contents: [NodeName: Content] = [:]
        for hook in hooks {
            guard let file = file(hook) else { continue }
            do throws(FileRefusal) {
                contents[hook.name] = try read(file)
            } catch {
                throw Failure(
                    error.status, "\(key) of hook \(hook.name), \(file.shown()): \(error.text)")
            }
        }
        return contents
    }

    private func take(_ change: InboxChange) {
        arrivals.withLock { arrivals in
            if arrivals.changes.count < limits.changeMax {
                arrivals.changes.append(change)
            } else {
                arrivals.missedCount += 1
            }
        }
        wake.yield()
    }

    /// Keeps the dead letters in a store, and restores them; before the first try.
    func keep(in store: any LetterStore) throws {
        let letters = try store.letters(at: .now)
        state.withLock { $0.machine.restore(letters) }
        logNotes()
        self.store.withLock { $0 = store }
    }

    /// Writes the dead letters that are kept now.
    private func keepLetters() async {
        guard let store = store.withLock({ $0 }) else { return }
        do {
            try await store.keep { self.machine.kept }
        } catch {
            logger.error("notify: dead letters not written", metadata: ["problem": "\(error)"])
        }
    }

    // MARK: For people

    /// Whether dead letters survive this node.
    var keepsLetters: Bool { store.withLock { $0 != nil } }

    /// The hooks, and the messages that were not delivered.
    var machine: NotifyMachine { state.withLock { $0.machine } }

    /// Sends a dead letter again, and returns it.
    func retry(_ number: Int) throws(NotifyRefusal) -> DeadLetter {
        let result = state.withLock { state in
            Result { () throws(NotifyRefusal) in try state.machine.retry(number) }
        }
        wake.yield()
        return try result.get()
    }
}

/// The store in which dead letters survive their node.
protocol LetterStore: Sendable {
    /// The stored letters, oldest first.
    func letters(at now: Moment) throws -> [DeadLetter]

    /// Keeps these letters and no others, as they are at the write. Durable when this returns.
    func keep(_ letters: @escaping @Sendable () -> [DeadLetter]) async throws
}

extension Notifier: Service {
    func run() async {
        await withGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                for await _ in wakes {
                    let (deliveries, isDone) = step()
                    if isDone { break }
                    for delivery in deliveries {
                        group.addTask { await self.send(delivery) }
                    }
                    if let time = sleepTime() {
                        group.addTask { await self.sleep(until: time) }
                    }
                }
                group.cancelAll()
            }
        } onGracefulShutdown: {
            self.stop()
        }
        state.withLock { $0.machine.abandon(at: .now) }
        logNotes()
        await keepLetters()
    }

    private func stop() {
        state.withLock { $0.isStopping = true }
        wake.yield()
        Task { [wake] in
            try? await Task.sleep(for: Self.shutdownTime)
            wake.finish()
        }
    }

    /// Reads the changes, and does the due work; true if the node stops and no work is left.
    private func step() -> ([NotifyMachine.Delivery], Bool) {
        let arrived = arrivals.withLock { arrivals in
            defer { arrivals = Arrivals() }
            return arrivals
        }
        // Read after the changes: what changes from here on comes as a change again.
        let items = arrived.missedCount > 0 ? inbox.items() : []
        let step = state.withLock { state in
            let now = Moment.now
            for change in arrived.changes { state.machine.changed(change, at: now) }
            if arrived.missedCount > 0 {
                state.machine.restart(with: items, missed: arrived.missedCount)
            }
            if state.isStopping { state.machine.hurry(at: now) }
            let deliveries = state.machine.step(at: now)
            return (deliveries, state.isStopping && state.machine.isDone)
        }
        logNotes()
        return step
    }

    /// The time of the next wake-up, unless a sleep ends by then.
    private func sleepTime() -> ContinuousClock.Instant? {
        state.withLock { state in
            guard let next = state.machine.nextStep else { return nil }
            let time = min(next, .now + Self.sleepMax)
            guard state.wakesAt.map({ $0 > time }) ?? true else { return nil }
            state.wakesAt = time
            return time
        }
    }

    private func sleep(until time: ContinuousClock.Instant) async {
        try? await Task.sleep(until: time, clock: .continuous)
        state.withLock { if $0.wakesAt == time { $0.wakesAt = nil } }
        wake.yield()
    }

    private func send(_ delivery: NotifyMachine.Delivery) async {
        let hook = state.withLock { $0.machine.hooks[delivery.hook].settings }
        let request = writer.request(
            delivery.message, to: hook, secret: secrets[hook.name], at: .now)
        var exchange = HTTPExchange(.POST, hook.url.address + request.path, body: request.body)
        for (name, value) in request.headers { exchange.add(name, value) }
        if let authorities = authorities[hook.name] { exchange.trust(authorities) }
        var problem: String?
        var pause: Duration?
        do {
            let head = try await exchange.head(within: Self.tryTime)
            if !(200..<300).contains(head.status) { problem = "status \(head.status)" }
            pause = head.pause
        } catch {
            // The node ends: the receiver did nothing wrong, and the message still waits.
            if Task.isCancelled { return }
            problem = HTTPExchange.reason(error)
        }
        let isOther = state.withLock { state in
            state.machine.tried(delivery.hook, problem, pause: pause, at: .now)
        }
        wake.yield()
        if isOther { await keepLetters() }
    }

    // MARK: The log

    private func logNotes() {
        for note in state.withLock({ $0.machine.takeNotes() }) { log(note) }
    }

    private func log(_ note: NotifyNote) {
        switch note {
        case .fails(let hook, let problem):
            logger.warning(
                "notify: hook fails, its messages wait",
                metadata: ["hook": "\(hook)", "problem": "\(problem)"])
        case .worksAgain(let hook, let tries):
            logger.notice(
                "notify: hook works again",
                metadata: ["hook": "\(hook)", "failedTries": "\(tries)"])
        case .summing(let hook):
            logger.warning(
                "notify: too many messages, the rest is summed up", metadata: ["hook": "\(hook)"])
        case .died(let letter):
            let message = letter.failed.message
            logger.warning(
                "notify: not delivered",
                metadata: [
                    "hook": "\(letter.hook)", "letter": "\(letter.number)",
                    "event": "\(message.event)", "count": "\(message.count)",
                    "tries": "\(letter.failed.tries)", "problem": "\(letter.failed.reason)",
                    "link": "\(writer.link(message))",
                ])
        case .forgotten(let count):
            logger.warning(
                "notify: the oldest dead letter was removed", metadata: ["removed": "\(count)"])
        case .missed(let count):
            logger.warning(
                "notify: changes came too fast to be read", metadata: ["missed": "\(count)"])
        }
    }
}
