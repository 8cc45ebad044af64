import ErrorBus
import Testing

@testable import BusNodeKit

/// Options that need two people, at a terminal.
@Suite struct InboxScreenProposalTests {
    private typealias Fixture = ScreenFixture

    /// A presentation with an option that needs two people, which one of them may have chosen.
    private static func forTwo(
        _ proposer: String?, _ number: Int = 1, as id: JSONValue = "P", group: JSONValue = 1,
        path: JSONValue = "/a"
    ) -> JSONValue {
        let option: JSONValue = ["id": "drop", "title": "Drop", "twoPeople": "known"]
        let proposal: JSONValue? = proposer.map {
            [
                "id": id, "option": "drop", "by": .string($0), "since": "2026-11-21T10:00:00.000Z",
                "until": "2099-11-21T11:00:00.000Z", "values": ["path": path],
            ]
        }
        return Fixture.item(
            number,
            [
                "options": [option], "proposal": proposal ?? .null, "group": group,
                "description": "Disk is full",
            ])
    }

    @Test("an option that needs two people is proposed by one")
    func proposed() {
        var fixture = Fixture([Self.forTwo(nil)])
        #expect(
            fixture.press(.character("1")) == [.send(.answer(id: Fixture.id(1), option: "drop"))])
    }

    @Test("what another person proposes is confirmed after a question, or declined")
    func confirmed() {
        var fixture = Fixture([Self.forTwo("zoe")])
        #expect(fixture.text.contains("zoe proposes Drop"))
        #expect(fixture.press(.character("1")).isEmpty)
        #expect(fixture.row(22) == "Drop, as zoe proposes?")
        #expect(
            fixture.press(.character("y"))
                == [.send(.answer(id: Fixture.id(1), option: "drop", confirms: "P"))])
        fixture = Fixture([Self.forTwo("zoe")])
        #expect(
            fixture.press(.character("u")) == [.send(.decline(id: Fixture.id(1), proposal: "P"))])
    }

    @Test(
        "of long values the beginning stands at the option, and all of them below it",
        arguments: [Fixture.small, Fixture.large])
    func longValues(size: ScreenSize) {
        let path = (0..<300).map { "/folder\($0)" }.joined() + " LAST"
        var fixture = Fixture([Self.forTwo("zoe", path: .string(path))], size: size)
        #expect(fixture.text.contains("zoe proposes Drop"))
        #expect(fixture.text.contains("] Drop"))
        // They are read before they are confirmed.
        fixture.press(.character("1"))
        for _ in 0..<40 where !fixture.text.contains("LAST") { fixture.press(.character(">")) }
        #expect(fixture.text.contains("LAST"))
        #expect(fixture.row(size.rows - 2) == "Drop, as zoe proposes?")
    }

    @Test("a group's answer confirms what the proposal on the screen says, and nothing else")
    func confirmedGroup() {
        let first = Self.forTwo("zoe", 1, as: "P1")
        var fixture = Fixture([
            first, Self.forTwo("zoe", 2, as: "P2"), Self.forTwo("zoe", 3, as: "P3", path: "/b"),
            Self.forTwo("bob", 4, as: "P4"), Self.forTwo(nil, 5),
        ])
        fixture.press(.character("1"))
        #expect(fixture.row(22) == "Drop: 2 of the 5 in this group, or only the first of them?")
        fixture.press(.character("y"))
        #expect(fixture.row(22) == "Drop for 2 of 5, as zoe proposes?")
        // What replaces it meanwhile is not what is confirmed.
        fixture.change(Self.forTwo("bob", 1, as: "P6"))
        fixture.draw()
        #expect(fixture.row(22) == "Drop for 2 of 5, as zoe proposes?")
        let request = InboxRequest.answerGroup(
            1, option: "drop", seen: 100, confirms: ["P1", "P2"],
            ids: [Fixture.id(1), Fixture.id(2)])
        #expect(fixture.press(.character("y")) == [.send(request)])
        fixture = Fixture([first, Self.forTwo("zoe", 2, as: "P2")])
        #expect(
            fixture.press(.character("1"), .character("o"), .character("y"))
                == [.send(.answer(id: Fixture.id(1), option: "drop", confirms: "P1"))])
    }

    @Test("a key meant for one proposal is refused for what came in its place, until that is read")
    func replacedProposal() {
        var fixture = Fixture([Self.forTwo("zoe")])
        fixture.wait(.seconds(5))
        fixture.change(Self.forTwo("bob", 1, as: "P6"))
        #expect(fixture.screen.pressed(.character("1"), at: fixture.now).isEmpty)
        #expect(fixture.screen.mode == .list)
        fixture.draw()
        #expect(fixture.text.contains("this just appeared"))
        fixture.wait(.milliseconds(400))
        #expect(fixture.screen.pressed(.character("1"), at: fixture.now).isEmpty)
        #expect(fixture.screen.mode != .list)
    }

    @Test("the person who proposed it cannot confirm it")
    func ownProposal() {
        var fixture = Fixture([Self.forTwo("ann")])
        #expect(fixture.press(.character("1")).isEmpty)
        #expect(fixture.screen.mode == .list)
        #expect(fixture.text.contains("you proposed it: another person has to confirm it"))
    }

    /// Proposed by zoe, and claimed by a person for ten minutes.
    private static func claimed(by person: String) -> JSONValue {
        guard case .object(let fields) = forTwo("zoe") else { return .null }
        let claim: [String: JSONValue] = [
            "stage": "claimed", "claimedBy": .string(person),
            "claimedUntil": Fixture.time(secondsAgo: -600),
        ]
        return .object(fields.merging(claim) { $1 })
    }

    @Test("the proposer's own claim does not prevent the confirmation, that of a third person does")
    func claimedByProposer() {
        var fixture = Fixture([Self.claimed(by: "zoe")])
        #expect(fixture.press(.character("1")).isEmpty)
        #expect(fixture.row(22) == "Drop, as zoe proposes?")
        #expect(
            fixture.press(.character("y"))
                == [.send(.answer(id: Fixture.id(1), option: "drop", confirms: "P"))])
        fixture = Fixture([Self.claimed(by: "bob")])
        #expect(fixture.press(.character("1")).isEmpty)
        #expect(fixture.row(22) == "claimed by bob: C takes it over")
    }

    @Test("a comment goes with this person's own proposal, and not with a confirmation")
    func ownComment() {
        var fixture = Fixture([Self.forTwo(nil)])
        fixture.press(.character("N"), .paste("full"), .enter)
        #expect(
            fixture.press(.character("1"))
                == [.send(.answer(id: Fixture.id(1), option: "drop", comment: "full"))])
        fixture = Fixture([Self.forTwo("zoe")])
        fixture.press(.character("N"), .paste("full"), .enter, .character("1"))
        #expect(
            fixture.press(.character("y"))
                == [.send(.answer(id: Fixture.id(1), option: "drop", confirms: "P"))])
    }

    @Test("the reply to a proposal says that it waits for another person, and there is no undo")
    func proposedReply() {
        let words = "proposed, for another person to confirm: Drop: Disk is full"
        var fixture = Fixture([Self.forTwo(nil)])
        let request = InboxRequest.answer(id: Fixture.id(1), option: "drop")
        #expect(fixture.press(.character("1")) == [.send(request)])
        fixture.reply(request, Self.forTwo("ann"))
        #expect(fixture.row(22) == words)
        #expect(fixture.screen.undos.isEmpty)
        fixture = Fixture([Self.forTwo(nil), Self.forTwo(nil, 2)])
        let whole = InboxRequest.answerGroup(1, option: "drop", seen: 100)
        #expect(fixture.press(.character("1"), .character("y")) == [.send(whole)])
        let ids = [Fixture.id(1), Fixture.id(2)]
        fixture.reply(whole, ["answered": [], "answers": [], "proposed": ids.json, "refused": []])
        #expect(fixture.row(22) == words)
        #expect(fixture.screen.undos.isEmpty)
    }

    @Test("u drops no proposal that has just come to the screen")
    func justProposed() {
        var fixture = Fixture([Self.forTwo("zoe")])
        #expect(fixture.screen.pressed(.character("u"), at: fixture.now).isEmpty)
        fixture.draw()
        #expect(fixture.row(22) == "this just appeared: read it, then press the key again")
        #expect(
            fixture.press(.character("u")) == [.send(.decline(id: Fixture.id(1), proposal: "P"))])
    }
}
