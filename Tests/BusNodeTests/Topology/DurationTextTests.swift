import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

@Suite struct DurationTextTests {
    @Test(arguments: [
        ("250ms", Duration.milliseconds(250)), ("30s", .seconds(30)), ("10m", .seconds(600)),
        ("1h", .seconds(3600)), ("2d", .seconds(172_800)), ("0s", .zero),
        ("3650d", .seconds(3650 * 86_400)),
    ])
    func valid(text: String, expected: Duration) {
        #expect(DurationText.read(text) == expected)
        #expect(DurationText.read(DurationText.text(expected)) == expected)
    }

    @Test("The largest unit without a remainder, for each number of days")
    func largest() {
        for days in 1...DurationText.dayCountMax {
            #expect(DurationText.text(.seconds(days * 86_400)) == "\(days)d")
            #expect(DurationText.text(.seconds(days * 86_400 + 3_600)) == "\(days * 24 + 1)h")
            #expect(DurationText.text(.milliseconds(days * 1_000 + 1)) == "\(days * 1_000 + 1)ms")
        }
    }

    @Test(arguments: [
        "", "10", "s", "10 s", "-1s", "+1s", "1.5s", "1w", "10S", "3651d", "999999999999h",
        "99999999999999999999s", "1h30m", "٣s",
    ])
    func invalid(text: String) {
        #expect(DurationText.read(text) == nil)
    }
}
