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
