import Synchronization

/// The silences of a presenter, for any number of people and tasks at once. Where they survive
/// this process is the owner's business.
public final class Silences: Sendable {
    private let table = Mutex(SilenceTable())
    private let now: @Sendable () -> Moment

    /// - Parameter now: What silences begin and end by; a test can have its own.
    public init(now: @escaping @Sendable () -> Moment = { .now }) { self.now = now }

    /// Takes over what an earlier life of the node stored; once, before anything else.
    public func restore(_ stored: [Silence]) {
        table.withLock { $0.restored(stored, at: now()) }
    }

    /// - Throws: When it would match every error, is too short or too long, or too many are active.
    public func add(
        _ request: Silence.Request, for duration: Duration
    ) throws(SilenceRefusal) -> Silence {
        try table.withLock { table throws(SilenceRefusal) in
            try table.added(request, for: duration, at: now())
        }
    }

    /// Ends it before its time.
    public func end(_ number: Int, by person: String) throws(SilenceRefusal) -> Silence {
        try table.withLock { table throws(SilenceRefusal) in
            try table.ended(number, by: person, at: now())
        }
    }

    /// Takes back an end that could not be stored.
    ///
    /// - Parameter silence: As it was before.
    public func reopen(_ silence: Silence) { table.withLock { $0.reopened(silence) } }

    /// Takes back one that could not be stored.
    public func drop(_ number: Int) { table.withLock { $0.dropped(number) } }

    public func silence(_ number: Int) throws(SilenceRefusal) -> Silence {
        try table.withLock { table throws(SilenceRefusal) in try table.silence(number) }
    }

    /// Active and lately ended ones, newest first.
    public var all: [Silence] { table.withLock(\.all) }

    /// The silence that is in force for an error.
    public func silence(for report: ErrorReport, origin: NodeName?) -> Silence? {
        table.withLock { $0.silence(for: report, origin: origin, at: now()) }
    }

    /// A silence kept a question from people.
    public func kept(_ number: Int, isAnswered: Bool) {
        table.withLock { $0.kept(number, isAnswered: isAnswered, at: now()) }
    }
}
