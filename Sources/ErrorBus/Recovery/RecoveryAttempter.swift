/// The choices behind an error and the way to run one: AppKit's recovery attempter, addressed by
/// option id instead of index, so that reordering or translating options changes nothing.
///
/// An attempter whose owner is another process conforms as well: there an attempt is an answer
/// sent down and a result that comes back up.
public protocol RecoveryAttempter: Sendable {
    /// What is offered, in order.
    var options: [ErrorReport.Option] { get }

    /// Runs the attempt behind `answer.option`. Never throws: whatever happens is a result.
    func attemptRecovery(_ answer: Answer) async -> AttemptResult
}

/// An error that brings its own attempter.
public protocol AttemptableError: ReportableError {
    var attempter: any RecoveryAttempter { get }
}

extension Error {
    /// What can attempt this error's recovery: its own attempter, or Foundation's
    /// `RecoverableError` adapted; nil when the error offers nothing.
    public var recoveryAttempter: (any RecoveryAttempter)? {
        if let error = self as? any AttemptableError { return error.attempter }
        return FoundationAttempter(self)
    }
}

extension Error {
    /// Runs what stands behind the answer to this error.
    ///
    /// The OK of an error without options recovers nothing and needs no attempter (HRS raises
    /// an index error there). An attempter that there is hears of it all the same, since its owner
    /// may be waiting in another process.
    func attemptRecovery(_ answer: Answer) async -> AttemptResult {
        let result = await recoveryAttempter?.attemptRecovery(answer) ?? .noAttempter
        let isUnknown = result == .noAttempter || result == .notOffered
        guard isUnknown, ErrorReport(describing: self).options.isEmpty else { return result }
        return .notRecovered
    }
}

/// The attempter behind options written in this process: finds the option by id and runs its
/// closure, within a limit.
public struct OptionAttempter: RecoveryAttempter {
    /// How long an attempt may take unless something else is said: long enough for a person to
    /// log in again, short enough that a forgotten attempt lets the waiting hops go.
    public static let timeLimitDefault: Duration = .seconds(600)

    private let recoveryOptions: [RecoveryOption]
    private let timeLimit: Duration
    private let clock: any Clock<Duration>

    /// - Parameters:
    ///   - recoveryOptions: In the order they are offered; of two with one id the first counts.
    ///   - timeLimit: After this the attempt is cancelled and no longer waited for.
    ///   - clock: Measures the limit.
    public init(
        _ recoveryOptions: [RecoveryOption], timeLimit: Duration = timeLimitDefault,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        var ids: Set<String> = []
        self.recoveryOptions = recoveryOptions.filter { ids.insert($0.option.id).inserted }
        self.timeLimit = timeLimit
        self.clock = clock
    }

    public var options: [ErrorReport.Option] { recoveryOptions.map(\.option) }

    public func attemptRecovery(_ answer: Answer) async -> AttemptResult {
        guard let chosen = recoveryOptions.first(where: { $0.option.id == answer.option }) else {
            return .notOffered
        }
        let result = await withTimeLimit(timeLimit, clock: clock) { () -> AttemptResult in
            do {
                return try await chosen.attempt() ? .recovered : .notRecovered
            } catch {
                return .threw(ErrorReport(describing: error).description)
            }
        }
        return result ?? .timedOut
    }
}

/// Two attempters as one: the added one's options are run by it, all others by the one below.
/// hectr/ErrorKit chains attempters by index; by id a moved option still finds its owner.
struct CombinedAttempter: RecoveryAttempter {
    private let added: any RecoveryAttempter
    private let place: RecoveryOption.Place
    private let below: (any RecoveryAttempter)?

    init(
        _ added: any RecoveryAttempter, place: RecoveryOption.Place,
        over below: (any RecoveryAttempter)?
    ) {
        self.added = added
        self.place = place
        self.below = below
    }

    var options: [ErrorReport.Option] {
        let mine = added.options
        let others = (below?.options ?? []).filter { other in
            !mine.contains { $0.id == other.id }
        }
        return place == .first ? mine + others : others + mine
    }

    func attemptRecovery(_ answer: Answer) async -> AttemptResult {
        if added.options.contains(where: { $0.id == answer.option }) {
            return await added.attemptRecovery(answer)
        }
        return await below?.attemptRecovery(answer) ?? .noAttempter
    }
}
