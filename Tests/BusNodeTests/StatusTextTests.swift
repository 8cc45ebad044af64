import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

struct StatusTextTests {
    @Test("A node's status: zeros are left out, columns are aligned, text is escaped")
    func text() {
        var status = NodeStatus(node: "relay-eu")
        status.version = "0.1.0"
        status.boot = "00c0ffee"
        status.upMilliseconds = 3_725_000
        status.openCount = 3
        status.counters.presentedBelow = 12
        status.tables.children = 1
        status.dropped = ["late": 2, "duplicate": 1]
        status.parents = [
            .init(
                node: "central", endpoint: "tcp://127.0.0.1:7700", state: .up,
                sinceMilliseconds: 12_000, openCount: 3),
            .init(
                endpoint: "ipc:///run/spare", state: .refused, reason: "refused: 403 \u{1B}[2J",
                sinceMilliseconds: 7_200_000, openCount: 0),
        ]
        status.children = [
            .init(
                name: "worker-1", state: .live, sinceMilliseconds: 200_000_000, openCount: 3,
                answeredCount: 1)
        ]
        status.childrenLeftOut = 4
        status.faults = [
            .init(source: .logged, text: "the journal is full", count: 2, agoMilliseconds: 900),
            .init(source: .connection, text: "from ::1: no keys", count: 3, agoMilliseconds: 5_000),
        ]
        let lines = StatusText(status).lines.map { line in
            String(line.reversed().drop { $0 == " " }.reversed())
        }
        #expect(
            lines == [
                "node      relay-eu",
                "up        62 min",
                "version   0.1.0",
                "boot      00c0ffee",
                "open      3",
                "counters  presentedBelow 12",
                "tables    children 1",
                "dropped   duplicate 1, late 2",
                "",
                "PARENT   ENDPOINT              STATE    FOR        OPEN  WHY",
                "central  tcp://127.0.0.1:7700  up       12 s       3     -",
                "-        ipc:///run/spare      refused  2 h 0 min  0     refused: 403 \\u{1B}[2J",
                "",
                "CHILD     STATE  FOR      OPEN  ANSWERED",
                "worker-1  live   2 d 7 h  3     1",
                "and 4 more",
                "",
                "AGO  TIMES  FAULT",
                "0 s  2      logged: the journal is full",
                "5 s  3      connections failed: from ::1: no keys",
            ])
    }

    @Test("A child that its parent's status left out is not taken for one without a link")
    func leftOut() {
        var status = NodeStatus(node: "central")
        // Twice: a parent that two endpoints of the list of parents lead to.
        let unlinked = Hearsay(of: "worker-1", from: [status, status])
        #expect(unlinked.isUnknown)
        #expect(unlinked.lines == ["central has no link with worker-1"])
        status.childrenLeftOut = 4
        let leftOut = Hearsay(of: "worker-1", from: [status])
        #expect(!leftOut.isUnknown)
        #expect(
            leftOut.lines == [
                "central does not list all of its children: worker-1 may be one of the 4 that "
                    + "are left out"
            ])
    }

    @Test("The reason of a parent that refused cannot turn the text of a terminal around")
    func refused() {
        let refusal = StatusFailure.refused(code: 429, reason: "a\u{202E}b")
        let hearsay = Hearsay(
            of: "worker-1", from: [NodeStatus(node: "central")], silent: ["ipc://x: \(refusal)"])
        #expect(hearsay.lines.last == "no answer from ipc://x: refused: 429 a\\u{202E}b")
    }
}
