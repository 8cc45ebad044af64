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
