/// The options of an error and the way to run one: AppKit's recovery attempter, addressed by option
/// id instead of index, so that reordering or translating options changes nothing.
///
/// For an owner in another process an attempt sends the answer down and waits for the result.
public protocol RecoveryAttempter: Sendable {
    /// The options offered, in order.
    var options: [ErrorReport.Option] { get }

    /// Runs the attempt behind `answer.option`. Never throws: a failure is a result. An option with
    /// fields checks its values first, with ``Answer/values(for:)``.
    func attemptRecovery(_ answer: Answer) async -> AttemptResult
}

/// An error with an attempter.
public protocol AttemptableError: ReportableError {
    /// The attempter of the error's options.
    var attempter: any RecoveryAttempter { get }
}

extension Error {
    /// The attempter of this error: its own, or Foundation's `RecoverableError` adapted; nil when
    /// the error offers no options.
    public var recoveryAttempter: (any RecoveryAttempter)? {
        if let error = self as? any AttemptableError { return error.attempter }
        return FoundationAttempter(self)
    }
}

extension Error {
    /// Runs the attempt for the answer to this error.
    ///
    /// The OK of an error without options does not recover and needs no attempter (HRS raises an
    /// index error there). An attempter still gets the answer, since its owner may wait in another
    /// process.
    func attemptRecovery(_ answer: Answer) async -> AttemptResult {
        let result = await recoveryAttempter?.attemptRecovery(answer) ?? .noAttempter
        let isUnknown = result == .noAttempter || result == .notOffered
        guard isUnknown, ErrorReport(describing: self).options.isEmpty else { return result }
        return .notRecovered
    }
}

/// The attempter of options written in this process: finds the option by id and runs its closure
/// within a limit.
public struct OptionAttempter: RecoveryAttempter {
    /// The default limit of an attempt: long enough for a person to log in again, short enough that
    /// a stuck attempt does not hold up the waiting hops for long.
    public static let timeLimitDefault: Duration = .seconds(600)

    private let recoveryOptions: [RecoveryOption]
    private let timeLimit: Duration
    private let clock: any Clock<Duration>

    /// An attempter of these options.
    ///
    /// - Parameters:
    ///   - recoveryOptions: The options in the order offered; of two options with the same id the
    ///     first counts.
    ///   - timeLimit: The limit after which the attempt is cancelled, without a wait for its end:
    ///     the result is ``AttemptResult/timedOut``.
    ///   - clock: The clock that measures the limit.
    public init(
        _ recoveryOptions: [RecoveryOption], timeLimit: Duration = timeLimitDefault,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        var options: [RecoveryOption] = []
        // A set of ids would cost more: they are few.
        for option in recoveryOptions
        where !options.contains(where: { $0.option.id == option.option.id }) {
            options.append(option)
        }
        self.recoveryOptions = options
        self.timeLimit = timeLimit
        self.clock = clock
    }

    public var options: [ErrorReport.Option] { recoveryOptions.map(\.option) }

    public func attemptRecovery(_ answer: Answer) async -> AttemptResult {
        guard let chosen = recoveryOptions.first(where: { $0.option.id == answer.option }) else {
            return .notOffered
        }
        let values: FieldValues
        do throws(FieldFault) { values = try answer.values(for: chosen.option) } catch {
            return .badValue(error)
        }
        let result = await withTimeLimit(timeLimit, clock: clock) { () -> AttemptResult in
            do {
                return try await chosen.attempt(values) ? .recovered : .notRecovered
            } catch {
                return .threw(ErrorReport(describing: error).description)
            }
        }
        return result ?? .timedOut
    }
}

/// Two attempters as one: the attempter that offers an option also runs it. hectr/ErrorKit chains
/// attempters by index; by id a moved option still finds its owner.
struct CombinedAttempter: RecoveryAttempter {
    let added: any RecoveryAttempter
    private let place: RecoveryOption.Place
    let below: (any RecoveryAttempter)?

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
