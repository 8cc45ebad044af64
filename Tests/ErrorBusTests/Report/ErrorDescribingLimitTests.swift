import ErrorBus
import Foundation
import Testing

@Suite("The report of a local error always fits")
struct ErrorDescribingLimitTests {
    /// Refers to itself, as often as it is asked.
    private struct Cycle: CustomNSError {
        let width: Int
        var errorUserInfo: [String: Any] {
            let errors: [any Error] = Array(repeating: self, count: width)
            return ["NSMultipleUnderlyingErrorsKey": errors]
        }
    }

    private static func extent(_ report: ErrorReport) -> (count: Int, depth: Int) {
        report.underlyingErrors.map(extent).reduce((0, 0)) { sum, inner in
            (sum.0 + 1 + inner.count, max(sum.1, 1 + inner.depth))
        }
    }

    @Test("Cycles end after 8 levels and 64 errors, with a note", arguments: [1, 2, 70])
    func cycles(width: Int) throws {
        let report = ErrorReport(describing: Cycle(width: width))
        let (count, depth) = Self.extent(report)
        #expect(depth == 8)
        #expect(count == (width == 1 ? 8 : 64))
        #expect(String(decoding: report.payload(), as: UTF8.self).contains("undescribed"))
        #expect(try ErrorReport(payload: report.payload()) == report)
    }

    @Test("Texts are cut to their limits")
    func texts() throws {
        let long = String(repeating: "é", count: 10_000)
        let error = NSError(
            domain: long, code: 1,
            userInfo: [
                NSLocalizedDescriptionKey: long, NSLocalizedFailureReasonErrorKey: long,
                NSLocalizedRecoverySuggestionErrorKey: long, NSHelpAnchorErrorKey: long,
                NSLocalizedRecoveryOptionsErrorKey: [long], "text": long,
            ])
        let report = ErrorReport(describing: error)
        #expect(report.domain.unicodeScalars.count == 256)
        #expect(report.description.unicodeScalars.count == 4096)
        #expect(report.description.hasSuffix("é…"))
        #expect(report.failureReason?.unicodeScalars.count == 4096)
        #expect(report.recoverySuggestion?.unicodeScalars.count == 4096)
        #expect(report.helpAnchor?.unicodeScalars.count == 1024)
        #expect(report.options.first?.title.unicodeScalars.count == 256)
        #expect(report.userInfo["text"]?.stringValue?.unicodeScalars.count == 4096)
        #expect(report.undescribed == ["text"])
    }

    @Test("The surplus of a value is cut and listed")
    func values() throws {
        var nested: Any = 1
        for _ in 0..<40 { nested = [nested] }
        var json: JSONValue = 1
        for _ in 0..<40 { json = ["a": json] }
        var userInfo: [String: Any] = [
            "array": Array(repeating: 1, count: 1_000_000), "nested": nested, "json": json,
            String(repeating: "k", count: 5000): 1,
        ]
        for index in 0..<300 { userInfo["z\(index)"] = index }
        let report = ErrorReport(describing: NSError(domain: "q", code: 1, userInfo: userInfo))
        #expect(report.userInfo.count <= 128)
        #expect(report.undescribed.contains("array"))
        #expect(report.undescribed.contains("json"))
        #expect(report.undescribed.contains("nested"))
        #expect(report.undescribed.contains { $0.hasPrefix("kkk") && $0.hasSuffix("…") })
        #expect(try ErrorReport(payload: report.payload()) == report)
    }

    @Test("The largest and worst error fits a payload and can be read back")
    func worst() throws {
        // Every scalar of it takes six bytes in JSON.
        let long = String(repeating: "\u{1}", count: 10_000)
        var userInfo: [String: Any] = [
            NSLocalizedDescriptionKey: long, NSLocalizedFailureReasonErrorKey: long,
            NSLocalizedRecoverySuggestionErrorKey: long, NSHelpAnchorErrorKey: long,
            NSLocalizedRecoveryOptionsErrorKey: Array(repeating: long, count: 50),
        ]
        for index in 0..<200 { userInfo["\(index)" + long.prefix(100)] = long }
        var error = NSError(domain: long, code: 1, userInfo: userInfo)
        for _ in 0..<12 {
            userInfo[NSUnderlyingErrorKey] = error
            userInfo["NSMultipleUnderlyingErrorsKey"] = Array(repeating: error, count: 10)
            error = NSError(domain: long, code: 1, userInfo: userInfo)
        }
        let report = ErrorReport(describing: error)
        let payload = report.payload()
        #expect(payload.count <= ErrorReport.Limits.payloadByteCount)
        #expect(payload.count > ErrorReport.Limits.payloadByteCount / 2)
        #expect(try ErrorReport(payload: payload) == report)
    }
}
