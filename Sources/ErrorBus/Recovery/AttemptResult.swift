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

/// What came of an answer, as the side that received it reports it (the wire's SETTLED result).
public enum RecoveryResult: String, Sendable, CaseIterable {
    /// The attempt ran and the original call is safe to send again.
    case recovered
    /// The attempt ran without success, or the choice recovers nothing (cancel).
    case failed
    /// Another answer had been applied before.
    case late
    /// The origin had given up before the answer came.
    case withdrawn
    /// The answer named an option that was not offered here.
    case invalid
    /// Delivery was given up; not a result. Asked again, the answer is delivered again.
    case unknown
}

extension RecoveryResult {
    /// In the words that people see everywhere.
    package var words: String {
        switch self {
        case .recovered: "recovered"
        case .failed: "not recovered"
        case .late: "too late"
        case .withdrawn: "withdrawn"
        case .invalid: "not its option"
        case .unknown: "no result known"
        }
    }
}
