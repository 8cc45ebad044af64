import ErrorBus
import Logging
import Synchronization

/// The silences of a console: in force, stored if the node has a journal, and applied to open
/// presentations.
final class ConsoleSilences: Sendable {
    let silences = Silences()
    private let inbox: Inbox
    private let logger: Logger
    private let store = Mutex<(any SilenceStore)?>(nil)
    private let audit = Mutex<(any AuditLog)?>(nil)

    init(_ inbox: Inbox, logger: Logger) {
        self.inbox = inbox
        self.logger = logger
    }

    /// Whether the silences survive this node.
    var isKept: Bool { store.withLock { $0 != nil } }

    /// Restores the stored silences, before the first presentation arrives.
    ///
    /// - Throws: When the silences cannot be read: a node that forgot them would wake people up.
    func keep(in store: any SilenceStore) throws {
        let stored = try store.silences(at: .now)
        silences.restore(stored, lastNumber: try store.lastNumber())
        self.store.withLock { $0 = store }
    }

    /// The presenter in front of the presenters for people.
    func presenter(audit: (any AuditLog)?) -> SilencingPresenter {
        self.audit.withLock { $0 = audit }
        return SilencingPresenter(silences, audit: audit, logger: logger) {
            [self] number, isAnswered in
            count(number, isAnswered: isAnswered)
        }
    }

    /// The number of open presentations that a silence ends, by how it ends them.
    struct Applied: Hashable, Sendable {
        var answered = 0
        var withheld = 0
        /// The answers that are not on disk yet, and not sent until then.
        var unrecorded = 0

        var json: [String: JSONValue] {
            ["answered": .count(answered), "withheld": .count(withheld)]
        }

        /// The fields of the reply to a new silence.
        var reply: [String: JSONValue] {
            json.merging([
                "applied": .count(answered + withheld), "unrecorded": .count(unrecorded),
            ]) { $1 }
        }
    }

    /// Counts as answered only what is on record; waits for that, as for an answer of a person.
    ///
    /// - Parameter clock: The clock of the wait.
    /// - Returns: The silence, and the open presentations that it ended.
    /// - Throws: A refusal, or the error of storing it; then the silence is not in force.
    func add(
        _ request: Silence.Request, for duration: Duration, alsoOpen: Bool,
        clock: any Clock<Duration> = ContinuousClock()
    ) async throws -> (Silence, applied: Applied) {
        // First, since a refusal must leave no silence in force.
        let before = alsoOpen ? try await open(matching: request.match) : []
        if let refusal = request.refusal(forOpen: before.map(\.report)) { throw refusal }
        let silence = try silences.add(request, for: duration)
        do {
            try await store.withLock { $0 }?.save(silence)
        } catch {
            silences.drop(silence.number)
            throw error
        }
        var applied = Applied()
        guard alsoOpen else { return (silence, applied) }
        // With what came meanwhile, if that can be found: the silence is in force in any case.
        let open = (try? await open(matching: request.match)) ?? before
        var answered: [PresentationID] = []
        for item in open where apply(silence, to: item) {
            if silence.option(for: item.report) == nil {
                applied.withheld += 1
            } else {
                answered.append(item.id)
            }
        }
        // The silence is in force in any case: no refusal, which clients would repeat.
        let unrecorded = await inbox.unrecorded(
            among: answered, after: ConsoleLimits.recordTime, clock: clock)
        applied.unrecorded = unrecorded.delayed.count
        applied.answered = answered.count - unrecorded.delayed.count - unrecorded.lost.count
        return (try silences.silence(silence.number), applied)
    }

    /// The open presentations that match, oldest first, and how a silence would end those that it
    /// does not leave to people.
    ///
    /// - Throws: As ``open(matching:)``.
    func preview(_ request: Silence.Request) async throws -> ([InboxItem], applied: Applied) {
        let open = try await open(matching: request.match)
        var applied = Applied()
        for item in open {
            let option = request.option(for: item.report)
            if item.isLeft(by: option) { continue }
            if option == nil { applied.withheld += 1 } else { applied.answered += 1 }
        }
        return (open, applied)
    }

