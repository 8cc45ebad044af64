import ErrorBusTesting
import Foundation
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// Comparing and hashing Unicode text takes quadratic time in a row of combining marks, and both
/// are done everywhere, also under locks. So no text from elsewhere may hold a long one.
@Suite("Texts that are slow to compare and to hash")
struct HostileTextTests {
    /// In no canonical order: the worst there is.
    private static func marks(_ count: Int) -> String {
        "e" + (0..<count).map { $0 % 2 == 0 ? "\u{301}" : "\u{316}" }.joined()
    }

    /// Each place of a report where a text can stand; `%` is the text.
    private static let places = [
        #"{"domain":"%","description":"x"}"#, #"{"domain":"d","description":"%"}"#,
        #"{"domain":"d","description":"x","failureReason":"%"}"#,
        #"{"domain":"d","description":"x","recoverySuggestion":"%"}"#,
        #"{"domain":"d","description":"x","helpAnchor":"%"}"#,
        #"{"domain":"d","description":"x","severity":"%"}"#,
        #"{"domain":"d","description":"x","occurredAt":"%"}"#,
        #"{"domain":"d","description":"x","retryOf":"%"}"#,
        #"{"domain":"d","description":"x","coalesceKey":"%"}"#,
        #"{"domain":"d","description":"x","onExpiry":"%"}"#,
        #"{"domain":"d","description":"x","undescribed":["%"]}"#,
        #"{"domain":"d","description":"x","recoveryOptions":[{"id":"%","title":"x"}]}"#,
        #"{"domain":"d","description":"x","recoveryOptions":[{"id":"a","title":"%"}]}"#,
        #"{"domain":"d","description":"x","recoveryOptions":[{"id":"a","title":"","role":"%"}]}"#,
        #"{"domain":"d","description":"x","recoveryOptions":[{"id":"a","title":"","icon":"%"}]}"#,
        #"{"domain":"d","description":"x","userInfo":{"a":"%"}}"#,
        #"{"domain":"d","description":"x","userInfo":{"a":[{"b":"%"}]}}"#,
        #"{"domain":"d","description":"x","userInfo":{"%":1}}"#,
        #"{"domain":"d","description":"x","userInfo":{"a":{"%":1}}}"#,
        #"{"domain":"d","description":"x","underlyingErrors":[{"domain":"%","description":""}]}"#,
        #"{"domain":"d","description":"x","underlyingErrors":[{"domain":"e","description":"%"}]}"#,
        #"{"domain":"d","description":"x","changes":[{"by":"%"}]}"#,
        #"{"domain":"d","description":"x","unheardOf":"%"}"#,
        #"{"domain":"d","description":"x","%":1}"#,
    ]

    @Test("A long row of marks is refused wherever a text can stand", arguments: places)
    func refused(place: String) {
        let escaped = Self.marks(129).unicodeScalars
            .map { $0.isASCII ? String($0) : "\\u0" + String($0.value, radix: 16) }.joined()
        for text in [Self.marks(129), escaped] {
            let payload = Array(place.replacingOccurrences(of: "%", with: text).utf8)
            let error = #expect(throws: ReportError.self) { try ErrorReport(payload: payload) }
            #expect(error?.cause?.reason == .tooManyMarks(limit: 128))
        }
    }

    @Test("128 marks in a row are read, any number of times")
    func read() throws {
        let text = Self.marks(128) + Self.marks(128) + "x" + Self.marks(128)
        let report = ErrorReport(domain: "d", description: text)
        #expect(try ErrorReport(payload: report.payload()).description == text)
    }

    @Test(
        "A domain and a coalesceKey are short, also in underlying errors",
        arguments: [
            #"{"domain":"%","description":"x"}"#,
            #"{"domain":"d","description":"x","coalesceKey":"%"}"#,
            #"{"domain":"d","description":"x","underlyingErrors":"#
                + #"[{"domain":"%","description":"x"}]}"#,
        ])
    func short(place: String) throws {
        func payload(_ count: Int) -> [UInt8] {
            let text = String(repeating: "é", count: count)
            return Array(place.replacingOccurrences(of: "%", with: text).utf8)
        }
        #expect(throws: Never.self) { try ErrorReport(payload: payload(256)) }
        let error = #expect(throws: ReportError.self) { try ErrorReport(payload: payload(257)) }
        #expect(error?.found == "257 scalars")
        #expect(error?.allowed == "at most 256")
    }

    @Test("The worst report that is accepted is cheap in every use")
    func cost() throws {
        let limits = ErrorReport.Limits.self
        let worst = String(repeating: Self.marks(128), count: 750)
        func cut(_ count: Int) -> String { String(worst.unicodeScalars.prefix(count)) }
        var report = ErrorReport(
            domain: cut(limits.domainScalarCount), code: 1, description: worst,
            options: [.init(id: "a", title: cut(limits.titleScalarCount))])
        report.coalesceKey = cut(limits.coalesceKeyScalarCount)
        let payload = report.payload()
        #expect(payload.count > 190_000)
        let before = Self.threadTime()
        let read = try ErrorReport(payload: payload)
        var other = read
        other.description = "a" + String(worst.unicodeScalars.dropFirst())
        // Not compared within #expect, which would print them.
        let isEqual = read == other
        let isBefore = other.description < read.description
        let isPrefixed = read.description.hasPrefix("zz")
        let reports = Set([read, other]).count
        let keys = Set([CoalescingKey(read), CoalescingKey(other)]).count
        #expect(!isEqual && isBefore && !isPrefixed)
        #expect((reports, keys) == (2, 1))
        var limiter = IntensityLimiter()
        let key = IntensityLimiter.Key(rule: 1, domain: read.domain, code: 1, origin: nil)
        let once = IntensityLimit(1, per: .seconds(1))
        let use = limiter.use(key, within: once, at: ManualTime().now.instant)
        #expect(use == .permitted)
        // Without the limits each comparison and each hash above takes more than a second.
        #expect(Self.threadTime() - before < .seconds(1))
    }

    @Test("A local error's texts are made fit to be sent")
    func local() throws {
        let flood = Self.marks(5_000)
        let error = NSError(
            domain: flood, code: 1,
            userInfo: [
                NSLocalizedDescriptionKey: flood, NSLocalizedFailureReasonErrorKey: flood,
                NSLocalizedRecoverySuggestionErrorKey: flood, NSHelpAnchorErrorKey: flood,
                NSLocalizedRecoveryOptionsErrorKey: [flood], "text": Self.marks(200),
                "list": [Self.marks(200)], "nested": JSONValue.string(flood), flood: 1,
                "url": URL(string: "https://acme.example/\(Self.marks(200))") as Any,
                "odd": [flood: Date.distantPast], "described": ObjectIdentifier(Self.self),
                NSUnderlyingErrorKey: NSError(
                    domain: flood, code: 2, userInfo: [NSLocalizedDescriptionKey: flood]),
            ])
        let report = ErrorReport(describing: error)
        #expect(try ErrorReport(payload: report.payload()) == report)
        #expect(report.description == Self.marks(128))
        #expect(report.undescribed.contains("text"))
    }

    /// What this thread has worked, whatever else the machine does.
    private static func threadTime() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
