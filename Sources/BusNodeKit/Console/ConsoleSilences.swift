import ErrorBus
import Logging
import Synchronization

/// The silences of a console: in force, on disk where the node has a journal, and applied to what
/// is open.
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

    /// Whether they survive this node.
    var isKept: Bool { store.withLock { $0 != nil } }

    /// Takes over what is stored, before the first question comes.
    ///
    /// - Throws: When it cannot be read: a node that forgot its silences would wake people up.
    func keep(in store: any SilenceStore) throws {
        silences.restore(try store.silences(at: .now))
        self.store.withLock { $0 = store }
    }

    /// What stands in front of those who ask people.
    func presenter(audit: (any AuditLog)?) -> SilencingPresenter {
        self.audit.withLock { $0 = audit }
        return SilencingPresenter(silences, audit: audit) { [self] number, isAnswered in
            count(number, isAnswered: isAnswered)
        }
    }

    /// - Returns: The silence, and how many open presentations it was applied to.
    /// - Throws: A refusal, or what kept it from being stored; it is not in force then.
    func add(
        _ request: Silence.Request, for duration: Duration, alsoOpen: Bool
    ) async throws -> (Silence, appliedCount: Int) {
        let silence = try silences.add(request, for: duration)
        do {
            try await store.withLock { $0 }?.save(silence)
        } catch {
            silences.drop(silence.number)
            throw error
        }
        guard alsoOpen else { return (silence, 0) }
        let applied = open(matching: request.match).filter { apply(silence, to: $0) }
        return (try silences.silence(silence.number), applied.count)
    }

    /// - Throws: A refusal, or what kept its end from being stored; it is in force as before then.
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

    /// What is open and would be silenced, oldest first.
    func open(matching match: RuleMatch) -> [InboxItem] {
        inbox.items().filter { $0.isOpen && match.matches($0.report, origin: $0.origin) }
            .sorted { $0.openedRevision < $1.openedRevision }
    }

    /// What is claimed, or was answered meanwhile, stays as it is.
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

    /// Not waited for: a count that is lost with the disk costs no answer.
    private func count(_ number: Int, isAnswered: Bool) {
        guard let store = store.withLock({ $0 }) else { return }
        Task { [logger] in
            do { try await store.count(number, isAnswered: isAnswered) } catch {
                logger.error(
                    "silence: its count is not written",
                    metadata: ["silence": "\(number)", "problem": "\(error)"])
            }
        }
    }
}

/// Where a console's silences survive its node.
protocol SilenceStore: Sendable {
    /// The active and the latest ended ones.
    func silences(at now: Moment) throws -> [Silence]

    /// Durable when this returns.
    func save(_ silence: Silence) async throws

    /// It kept a question from people.
    func count(_ number: Int, isAnswered: Bool) async throws
}
