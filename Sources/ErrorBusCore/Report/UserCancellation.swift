import Foundation

/// The errors that count as a user cancellation, as `NSUserCancelledError` does in AppKit. No
/// presenter shows them, they never leave the process, and the caller completes with
/// `userCancelled`.
public struct UserCancellation: Hashable, Sendable {
    /// The domains and codes that count as cancelled.
    public var codes: Set<Code>

    /// A rule with these domains and codes.
    public init(codes: Set<Code>) { self.codes = codes }

    /// AppKit's rule: `NSUserCancelledError` only.
    public static let standard = UserCancellation(codes: [.userCancelled])

    /// AppKit's rule, with a cancelled transfer and a cancelled task as well.
    public static let extended = UserCancellation(
        codes: [.userCancelled, .transferCancelled, .taskCancelled])

    /// Whether the error, a Swift error, an NSError or a received report, is a user cancellation.
    /// Compares domain and code only.
    public func matches(_ error: any Error) -> Bool {
        let identity = ErrorIdentity(error)
        return matches(domain: identity.domain, code: identity.code)
    }

    /// Whether the report describes a user cancellation.
    public func matches(_ report: ErrorReport) -> Bool {
        matches(domain: report.domain, code: report.code)
    }

    private func matches(domain: String, code: Int?) -> Bool {
        guard let code else { return false }
        return codes.contains(Code(domain: domain, code: code))
    }
}

extension UserCancellation {
    /// An error's domain and number.
    public struct Code: Hashable, Sendable {
        /// The domain, as in a report.
        public let domain: String
        /// The number within the domain.
        public let code: Int

        /// A domain and a number.
        public init(domain: String, code: Int) {
            self.domain = domain
            self.code = code
        }

        /// `NSUserCancelledError`: 3072 in `NSCocoaErrorDomain`.
        public static let userCancelled = Code(domain: NSCocoaErrorDomain, code: 3072)
        /// `NSURLErrorCancelled`: -999 in `NSURLErrorDomain`.
        public static let transferCancelled = Code(domain: NSURLErrorDomain, code: -999)
        /// `CancellationError`: 1 in `Swift.CancellationError`.
        public static let taskCancelled = Code(domain: "Swift.CancellationError", code: 1)
    }
}
