/// The result of one recovery attempt, in the process that ran it or waited for it.
public enum AttemptResult: Hashable, Sendable {
    /// The original call is safe to send again.
    case recovered
    /// The attempt ended without recovery; cancel always does.
    case notRecovered
    /// The attempt threw; the text is for people.
    case threw(String)
    /// The attempt did not end within its limit. The owner cancelled it, and does not wait for its
    /// end.
    case timedOut
    /// The option was offered but has no attempter.
    case noAttempter
    /// No such option was offered.
    case notOffered
    /// The answer lacks a value that the option needs, or has a value that does not fit. No attempt
    /// ran.
    case badValue(FieldFault)
    /// The owner is another process, which reported this result.
    case remote(RecoveryResult)

    /// True only when the original call is safe to send again.
    public var didRecover: Bool {
        self == .recovered || self == .remote(.recovered)
    }

    /// The result as it is reported to the side that gave the answer.
    public var settled: RecoveryResult {
        switch self {
        case .recovered: .recovered
        case .notRecovered, .threw, .timedOut, .noAttempter: .failed
        case .notOffered, .badValue: .invalid
        case .remote(let result): result
        }
    }
}

/// The result of an answer, as the receiving side reports it (the wire's SETTLED result).
public enum RecoveryResult: String, Sendable, CaseIterable {
    /// The attempt ran and the original call is safe to send again.
    case recovered
    /// The attempt ran without success, or the option does not recover (cancel).
    case failed
    /// Another answer was applied before.
    case late
    /// The origin withdrew before the answer came.
    case withdrawn
    /// The owner refused the answer: it named an option that was not offered there, or lacks the
    /// signature, the second person or a value that the option needs.
    case invalid
    /// The node gave up the delivery, so there is no result. A repeated request gets the answer
    /// again.
    case unknown
}

extension RecoveryResult {
    /// Whether an option was attempted: then no path to the origin waits for an answer any longer.
    var isOfAttempt: Bool {
        switch self {
        case .recovered, .failed: true
        case .late, .withdrawn, .invalid, .unknown: false
        }
    }

    /// The word for the result of an option to give up: nothing went wrong.
    package static let cancelledWord = "cancelled"
    /// The word for a recovery after which the same operation failed once more.
    package static let failedAgainWord = "failed again"

    /// The result in words for people, in every place where they read one; the raw value is for
    /// programs.
    package var words: String {
        switch self {
        case .recovered: "recovered"
        case .failed: "not recovered"
        case .late: "too late"
        case .withdrawn: "withdrawn"
        case .invalid: "refused by its owner"
        case .unknown: "no result known"
        }
    }

    /// The words for the result of an answer, which may have been to give up.
    package func words(isCancel: Bool) -> String {
        self == .failed && isCancel ? Self.cancelledWord : words
    }
}
