import ErrorBusTesting
import Foundation
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

struct SilenceTableTests {
    private var table = SilenceTable()
    private let start = ManualTime().now
    private let report = ErrorReport(
        domain: "com.acme.db", code: 5, description: "x",
        options: [.init(id: "retry", title: "Retry"), .init(id: "skip", title: "Skip")])

    private func request(_ pattern: JSONValue = ["code": 5], option: String? = nil) throws
        -> Silence.Request
    {
        Silence.Request(
            pattern: pattern, match: try RuleMatch(json: pattern), option: option, by: "ann",
            comment: "the disk is being changed")
    }

    @Test("It is in force until its end, or until a person ends it")
    mutating func force() throws {
        let first = try table.added(request(), for: .seconds(60), at: start)
        let second = try table.added(request(), for: .seconds(90), at: start)
        #expect(table.silence(for: report, origin: nil, at: start)?.number == first.number)
        let later = start + .seconds(60)
        #expect(table.silence(for: report, origin: nil, at: later)?.number == second.number)
        let ended = try table.ended(second.number, by: "bob", at: later)
        #expect(ended.endedBy == "bob")
        #expect(ended.endsAt == later)
        #expect(table.silence(for: report, origin: nil, at: later) == nil)
        #expect(throws: SilenceRefusal.ended(second.number, at: later)) {
            try table.ended(second.number, by: "bob", at: later)
        }
        #expect(throws: SilenceRefusal.unknown(9)) { try table.ended(9, by: "bob", at: later) }
    }

    @Test("An end that could not be stored is reverted: it is in force as before")
    mutating func reopened() throws {
        let silence = try table.added(request(), for: .seconds(60), at: start)
        _ = try table.ended(silence.number, by: "bob", at: start + .seconds(1))
        table.reopened(silence)
        let later = start + .seconds(2)
        #expect(table.silence(for: report, origin: nil, at: later) == silence)
        #expect(table.silence(for: report, origin: nil, at: start + .seconds(60)) == nil)
    }

    @Test("F25 The patterns of all active ones have a limit, those of ended ones do not count")
    mutating func costly() throws {
        // 3999 steps: 16 times 249, and the 15 of the last.
        let costly: JSONValue = [
            "domain": .array(Array(repeating: "/(ab?){82}c/", count: 16) + ["/[a-z]{14}/"])
        ]
        let steps = try request(costly).match.stepCount
        #expect((3_950...RuleMatch.stepCountMax).contains(steps))
        let fitting = SilenceTable.stepCountMax / steps
        for _ in 0..<fitting { _ = try table.added(request(costly), for: .seconds(60), at: start) }
        #expect(
            throws: SilenceRefusal.tooCostly(
                found: (fitting + 1) * steps, allowed: SilenceTable.stepCountMax)
        ) { try table.added(request(costly), for: .seconds(60), at: start) }
        _ = try table.added(request(), for: .seconds(60), at: start)
        _ = try table.added(request(costly), for: .seconds(60), at: start + .seconds(60))
    }

    @Test("An error that it does not match is not silenced")
    mutating func others() throws {
        _ = try table.added(
            request(["domain": "com.acme.*", "origin": "worker-*"]), for: .seconds(60), at: start)
        #expect(table.silence(for: report, origin: "worker-1", at: start) != nil)
        #expect(table.silence(for: report, origin: "relay", at: start) == nil)
        #expect(table.silence(for: report, origin: nil, at: start) == nil)
        var other = report
        other.domain = "com.other"
        #expect(table.silence(for: other, origin: "worker-1", at: start) == nil)
    }

    @Test("Its option comes before the report's; with neither offered the error is withheld")
    func options() throws {
        var report = report
        func option(_ named: String?) throws -> String? {
            Silence(
                number: 1, request: try request(option: named), createdAt: start, endsAt: start
            ).option(for: report)
        }
        #expect(try option(nil) == nil)
        #expect(try option("skip") == "skip")
        #expect(try option("wipe") == nil)
        report.onExpiry = "retry"
        #expect(try option(nil) == "retry")
        #expect(try option("skip") == "skip")
        #expect(try option("wipe") == "retry")
        var withholding = try request(option: "skip")
        withholding.onlyWithholds = true
        let silence = Silence(number: 1, request: withholding, createdAt: start, endsAt: start)
        #expect(silence.option(for: report) == nil)
        report.onExpiry = "gone"
        #expect(try option(nil) == nil)
    }

    @Test("Too many, too short, too long, or for everything: refused")
    mutating func limits() throws {
        #expect(throws: SilenceRefusal.matchesEverything) {
            try table.added(request([:]), for: .seconds(60), at: start)
        }
        for duration in [Duration.zero, .milliseconds(999), .seconds(30 * 86_400 + 1)] {
            #expect(throws: SilenceRefusal.duration(SilenceTable.durationRange)) {
                try table.added(request(), for: duration, at: start)
            }
        }
        for _ in 0..<SilenceTable.activeMax {
            _ = try table.added(request(), for: .seconds(60), at: start)
        }
        #expect(throws: SilenceRefusal.tooMany(allowed: SilenceTable.activeMax)) {
            try table.added(request(), for: .seconds(60), at: start)
        }
        let later = start + .seconds(60)
        _ = try table.added(request(), for: .seconds(60), at: later)
        #expect(table.all.count == SilenceTable.endedMax + 1)
    }

    @Test("Of the ended ones the latest are kept")
    mutating func latestEnded() throws {
        let count = SilenceTable.endedMax + 2
        for number in 1...count {
            let now = start + .milliseconds(number)
            let silence = try table.added(request(), for: .seconds(60), at: now)
            _ = try table.ended(silence.number, by: "bob", at: now)
        }
        #expect(table.all.map(\.number) == Array((3...count).reversed()))
        #expect(throws: SilenceRefusal.unknown(2)) { try table.silence(2) }
    }

    @Test("Numbers continue after the stored ones, and counts are kept")
    mutating func restored() throws {
        table.restored(
            [
                Silence(
                    number: 7, request: try request(), createdAt: start,
                    endsAt: start + .seconds(60), withheldCount: 2)
            ], at: start)
        #expect(table.silence(for: report, origin: nil, at: start)?.number == 7)
        table.kept(7, isAnswered: false, at: start)
        table.kept(7, isAnswered: true, at: start)
        #expect(try table.silence(7).withheldCount == 3)
        #expect(try table.silence(7).answeredCount == 1)
        #expect(try table.added(request(), for: .seconds(60), at: start).number == 8)
    }
}
