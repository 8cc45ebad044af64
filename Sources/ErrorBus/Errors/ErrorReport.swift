/// An error as a value that can leave its process: what people read, what rules match on, and
/// the choices offered. Never the closures behind the choices: those stay with their owner.
///
/// Only `domain` and `description` are required. The keys are those of `NSError`'s userInfo under
/// plain names; keys this version does not know are kept in ``unknownKeys`` and travel on.
public struct ErrorReport: Hashable, Sendable {
    /// Who defines `code`, as reverse DNS or an `NSError` domain. Never localized: rules match it.
    public var domain: String
    /// The error's number within its domain.
    public var code: Int?
    /// One sentence: what went wrong. The title of a prompt.
    public var description: String
    /// Why it went wrong.
    public var failureReason: String?
    /// What can be done about it.
    public var recoverySuggestion: String?
    /// Where to read more.
    public var helpAnchor: String?
    /// How bad it is; `error` where nothing is said.
    public var severity: Severity
    /// When it happened, RFC 3339. For people: no decision rests on it.
    public var occurredAt: String?
    /// The presentation whose recovery was tried before this one failed again.
    public var retryOf: PresentationID?
    /// Errors with equal keys may share one prompt.
    public var coalesceKey: String?
    /// The id of the option that is applied when no answer comes before the deadline: by the origin
    /// itself, whose clock it is. Nil: it then completes unanswered.
    public var onExpiry: String?
    /// The choices, in order. Empty means there is nothing to choose: one OK.
    public var options: [Option]
    /// The origin's context, JSON values only.
    public var userInfo: [String: JSONValue]
    /// What caused it, outermost first.
    public var underlyingErrors: [ErrorReport]
    /// The keys of `userInfo` whose values were no JSON and are described as text.
    public var undescribed: [String]
    /// Top-level keys this version does not know, kept as they came.
    public var unknownKeys: [String: JSONValue]

    public init(
        domain: String, code: Int? = nil, description: String, failureReason: String? = nil,
        recoverySuggestion: String? = nil, helpAnchor: String? = nil, severity: Severity = .error,
        options: [Option] = [], userInfo: [String: JSONValue] = [:],
        underlyingErrors: [ErrorReport] = []
    ) {
        self.domain = domain
        self.code = code
        self.description = description
        self.failureReason = failureReason
        self.recoverySuggestion = recoverySuggestion
        self.helpAnchor = helpAnchor
        self.severity = severity
        self.occurredAt = nil
        self.retryOf = nil
        self.coalesceKey = nil
        self.onExpiry = nil
        self.options = options
        self.userInfo = userInfo
        self.underlyingErrors = underlyingErrors
        self.undescribed = []
        self.unknownKeys = [:]
    }
}
