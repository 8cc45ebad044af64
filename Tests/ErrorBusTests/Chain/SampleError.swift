@testable import ErrorBus
@testable import ErrorBusCore

/// An error whose every part a test can choose, read the same by any reader of errors.
struct SampleError: ReportableError, Equatable {
    var report: ErrorReport

    init(
        _ description: String = "The sample failed.", domain: String = "sample", code: Int = 1,
        userInfo: [String: JSONValue] = [:]
    ) {
        report = ErrorReport(
            domain: domain, code: code, description: description, userInfo: userInfo)
    }

    /// What AppKit takes for "the user cancelled".
    static var userCancelled: SampleError {
        SampleError("The user cancelled.", domain: "NSCocoaErrorDomain", code: 3072)
    }

    var isFatal: Bool { report.userInfo["fatal"] == .bool(true) }
}
