/// A choice together with what it does: `RecoveryOption("Overwrite", id: "overwrite", role:
/// .destructive) { try await store.overwrite(path); return true }`.
public struct RecoveryOption: Sendable {
    /// Where options stand that are added to those of an error.
    public enum Place: Sendable {
        case first, last
    }

    /// What the choice does. True means that the original call is safe to send again.
    public typealias Attempt = @Sendable () async throws -> Bool

    /// The choice as it is shown and answered.
    public let option: ErrorReport.Option
    let attempt: Attempt

    /// - Parameters:
    ///   - title: What people read.
    ///   - id: Stable and language-neutral: 1 to 64 of `A-Z a-z 0-9 . _ -`. Answers name it.
    ///   - role: What the choice means; nil for an ordinary one.
    ///   - isDeclaredDefault: Return takes this choice although its role says otherwise.
    ///   - attempt: Runs in this process when the option is chosen, at most once an answer.
    public init(
        _ title: String, id: String, role: ErrorReport.Option.Role? = nil,
        isDeclaredDefault: Bool = false, attempt: @escaping Attempt
    ) {
        option = .init(id: id, title: title, role: role, isDeclaredDefault: isDeclaredDefault)
        self.attempt = attempt
    }

    /// Gives up. Recovers nothing; without such a choice no person can leave the circle of present,
    /// retry and fail.
    public static var cancel: RecoveryOption { .cancel("Cancel") }

    /// ``cancel`` under another title.
    public static func cancel(_ title: String) -> RecoveryOption {
        RecoveryOption(title, id: "cancel", role: .cancel) { false }
    }

    /// Acknowledges. What an error without options gets.
    public static var okay: RecoveryOption {
        RecoveryOption("OK", id: "ok", role: .cancel) { false }
    }
}

/// Collects the options of `error.recoverable { ... }`, with `if`, `if else` and `for`.
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
