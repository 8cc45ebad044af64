import ErrorBus
import Foundation
import Testing

@Suite("A16 Which errors are user cancellations")
struct UserCancellationTests {
    struct Custom: CustomNSError {
        static var errorDomain: String { NSCocoaErrorDomain }
        var errorCode: Int { 3072 }
    }
    struct Remote: ReportableError { let report: ErrorReport }
    static let received = ErrorReport(domain: "NSCocoaErrorDomain", code: 3072, description: "")

    @Test(
        "A16 CocoaError, NSError, CustomNSError and a received report match by domain and code",
        arguments: [
            CocoaError(.userCancelled), NSError(domain: NSCocoaErrorDomain, code: 3072), Custom(),
            Remote(report: received),
        ] as [any Error])
    func standard(error: any Error) {
        #expect(UserCancellation.standard.matches(error))
        #expect(UserCancellation.extended.matches(error))
        #expect(UserCancellation.standard.matches(Self.received))
        #expect(!UserCancellation(codes: []).matches(error))
    }

    @Test(
        "A16 A cancelled task or transfer matches only on request",
        arguments: [
            CancellationError(), URLError(.cancelled),
            NSError(domain: NSURLErrorDomain, code: -999),
        ] as [any Error])
    func extended(error: any Error) {
        #expect(!UserCancellation.standard.matches(error))
        #expect(UserCancellation.extended.matches(error))
    }

    @Test(
        "A16 Other errors never match, whatever their texts",
        arguments: [
            CocoaError(.fileNoSuchFile), NSError(domain: "q", code: 3072), URLError(.timedOut),
            NSError(
                domain: NSCocoaErrorDomain, code: 1,
                userInfo: [NSLocalizedDescriptionKey: "Cancelled"]),
            ErrorDescribingTests.Plain.badURLGiven,
            Remote(report: ErrorReport(domain: "NSCocoaErrorDomain", description: "")),
        ] as [any Error])
    func others(error: any Error) {
        #expect(!UserCancellation.extended.matches(error))
    }
}
