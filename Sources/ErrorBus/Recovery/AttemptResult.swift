/// What one recovery attempt came to, in the process that ran it or waited for it.
public enum AttemptResult: Hashable, Sendable {
    /// The original call is safe to send again.
    case recovered
    /// The attempt ended without recovery; cancel does so by definition.
    case notRecovered
    /// The attempt threw; the text is for people.
    case threw(String)
    /// The attempt did not end within its limit. It was cancelled; its end is not waited for.
    case timedOut
    /// The option was offered, but nothing stands behind it.
    case noAttempter
    /// No such option was offered.
    case notOffered
    /// The owner is another process: what it reported.
    case remote(RecoveryResult)

    /// True only when the original call is safe to send again.
    public var didRecover: Bool {
        self == .recovered || self == .remote(.recovered)
    }

    /// The result as the side that gave the answer learns it.
    public var settled: RecoveryResult {
        switch self {
        case .recovered: .recovered
        case .notRecovered, .threw, .timedOut, .noAttempter: .failed
        case .notOffered: .invalid
        case .remote(let result): result
        }
    }
}
