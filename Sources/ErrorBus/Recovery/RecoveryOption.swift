/// An option together with its action: `RecoveryOption("Overwrite", id: "overwrite", role:
/// .destructive) { try await store.overwrite(path); return true }`.
public struct RecoveryOption: Sendable {
    /// The place of added options among those of an error: before the others, or after them.
    public enum Place: Sendable {
        case first, last
    }

    /// The action of the option. True means that the original call is safe to send again.
    public typealias Attempt = @Sendable () async throws -> Bool

    /// The action of an option with fields; it gets their values.
    public typealias AttemptWithValues = @Sendable (FieldValues) async throws -> Bool

    /// The option in the form that presenters show and answers name.
    public let option: ErrorReport.Option
    let attempt: AttemptWithValues

    /// An option with its action.
    ///
    /// - Parameters:
    ///   - title: The text for people.
    ///   - id: Stable and language-neutral: 1 to 64 of `A-Z a-z 0-9 . _ -`. Answers name it.
    ///   - role: The role; nil for an ordinary option.
    ///   - isDeclaredDefault: Whether Return chooses this option although its role says otherwise.
    ///   - needsSignature: Whether an answer of another process needs the signature of a signer,
    ///     ``ErrorReport/Option/needsSignature``.
    ///   - needsTwoPeople: Whether two different people have to choose it,
    ///     ``ErrorReport/Option/needsTwoPeople``.
    ///   - attempt: Runs in this process when the option is chosen, at most once for each answer.
    public init(
        _ title: String, id: String, role: ErrorReport.Option.Role? = nil,
        isDeclaredDefault: Bool = false, needsSignature: Bool = false,
        needsTwoPeople: Bool = false,
        attempt: @escaping Attempt
    ) {
        self.init(
            title, id: id, role: role, isDeclaredDefault: isDeclaredDefault,
            needsSignature: needsSignature, needsTwoPeople: needsTwoPeople, fields: []
        ) { _ in try await attempt() }
    }

    /// An option that asks for values.
    ///
    /// - Parameters:
    ///   - title: The text for people.
    ///   - id: Stable and language-neutral: 1 to 64 of `A-Z a-z 0-9 . _ -`. Answers name it.
    ///   - role: The role; nil for an ordinary option.
    ///   - isDeclaredDefault: Whether Return chooses this option although its role says otherwise.
    ///   - needsSignature: Whether an answer of another process needs the signature of a signer,
    ///     ``ErrorReport/Option/needsSignature``.
    ///   - needsTwoPeople: Whether two different people have to choose it,
    ///     ``ErrorReport/Option/needsTwoPeople``.
    ///   - fields: The values that the option asks for, in the order in which people give them; at
    ///     most ``ErrorReport/Limits/fieldCount``. A parent refuses a report with fields that break
    ///     a limit.
    ///   - attempt: Runs in this process when the option is chosen, at most once for each answer.
    ///     The closure gets the checked values, and defaults in place of missing values.
    public init(
        _ title: String, id: String, role: ErrorReport.Option.Role? = nil,
        isDeclaredDefault: Bool = false, needsSignature: Bool = false,
        needsTwoPeople: Bool = false, fields: [ErrorReport.Field],
        attempt: @escaping AttemptWithValues
    ) {
        var option = ErrorReport.Option(
            id: id, title: title, role: role, isDeclaredDefault: isDeclaredDefault)
        option.needsSignature = needsSignature
        option.needsTwoPeople = needsTwoPeople
        option.fields = fields
        self.init(option, attempt: attempt)
    }

    private init(_ option: ErrorReport.Option, attempt: @escaping AttemptWithValues) {
        self.option = option
        self.attempt = attempt
    }

    /// The option `cancel`, which gives up without recovery. An error that is repeated needs such
    /// an option as a way out.
    public static var cancel: RecoveryOption { .cancel("Cancel") }

    /// ``cancel`` under another title.
    public static func cancel(_ title: String) -> RecoveryOption {
        RecoveryOption(title, id: "cancel", role: .cancel) { false }
    }

    /// The option `ok`, which acknowledges without recovery: the only option of an error without
    /// options.
    public static var okay: RecoveryOption { RecoveryOption(.okay) { _ in false } }
}

/// The collector of the options of `error.recoverable { ... }`, with `if`, `if else` and `for`.
@resultBuilder
public enum RecoveryOptionBuilder {
    public static func buildExpression(_ option: RecoveryOption) -> [RecoveryOption] { [option] }
    public static func buildExpression(_ options: [RecoveryOption]) -> [RecoveryOption] { options }
    public static func buildBlock(_ parts: [RecoveryOption]...) -> [RecoveryOption] {
        parts.flatMap { $0 }
    }
    public static func buildOptional(_ part: [RecoveryOption]?) -> [RecoveryOption] { part ?? [] }
    public static func buildEither(first: [RecoveryOption]) -> [RecoveryOption] { first }
    public static func buildEither(second: [RecoveryOption]) -> [RecoveryOption] { second }
    public static func buildArray(_ parts: [[RecoveryOption]]) -> [RecoveryOption] {
        parts.flatMap { $0 }
    }
}
