import ErrorBus
import OrderedCollections

/// The people whom an identity provider has signed in, each for a limited time. Does no I/O.
struct SignInSessions: Sendable {
    /// The most sessions; above it the oldest ends.
    static let countMax = 2_000
    static let countMaxPerUser = 20

    struct Session: Hashable, Sendable {
        let name: String
        /// The identity of the person, whatever the name: a digest of the provider and its subject.
        let identity: String
        /// The permissions of the person's groups; nil if the groups allow nothing, not even to
        /// enter.
        let permissions: Set<ConsolePermission>?
        /// The provider's token, with which a person can be signed out there; nil for a long token.
        let token: String?
    }

    private struct Entry {
        let session: Session
        /// The hash of the key that the browser shows.
        let keyHash: String
        let due: ContinuousClock.Instant
    }

    /// The sessions, the oldest first.
    private var entries: OrderedDictionary<ConsoleSessions.Label, Entry> = [:]

    /// - Parameter key: The key that the browser shows with each request.
    mutating func began(
        _ session: Session, _ label: ConsoleSessions.Label, key: String, for time: Duration,
        at now: ContinuousClock.Instant
    ) {
        drop(before: now)
        let own = entries.values.indices.filter {
            entries.values[$0].session.identity == session.identity
        }
        if own.count >= Self.countMaxPerUser, let oldest = own.first {
            entries.remove(at: oldest)
        } else if entries.count >= Self.countMax {
            entries.removeFirst()
        }
        entries[label] = Entry(
            session: session, keyHash: ConsoleUser.hash(of: key), due: now + time)
    }

    /// The session of the key that a browser shows.
    func session(
        _ label: ConsoleSessions.Label, key: some StringProtocol, at now: ContinuousClock.Instant
    ) -> Session? {
        guard let entry = entries[label], now < entry.due,
            entry.keyHash == ConsoleUser.hash(of: key)
        else { return nil }
        return entry.session
    }

    /// The session, if it goes on.
    func session(_ label: ConsoleSessions.Label, at now: ContinuousClock.Instant) -> Session? {
        entries[label].flatMap { now < $0.due ? $0.session : nil }
    }

    /// The latest session of a person, if one goes on.
    ///
    /// - Parameter identity: Nil: of any person with this name.
    func session(
        of name: String, identity: String? = nil, at now: ContinuousClock.Instant
    ) -> Session? {
        entries.values.last { entry in
            entry.session.name == name && now < entry.due
                && (identity == nil || entry.session.identity == identity)
        }?.session
    }

    /// - Returns: The session that was ended, if it went on.
    mutating func ended(_ label: ConsoleSessions.Label) -> Session? {
        entries.removeValue(forKey: label)?.session
    }

    private mutating func drop(before now: ContinuousClock.Instant) {
        // All last equally long: the oldest ends first.
        while let first = entries.values.first, first.due <= now { entries.removeFirst() }
    }
}
