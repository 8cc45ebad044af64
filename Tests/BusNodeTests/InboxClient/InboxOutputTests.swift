import ErrorBus
import Foundation
import Testing

@testable import BusNodeKit

@Suite struct InboxOutputTests {
    private func item(_ text: String, stage: String = "open") -> JSONValue {
        [
            "id": "01920000-0000-7000-8000-000000000001", "stage": .string(stage), "group": 3,
            "severity": "error", "origin": "worker", "domain": .string(text), "code": 5,
            "description": .string(text), "openedAt": "2026-11-21T10:00:00.000Z",
            "claimedBy": "ann", "result": "recovered", "reason": "withdrawn",
            "answer": ["option": "retry", "by": .string(text)],
            "options": [["id": "retry", "title": .string(text), "role": "default"]],
            "report": [
                "description": .string(text), "failureReason": .string(text),
                "userInfo": .object([text: .string(text)]),
            ],
            "history": [
                ["time": "t", "event": "present", "fields": .object([text: .string(text)])]
            ],
        ]
    }

    private func views(_ items: [JSONValue]) -> [PresentationView] {
        items.compactMap { PresentationView(json: $0) }
    }

    @Test("a row shows stage, age, group and options")
    func row() throws {
        let now = try Date("2026-11-21T10:05:00Z", strategy: .iso8601)
        let lines = InboxRows(views([item("Boom")]), now: now).lines
        #expect(
            lines.map { $0.split(separator: " ").joined(separator: " ") } == [
                "ID STAGE SEVERITY FROM AGE GROUP ERROR OPTIONS",
                "01920000-0000-7000-8000-000000000001 open error worker 5m 3 Boom retry",
            ])
    }

    @Test("a row with a deadline shows the time left and the option applied then")
    func expiry() {
        let waits: [String: JSONValue] = ["deadlineInMilliseconds": 45_000, "onExpiry": "retry"]
        guard case .object(let fields) = item("Boom") else { return }
        let items: [JSONValue] = [.object(fields.merging(waits) { $1 }), item("Bang")]
        let lines = InboxRows(views(items), now: ScreenFixture.date).lines
        #expect(lines[0].contains("  EXPIRES        ERROR"))
        #expect(lines[1].contains("  in 45s: retry  Boom"))
        #expect(lines[2].contains("  -              Bang"))
    }

    @Test("details have the time left and the option applied then, while an answer is possible")
    func expiryOfOne() {
        func lines(_ stage: String) -> [String] {
            InboxDetail([
                "stage": .string(stage), "deadlineInMilliseconds": 45_000, "onExpiry": "retry",
            ]).lines
        }
        #expect(lines("open") == ["stage     open", "expires   in 45s: retry"])
        #expect(lines("expired") == ["stage     expired"])
        #expect(!InboxDetail(item("x")).lines.contains { $0.hasPrefix("expires") })
    }

    @Test("details say of a value what holds if it is left out, and not of a key")
    func values() {
        let move: JSONValue = [
            "id": "move", "title": "Move",
            "fields": [
                [
                    "name": "mode", "label": "Mode", "kind": "choice", "choices": ["fast", "safe"],
                    "required": true, "default": "safe",
                ],
                ["name": "days", "label": "Days", "kind": "number", "default": 3],
                ["name": "why", "label": "Why", "kind": "text"],
                ["name": "n", "label": "N", "kind": "number", "required": true],
            ],
        ]
        let lines = InboxDetail(["options": [move]]).lines.filter { $0.hasPrefix("value ") }
        #expect(
            lines == [
                "value     move asks for mode: Mode (one of fast, safe; safe if left out)",
                "value     move asks for days: Days (a number; 3 if left out)",
                "value     move asks for why: Why (1 to 4096 characters in one line; optional)",
                "value     move asks for n: N (a number)",
            ])
    }

    @Test(
        "at a terminal lines fit its width, and ids are cut to their ends",
        arguments: [60, 80, 120])
    func fits(columns: Int) {
        let text = String(repeating: "long ", count: 30)
        let lines = InboxRows(views([item(text)]), now: ScreenFixture.date, columns: columns).lines
        #expect(lines.allSatisfy { TextWidth.columns(of: $0) <= columns })
        #expect(lines[1].hasPrefix("00000001  open"))
        #expect(lines[1].contains("…"))
    }

    @Test("the default option is marked, even a single one")
    func defaultOption() {
        #expect(InboxDetail(item("x")).lines.contains("option    retry: x (default)"))
        let lone: JSONValue = ["options": [["id": "ok", "title": "OK"]]]
        #expect(InboxDetail(lone).lines == ["option    ok: OK (default)"])
    }

    @Test("a client without a name is shown as possibly gone")
    func bare() {
        let lines = ["from      a client without a name", "origin    may no longer be waiting"]
        #expect(InboxDetail(["origin": "bare"]).lines == lines)
        #expect(InboxDetail(["origin": "worker"]).lines == ["from      worker"])
    }

    @Test("a refused token prints what to type")
    func unauthorized() throws {
        for (query, found) in [
            ("", "no token"), ("?token=1234", "the token is not one of this console's"),
        ] {
            let address = try ConsoleAddress("http://h:1/\(query)", option: "--to")
            let client = try ConsoleClient(address)
            let failure = client.failure(401, ["message": "no token"])
            #expect(
                failure.text
                    == "\(found): set BUS_NODE_CONSOLE='the address that the node printed', or "
                    + "give --token-file FILE (your own token where the console has users, else "
                    + "the file of its token: file:PATH), or that token in BUS_NODE_CONSOLE_TOKEN")
            #expect(client.failure(409, ["message": "no"]).text == "no")
        }
    }

    @Test("A refusal by a proposal says how to confirm it at this client")
    func proposed() throws {
        var client = try ConsoleClient(try ConsoleAddress("http://h:1", option: "--to"))
        let refusal: JSONValue = ["error": "proposed", "message": "ann proposes it"]
        #expect(
            client.failure(409, refusal).text
                == "ann proposes it: --confirm confirms it, bus-node inbox decline ID declines it")
        client.confirm = ""
        #expect(client.failure(409, refusal).text == "ann proposes it")
    }

    @Test("A refusal of what another person has claimed says how to take it over at this client")
    func takeOver() throws {
        var client = try ConsoleClient(try ConsoleAddress("http://h:1", option: "--to"))
        let refusal: JSONValue = [
            "error": "claimed", "message": "with takeOver", "by": "ann",
            "until": "2026-11-25T10:00:00.000Z",
        ]
        let claimed = "claimed by ann until 2026-11-25T10:00:00.000Z: "
        #expect(
            client.failure(409, refusal).text
                == claimed + "take it over first, with bus-node inbox claim ID --take-over")
        client.takeOver = InboxScreen.takeOver
        #expect(client.failure(409, refusal).text == claimed + "C takes it over")
        // A console of an earlier version gives a group's refused members no fields.
        let bare: JSONValue = ["error": "claimed", "message": "claimed by ann"]
        #expect(bare.refusal(takeOver: client.takeOver) == "claimed by ann")
    }

    @Test(
        "stages with their persons and results",
        arguments: [
            ("open", "open"), ("claimed", "claimed by ann"), ("leaving", "leaving retry"),
            ("answered", "answered retry"), ("settled", "recovered"), ("closed", "withdrawn"),
        ])
    func stage(stage: String, expected: String) {
        #expect(views([item("x", stage: stage)])[0].stageShown == expected)
    }

    @Test(
        "no text of a peer drives the terminal",
        arguments: ["\u{1B}[2J", "\u{202E}x", "a\nb\rc", "\u{9B}31m", "\u{0}"])
    func hostile(text: String) {
        let lines =
            InboxRows(views([item(text)]), now: ScreenFixture.date).lines
            + InboxDetail(item(text)).lines
        for scalar in lines.joined().unicodeScalars {
            let isSafe =
                scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value)
                && scalar.value != 0x202E
            #expect(isSafe, "U+\(String(scalar.value, radix: 16))")
        }
    }

    @Test("a reply that is not an inbox is shown empty")
    func empty() {
        for value: JSONValue in [nil, 1, [], ["path": 3, "options": "x", "code": "y"]] {
            #expect(InboxRows(views([value]), now: ScreenFixture.date).lines.count == 2)
            #expect(InboxDetail(value).lines.count <= 3)
        }
    }
}
