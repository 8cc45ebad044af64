/// Why a JSON value is not an error report: which field, what was found, what is allowed.
public struct ReportError: Error, Hashable, Sendable {
    /// The path to the field, as `recoveryOptions[1].title`; empty for the report itself.
    public let field: String
    /// What stood there, in words. Never more of a value than its kind or a short, escaped text.
    public let found: String
    /// What may stand there, in words.
    public let allowed: String
    /// The fault in the bytes, when they were no JSON at all.
    public let cause: JSONError?

    init(_ field: String, found: String, allowed: String, cause: JSONError? = nil) {
        self.field = field
        self.found = found
        self.allowed = allowed
        self.cause = cause
    }

    init(_ cause: JSONError) {
        self.init(
            "", found: "not usable JSON (byte \(cause.offset): \(cause.reason))",
            allowed: "one JSON object of at most \(ErrorReport.Limits.payloadByteCount) bytes",
            cause: cause)
    }

    /// The same fault seen from outside `container`.
    func within(_ container: String) -> ReportError {
        let path = field.isEmpty ? container : "\(container).\(field)"
        return ReportError(path, found: found, allowed: allowed, cause: cause)
    }
}

extension ReportError: CustomStringConvertible {
    /// One sentence, safe to print.
    public var description: String {
        let subject = field.isEmpty ? "The report" : "The report's `\(field)`"
        return "\(subject) is \(found); allowed: \(allowed)."
    }
}
