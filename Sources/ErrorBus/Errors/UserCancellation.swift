public struct UserCancellation: Sendable {
    public static let standard = UserCancellation()
    public func matches(_ error: any Error) -> Bool {
        let report = ErrorReport(describing: error)
        return report.domain == "NSCocoaErrorDomain" && report.code == 3072
    }
}
