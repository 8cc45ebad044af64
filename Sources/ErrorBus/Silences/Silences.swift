import Synchronization

/// The silences of a presenter, shared by any number of people and tasks. The owner stores them.
package final class Silences: Sendable {
    private let table = Mutex(SilenceTable())
    private let now: @Sendable () -> Moment

    /// - Parameter now: The clock of silences, replaceable in tests.
    package init(now: @escaping @Sendable () -> Moment = { .now }) { self.now = now }

    /// Restores the silences of an earlier life of the node; once, before any other call.
    ///
    /// - Parameter lastNumber: The highest number given so far, also to one that is not stored.
    package func restore(_ stored: [Silence], lastNumber: Int = 0) {
        table.withLock { $0.restored(stored, lastNumber: lastNumber, at: now()) }
    }

    /// - Throws: When the silence matches every error, is too short or too long, or too many
    ///   silences are active.
    package func add(
        _ request: Silence.Request, for duration: Duration
    ) throws(SilenceRefusal) -> Silence {
        try table.withLock { table throws(SilenceRefusal) in
            try table.added(request, for: duration, at: now())
        }
    }

    /// Ends a silence early.
    package func end(_ number: Int, by person: String) throws(SilenceRefusal) -> Silence {
        try table.withLock { table throws(SilenceRefusal) in
            try table.ended(number, by: person, at: now())
        }
    }

    /// Reverts an end that could not be stored.
    ///
    /// - Parameter silence: The silence before its end.
    package func reopen(_ silence: Silence) { table.withLock { $0.reopened(silence) } }

    /// Removes a silence that could not be stored.
    package func drop(_ number: Int) { table.withLock { $0.dropped(number) } }

    package func silence(_ number: Int) throws(SilenceRefusal) -> Silence {
        try table.withLock { table throws(SilenceRefusal) in try table.silence(number) }
    }

    /// The active and recently ended silences, newest first.
    package var all: [Silence] { table.withLock(\.all) }

    /// The silence in force for an error.
    package func silence(for report: ErrorReport, origin: NodeName?) -> Silence? {
        // Compared without the lock, since a comparison may take a while.
        let table = table.withLock { $0 }
        return table.silence(for: report, origin: origin, at: now())
    }

    /// Counts a presentation that the silence answered or withheld.
    package func kept(_ number: Int, isAnswered: Bool) {
        table.withLock { $0.kept(number, isAnswered: isAnswered, at: now()) }
    }
}

/// The table of a presenter's silences, active and recently ended. Decides; time is an argument.
struct SilenceTable: Sendable {
    static let activeMax = 500
    static let endedMax = 200
    /// The most steps of the patterns of all active silences, for each character: every
    /// presentation meets them all.
    static let stepCountMax = 5 * RuleMatch.stepCountMax
    static let durationRange: ClosedRange<Duration> = .seconds(1) ... .seconds(30 * 86_400)

    private var silences: [Int: Silence] = [:]
    private var lastNumber = 0

    /// Restores the silences of an earlier life of the node.
    mutating func restored(_ stored: [Silence], lastNumber number: Int = 0, at now: Moment) {
        lastNumber = max(lastNumber, number)
        for silence in stored {
            silences[silence.number] = silence
            lastNumber = max(lastNumber, silence.number)
        }
        forgetOldest(at: now)
    }

    mutating func added(
        _ request: Silence.Request, for duration: Duration, at now: Moment
    ) throws(SilenceRefusal) -> Silence {
        guard request.match != RuleMatch() else { throw .matchesEverything }
        guard Self.durationRange.contains(duration) else { throw .duration(Self.durationRange) }
        let active = active(at: now)
        guard active.count < Self.activeMax else { throw .tooMany(allowed: Self.activeMax) }
        let steps = active.reduce(request.match.stepCount) { $0 + $1.request.match.stepCount }
        guard steps <= Self.stepCountMax else {
            throw .tooCostly(found: steps, allowed: Self.stepCountMax)
        }
        lastNumber += 1
        let silence = Silence(
            number: lastNumber, request: request, createdAt: now, endsAt: now + duration)
        silences[lastNumber] = silence
        forgetOldest(at: now)
        return silence
    }

    /// A person ended a silence early.
    mutating func ended(
        _ number: Int, by person: String, at now: Moment
    ) throws(SilenceRefusal) -> Silence {
        guard var silence = silences[number] else { throw .unknown(number) }
        guard silence.isActive(at: now) else { throw .ended(number, at: silence.endsAt) }
        silence.endsAt = now
        silence.endedBy = person
        silences[number] = silence
        forgetOldest(at: now)
        return silence
    }

    /// The end of a silence could not be stored: it stays in force.
    mutating func reopened(_ silence: Silence) {
        guard var current = silences[silence.number] else { return }
        (current.endsAt, current.endedBy) = (silence.endsAt, silence.endedBy)
        silences[silence.number] = current
    }

    /// A silence could not be stored.
    mutating func dropped(_ number: Int) { silences[number] = nil }

    mutating func kept(_ number: Int, isAnswered: Bool, at now: Moment) {
        guard silences[number] != nil else { return }
        silences[number]?.lastAt = now
        if isAnswered {
            silences[number]?.answeredCount += 1
        } else {
            silences[number]?.withheldCount += 1
        }
    }

    /// The silences, newest first.
    var all: [Silence] { silences.values.sorted { $0.number > $1.number } }

    func silence(_ number: Int) throws(SilenceRefusal) -> Silence {
        guard let silence = silences[number] else { throw .unknown(number) }
        return silence
    }

    /// The oldest active silence that matches.
    func silence(
        for report: ErrorReport, origin: NodeName?, at now: Moment
    ) -> Silence? {
        active(at: now).first { $0.request.match.matches(report, origin: origin) }
    }

    /// The active silences, oldest first.
    private func active(at now: Moment) -> [Silence] {
        silences.values.filter { $0.isActive(at: now) }.sorted { $0.number < $1.number }
    }

    private mutating func forgetOldest(at now: Moment) {
        let ended = silences.values.filter { !$0.isActive(at: now) }
            .sorted { $0.endsAt > $1.endsAt }
        for silence in ended.dropFirst(Self.endedMax) { silences[silence.number] = nil }
    }
}
