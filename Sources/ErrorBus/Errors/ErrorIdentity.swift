import Foundation

/// An error's domain and code, read without casting it to NSError: on Linux the cast loses text
/// and options, and hashing what comes of it traps.
struct ErrorIdentity: Hashable, Sendable {
    let domain: String
    /// Nil for an error that has no number of its own. The number that Foundation would make up
    /// is the position of the case, which the next edit changes.
    let code: Int?

    init(domain: String, code: Int?) {
        self.domain = domain
        self.code = code
    }

    init(_ error: any Error) {
        if let error = error as? any ReportableError {
            let report = error.report
            self.init(domain: report.domain, code: report.code)
        } else if let error = NSError.made(error) {
            self.init(domain: error.domain, code: error.code)
        } else if let error = error as? any CustomNSError {
            self.init(domain: Self.domain(of: error), code: error.errorCode)
        } else if error is CancellationError {
            self = .taskCancelled
        } else {
            let raw = (error as? any RawRepresentable)?.rawValue as? any BinaryInteger
            self.init(
                domain: Self.typeName(of: error), code: raw.flatMap { Self.int($0) })
        }
    }

    /// What a cancelled task throws, under the name Foundation gives it.
    static let taskCancelled = ErrorIdentity(domain: "Swift.CancellationError", code: 1)

    private static func int(_ value: some BinaryInteger) -> Int? { Int(exactly: value) }

    private static func domain(of error: some CustomNSError) -> String {
        let domain = type(of: error).errorDomain
        // The default domain is the type's name, with the same unstable parts.
        return domain.isEmpty || domain == String(reflecting: type(of: error))
            ? typeName(of: error) : domain
    }

    /// The type's name with its module. A type inside a function has its function's address in
    /// its name, which changes with every start: that part is left out.
    static func typeName(of value: Any) -> String {
        let name = String(reflecting: type(of: value))
        guard name.contains("(unknown context") else { return name }
        return name.split(separator: ".").filter { !$0.hasPrefix("(unknown context") }
            .joined(separator: ".")
    }
}
