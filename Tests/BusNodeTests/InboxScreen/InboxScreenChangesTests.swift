import ErrorBus
import Testing

@testable import BusNodeKit

/// What comes from the console while a person looks at the full screen.
@Suite struct InboxScreenChangesTests {
    private typealias Fixture = ScreenFixture

    private static let withdrawn: [String: JSONValue] = [
        "stage": "closed", "reason": "withdrawn", "ending": "withdrawn",
    ]

    @Test("an item that is older than the one on the screen changes nothing")
    func older() {
        var fixture = Fixture([Fixture.item(1)])
        fixture.change(Fixture.item(1, Self.withdrawn.merging(["revision": 105]) { $1 }))
        fixture.reply(
            .claim(id: Fixture.id(1), takeOver: false),
            Fixture.item(1, ["revision": 103, "stage": "claimed", "claimedBy": "ann"]))
        #expect(fixture.screen.rows.isEmpty)
        #expect(fixture.screen.entries[Fixture.id(1)]?.isOpen == false)
    }

    @Test("a member that has ended and come back is answered only once it is on the screen again")
    func cameBack() {
        func member(_ number: Int, _ more: [String: JSONValue] = [:]) -> JSONValue {
            Fixture.item(number, ["group": 7, "description": "Disk"].merging(more) { $1 })
        }
        var fixture = Fixture((1...3).map { member($0) })
        fixture.change(member(3, Self.withdrawn.merging(["revision": 101]) { $1 }))
        fixture.wait(.seconds(1))
        fixture.change(member(3, ["revision": 102]))
        #expect(fixture.screen.pressed(.character("r"), at: fixture.now).isEmpty)
        fixture.draw()
        #expect(fixture.row(22).hasPrefix("Retry: all 2 of this group"))
        fixture.press(.escape, .character("r"))
        #expect(fixture.row(22).hasPrefix("Retry: all 3 of this group"))
    }

    @Test("of what ends, the status line names only the presentation on the screen")
    func endOfAnother() {
        var fixture = Fixture([Fixture.item(1), Fixture.item(2)])
        fixture.wait(.seconds(1))
        fixture.change(Fixture.item(2, Self.withdrawn.merging(["revision": 101]) { $1 }))
        fixture.draw()
        #expect(fixture.row(22) == "")
        fixture.change(Fixture.item(1, Self.withdrawn.merging(["revision": 102]) { $1 }))
        fixture.draw()
        #expect(fixture.row(22) == "withdrawn: Disk 1 is full")
    }

    @Test("results are counted for one group, and anew once the last message is over")
    func counted() {
        func recovered(_ number: Int, in group: Int64) -> JSONValue {
            Fixture.item(
                number,
                [
                    "group": .integer(group), "revision": .integer(Int64(200 + number)),
                    "stage": "settled", "ending": "recovered", "outcome": "Recovered",
                    "answer": ["option": "retry", "by": "ann"], "description": "Disk is full",
                ])
        }
        var fixture = Fixture(
            (1...3).map { Fixture.item($0, ["group": 7]) } + [Fixture.item(4, ["group": 8])])
        fixture.change(recovered(1, in: 7))
        fixture.change(recovered(4, in: 8))
        fixture.draw()
        #expect(fixture.row(22) == "Recovered: Disk is full")
        fixture.change(recovered(2, in: 7))
        fixture.wait(.seconds(9))
        fixture.change(recovered(3, in: 7))
        fixture.draw()
        #expect(fixture.row(22) == "Recovered: Disk is full")
    }

    @Test("a presentation that only the journal has is not read again until it changes")
    func archived() {
        var fixture = Fixture([Fixture.item(1)])
        let past: JSONValue = ["id": .string(Fixture.id(1)), "archived": true, "stage": "settled"]
        fixture.screen.replied(
            to: .detail(id: Fixture.id(1)), .success(past), at: fixture.now)
        #expect(fixture.draw().isEmpty)
        fixture.change(Fixture.item(1, ["revision": 101]))
        #expect(fixture.draw() == [.send(.detail(id: Fixture.id(1)))])
    }

    @Test("a link that stays lost has the time of its loss, and the latest reason")
    func lostSince() {
        var fixture = Fixture([Fixture.item(1)])
        fixture.screen.lost("Connection refused", at: fixture.now.instant)
        fixture.wait(.seconds(5))
        fixture.screen.lost("no such host", at: fixture.now.instant)
        fixture.draw()
        #expect(fixture.row(0).hasSuffix("no link for 5 s"))
        #expect(fixture.row(22).hasPrefix("No link: no such host. Trying again"))
    }

    @Test("a stream that starts over empties the screen, which knows that an answer was lost")
    func startsOver() {
        let answer: JSONValue = ["id": "A", "option": "retry", "by": "ann"]
        var fixture = Fixture([
            Fixture.item(1, ["stage": "leaving", "answer": answer]), Fixture.item(2),
        ])
        fixture.screen.greeted(["node": "central", "startedAt": "later", "isReset": true])
        fixture.draw()
        #expect(fixture.screen.entries.isEmpty)
        #expect(fixture.text.contains("Nothing waits for an answer"))
        fixture.change(Fixture.item(1, ["revision": 101]))
        fixture.draw()
        #expect(fixture.row(22) == "the console restarted; your answer is lost: Disk 1 is full")
        fixture.screen.greeted(["node": "central", "startedAt": "later", "isReset": false])
        #expect(fixture.screen.entries.count == 1)
    }

    @Test("a message is there for 8 s")
    func messageTime() {
        var fixture = Fixture([Fixture.item(1)])
        fixture.press(.paste("r"))
        fixture.wait(InboxScreen.messageTime - .milliseconds(1))
        #expect(fixture.row(22) == "pasted text is ignored")
        fixture.wait(.milliseconds(1))
        #expect(fixture.row(22) == "")
    }

    @Test("once nothing waits, the cursor goes to the most severe of what comes next")
    func cursorOfEmptyList() {
        var fixture = Fixture([Fixture.item(1)])
        fixture.press(.down)
        fixture.change(Fixture.item(1, Self.withdrawn.merging(["revision": 101]) { $1 }))
        fixture.draw()
        fixture.change(Fixture.item(2, ["revision": 102, "severity": "info"]))
        fixture.draw()
        fixture.change(Fixture.item(3, ["revision": 103, "severity": "critical"]))
        fixture.draw()
        #expect(fixture.screen.chosen?.id == Fixture.id(3))
    }
}
