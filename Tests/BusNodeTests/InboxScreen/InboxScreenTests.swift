import ErrorBus
import ErrorBusTesting
import Testing

@testable import BusNodeKit

@Suite struct InboxScreenTests {
    private typealias Fixture = ScreenFixture
    private static func group(_ count: Int) -> [JSONValue] {
        (1...count).map { Fixture.item($0, ["group": 7, "description": "Disk is full"]) }
    }

    @Test("an option's letter or number answers with it", arguments: ["r", "R", "1"])
    func answer(key: Character) {
        var fixture = Fixture([Fixture.item(1)])
        #expect(
            fixture.press(.character(key)) == [.send(.answer(id: Fixture.id(1), option: "retry"))])
    }

    @Test("keys with a fixed meaning belong to no option")
    func reserved() {
        var fixture = Fixture([Fixture.item(1)])
        #expect(
            fixture.press(.character("a")) == [.send(.answer(id: Fixture.id(1), option: "cancel"))])
        fixture = Fixture([Fixture.item(1)])
        #expect(
            fixture.press(.character("c")) == [.send(.claim(id: Fixture.id(1), takeOver: false))])
        #expect(fixture.press(.character("q")) == [.quit])
    }

    @Test(
        "a presentation on the screen for less than 400 ms is not answered",
        arguments: [0, 399, 400])
    func justShown(milliseconds: Int) {
        var fixture = Fixture([Fixture.item(1)])
        fixture.wait(.milliseconds(milliseconds))
        let actions = fixture.screen.pressed(.character("r"), at: fixture.now)
        #expect(actions.isEmpty == (milliseconds < 400))
        fixture.draw()
        #expect(fixture.text.contains("this just appeared") == (milliseconds < 400))
    }

    @Test("a key meant for one presentation does not answer its successor")
    func replaced() {
        var fixture = Fixture([Fixture.item(1), Fixture.item(2)])
        fixture.wait(.seconds(5))
        fixture.change(
            Fixture.item(1, ["revision": 101, "stage": "closed", "reason": "withdrawn"]))
        #expect(fixture.screen.pressed(.character("r"), at: fixture.now).isEmpty)
        #expect(fixture.screen.chosen?.id == Fixture.id(2))
        fixture.draw()
        #expect(fixture.screen.pressed(.character("r"), at: fixture.now).isEmpty)
        fixture.wait(.milliseconds(400))
        #expect(
            fixture.screen.pressed(.character("r"), at: fixture.now)
                == [.send(.answer(id: Fixture.id(2), option: "retry"))])
    }

    @Test("a destructive option asks for confirmation", arguments: ["y", "n"])
    func destructive(key: Character) {
        var fixture = Fixture([Fixture.item(1)])
        #expect(fixture.press(.character("w")).isEmpty)
        #expect(fixture.row(22) == "Wipe? This cannot be undone.")
        // Before it can be read, a key answers nothing.
        #expect(fixture.screen.pressed(.character(key), at: fixture.now).isEmpty)
        let expected: [InboxScreen.Action] =
            key == "y" ? [.send(.answer(id: Fixture.id(1), option: "wipe"))] : []
        #expect(fixture.press(.character(key)) == expected)
        #expect(fixture.screen.mode == .list)
    }

    @Test("a group: all that were seen, or only the first")
    func group() {
        var fixture = Fixture(Self.group(3))
        #expect(fixture.press(.character("r")).isEmpty)
        #expect(fixture.row(22).hasPrefix("Retry: all 3 of this group"))
        // A member that comes during the confirmation was not seen.
        fixture.change(Fixture.item(9, ["group": 7, "revision": 101]))
        #expect(
            fixture.press(.character("y"))
                == [.send(.answerGroup(7, option: "retry", seen: 100))])
        fixture = Fixture(Self.group(3))
        #expect(
            fixture.press(.character("r"), .character("o"))
                == [.send(.answer(id: Fixture.id(1), option: "retry"))])
        fixture = Fixture(Self.group(3))
        fixture.press(.character("w"), .character("y"))
        #expect(fixture.row(22).hasPrefix("Wipe for all 3?"))
        #expect(
            fixture.press(.character("y")) == [.send(.answerGroup(7, option: "wipe", seen: 100))])
    }

    @Test(
        "no option's key confirms that option",
        arguments: ["Abort", "Yes", "Overwrite", "OK", "Cancel", "All", "yo"])
    func keyPressedTwice(title: String) throws {
        let options: JSONValue = [["id": "it", "title": .string(title), "role": "destructive"]]
        var fixture = Fixture(
            (1...3).map { Fixture.item($0, ["group": 7, "options": options]) })
        let entry = try #require(fixture.screen.chosen)
        let key = try #require(InboxScreen.keys(for: entry).keys.first?.key.first)
        for key in [key, "1"] as [Character] {
            #expect(fixture.press(.character(key), .character(key)).isEmpty)
            #expect(fixture.screen.mode == .list)
            #expect(fixture.press(.character(key), .character("o"), .character(key)).isEmpty)
            #expect(fixture.screen.mode == .list)
        }
    }

    @Test("results of a group's answers are shown with their counts")
    func groupResults() {
        var fixture = Fixture(Self.group(4))
        func ended(_ number: Int, _ ending: String, _ outcome: String) -> JSONValue {
            Fixture.item(
                number,
                [
                    "group": 7, "revision": .integer(Int64(200 + number)), "stage": "settled",
                    "ending": .string(ending), "outcome": .string(outcome),
                    "answer": ["option": "retry", "by": "ann"],
                    "description": "Disk is full",
                ])
        }
        fixture.change(ended(1, "recovered", "Recovered"))
        fixture.draw()
        #expect(fixture.row(22) == "Recovered: Disk is full")
        fixture.change(
            ended(2, "recovered", "Recovered"), ended(3, "recovered", "Recovered"))
        fixture.draw()
        #expect(fixture.row(22) == "3 recovered: Disk is full")
        fixture.change(ended(4, "not recovered", "Not recovered"))
        fixture.draw()
        #expect(fixture.row(22) == "3 recovered, 1 not recovered: Disk is full")
    }

    @Test("a confirmation closes when its presentation ends")
    func questionGoes() {
        var fixture = Fixture([Fixture.item(1), Fixture.item(2)])
        fixture.press(.character("w"))
        fixture.change(
            Fixture.item(
                1,
                [
                    "revision": 101, "stage": "answered",
                    "answer": ["option": "skip", "by": "bob"],
                ]))
        fixture.draw()
        #expect(fixture.screen.mode == .list)
        #expect(fixture.row(22) == "Skip it by bob: Disk 1 is full")
        #expect(fixture.press(.character("y")).isEmpty)
    }

    @Test("a presentation claimed by another is not answered; C takes it over, c releases it")
    func claimed() {
        let until = Fixture.time(secondsAgo: -60)
        let claim: [String: JSONValue] = ["stage": "claimed", "claimedUntil": until]
        var fixture = Fixture([Fixture.item(1, claim.merging(["claimedBy": "bob"]) { $1 })])
        #expect(fixture.press(.character("r")).isEmpty)
        #expect(fixture.row(22) == "claimed by bob: C takes it over")
        #expect(
            fixture.press(.character("C")) == [.send(.claim(id: Fixture.id(1), takeOver: true))])
        fixture = Fixture([Fixture.item(1, claim.merging(["claimedBy": "ann"]) { $1 })])
        #expect(fixture.press(.character("c")) == [.send(.release(id: Fixture.id(1)))])
        // A claim that has run out counts no longer.
        fixture = Fixture([Fixture.item(1, claim.merging(["claimedBy": "bob"]) { $1 })])
        fixture.wait(.seconds(61))
        #expect(!fixture.press(.character("r")).isEmpty)
    }

    @Test("an answer can be undone for 5 s")
    func undo() {
        var fixture = Fixture([Fixture.item(1)])
        let request = InboxRequest.answer(id: Fixture.id(1), option: "retry")
        let leaving: JSONValue = Fixture.item(
            1,
            [
                "revision": 101, "stage": "leaving",
                "answer": ["id": "A", "option": "retry", "by": "ann"],
            ])
        fixture.press(.character("r"))
        fixture.reply(request, leaving)
        #expect(fixture.row(22) == "u takes back (5 s left)  Retry: Disk 1 is full")
        let undo = InboxRequest.undo(id: Fixture.id(1), answer: "A")
        #expect(fixture.press(.character("u")) == [.send(undo)])
        fixture.reply(undo, Fixture.item(1, ["revision": 102]))
        #expect(fixture.row(22) == "1 taken back")
        fixture.press(.character("r"))
        fixture.reply(
            request, Fixture.item(1, ["revision": 103, "stage": "answered"]))
        fixture.wait(.seconds(6))
        #expect(fixture.row(22) == "")
        #expect(fixture.press(.character("u")).isEmpty)
        #expect(fixture.row(22) == "too late to take back: the answer has been sent")
        fixture.wait(.seconds(3))
        #expect(fixture.press(.character("u")).isEmpty)
        #expect(fixture.row(22) == "nothing to take back")
    }

    @Test("no claim is taken over that has just come to the cursor")
    func justAppeared() {
        var fixture = Fixture([Fixture.item(1), Fixture.item(2)])
        fixture.wait(.seconds(1))
        fixture.change(Fixture.item(1, ["revision": 101, "stage": "answered"]))
        fixture.draw()
        #expect(fixture.screen.pressed(.character("C"), at: fixture.now).isEmpty)
        fixture.draw()
        #expect(fixture.row(22) == "this just appeared: read it, then press the key again")
    }

    @Test("a group's answers are undone together")
    func undoGroup() {
        var fixture = Fixture(Self.group(3))
        let ids: [JSONValue] = (1...3).map { .string(Fixture.id($0)) }
        fixture.press(.character("r"), .character("y"))
        fixture.reply(
            .answerGroup(7, option: "retry", seen: 100),
            [
                "answered": .array(Array(ids.dropLast())), "answers": ["A", "B"],
                "refused": [["id": ids[2], "message": "claimed by bob until then"]],
            ])
        #expect(fixture.row(22) == "1 not answered: claimed by bob until then")
        let request = InboxRequest.undoGroup(7, answers: ["A", "B"])
        #expect(fixture.press(.character("u")) == [.send(request)])
        fixture.reply(request, ["undone": [ids[0]]])
        #expect(fixture.row(22) == "1 taken back, 1 had left already")
    }

    @Test("a refusal is shown, and the next answer is possible")
    func refused() {
        var fixture = Fixture([Fixture.item(1)])
        fixture.press(.character("r"))
        #expect(fixture.press(.character("r")).isEmpty)
        #expect(fixture.row(22) == "one moment: the last request is on its way")
        let request = InboxRequest.answer(id: Fixture.id(1), option: "retry")
        fixture.refuse(request, Failure(.declined, "answered before with \"skip\" by bob"))
        #expect(fixture.row(22) == "answered before with \"skip\" by bob")
        fixture.refuse(request, Failure(.unavailable, "gone"))
        #expect(fixture.row(22) == "gone (it is not known whether that arrived)")
        #expect(!fixture.press(.character("r")).isEmpty)
    }

    @Test("without a link no request is sent, and the reason is shown until it is back")
    func lost() {
        var fixture = Fixture([Fixture.item(1)])
        fixture.screen.lost("Connection refused", at: fixture.now.instant)
        fixture.wait(.seconds(9))
        #expect(fixture.row(0).hasSuffix("no link for 9 s"))
        #expect(fixture.row(22).hasPrefix("No link: Connection refused. Trying again"))
        for key in ["r", "c"] as [Character] { #expect(fixture.press(.character(key)).isEmpty) }
        fixture.list([Fixture.item(2)])
        fixture.draw()
        #expect(fixture.row(0).hasSuffix(" live"))
        #expect(fixture.screen.entries.keys.sorted() == [Fixture.id(2)])
    }

    @Test("before the list has arrived the screen claims nothing about open presentations")
    func unlisted() {
        let start = ManualTime().now
        var screen = InboxScreen(person: "ann", size: Fixture.small)
        var grid = ScreenGrid(Fixture.small)
        var painter = ScreenPainter(isColored: true)
        grid.write(painter.paint(screen.frame(at: start), Fixture.small))
        #expect(grid.text.contains("Reading the inbox"))
        screen.listed(["node": "central", "items": []], at: start)
        grid.write(painter.paint(screen.frame(at: start), Fixture.small))
        #expect(grid.text.contains("Nothing waits for an answer"))
    }

    @Test("a new list drops entries that are gone")
    func listedAgain() {
        var fixture = Fixture([Fixture.item(1), Fixture.item(2)])
        fixture.list([])
        fixture.draw()
        #expect(fixture.screen.rows.isEmpty)
        #expect(fixture.text.contains("Nothing waits for an answer"))
    }

    @Test("one presentation is read at a time, again when it changed, not when it is unreadable")
    func reading() {
        var fixture = Fixture([Fixture.item(1), Fixture.item(2)])
        let read = InboxScreen.Action.send(.detail(id: Fixture.id(1)))
        fixture = Fixture()
        fixture.list([Fixture.item(1)])
        #expect(fixture.draw() == [read])
        #expect(fixture.draw().isEmpty)
        fixture.reply(.detail(id: Fixture.id(1)), Fixture.item(1))
        #expect(fixture.draw().isEmpty)
        fixture.change(Fixture.item(1, ["revision": 101]))
        #expect(fixture.draw() == [read])
        fixture.refuse(.detail(id: Fixture.id(1)), Failure(.declined, "no such presentation"))
        #expect(fixture.draw().isEmpty)
        #expect(fixture.row(22) == "no such presentation")
    }

    @Test("the cursor stays on its row while others come and go")
    func cursor() {
        var fixture = Fixture((1...5).map { Fixture.item($0) })
        fixture.press(.down, .character("j"))
        #expect(fixture.screen.chosen?.id == Fixture.id(3))
        fixture.change(Fixture.item(8, ["severity": "critical", "revision": 108]))
        fixture.draw()
        #expect(fixture.screen.chosen?.id == Fixture.id(3))
        #expect(fixture.screen.cursor == 3)
        fixture.press(.home)
        #expect(fixture.screen.chosen?.id == Fixture.id(8))
        fixture.press(.end, .pageDown)
        #expect(fixture.screen.chosen?.id == Fixture.id(5))
        fixture.press(.pageUp, .up, .up)
        #expect(fixture.screen.cursor == 0)
    }

    @Test("Enter opens and closes a group; for a single presentation it shows all of it")
    func open() {
        var fixture = Fixture(Self.group(3) + [Fixture.item(4)])
        #expect(fixture.screen.rows.count == 2)
        fixture.press(.enter, .down)
        #expect(fixture.screen.rows.count == 5)
        #expect(fixture.screen.chosenRow?.kind == .member)
        #expect(
            fixture.press(.character("r"))
                == [.send(.answer(id: Fixture.id(1), option: "retry"))])
        fixture.press(.left)
        #expect(fixture.screen.rows.count == 2)
        #expect(fixture.screen.cursor == 0)
        fixture.press(.end, .enter)
        #expect(fixture.screen.isZoomed)
        fixture.press(.escape)
        #expect(!fixture.screen.isZoomed)
    }

    @Test("the filter applies while it is typed; Esc restores the earlier one")
    func filter() {
        var fixture = Fixture([Fixture.item(1), Fixture.item(2, ["origin": "tokyo"])])
        fixture.press(.character("/"), .character("T"), .character("o"), .paste("k y"))
        #expect(fixture.screen.rows.map(\.id) == [Fixture.id(2)])
        #expect(fixture.row(22) == "Filter: Tok y▏")
        fixture.press(.enter, .character("/"), .character("x"))
        #expect(fixture.screen.rows.isEmpty)
        fixture.press(.escape)
        #expect(fixture.screen.filter == "Tok y")
        fixture.press(.escape)
        #expect(fixture.screen.rows.count == 2)
    }

    @Test("pasted text is ignored")
    func paste() {
        var fixture = Fixture([Fixture.item(1)])
        #expect(fixture.press(.paste("r")).isEmpty)
        #expect(fixture.row(22) == "pasted text is ignored")
    }

    @Test("Tab shows recently ended presentations with their results")
    func ended() {
        let done: [String: JSONValue] = [
            "stage": "settled", "outcome": "Recovered", "answer": ["option": "retry", "by": "bob"],
        ]
        var fixture = Fixture([Fixture.item(1), Fixture.item(2, done), Fixture.item(3, done)])
        fixture.press(.tab)
        #expect(fixture.screen.rows.map(\.id) == [Fixture.id(3), Fixture.id(2)])
        #expect(fixture.text.contains("Recovered\n  Retry by bob"))
        #expect(fixture.press(.character("r")).isEmpty)
        #expect(fixture.row(22) == "no longer open")
    }

    @Test("Ctrl-C, Ctrl-L and Ctrl-Z work in every mode")
    func controls() {
        for opening in ["/", "?", "w"] as [Character] {
            var fixture = Fixture([Fixture.item(1)])
            fixture.press(.character(opening))
            #expect(fixture.press(.control("l")) == [.redraw])
            #expect(fixture.press(.control("z")) == [.suspend])
            #expect(fixture.press(.control("c")) == [.quit])
        }
    }

    @Test("as many ended presentations are kept as a console keeps")
    func endedMax() {
        var fixture = Fixture()
        let ended = (1...2_600).map { Fixture.item($0, ["stage": "closed"]) }
        fixture.list(ended + [Fixture.item(9_999)])
        fixture.draw()
        #expect(fixture.screen.entries.count == 2_001)
        #expect(fixture.screen.entries[Fixture.id(2_600)] != nil)
        #expect(fixture.screen.entries[Fixture.id(600)] == nil)
    }

    @Test("an item that is not a presentation is skipped")
    func nonsense() {
        var fixture = Fixture([nil, 1, [], ["stage": "open"], ["id": "x", "stage": "odd"]])
        #expect(fixture.screen.entries.isEmpty)
        fixture.list([
            ["id": "x", "stage": "open"], ["id": "y", "stage": "claimed", "options": 3],
        ])
        fixture.press(.character("r"), .enter, .tab, .tab, .enter)
        #expect(fixture.text.contains("no options: it closes"))
    }
}
