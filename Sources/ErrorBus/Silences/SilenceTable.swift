/// The silences of a presenter: active ones, and those that lately ended. Decides; has no clock.
struct SilenceTable: Sendable {
    static let activeMax = 500
    static let endedMax = 200
    static let durationRange: ClosedRange<Duration> = .seconds(1) ... .seconds(30 * 86_400)

    private var silences: [Int: Silence] = [:]
    private var lastNumber = 0

    /// Takes over what an earlier life of the node stored.
    mutating func restored(_ stored: [Silence], at now: Moment) {
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
        guard active(at: now).count < Self.activeMax else {
            throw .tooMany(allowed: Self.activeMax)
        }
        lastNumber += 1
        let silence = Silence(
            number: lastNumber, request: request, createdAt: now, endsAt: now + duration)
        silences[lastNumber] = silence
        forgetOldest(at: now)
        return silence
    }

    /// A person ends it before its time.
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

    /// Its end could not be stored: it is in force as before.
    mutating func reopened(_ silence: Silence) {
        guard var current = silences[silence.number] else { return }
        (current.endsAt, current.endedBy) = (silence.endsAt, silence.endedBy)
        silences[silence.number] = current
    }

    /// It could not be stored after all.
    mutating func dropped(_ number: Int) { silences[number] = nil }

    /// The oldest active one that matches.
    func silence(
        for report: ErrorReport, origin: NodeName?, at now: Moment
    ) -> Silence? {
        active(at: now).filter { $0.request.match.matches(report, origin: origin) }
            .min { $0.number < $1.number }
    }

    mutating func kept(_ number: Int, isAnswered: Bool, at now: Moment) {
        guard silences[number] != nil else { return }
        silences[number]?.lastAt = now
        if isAnswered {
            silences[number]?.answeredCount += 1
        } else {
            silences[number]?.withheldCount += 1
        }
    }

    /// Newest first.
    var all: [Silence] { silences.values.sorted { $0.number > $1.number } }

    func silence(_ number: Int) throws(SilenceRefusal) -> Silence {
        guard let silence = silences[number] else { throw .unknown(number) }
        return silence
    }

    private func active(at now: Moment) -> [Silence] {
        silences.values.filter { $0.isActive(at: now) }
    }

    private mutating func forgetOldest(at now: Moment) {
        let ended = silences.values.filter { !$0.isActive(at: now) }
            .sorted { $0.endsAt > $1.endsAt }
        for silence in ended.dropFirst(Self.endedMax) { silences[silence.number] = nil }
    }
}
