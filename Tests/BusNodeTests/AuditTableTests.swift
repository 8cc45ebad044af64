import ErrorBus
import Foundation
import Testing

@testable import BusNodeKit

struct AuditTableTests {
    @Test("Unanswered presentations are listed once, with their facts from the ledger")
    func listedOnce() throws {
        func event(_ id: String, _ more: [String: String]) -> LoggedEvent {
            LoggedEvent(["id": id, "time": "2026-11-21T10:00:00Z"].merging(more) { $1 })
        }
        let events = [
            event("1", ["event": "present"]), event("2", ["event": "present"]),
            event("3", ["event": "present"]), event("4", ["event": "present"]),
            event("2", ["event": "change", "reason": "expired", "option": "abort"]),
            event("4", ["event": "decide", "option": "retry", "by": "ann"]),
        ]
        let dead = ["1", "2", "4"].map {
            event($0, ["event": "unanswered", "reason": "withdrawn", "node": "central"])
        }
        let table = AuditTable(events, dead: dead)
        let ids = { (lines: [String]) in lines.dropFirst().map { $0.suffix(1) } }
        #expect(ids(table.lines) == ["3", "4"])
        #expect(ids(table.deadLines) == ["1", "2"])
        #expect(table.deadLines[1].contains("withdrawn"))
        #expect(table.deadLines[2].contains(Outcome.Reason.expired.words(applying: "abort")))
        let last = AuditTable(events, dead: dead, limit: 1)
        #expect(ids(last.lines) == ["4"])
        #expect(ids(last.deadLines) == ["2"])
    }

    @Test("The values of an answer stand behind its option, of secrets the names")
    func values() {
        func answer(_ more: [String: String]) -> String? {
            let fields = [
                "event": "decide", "id": "1", "time": "2026-11-21T10:00:00Z", "by": "ann",
                "option": "go",
            ]
            let line = AuditTable([LoggedEvent(fields.merging(more) { $1 })]).lines.last
            return line?.firstMatch(of: /go.*(?=  ann)/).map {
                $0.output.trimmingCharacters(in: .whitespaces)
            }
        }
        #expect(answer([:]) == "go")
        #expect(
            answer(["values": #"{"path":"/srv","depth":2}"#, "secrets": "pin,key"])
                == #"go with depth 2, path "/srv", pin (secret), key (secret)"#)
        // Written by hand.
        #expect(answer(["values": "{"]) == "go")
    }

    @Test("The result of an option to give up is called as in the inbox, whatever comes first")
    func cancelled() {
        func event(_ name: String, _ more: [String: String]) -> LoggedEvent {
            let fields = ["event": name, "id": "1", "time": "2026-11-21T10:00:00Z"]
            return LoggedEvent(fields.merging(more) { $1 })
        }
        func outcome(_ option: String, result: String = "failed", cancel: String?) -> String? {
            var offered: [String: String] = [:]
            offered["cancel"] = cancel
            let done = event("done", ["option": option, "result": result, "by": "ann"])
            let outcomes = [[done, event("present", offered)], [event("report", offered), done]]
                .map { AuditTable($0).lines[1].dropLast(3) }
            return outcomes[0] == outcomes[1] ? String(outcomes[0]) : nil
        }
        #expect(outcome("abort", cancel: "stop,abort")?.hasSuffix(" cancelled") == true)
        #expect(outcome("retry", cancel: "abort")?.hasSuffix(" not recovered") == true)
        // An event of an earlier version does not have them.
        #expect(outcome("abort", cancel: nil)?.hasSuffix(" not recovered") == true)
        #expect(outcome("abort", result: "late", cancel: "abort")?.hasSuffix(" too late") == true)
    }

    @Test("That an operation failed again is the outcome of the answer before, not of the next one")
    func failedAgain() {
        func event(_ id: String, _ more: [String: String]) -> LoggedEvent {
            LoggedEvent(["id": id, "time": "2026-11-21T10:00:00Z"].merging(more) { $1 })
        }
        let done = ["event": "done", "option": "retry", "by": "ann", "result": "recovered"]
        let lines = AuditTable([
            event("1", ["event": "present"]), event("1", done),
            event("2", ["event": "present", "retryOf": "1"]),
        ]).lines
        #expect(lines.count == 3)
        #expect(lines[1].contains(RecoveryResult.failedAgainWord) && lines[1].hasSuffix("1"))
        #expect(!lines[2].contains(RecoveryResult.failedAgainWord) && lines[2].hasSuffix("2"))
    }

    @Test("A delivery given up after the result of the same answer changes nothing")
    func unknownAfterResult() {
        func outcome(_ results: [(answer: String, result: String)]) -> String {
            let events = results.map {
                LoggedEvent([
                    "event": "done", "id": "1", "time": "2026-11-21T10:00:00Z", "option": "retry",
                    "by": "ann", "answer": $0.answer, "result": $0.result,
                ])
            }
            return String(AuditTable(events).lines[1].dropLast(3))
        }
        #expect(outcome([("a", "recovered"), ("a", "unknown")]).hasSuffix(" recovered"))
        #expect(outcome([("a", "unknown"), ("a", "recovered")]).hasSuffix(" recovered"))
        #expect(outcome([("a", "unknown")]).hasSuffix(" no result known"))
        #expect(outcome([("a", "invalid"), ("b", "unknown")]).hasSuffix(" no result known"))
    }

    @Test("Recent are all events of a recent presentation, and of the rest those that are so")
    func recent() {
        func event(_ id: String, _ hour: Int) -> LoggedEvent {
            LoggedEvent(["event": "x", "id": id, "time": "2026-11-21T1\(hour):00:00Z"])
        }
        let events = [
            event("1", 0), event("2", 0), event("", 0), event("2", 5), event("", 5),
        ]
        let recent = events.recent(since: "2026-11-21T15:00:00Z")
        #expect(recent.map { $0["id"] } == ["2", "2", ""])
        #expect(recent.map { $0["time"].contains("T10") } == [true, false, false])
    }
}
