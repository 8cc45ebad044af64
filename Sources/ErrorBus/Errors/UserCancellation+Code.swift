import Foundation

extension UserCancellation {
    /// An error's domain and number.
    public struct Code: Hashable, Sendable {
        public let domain: String
        public let code: Int

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
