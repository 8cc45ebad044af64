import ErrorBus
import Testing

@testable import BusNodeKit

/// Options that need two people, at a terminal.
@Suite struct InboxScreenProposalTests {
    private typealias Fixture = ScreenFixture

    /// A presentation with an option that needs two people, which one of them may have chosen.
    private static func forTwo(_ proposer: String?) -> JSONValue {
        let option: JSONValue = ["id": "drop", "title": "Drop", "twoPeople": "known"]
        let proposal: JSONValue? = proposer.map {
            [
                "id": "P", "option": "drop", "by": .string($0), "since": "2026-11-21T10:00:00.000Z",
                "until": "2099-11-21T11:00:00.000Z",
            ]
        }
        return Fixture.item(1, ["options": [option], "proposal": proposal ?? .null])
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
        #expect(fixture.press(.character("u")) == [.send(.decline(id: Fixture.id(1)))])
    }

    @Test("the person who proposed it cannot confirm it")
    func ownProposal() {
        var fixture = Fixture([Self.forTwo("ann")])
        #expect(fixture.press(.character("1")).isEmpty)
        #expect(fixture.screen.mode == .list)
        #expect(fixture.text.contains("you proposed it: another person has to confirm it"))
    }
}
