import ErrorBus
import Testing

@testable import BusNodeKit

/// Groups of which some members are left out of an answer.
@Suite struct InboxScreenPartTests {
    private typealias Fixture = ScreenFixture

    private static func members(
        _ count: Int, _ more: [String: JSONValue] = [:]
    ) -> [JSONValue] {
        (1...count).map {
            Fixture.item(
                $0, ["group": 7, "description": "Disk is full"].merging(more) { $1 })
        }
    }

    private static func ids(_ numbers: Int...) -> [String] { numbers.map(Fixture.id) }

    /// An opened group, the cursor on its row, these members left out.
    private static func fixture(_ items: [JSONValue], leavingOut numbers: Int...) -> Fixture {
        var fixture = Fixture(items)
        fixture.press(.enter)
        for number in numbers {
            fixture.press(.home)
            for _ in 1...number { fixture.press(.down) }
            fixture.press(.character("x"))
        }
        fixture.press(.home)
        return fixture
    }

    @Test("x leaves a member out, which its row and the group's row show; x again takes it in")
    func marked() {
        var fixture = Self.fixture(Self.members(3), leavingOut: 2)
        #expect(fixture.row(1).hasPrefix(">▾ ✕   2/3"))
        #expect(fixture.row(2).hasPrefix(" · ✕"))
        #expect(fixture.row(3).hasPrefix(" ○ ✕"))
        #expect(fixture.row(3).contains("left out"))
        #expect(fixture.text.contains("the first of 3, 1 left out"))
        #expect(fixture.row(23).contains("x take all in"))
        fixture.press(.down, .down)
        #expect(fixture.text.contains("left out of an answer for its group: x takes it in"))
        #expect(fixture.row(23).contains("x take in"))
        fixture.press(.character("x"))
        #expect(fixture.row(23).contains("x leave out"))
        #expect(fixture.row(1).hasPrefix(" ▾ ✕    ×3"))
        #expect(fixture.screen.leftOut.isEmpty)
    }

