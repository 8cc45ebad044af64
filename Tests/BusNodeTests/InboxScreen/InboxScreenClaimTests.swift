import ErrorBus
import Testing

@testable import BusNodeKit

/// Claims at the full screen that are prolonged, or handed to another person.
@Suite struct InboxScreenClaimTests {
    private typealias Fixture = ScreenFixture

    /// Claimed by this person, for so many seconds.
    private static func claimed(
        _ number: Int, for seconds: Double = 60, _ more: [String: JSONValue] = [:]
    ) -> JSONValue {
        let claim: [String: JSONValue] = [
            "stage": "claimed", "claimedBy": "ann",
            "claimedUntil": Fixture.time(secondsAgo: -seconds),
        ]
        return Fixture.item(number, claim.merging(more) { $1 })
    }

    private func type(_ text: String, _ fixture: inout Fixture) {
        for character in text { fixture.press(.character(character)) }
    }

    @Test("C prolongs one's own claim, also of a group, makes none shorter, and takes over none")
    func prolonged() {
        var fixture = Fixture([Self.claimed(1)])
        #expect(
            fixture.press(.character("C")) == [.send(.claim(id: Fixture.id(1), takeOver: false))])
        func group(_ seconds: Double...) -> [JSONValue] {
            seconds.enumerated().map { index, time in
                Self.claimed(index + 1, for: time, ["group": 7, "description": "Disk is full"])
            }
        }
        fixture = Fixture(group(60, 90))
        #expect(
            fixture.press(.character("C"))
                == [.send(.claimGroup(7, takeOver: false, seen: 100))])
        for items in [[Self.claimed(1, for: 1_800)], group(1_200, 1_800)] {
            fixture = Fixture(items)
            #expect(fixture.press(.character("C")).isEmpty)
            #expect(fixture.row(22) == "you have claimed it for longer than 15 min")
        }
        fixture = Fixture(group(60, 1_800))
        #expect(
            fixture.press(.character("C"))
                == [.send(.claimGroup(7, takeOver: false, seen: 100, ids: [Fixture.id(1)]))])
    }

    @Test("A claim of a group leaves out the members that are this person's for longer")
    func longer() {
        let ofGroup: [String: JSONValue] = ["group": 7, "description": "Disk is full"]
        let other = ofGroup.merging(["claimedBy": "bob"]) { $1 }
        for (second, takesOver) in [
            (Fixture.item(2, ofGroup), false), (Self.claimed(2, other), true),
        ] {
            var fixture = Fixture([Self.claimed(1, for: 1_800, ofGroup), second])
            let request = InboxRequest.claimGroup(
                7, takeOver: takesOver, seen: 100, ids: [Fixture.id(2)])
            #expect(fixture.press(.character(takesOver ? "C" : "c")) == [.send(request)])
        }
    }

    @Test("An answer that was held when the console restarted is said to be lost, and not undone")
    func lostAnswer() {
        let held: [String: JSONValue] = [
            "stage": "leaving", "answer": ["id": "A", "option": "retry", "by": "ann"],
        ]
        func restarted(_ fixture: inout Fixture, with items: [JSONValue]) {
            fixture.screen.listed(
                ["node": "central", "startedAt": "later", "items": .array(items)],
                at: fixture.now)
            fixture.draw()
        }
        let claimed = "the console restarted; your answer is lost, your claim stays: Disk 1 is full"
        var fixture = Fixture([Fixture.item(1)])
        let request = InboxRequest.answer(id: Fixture.id(1), option: "retry")
        #expect(fixture.press(.character("r")) == [.send(request)])
        fixture.reply(request, Fixture.item(1, held.merging(["revision": 101]) { $1 }))
        restarted(&fixture, with: [Self.claimed(1)])
        #expect(fixture.row(22) == claimed)
        #expect(fixture.screen.undos.isEmpty)

        // It may be presented again only later, and the claim is over then.
        fixture = Fixture([Fixture.item(1, held)])
        restarted(&fixture, with: [])
        fixture.change(Fixture.item(1))
        fixture.draw()
        #expect(fixture.row(22) == "the console restarted; your answer is lost: Disk 1 is full")

        // An answer that left in time, and that of another person, are not lost.
        let other: JSONValue = ["id": "A", "option": "retry", "by": "bob"]
        for (item, later) in [
            (Fixture.item(1, held), Fixture.item(1, held.merging(["stage": "answered"]) { $1 })),
            (Fixture.item(1, held.merging(["answer": other]) { $1 }), Fixture.item(1)),
        ] {
            fixture = Fixture([item])
            restarted(&fixture, with: [later])
            #expect(!fixture.text.contains("is lost"))
        }
    }

    @Test("o takes a name, and Return hands the claim to that person")
    func handedOver() {
        var fixture = Fixture([Self.claimed(1)])
        fixture.press(.character("o"))
        #expect(fixture.row(22) == "Hand over Disk 1 is full, to: ▏")
        #expect(fixture.row(23) == "Enter hand over  Ctrl-U empty  Esc back")
        #expect(fixture.press(.enter).isEmpty)
        #expect(fixture.row(22).hasPrefix("a claim is handed to a person: type a name"))
        type(" bob ", &fixture)
        let request = InboxRequest.claim(id: Fixture.id(1), takeOver: false, to: "bob")
        #expect(fixture.press(.enter) == [.send(request)])
        #expect(fixture.screen.mode == .list)
        fixture.refuse(request, Failure(.declined, "to: found bob, who is no user"))
        #expect(fixture.row(22) == "to: found bob, who is no user")
        fixture.press(.character("o"), .escape)
        #expect(fixture.screen.mode == .list)
    }

    @Test("o at the row of a group hands over all of it, and at what has ended nothing")
    func ofGroup() {
        let members = (1...2).map {
            Self.claimed($0, ["group": 7, "description": "Disk is full"])
        }
        var fixture = Fixture(members)
        fixture.press(.character("o"))
        #expect(fixture.row(22) == "Hand over the group of Disk is full, to: ▏")
        type("bob", &fixture)
        #expect(
            fixture.press(.enter)
                == [.send(.claimGroup(7, takeOver: false, to: "bob", seen: 100))])
        fixture = Fixture([Self.claimed(1), Fixture.item(2)])
        fixture.press(.character("o"))
        type("bob", &fixture)
        fixture.change(
            Fixture.item(1, ["revision": 101, "stage": "closed", "reason": "withdrawn"]))
        #expect(fixture.press(.enter).isEmpty)
        #expect(fixture.row(22) == "no longer open: nothing was sent")
    }
}
