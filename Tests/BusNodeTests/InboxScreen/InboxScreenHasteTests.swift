import ErrorBus
import Testing

@testable import BusNodeKit

/// Keys at the full screen that come too soon, twice, or after something has changed.
@Suite struct InboxScreenHasteTests {
    private typealias Fixture = ScreenFixture

    private static func group(_ count: Int) -> [JSONValue] {
        (1...count).map { Fixture.item($0, ["group": 7, "description": "Disk is full"]) }
    }

    /// Claimed by bob for a minute.
    private static func claimed(
        _ number: Int, _ more: [String: JSONValue] = [:]
    ) -> JSONValue {
        let claim: [String: JSONValue] = [
            "stage": "claimed", "claimedBy": "bob",
            "claimedUntil": Fixture.time(secondsAgo: -60),
        ]
        return Fixture.item(number, claim.merging(more) { $1 })
    }

    @Test("the key for all of a group does not also confirm what was not on the screen yet")
    func confirmationAfterScope() {
        var fixture = Fixture(Self.group(3))
        fixture.press(.character("w"), .character("y"))
        #expect(fixture.row(22).hasPrefix("Wipe for all 3?"))
        #expect(fixture.screen.pressed(.character("y"), at: fixture.now).isEmpty)
        #expect(
            fixture.press(.character("y")) == [.send(.answerGroup(7, option: "wipe", seen: 100))])
    }

    @Test("what is confirmed without a link, or once another person has claimed it, is not sent")
    func confirmedTooLate() {
        var fixture = Fixture([Fixture.item(1)])
        fixture.press(.character("w"))
        fixture.screen.lost("refused", at: fixture.now.instant)
        #expect(fixture.press(.character("y")).isEmpty)
        #expect(fixture.row(22) == "no link to the console: nothing can be sent now")
        #expect(fixture.screen.mode == .list)
        fixture = Fixture([Fixture.item(1)])
        fixture.press(.character("w"))
        fixture.change(Self.claimed(1, ["revision": 101]))
        #expect(fixture.press(.character("y")).isEmpty)
        #expect(fixture.row(22) == "claimed by bob: C takes it over")
    }

    @Test("the first member of a group is not answered alone while another person has claimed it")
    func firstOfGroupClaimed() {
        var fixture = Fixture([Self.claimed(1, ["group": 7]), Fixture.item(2, ["group": 7])])
        fixture.press(.character("r"))
        #expect(fixture.row(22).hasPrefix("Retry: all 2 of this group"))
        #expect(fixture.press(.character("o")).isEmpty)
        #expect(fixture.row(22) == "claimed by bob: C takes it over")
    }

    @Test("u undoes the held answer that is on the screen, and no later one, in one request")
    func heldAnswerAtCursor() {
        let answer: JSONValue = ["id": "A", "option": "retry", "by": "bob"]
        var fixture = Fixture([Fixture.item(1, ["stage": "leaving", "answer": answer])])
        let undo = InboxRequest.undo(id: Fixture.id(1), answer: "A")
        #expect(fixture.press(.character("u")) == [.send(undo)])
        #expect(fixture.press(.character("u")).isEmpty)
        fixture.refuse(undo, Failure(.declined, "it has left"))
        #expect(fixture.press(.character("u")) == [.send(undo)])
    }

    @Test("a claim is sent once, until its reply is there")
    func claimedTwice() {
        var fixture = Fixture([Fixture.item(1)])
        let claim = InboxRequest.claim(id: Fixture.id(1), takeOver: false)
        #expect(fixture.press(.character("c")) == [.send(claim)])
        #expect(fixture.press(.character("c")).isEmpty)
        #expect(fixture.press(.character("C")).isEmpty)
        fixture.refuse(claim, Failure(.declined, "claimed by bob"))
        #expect(fixture.press(.character("c")) == [.send(claim)])
    }
}