    @Test("the answer goes to the others alone, and says how many of how many")
    func answered() {
        var fixture = Self.fixture(Self.members(3), leavingOut: 2)
        #expect(fixture.press(.character("r")).isEmpty)
        #expect(
            fixture.row(22) == "Retry: 2 of the 3 in this group, or only the first of them?")
        #expect(fixture.row(23) == "y 2 of 3  o only this  Esc back")
        #expect(fixture.text.contains("2 presentations · one description"))
        let request = InboxRequest.answerGroup(
            7, option: "retry", seen: 100, ids: Self.ids(1, 3))
        #expect(fixture.press(.character("y")) == [.send(request)])
        fixture.reply(
            request,
            ["answered": Self.ids(1, 3).json, "answers": ["A", "C"], "refused": []])
        #expect(fixture.row(22).hasSuffix("Retry: Disk is full (2 of the group)"))
        let undo = InboxRequest.undoGroup(7, answers: ["A", "C"])
        #expect(fixture.press(.character("u")) == [.send(undo)])
        fixture.reply(undo, ["undone": Self.ids(1, 3).json])
        #expect(fixture.row(22) == "2 taken back")
        #expect(fixture.screen.leftOut == [Fixture.id(2)])
    }

    @Test("two answers for parts of a group are undone one by one")
    func undone() {
        var fixture = Self.fixture(Self.members(3), leavingOut: 2)
        let first = InboxRequest.answerGroup(7, option: "retry", seen: 100, ids: Self.ids(1, 3))
        fixture.press(.character("r"), .character("y"))
        fixture.reply(first, ["answered": Self.ids(1, 3).json, "answers": ["A", "C"]])
        let second = InboxRequest.answerGroup(7, option: "skip", seen: 100)
        fixture.reply(second, ["answered": Self.ids(2).json, "answers": ["B"]])
        #expect(
            fixture.press(.character("u")) == [.send(.undoGroup(7, answers: ["B"]))])
        fixture.reply(.undoGroup(7, answers: ["B"]), ["undone": Self.ids(2).json])
        #expect(
            fixture.press(.character("u")) == [.send(.undoGroup(7, answers: ["A", "C"]))])
    }

    @Test("a destructive option and different descriptions are confirmed for the part alone")
    func confirmed() {
        var fixture = Self.fixture(Self.members(3), leavingOut: 1)
        fixture.press(.character("w"), .character("y"))
        #expect(fixture.row(22) == "Wipe for 2 of 3? This cannot be undone.")
        #expect(
            fixture.press(.character("y"))
                == [.send(.answerGroup(7, option: "wipe", seen: 100, ids: Self.ids(2, 3)))])
        var items = Self.members(3)
        items[1] = Fixture.item(2, ["group": 7, "description": "Disk b is full"])
        fixture = Self.fixture(items, leavingOut: 2)
        // What differs is left out.
        #expect(
            fixture.press(.character("r"), .character("y"))
                == [.send(.answerGroup(7, option: "retry", seen: 100, ids: Self.ids(1, 3)))])
        fixture = Self.fixture(items, leavingOut: 3)
        fixture.press(.character("r"), .character("y"))
        #expect(fixture.row(22) == "Retry for 2 of 3? They have 2 different descriptions.")
    }

    @Test("when the first member is left out, it is not offered alone")
    func firstLeftOut() {
        var fixture = Self.fixture(Self.members(3), leavingOut: 1)
        fixture.press(.character("r"))
        #expect(fixture.row(22) == "Retry: 2 of the 3 in this group?")
        #expect(fixture.row(23) == "y 2 of 3  Esc back")
        #expect(fixture.press(.character("o")).isEmpty)
        #expect(fixture.screen.mode == .list)
    }

    @Test("when all are left out nothing is answered; x at the group's row takes all in")
    func allLeftOut() {
        var fixture = Self.fixture(Self.members(2), leavingOut: 1, 2)
        #expect(fixture.press(.character("r")).isEmpty)
        #expect(fixture.screen.mode == .list)
        #expect(fixture.row(22) == "all members of the group are left out: x takes them in again")
        fixture.press(.character("x"))
        #expect(fixture.screen.leftOut.isEmpty)
        #expect(
            fixture.press(.character("r"), .character("y"))
                == [.send(.answerGroup(7, option: "retry", seen: 100))])
    }

    @Test("a member that came after the last frame is not answered, with a part as with all")
    func unseen() {
        var fixture = Self.fixture(Self.members(3), leavingOut: 2)
        fixture.wait(.milliseconds(500))
        fixture.change(
            Fixture.item(9, ["group": 7, "revision": 101, "description": "Disk is full"]))
        #expect(fixture.screen.pressed(.character("r"), at: fixture.now).isEmpty)
        fixture.draw()
        #expect(fixture.row(22).hasPrefix("Retry: 2 of the 3 in"))
        #expect(
            fixture.press(.character("y"))
                == [.send(.answerGroup(7, option: "retry", seen: 100, ids: Self.ids(1, 3)))])
        // On the screen it is a member as the others.
        fixture.refuse(
            .answerGroup(7, option: "retry", seen: 100, ids: Self.ids(1, 3)),
            Failure(.declined, "not answered: 1 of the 2 chosen are no longer open"))
        #expect(fixture.row(22) == "not answered: 1 of the 2 chosen are no longer open")
        #expect(
            fixture.press(.character("r"), .character("y"))
                == [.send(.answerGroup(7, option: "retry", seen: 101, ids: Self.ids(1, 3, 9)))])
    }

    @Test("a group of another life of the node, not yet on the screen, is not answered")
    func unseenGroup() {
        var fixture = Self.fixture(Self.members(2))
        fixture.wait(.milliseconds(500))
        fixture.screen.listed(
            ["node": "central", "revision": 200, "items": .array(Self.members(2))],
            at: fixture.now)
        #expect(fixture.screen.pressed(.character("r"), at: fixture.now).isEmpty)
        #expect(fixture.screen.mode == .list)
        fixture.draw()
        #expect(fixture.row(22) == "this just appeared: read it, then press the key again")
    }

    @Test("a member that ends is forgotten as left out, and comes back as all others")
    func ended() {
        var fixture = Self.fixture(Self.members(3), leavingOut: 2)
        fixture.change(
            Fixture.item(2, ["group": 7, "revision": 101, "stage": "closed"]))
        fixture.draw()
        #expect(fixture.screen.leftOut.isEmpty)
        fixture.change(
            Fixture.item(2, ["group": 7, "revision": 102, "description": "Disk is full"]))
        fixture.draw()
        #expect(
            fixture.press(.character("r"), .character("y"))
                == [.send(.answerGroup(7, option: "retry", seen: 102))])
        fixture = Self.fixture(Self.members(3), leavingOut: 2)
        fixture.list(Self.members(1))
        #expect(fixture.screen.leftOut.isEmpty)
    }

    @Test("at most as many members as the console takes are answered as a part")
    func limit() {
        let limit = ConsoleLimits.chosenCountMax
        var fixture = Self.fixture(Self.members(limit + 2), leavingOut: 1)
        #expect(fixture.row(1).hasPrefix(">▾ ✕    -1"))
        fixture.press(.character("r"))
        #expect(fixture.row(22).hasPrefix("at most \(limit) members can be answered"))
        fixture.press(.down, .down, .character("x"), .home, .character("r"))
        #expect(fixture.row(22).hasPrefix("Retry: \(limit) of the \(limit + 2) in this group"))
    }

    @Test("c at the row of a group claims all of it, or what is not left out, and releases that")
    func claimed() {
        var fixture = Self.fixture(Self.members(3))
        let whole = InboxRequest.claimGroup(7, takeOver: false, seen: 100)
        #expect(fixture.press(.character("c")) == [.send(whole)])
        fixture.reply(whole, ["claimed": Self.ids(1, 2).json, "refused": [["message": "by bob"]]])
        #expect(fixture.row(22) == "2 claimed, 1 not: by bob")
        #expect(
            fixture.press(.character("C"))
                == [.send(.claimGroup(7, takeOver: true, seen: 100))])
        let claim: [String: JSONValue] = [
            "stage": "claimed", "claimedBy": "ann",
            "claimedUntil": Fixture.time(secondsAgo: -600),
        ]
        let other = claim.merging(["claimedBy": "bob"]) { $1 }
        let items = [(1, claim), (2, other), (3, claim)].map { number, fields in
            Fixture.item(number, fields.merging(["group": 7]) { $1 })
        }
        fixture = Self.fixture(items)
        #expect(fixture.row(23).contains("c claim"))
        // What bob has claimed is left out.
        fixture = Self.fixture(items, leavingOut: 2)
        #expect(fixture.row(23).contains("c release"))
        let part = InboxRequest.releaseGroup(7, seen: 100, ids: Self.ids(1, 3))
        #expect(fixture.press(.character("c")) == [.send(part)])
        fixture.reply(part, ["released": Self.ids(1, 3).json, "refused": []])
        #expect(fixture.row(22) == "2 released")
    }

    @Test("x at another row says what it does, and answers nothing")
    func elsewhere() {
        var fixture = Fixture([Fixture.item(1)])
        #expect(fixture.press(.character("x")).isEmpty)
        #expect(fixture.row(22) == "x leaves out a member of a group: this row is not one")
        fixture = Fixture(Self.members(2))
        fixture.press(.character("x"))
        #expect(
            fixture.row(22) == "x leaves out the member at the cursor: Enter opens the group")
        #expect(fixture.screen.leftOut.isEmpty)
    }

    @Test("an option's key at a member that is left out answers this one")
    func alone() {
        var fixture = Self.fixture(Self.members(3), leavingOut: 2)
        fixture.press(.down, .down)
        #expect(
            fixture.press(.character("r"))
                == [.send(.answer(id: Fixture.id(2), option: "retry"))])
    }

    @Test("x at the row of a group takes in the members of that group alone")
    func otherGroup() {
        let others = (3...4).map {
            Fixture.item($0, ["group": 8, "description": "Disk is slow"])
        }
        var fixture = Self.fixture(Self.members(2) + others, leavingOut: 1)
        fixture.press(.end, .enter, .down, .character("x"))
        #expect(fixture.screen.leftOut == Set(Self.ids(1, 3)))
        fixture.press(.home, .character("x"))
        #expect(fixture.screen.leftOut == Set(Self.ids(3)))
    }
}
