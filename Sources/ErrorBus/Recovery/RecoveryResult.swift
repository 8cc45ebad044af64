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
