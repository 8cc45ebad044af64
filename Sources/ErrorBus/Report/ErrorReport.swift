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

/// How bad an error is, for people and rules. Ordered: `debug < info < warning < error < critical`.
public enum Severity: String, Sendable, CaseIterable, Comparable {
    case debug, info, warning, error, critical

    public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

extension ErrorReport {
    /// A choice as people and answers see it: an id, a title and a role. What choosing it does is
    /// known only to the process that owns it.
    public struct Option: Hashable, Sendable {
        /// What a choice means to a presenter. AppKit infers these from a button's title;
        /// titles can be translated, so here they are declared.
        public enum Role: String, Sendable, CaseIterable {
            /// The expected choice: what Return takes.
            case `default`
            /// Gives up: what Escape takes. Recovers nothing.
            case cancel
            /// Loses something that cannot be had back: never taken without being named.
            case destructive
        }

        /// Stable, language-neutral, unique within its report: what an answer names.
        public var id: String
        /// What people read; may be rewritten or translated on the way.
        public var title: String
        public var role: Role?
        /// Declared default although its role says something else, as for a destructive choice
        /// that Return takes.
        public var isDeclaredDefault: Bool
        /// Keys this version does not know, kept as they came.
        public var unknownKeys: [String: JSONValue]

        public init(id: String, title: String, role: Role? = nil, isDeclaredDefault: Bool = false) {
            self.id = id
            self.title = title
            self.role = role
            self.isDeclaredDefault = isDeclaredDefault || role == .default
            self.unknownKeys = [:]
        }
    }
}

extension [ErrorReport.Option] {
    /// The choice that bare Return takes: the declared one, else the first without a role. A
    /// destructive choice only when it is declared.
    public var defaultOption: ErrorReport.Option? {
        first(where: \.isDeclaredDefault) ?? first { $0.role == nil }
    }
}

extension ErrorReport {
    private static let retryCountKey = "retryCount"

    /// How many presentations of the same operation came before this one: what tells a policy that
    /// its answer does not help. Carried under the key `retryCount`.
    public var retryCount: Int {
        get {
            guard case .integer(let count) = unknownKeys[Self.retryCountKey] else { return 0 }
            return Int(clamping: max(0, count))
        }
        set { unknownKeys[Self.retryCountKey] = newValue > 0 ? .integer(Int64(newValue)) : nil }
    }
}

extension ErrorReport {
    /// How much a report may be. What a peer sends beyond these is refused; what is made from a
    /// local error by ``init(describing:)`` is cut to fit.
    public enum Limits {
        /// The longest payload, in bytes.
        public static let payloadByteCount = JSONLimits.report.byteCount
        /// The deepest nesting of JSON in a payload.
        public static let depth = JSONLimits.report.depth
        /// The longest domain, in Unicode scalars. Errors are distinguished, counted and grouped by
        /// their domain and coalesce key, so both are short.
        public static let domainScalarCount = 256
        /// The longest coalesce key, in Unicode scalars.
        public static let coalesceKeyScalarCount = 256
        public static let optionCount = 32
        /// The longest title of an option, in Unicode scalars.
        public static let titleScalarCount = 256
        /// The longest id of an option, in bytes.
        public static let optionIDByteCount = 64
        /// The most underlying errors in all, however they are nested.
        public static let underlyingErrorCount = 64
        /// The most underlying errors inside one another: what fits into ``depth``, each
        /// taking an array and an object.
        public static let underlyingDepth = 15

        /// Where a local error is cut, in Unicode scalars and levels: chosen so that the texts,
        /// if every scalar had to be escaped, leave half of the payload to the rest.
        enum Local {
            static let textScalarCount = 4096
            static let helpAnchorScalarCount = 1024
            static let underlyingDepth = 8
            static let userInfoCount = 128
            static let userInfoDepth = 8
            static let keyScalarCount = 128
            /// For a value that is no JSON and is described as text.
            static let valueTextScalarCount = 1000
            /// For userInfo and underlying errors together, in bytes and in JSON values.
            static let restByteCount = 112 * 1024
            static let restValueCount = 10_000
            /// For one value of userInfo with all that is inside it.
            static let valueCount = 4_000
            /// For the names of what was described or left out.
            static let noteByteCount = 8 * 1024
        }
    }
}

/// An error that knows its own report: one that was received, rewritten or made recoverable.
/// `ErrorReport(describing:)` takes it as it is instead of reading the Foundation protocols.
public protocol ReportableError: Error {
    /// The error as a value. Total: whatever was received, reading it never fails.
    var report: ErrorReport { get }
}

/// FNV-1a 64 of a report's bytes as the origin sent them: tells "asked again" from "same id,
/// another question" without comparing payloads (docs/wire.md, rule 1). Not a cryptographic hash.
package struct ReportDigest: Hashable, Sendable, CustomStringConvertible {
    package let value: UInt64

    package init(of payload: some Sequence<UInt8>) {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in payload {
            hash ^= UInt64(byte)
            hash &*= 0x0000_0100_0000_01B3
        }
        value = hash
    }

    /// Reads 16 hexadecimal digits; nil for anything else.
    package init?(_ text: some StringProtocol) {
        guard text.utf8.count == 16, text.utf8.first != UInt8(ascii: "+"),
            text.utf8.first != UInt8(ascii: "-"), let value = UInt64(text, radix: 16)
        else { return nil }
        self.value = value
    }

    package var description: String { value.paddedHex }
}
