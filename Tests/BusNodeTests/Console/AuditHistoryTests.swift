import ErrorBus
import ErrorBusTesting
import Foundation
import Testing

@testable import BusNodeKit

struct AuditHistoryTests {
    private let history = AuditHistory()

    @Test("The latest events come first, and the oldest are forgotten at the limit")
    func ring() {
        let first = PresentationID.make()
        history.record(AuditEvent(.present, first, ["description": "the first"]))
        for number in 1...ConsoleLimits.auditEventMax {
            history.record(AuditEvent(.decide, .make(), ["option": "\(number)"]))
        }
        #expect(history.events(of: first).isEmpty)
        let events = history.events(containing: nil, limit: 10_000)
        #expect(events.count == ConsoleLimits.auditEventMax)
        #expect(events.first?.fields["option"] == "\(ConsoleLimits.auditEventMax)")
        #expect(events.last?.fields["option"] == "1")
    }

    @Test("Search finds kinds, ids and fields, whatever their case")
    func search() {
        let id = PresentationID.make()
        history.record(AuditEvent(.present, id, ["description": "Disk full"]))
        history.record(AuditEvent(.decide, id, ["by": "ann"]))
        for text in ["disk", "ANN", "present", "description", id.description] {
            #expect(!history.events(containing: text, limit: 9).isEmpty, "\(text)")
        }
        #expect(history.events(containing: "bob", limit: 9).isEmpty)
        #expect(history.events(containing: id.description, limit: 1).map(\.event) == ["decide"])
        #expect(history.events(of: id).map(\.event) == ["present", "decide"])
    }

    @Test("The chart has the last hour by minutes")
    func chart() {
        let now = Date(timeIntervalSince1970: 1_000_000_000)
        let id = PresentationID.make()
        let recovered = ["result": "recovered"]
        history.note("present", id, [:], at: now - 3_600)
        history.note("present", id, [:], at: now - 120)
        history.note("decide", id, [:], at: now - 60)
        history.note("done", id, recovered, at: now)
        history.note("done", id, ["result": "failed"], at: now)
        let chart = history.chart(at: now)
        #expect(chart.count == 60)
        #expect(chart.map(\.bucket.presented).reduce(0, +) == 1)
        #expect(chart[57].bucket.presented == 1)
        #expect(chart[58].bucket.answered == 1)
        #expect(chart[59].bucket == AuditHistory.Bucket(recovered: 1, failed: 1))
        #expect(chart[59].at <= now)
    }

    @Test("of a long text its beginning is kept")
    func longText() throws {
        let text = String(repeating: "x", count: 100_000)
        history.note("present", .make(), ["description": text])
        let kept = try #require(history.events(containing: "xxx", limit: 1).first)
        #expect(kept.fields["description"]?.unicodeScalars.count == 1_000)
        #expect(kept.fields["description"]?.hasSuffix("x…") == true)
    }

    @Test(
        "Events as sentences, those that are not known with all their fields",
        arguments: [
            ("report", "Reported by its origin"), ("present", "Presented, offering retry, skip"),
            ("decide", "ann (person) chose retry"), ("done", "retry by ann: recovered"),
            ("leaving", "ann chose retry, held back to undo"), ("undo", "Taken back by ann"),
            ("claim", "Claimed by ann"), ("release", "Released by ann"),
            ("change", "gone by ann"), ("complete", "Completed at its origin: gone"),
            (
                "new",
                "new by=ann option=retry options=retry,skip reason=gone result=recovered "
                    + "silence=3 via=person"
            ),
        ])
    func sentence(event: String, expected: String) {
        let fields = [
            "by": "ann", "option": "retry", "options": "retry,skip", "via": "person",
            "result": "recovered", "reason": "gone", "silence": "3",
        ]
        let noted = AuditHistory.Event(
            time: ManualTime().now.date, event: event, id: .make(), fields: fields)
        #expect(noted.sentence == expected)
    }
}