    /// - Throws: A refusal, or the error of storing its end; the silence stays in force then.
    func end(_ number: Int, by person: String) async throws -> Silence {
        let former = try silences.silence(number)
        let silence = try silences.end(number, by: person)
        do {
            try await store.withLock { $0 }?.save(silence)
        } catch {
            silences.reopen(former)
            throw error
        }
        return silence
    }

    /// The open presentations that match, oldest first. Others go on between them.
    ///
    /// - Throws: When the patterns take too many steps for all open presentations.
    func open(matching match: RuleMatch) async throws -> [InboxItem] {
        let open = inbox.items().filter(\.isOpen)
        let costs = open.map { match.cost(of: $0.report, origin: $0.origin) }
        let cost = costs.reduce(0, +)
        guard cost <= ConsoleLimits.matchStepMax else {
            throw SilenceRefusal.tooManyOpen(
                steps: cost, open: open.count, allowed: ConsoleLimits.matchStepMax)
        }
        var found: [InboxItem] = []
        var steps = 0
        for (item, cost) in zip(open, costs) {
            steps += cost
            if steps > ConsoleLimits.matchStepsAtOnce {
                steps = cost
                await Task.yield()
                try Task.checkCancellation()
            }
            if match.matches(item.report, origin: item.origin) { found.append(item) }
        }
        return found.sorted { $0.openedRevision < $1.openedRevision }
    }

    /// Applies a silence, unless the presentation is claimed or was answered meanwhile.
    private func apply(_ silence: Silence, to item: InboxItem) -> Bool {
        let option = silence.option(for: item.report)
        do throws(InboxRefusal) {
            if let option {
                try inbox.answer(
                    item.id, option: option, by: silence.decider, via: .policy)
            } else {
                try inbox.withhold(item.id, by: silence.decider)
                audit.withLock { $0 }?.record(
                    PresentationEvent(
                        item.id,
                        .ended(
                            item.report, .withheld, origin: item.origin, by: silence.decider)))
            }
        } catch {
            return false
        }
        silences.kept(silence.number, isAnswered: option != nil)
        count(silence.number, isAnswered: option != nil)
        return true
    }

    /// Counts a presentation without a wait: a count that is lost with the disk costs no answer.
    private func count(_ number: Int, isAnswered: Bool) {
        guard let store = store.withLock({ $0 }) else { return }
        Task { [logger] in
            do { try await store.count(number, isAnswered: isAnswered) } catch {
                logger.error(
                    "silence: its count was not stored",
                    metadata: ["silence": "\(number)", "problem": "\(error)"])
            }
        }
    }
}

extension InboxItem {
    /// Whether a silence leaves the open presentation to people: a person has claimed it, or the
    /// option needs two people, a signature that this node cannot give, or a value.
    ///
    /// - Parameter option: The silence's answer; nil if it withholds.
    fileprivate func isLeft(by option: String?) -> Bool {
        if case .claimed = stage { return true }
        guard let option else { return false }
        let fields = report.options.first { $0.id == option }?.fields ?? []
        return needsTwoPeople(option) || unsignable.contains(option)
            || (try? GivenValues().checked(for: fields)) == nil
    }
}

/// The store in which a console's silences survive its node.
protocol SilenceStore: Sendable {
    /// The active and the latest ended silences.
    func silences(at now: Moment) throws -> [Silence]

    /// The highest number of all silences, also of unreadable ones: a number in the audit names one
    /// silence. 0 without silences.
    func lastNumber() throws -> Int

    /// Saves a silence; durable when this returns.
    func save(_ silence: Silence) async throws

    /// Counts a presentation that the silence answered or withheld.
    func count(_ number: Int, isAnswered: Bool) async throws
}
