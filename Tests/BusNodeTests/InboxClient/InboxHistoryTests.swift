import ErrorBus
import Testing

@testable import bus_node

@Suite struct InboxHistoryTests {
    @Test(
        "events as sentences, those that are not known with all their fields",
        arguments: [
            ("report", "reported by its origin"), ("present", "presented, offering retry"),
            ("decide", "ann (person) chose retry"), ("done", "retry by ann: recovered"),
            ("leaving", "ann chose retry, held back to undo"), ("undo", "taken back by ann"),
            ("claim", "claimed by ann"), ("release", "released by ann"),
            ("change", "gone by ann"),
            ("complete", "completed at its origin: gone"),
            (
                "new",
                "new by=ann option=retry options=retry reason=gone result=recovered "
                    + "silence=3 via=person"
            ),
        ])
    func sentence(event: String, expected: String) {
        let json: JSONValue = [
            "event": .string(event),
            "fields": [
                "by": "ann", "option": "retry", "options": "retry", "via": "person",
                "result": "recovered", "reason": "gone", "silence": "3",
            ],
        ]
        #expect(InboxHistory.sentence(json) == expected)
    }

    @Test("what is no event is empty, not trapped on")
    func nonsense() {
        for value: JSONValue in [nil, 1, [], ["fields": 3]] {
            #expect(InboxHistory.sentence(value).isEmpty)
        }
    }
}
