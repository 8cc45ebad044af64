import ErrorBus

/// A topology's live state for people who look at it: read when a client asks, shared by all
/// who ask meanwhile, and good for a moment.
actor LiveView {
    typealias Source = @Sendable () async -> LiveTopology

    static let maxAge: Duration = .seconds(2)

    private let source: Source
    private let now: @Sendable () -> ContinuousClock.Instant
    private var latest: (live: LiveTopology, at: ContinuousClock.Instant)?
    private var asking: Task<LiveTopology, Never>?

    init(
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        source: @escaping Source
    ) {
        self.now = now
        self.source = source
    }

    var current: LiveTopology {
        get async {
            if let latest, latest.at.duration(to: now()) < Self.maxAge { return latest.live }
            if let asking { return await asking.value }
            let task = Task { [source] in await source() }
            asking = task
            let live = await task.value
            asking = nil
            latest = (live, now())
            return live
        }
    }
}
