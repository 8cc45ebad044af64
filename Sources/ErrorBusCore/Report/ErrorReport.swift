/// An error as a value that can leave its process: its texts for people, its fields for rules, and
/// its options. The attempts behind the options stay with their owner.
///
/// Only `domain` and `description` are required. The keys are those of `NSError`'s userInfo under
/// plain names; keys that this version does not know are kept in ``unknownKeys`` and sent on.
public struct ErrorReport: Hashable, Sendable {
    /// The namespace of `code`, as reverse DNS or an `NSError` domain. Never localized: rules match
    /// it.
    public var domain: String
    /// The error's number within its domain.
    public var code: Int?
    /// One sentence: what went wrong. The title of a prompt.
    public var description: String
    /// The reason of the failure, for people.
    public var failureReason: String?
    /// The advice to people: what can be done.
    public var recoverySuggestion: String?
    /// The place to read more, such as the web address of a runbook.
    public var helpAnchor: String?
    /// The severity; `error` by default.
    public var severity: Severity
    /// The time of the error, RFC 3339, for people. Decides nothing.
    public var occurredAt: String?
    /// The id of the earlier presentation of the same operation; nil when this error repeats none.
    public var retryOf: PresentationID?
    /// The key of equal errors: errors of one domain with equal keys and equal options may share
    /// one prompt. Nil: errors with equal code and description may.
    public var coalesceKey: String?
    /// The id of the option that the origin applies, by its own clock, if no answer comes before
    /// the deadline. Nil: the presentation then ends unanswered.
    public var onExpiry: String?
    /// The options, in order. A presenter shows an error without options with one OK.
    public var options: [Option]
    /// The origin's context, JSON values only.
    public var userInfo: [String: JSONValue]
    /// The causes, outermost first.
    public var underlyingErrors: [ErrorReport]
    /// The keys of `userInfo` whose values were not JSON and are described as text.
    public var undescribed: [String]
    /// Top-level keys that this version does not know, unchanged.
    public var unknownKeys: [String: JSONValue]

    /// A report; a description and a domain are required.
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

extension ErrorReport {
    /// An optional text of a report, for people only: no decision rests on it. JSON, prompts, lists
    /// of details and the page read and show what ``texts`` has.
    package struct Text: Sendable {
        /// The key in JSON.
        package let key: String
        /// The heading of the text, one word of at most eight letters.
        package let heading: String
        /// Whether a prompt shows the text below the title; else only the details show it.
        package let isBody: Bool
        package let property: any WritableKeyPath<ErrorReport, String?> & Sendable

        init(
            _ key: String, _ property: any WritableKeyPath<ErrorReport, String?> & Sendable,
            _ heading: String, isBody: Bool = false
        ) {
            self.key = key
            self.heading = heading
            self.isBody = isBody
            self.property = property
        }

        /// The heading before a line.
        package var label: String { heading.lowercased() }
    }

    /// The optional texts, in the order in which people read them.
    package static let texts = [
        Text("failureReason", \.failureReason, "Why", isBody: true),
        Text("recoverySuggestion", \.recoverySuggestion, "Try", isBody: true),
        Text("occurredAt", \.occurredAt, "When"),
        Text("helpAnchor", \.helpAnchor, "Help"),
    ]

    /// The texts that are not empty.
    package var filledTexts: [(text: Text, words: String)] {
        Self.texts.compactMap { text in
            guard let words = self[keyPath: text.property], !words.isEmpty else { return nil }
            return (text, words)
        }
    }
}

/// The severity of an error, for people and rules. Ordered: `debug < info < warning < error <
/// critical`.
public enum Severity: String, Sendable, CaseIterable, Comparable {
    case debug, info, warning, error, critical

    public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

extension ErrorReport {
    /// A recovery option as people and answers see it: an id, a title and a role. Its attempt is
    /// known only to its owner.
    public struct Option: Hashable, Sendable {
        /// The meaning of an option to a presenter. AppKit infers it from a button's title; titles
        /// can be translated, so here it is declared.
        public enum Role: String, Sendable, CaseIterable {
            /// The expected option: Return chooses it.
            case `default`
            /// Gives up: Escape chooses it. Does not recover.
            case cancel
            /// Destroys something for good: never chosen unless named.
            case destructive
        }

        /// The id that an answer names: stable, language-neutral, unique within its report.
        public var id: String
        /// The text for people; may be rewritten or translated on the way.
        public var title: String
        /// The meaning of the option; nil for an ordinary one.
        public var role: Role?
        /// Whether the option is the default although its role says otherwise, as a destructive
        /// option that Return chooses.
        public var isDeclaredDefault: Bool
        /// Whether an answer of another process needs the signature of a signer that the owner's
        /// node knows, so that no relay in between can choose the option. The owner runs no attempt
        /// for an answer without such a signature.
        public var needsSignature = false
        /// Whether two different people have to choose the option: one proposes, another confirms.
        /// The owner runs no attempt for an answer of another process that does not name both.
        ///
        /// Only a console that knows its users by their sign-in takes such an answer. Terminals,
        /// commands, rules and silences cannot give one.
        public var needsTwoPeople = false
        /// The values that the option asks for, in the order in which people give them; at most
        /// ``ErrorReport/Limits/fieldCount``.
        public var fields: [Field] = []
        /// Keys that this version does not know, unchanged.
        public var unknownKeys: [String: JSONValue]

        /// The option `ok`, which acknowledges without recovery.
        package static var okay: Self { Self(id: "ok", title: "OK", role: .cancel) }

