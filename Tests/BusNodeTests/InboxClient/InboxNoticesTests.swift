import ErrorBus
import Foundation
import Testing

@testable import BusNodeKit

struct InboxNoticesTests {
    private func now() throws -> Date {
        try Date("2026-11-21T10:00:00Z", strategy: .iso8601)
    }

    private func item(_ fields: [String: JSONValue]) -> PresentationView? {
        let id: [String: JSONValue] = ["id": "01920000-0000-7000-8000-0000deadbeef"]
        return PresentationView(json: .object(id.merging(fields) { $1 }))
    }

    @Test("A held answer has its time and how it is taken back; a sent one has neither")
    func held() throws {
        let held = item([
            "stage": "leaving", "leavesAt": "2026-11-21T10:00:10.500Z",
            "answer": ["option": "re\u{1B}try", "by": "ann"],
        ])
        #expect(
            InboxNotices.held(held, at: try now())
                == "re\\u{1B}try is held until 10:00:10 UTC, then sent; bus-node inbox undo "
                + "deadbeef takes it back")
        let sent = item(["stage": "answered", "answer": ["option": "retry", "by": "ann"]])
        #expect(InboxNotices.held(sent, at: try now()) == nil)
        #expect(InboxNotices.held(nil, at: try now()) == nil)
    }

    @Test("An undone answer was taken back, and leaves its author the claim")
    func undone() throws {
        let claimed = item([
            "stage": "claimed", "claimedBy": "b\u{1B}ob",
            "claimedUntil": "2026-11-22T00:01:00.000Z",
        ])
        let taken = "the answer was taken back, and was not sent"
        #expect(
            InboxNotices.undone(claimed, at: try now())
                == "\(taken); b\\u{1B}ob has the claim until 2026-11-22 00:01:00 UTC")
        #expect(InboxNotices.undone(item(["stage": "open"]), at: try now()) == taken)
    }

    @Test("A new silence has its conditions and its end")
    func silenced() throws {
        var silence = SilenceView()
        silence.match = ["domain": "com.acme.\u{1B}db", "origin": ["a", "b"]]
        silence.endsAt = "2026-11-21T12:00:00.000Z"
        #expect(
            InboxNotices.silenced(silence, at: try now())
                == "silenced until 12:00:00 UTC: domain=com.acme.\\u{1B}db origin=a|b")
    }

    @Test("A preview says that a silence ends what is open only if it is asked to")
    func preview() {
        let reply: JSONValue = ["open": 3, "answered": 1, "withheld": 1]
        let ended = "end 3 open presentations, 1 answered, 1 withheld, 1 left to people"
        #expect(
            InboxNotices.previewed(open: 3, reply, alsoOpen: false)
                == "with --also-open it would \(ended)")
        #expect(
            InboxNotices.previewed(open: 3, reply, alsoOpen: true) == "it would \(ended)")
    }
}
