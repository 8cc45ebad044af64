import ErrorBus
import Foundation
import Testing

@Suite("A39 The report of any local error")
struct ErrorDescribingTests {
    struct Both: LocalizedError, CustomNSError, RecoverableError {
        static var errorDomain: String { "com.acme.both" }
        var errorCode: Int { .min }
        var errorUserInfo: [String: Any] {
            ["invoice": 7, NSLocalizedDescriptionKey: "from userInfo"]
        }
        var errorDescription: String? { "The text." }
        var failureReason: String? { "The reason." }
        var recoverySuggestion: String? { "The suggestion." }
        var helpAnchor: String? { "anchor" }
        var recoveryOptions: [String] { ["Retry", "Cancel", "cancel"] }
        func attemptRecovery(optionIndex: Int) -> Bool { false }
    }

    @Test("A39 A type with all three protocols keeps text, options and userInfo")
    func combined() {
        let report = ErrorReport(describing: Both())
        #expect(
            report
                == ErrorReport(
                    domain: "com.acme.both", code: .min, description: "The text.",
                    failureReason: "The reason.", recoverySuggestion: "The suggestion.",
                    helpAnchor: "anchor",
                    options: [
                        .init(id: "option-0", title: "Retry"),
                        .init(id: "option-1", title: "Cancel", role: .cancel),
                        .init(id: "option-2", title: "cancel"),
                    ],
                    userInfo: ["invoice": 7]))
    }

    struct Recoverable: RecoverableError {
        var recoveryOptions: [String] { (0..<40).map { "Option \($0)" } }
        func attemptRecovery(optionIndex: Int) -> Bool { false }
    }

    @Test("A39 RecoverableError alone gives options, at most 32")
    func recoverable() {
        let report = ErrorReport(describing: Recoverable())
        #expect(report.options.count == 32)
        #expect(report.options.last?.id == "option-31")
        #expect(report.domain == "ErrorBusTests.ErrorDescribingTests.Recoverable")
        #expect(report.code == nil)
        #expect(report.description == "Recoverable.")
    }

    enum Plain: Error {
        case fileNotFound(path: String)
        case badURLGiven
        case wrapped(NSError)
        case pair(Int, after: Int?)
    }
    enum Numbered: Int, Error { case low = 7 }
    struct Fields: Error {
        let line = 3
        let name: String? = nil
    }
    struct Spoken: Error, CustomStringConvertible { let description = "It says so." }
    final class Loop: Error, Sendable {
        let me: (@Sendable () -> Loop)? = nil
    }

    // The errors are not arguments of the tests: the testing library asks each argument for its
    // description, and that is what traps in Foundation.
    private static let plainErrors: [(any Error, String, Int?, String)] = [
        (Plain.fileNotFound(path: "/x"), "Plain", nil, "File not found (path: \"/x\")."),
        (Plain.badURLGiven, "Plain", nil, "Bad URL given."),
        (Plain.pair(1, after: nil), "Plain", nil, "Pair (1, after: nil)."),
        (
            Plain.wrapped(NSError(domain: NSPOSIXErrorDomain, code: .max)), "Plain", nil,
            "Wrapped (NSPOSIXErrorDomain error \(Int.max))."
        ),
        (Numbered.low, "Numbered", 7, "Low."),
        (Fields(), "Fields", nil, "Fields (line: 3, name: nil)."),
        (Spoken(), "Spoken", nil, "It says so."),
        (Loop(), "Loop", nil, "Loop (me: nil)."),
    ]

    @Test("Plain Swift errors get a sentence and their type's name", arguments: 0..<8)
    func plain(index: Int) {
        let (error, type, code, description) = Self.plainErrors[index]
        let report = ErrorReport(describing: error)
        #expect(report.domain == "ErrorBusTests.ErrorDescribingTests.\(type)")
        #expect(report.code == code)
        #expect(report.description == description)
    }

    @Test("A type inside a function has a domain without an address")
    func localType() {
        struct Local: Error {}
        let domain = ErrorReport(describing: Local()).domain
        #expect(domain.hasSuffix("Local"))
        #expect(!domain.contains("context"))
    }

    private static var trap: [String: Any] {
        [NSUnderlyingErrorKey: NSError(domain: NSPOSIXErrorDomain, code: .max)]
    }
    private static let foundationErrors: [(any Error, String, Int)] = [
        (CocoaError(.userCancelled), "NSCocoaErrorDomain", 3072),
        (CocoaError(.fileNoSuchFile), "NSCocoaErrorDomain", 4),
        (POSIXError(.ECONNREFUSED), "NSPOSIXErrorDomain", 111),
        (URLError(.cancelled), "NSURLErrorDomain", -999),
        (CancellationError(), "Swift.CancellationError", 1),
        (NSError(domain: "q", code: .min), "q", .min),
        (NSError(domain: NSPOSIXErrorDomain, code: .max), "NSPOSIXErrorDomain", .max),
        (NSError(domain: NSPOSIXErrorDomain, code: .min), "NSPOSIXErrorDomain", .min),
        (NSError(domain: NSPOSIXErrorDomain, code: -1), "NSPOSIXErrorDomain", -1),
        (CocoaError(.fileReadUnknown, userInfo: trap), "NSCocoaErrorDomain", 256),
        (URLError(.timedOut, userInfo: trap), "NSURLErrorDomain", -1001),
        (NSError(domain: NSCocoaErrorDomain, code: 4, userInfo: trap), "NSCocoaErrorDomain", 4),
    ]

    @Test("A39 Foundation's errors keep domain and code", arguments: 0..<12)
    func foundation(index: Int) throws {
        let (error, domain, code) = Self.foundationErrors[index]
        let report = ErrorReport(describing: error)
        #expect(report.domain == domain)
        #expect(report.code == code)
        #expect(!report.description.isEmpty)
        #expect(try ErrorReport(payload: report.payload()) == report)
    }

    @Test("An empty domain is replaced, so that the report can be read")
    func emptyDomain() throws {
        let report = ErrorReport(describing: NSError(domain: "", code: 1))
        #expect(try ErrorReport(payload: report.payload()).domain == "unknown")
    }

    @Test("The description is looked for in AppKit's order")
    func descriptionOrder() {
        func description(_ userInfo: [String: Any]) -> String {
            ErrorReport(describing: NSError(domain: "q", code: 4, userInfo: userInfo)).description
        }
        let why = NSLocalizedFailureReasonErrorKey
        #expect(description([NSLocalizedDescriptionKey: "D.", "NSLocalizedFailure": "F."]) == "D.")
        #expect(description(["NSLocalizedFailure": "F.", why: "R."]) == "F. R.")
        #expect(description(["NSLocalizedFailure": "F."]) == "F.")
        #expect(description([why: "R."]) == "The operation could not be completed. R.")
        #expect(description([:]) == "The operation could not be completed. (q error 4.)")
        #expect(description([NSLocalizedDescriptionKey: 5]).contains("q error 4"))
    }

    @Test("A39 reason, suggestion, failure, anchor, path, URL, encoding, underlying errors")
    func nativeError() throws {
        let inner = NSError(domain: "inner", code: 1, userInfo: ["k": "v"])
        let nested = NSError(domain: "mid", code: 2, userInfo: [NSUnderlyingErrorKey: inner])
        let error = NSError(
            domain: "outer", code: .min,
            userInfo: [
                NSLocalizedDescriptionKey: "D", NSLocalizedFailureReasonErrorKey: "R",
                NSLocalizedRecoverySuggestionErrorKey: "S", "NSLocalizedFailure": "F",
                NSHelpAnchorErrorKey: "H", NSLocalizedRecoveryOptionsErrorKey: ["Go", "Cancel"],
                NSRecoveryAttempterErrorKey: NSObject(), NSFilePathErrorKey: "/tmp/a",
                NSURLErrorKey: URL(fileURLWithPath: "/tmp/b"),
                NSStringEncodingErrorKey: String.Encoding.utf8.rawValue,
                NSUnderlyingErrorKey: nested,
                "NSMultipleUnderlyingErrorsKey": [inner, Plain.badURLGiven] as [any Error],
            ])
        let report = ErrorReport(describing: error)
        #expect(report.failureReason == "R" && report.recoverySuggestion == "S")
        #expect(report.helpAnchor == "H" && report.description == "D" && report.code == .min)
        #expect(report.options.map(\.role) == [nil, .cancel])
        #expect(
            report.userInfo == [
                "localizedFailure": "F", "NSFilePath": "/tmp/a", "NSURL": "file:///tmp/b",
                NSStringEncodingErrorKey: 4,
            ])
        #expect(report.undescribed.isEmpty)
        #expect(report.underlyingErrors.map(\.domain).sorted().contains("mid"))
        #expect(report.underlyingErrors.count == 3)
        let mid = try #require(report.underlyingErrors.first { $0.domain == "mid" })
        #expect(mid.underlyingErrors.first?.userInfo == ["k": "v"])
        #expect(try ErrorReport(payload: report.payload()) == report)
    }

    struct Remote: ReportableError, LocalizedError {
        let report: ErrorReport
        var errorDescription: String? { "not this" }
    }

    @Test("An error with its own report keeps it")
    func reportable() {
        #expect(ErrorReport(describing: Remote(report: .full)) == .full)
        let outer = NSError(
            domain: "o", code: 1, userInfo: [NSUnderlyingErrorKey: Remote(report: .full)])
        #expect(ErrorReport(describing: outer).underlyingErrors == [.full])
    }
}
