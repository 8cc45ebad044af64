import Foundation
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite struct RuleScheduleTests {
    private static let work: Set<RuleSchedule.Day> = [
        .monday, .tuesday, .wednesday, .thursday, .friday,
    ]

    private func schedule(
        _ days: Set<RuleSchedule.Day>, _ hours: (Int, Int)?, _ zone: String
    ) throws -> RuleSchedule {
        RuleSchedule(
            days: days,
            hours: try hours.map { try #require(RuleSchedule.Hours(from: $0.0, to: $0.1)) },
            timeZone: try #require(TimeZone(identifier: zone)))
    }

    private func date(_ text: String) throws -> Date { try Date(text, strategy: .iso8601) }

    @Test(
        "work hours by the wall clock, in winter and in summer",
        arguments: [
            ("2026-11-20T07:59:59Z", false), ("2026-11-20T08:00:00Z", true),
            ("2026-11-20T15:59:59Z", true), ("2026-11-20T16:00:00Z", false),
            ("2026-11-21T10:00:00Z", false), ("2026-11-22T10:00:00Z", false),
            ("2026-07-20T07:00:00Z", true), ("2026-07-20T15:00:00Z", false),
        ])
    func workHours(at text: String, isIn: Bool) throws {
        let schedule = try schedule(Self.work, (9 * 60, 17 * 60), "Europe/Berlin")
        #expect(schedule.contains(try date(text)) == isIn)
    }

    @Test(
        "hours past midnight belong to the day on which they begin",
        arguments: [
            ("2026-11-20T21:59:00Z", false), ("2026-11-20T22:00:00Z", true),
            ("2026-11-21T05:59:00Z", true), ("2026-11-21T06:00:00Z", false),
            ("2026-11-21T22:00:00Z", false), ("2026-11-20T03:00:00Z", false),
        ])
    func night(at text: String, isIn: Bool) throws {
        let schedule = try schedule([.friday], (22 * 60, 6 * 60), "UTC")
        #expect(schedule.contains(try date(text)) == isIn)
    }

    @Test("without hours all day, up to 24:00 to the last minute")
    func wholeDay() throws {
        let day = try schedule([.sunday], nil, "UTC")
        #expect(day.contains(try date("2026-11-22T00:00:00Z")))
        #expect(day.contains(try date("2026-11-22T23:59:59Z")))
        #expect(!day.contains(try date("2026-11-23T00:00:00Z")))
        let late = try schedule([.sunday], (23 * 60, 24 * 60), "UTC")
        #expect(late.contains(try date("2026-11-22T23:59:59Z")))
        #expect(!late.contains(try date("2026-11-23T00:00:00Z")))
        #expect(late.description == "sun 23:00-24:00 GMT")
    }

    @Test(
        "invalid hours", arguments: [(0, 0), (-1, 5), (5, 1441), (1440, 5), (60, 60)])
    func noHours(start: Int, end: Int) {
        #expect(RuleSchedule.Hours(from: start, to: end) == nil)
    }
}
