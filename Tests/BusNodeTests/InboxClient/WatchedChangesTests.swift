import ErrorBus
import Testing

@testable import BusNodeKit

@Suite struct WatchedChangesTests {
    private func item(_ id: String, _ stage: String, at second: Int) -> JSONValue {
        [
            "id": .string(id), "stage": .string(stage),
            "changedAt": .string("2026-11-25T10:00:\(second).000Z"),
        ]
    }

    private func news(_ watched: inout WatchedChanges, _ items: JSONValue...) -> [String] {
        watched.news(in: ["items": .array(items), "isLast": true]).map { $0.text("id") }
    }

    @Test("After a restart of the console only news are printed")
    func restart() {
        var watched = WatchedChanges()
        watched.begin(["isReset": false])
        #expect(news(&watched, item("a", "open", at: 10), item("b", "open", at: 11)) == ["a", "b"])
        #expect(news(&watched, item("a", "answered", at: 20)) == ["a"])
        // A note: the same time, and printed.
        #expect(news(&watched, item("a", "answered", at: 20)) == ["a"])
        watched.begin(["isReset": true])
        let first = watched.news(in: [
            "items": [item("old", "closed", at: 12), item("a", "answered", at: 20)],
            "isLast": false,
        ])
        #expect(first.isEmpty)
        let rest = news(
            &watched, item("b", "open", at: 11), item("missed", "closed", at: 30),
            item("c", "open", at: 31))
        #expect(rest == ["missed", "c"])
        // From then on all is.
        #expect(news(&watched, item("b", "open", at: 11)) == ["b"])
        watched.begin(["isReset": true])
        #expect(news(&watched, item("b", "settled", at: 40)) == ["b"])
    }

    @Test("An answer that was held at a restart is lost: that its presentation waits is news")
    func heldAtRestart() {
        var watched = WatchedChanges()
        watched.begin(["isReset": false])
        let first = news(&watched, item("a", "leaving", at: 10), item("b", "open", at: 11))
        #expect(first == ["a", "b"])
        watched.begin(["isReset": true])
        let again = news(&watched, item("a", "claimed", at: 10), item("b", "open", at: 11))
        #expect(again == ["a"])
    }
}