        /// An option without signature, second person and fields; set these properties afterwards.
        public init(id: String, title: String, role: Role? = nil, isDeclaredDefault: Bool = false) {
            self.id = id
            self.title = title
            self.role = role
            self.isDeclaredDefault = isDeclaredDefault || role == .default
            self.unknownKeys = [:]
        }
    }
}

extension ErrorReport {
    /// The options that an answer may name. As in AppKit and HRS, an error without options has one
    /// OK, which does not recover.
    package var offered: [Option] { options.isEmpty ? [.okay] : options }

    /// Whether an answer may name the option with this id.
    package func offers(_ option: String) -> Bool { offered.contains { $0.id == option } }

    /// The ids of the options that need two people.
    package var forTwoPeople: Set<String> { Set(options.filter(\.needsTwoPeople).map(\.id)) }

    /// The fields of each option that asks for values, by the option's id.
    package var fields: [String: [Field]] {
        Dictionary(
            options.lazy.filter { !$0.fields.isEmpty }.map { ($0.id, $0.fields) }
        ) { first, _ in first }
    }
}

extension [ErrorReport.Option] {
    /// The option that Return chooses: the declared default, else the first without a role. A
    /// destructive option only if it is declared.
    public var defaultOption: ErrorReport.Option? {
        first(where: \.isDeclaredDefault) ?? first { $0.role == nil }
    }
}

extension ErrorReport {
    private static let retryCountKey = "retryCount"

    /// The number of earlier presentations of the same operation. A policy sees from the number
    /// that its answer does not help. The report carries it under the key `retryCount`.
    public var retryCount: Int {
        get {
            guard case .integer(let count) = unknownKeys[Self.retryCountKey] else { return 0 }
            return Int(clamping: max(0, count))
        }
        set { unknownKeys[Self.retryCountKey] = newValue > 0 ? .integer(Int64(newValue)) : nil }
    }
}

extension ErrorReport {
    /// The limits of a report. A node refuses a report from a peer beyond them;
    /// ``init(describing:)`` cuts the report of a local error to fit.
    public enum Limits {
        /// The longest payload, in bytes.
        public static let payloadByteCount = JSONLimits.report.byteCount
        /// The deepest nesting of JSON in a payload.
        public static let depth = JSONLimits.report.depth
        /// The longest domain, in Unicode scalars. Errors are counted and grouped by domain and
        /// coalesce key, so both are short.
        public static let domainScalarCount = 256
        /// The longest coalesce key, in Unicode scalars.
        public static let coalesceKeyScalarCount = 256
        /// The most options.
        public static let optionCount = 32
        /// The longest title of an option, in Unicode scalars.
        public static let titleScalarCount = 256
        /// The longest id of an option, in bytes.
        public static let optionIDByteCount = 64
        /// The most fields of an option.
        public static let fieldCount = 8
        /// The most fields of all options together.
        public static let fieldCountOfReport = 32
        /// The longest name of a field, in bytes.
        public static let fieldNameByteCount = 32
        /// The longest value of a field, in Unicode scalars.
        public static let valueScalarCount = 4096
        /// The longest comment of an answer, in bytes of UTF-8.
        public static let commentByteCount = 2048
        /// The most choices of a field.
        public static let choiceCount = 32
        /// The most underlying errors, at any depth.
        public static let underlyingErrorCount = 64
        /// The deepest nesting of underlying errors: as many as fit into ``depth`` with an array
        /// and an object for each.
        public static let underlyingDepth = 15

        /// The limits of a local error, in Unicode scalars and levels: even if every scalar of the
        /// texts is escaped, half of the payload is left to the rest.
        enum Local {
            static let textScalarCount = 4096
            static let helpAnchorScalarCount = 1024
            static let underlyingDepth = 8
            static let userInfoCount = 128
            static let userInfoDepth = 8
            static let keyScalarCount = 128
            /// The longest text of a value that is described as text because it is not JSON.
            static let valueTextScalarCount = 1000
            /// The most of userInfo and underlying errors together, in bytes and in JSON values.
            static let restByteCount = 112 * 1024
            static let restValueCount = 10_000
            /// The most JSON values of one value of userInfo, with everything inside it.
            static let valueCount = 4_000
            /// The most bytes for the names of values that were described or dropped.
            static let noteByteCount = 8 * 1024
        }
    }
}

/// An error with its own report: received, rewritten or made recoverable.
/// `ErrorReport(describing:)` returns that report instead of reading the Foundation protocols.
public protocol ReportableError: Error {
    /// The report of the error. Reading it never fails.
    var report: ErrorReport { get }
}

/// FNV-1a 64 of a report's bytes as the origin sent them: distinguishes a repeated PRESENT from
/// another report under the same id without comparing payloads (docs/wire.md, section 8, rule 1).
/// Not a cryptographic hash.
package struct ReportDigest: Hashable, Sendable, CustomStringConvertible {
    package let value: UInt64

    /// Of an array: a generic function is not specialized for callers in other modules.
    package init(of payload: [UInt8]) {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in payload {
            hash ^= UInt64(byte)
            hash &*= 0x0000_0100_0000_01B3
        }
        value = hash
    }

    /// Reads 16 hexadecimal digits; nil for anything else.
    package init?(_ text: some StringProtocol) {
        var text = String(text)
        guard let digest = text.withUTF8(ReportDigest.init(utf8:)) else { return nil }
        self = digest
    }

    /// Reads the bytes of the digits.
    init?(utf8 text: UnsafeBufferPointer<UInt8>) {
        var value: UInt64 = 0
        guard text.count == UInt64.hexByteCount, value.take(hex: text) else { return nil }
        self.value = value
    }

    package var description: String { value.paddedHex }
}
