import ErrorBus
import Foundation
import Glibc
import Testing

extension EndToEnd.Users {
    /// What a person had done to a presentation when its node was killed.
    private enum Act: Int, CaseIterable {
        case nothing, claimed, noted, undone, held, proposed, answered

        var id: String { "0192000\(rawValue)-0000-7000-8000-000000000000" }
    }

    /// The fields of a presentation that say what people did, with its age.
    private static let kept = [
        "stage", "openedAt", "claimedBy", "claimedUntil", "proposal", "notes", "answer", "result",
        "reason", "outcome", "origin", "path",
    ]

    private func facts(_ act: Act, at client: ConsoleClient) async throws -> [String: JSONValue] {
        let item = try await client.send("GET", "/api/v1/presentations/\(act.id)").json
        let fields = Self.kept.map { ($0, item[$0] ?? .null) }
        return Dictionary(fields + [("history", item["history"] ?? .null)]) { $1 }
    }

    private func allFacts(at client: ConsoleClient) async throws -> [Act: [String: JSONValue]] {
        var all: [Act: [String: JSONValue]] = [:]
        for act in Act.allCases { all[act] = try await facts(act, at: client) }
        return all
    }

    private func post(
        _ act: Act, _ verb: String, _ body: JSONValue, by client: ConsoleClient
    ) async throws -> ConsoleClient.Reply {
        try await client.send("POST", "/api/v1/presentations/\(act.id)/\(verb)", body)
    }

    /// Does each of them; all wait at the console.
    private func act(
        _ ann: ConsoleClient, _ bob: ConsoleClient, undoing mark: JSONValue
    ) async throws {
        let (hour, minute): (JSONValue, JSONValue) = (3_600_000, 60_000)
        for reply in [
            try await post(.claimed, "claim", ["forMilliseconds": hour], by: ann),
            try await post(.noted, "note", ["text": "called Ann"], by: bob),
            try await post(
                .undone, "answer", ["option": "no", "answer": mark, "undoMilliseconds": minute],
                by: bob),
            try await post(.undone, "undo", [:], by: bob),
            try await post(.undone, "claim", ["forMilliseconds": hour], by: bob),
            try await post(
                .held, "answer", ["option": "no", "undoMilliseconds": minute], by: ann),
            try await post(
                .proposed, "answer", ["option": "drop", "comment": "it is old"], by: ann),
            try await post(.answered, "answer", ["option": "retry"], by: bob),
            try await ann.send(
                "POST", "/api/v1/silences",
                ["match": ["domain": "other"], "comment": "known", "forMilliseconds": hour]),
        ] { #expect(reply.status == 200, "\(reply.text)") }
    }

    @Test("After kill -9 in the middle of what people do, all of it is there but a held answer")
    func killedInTheMiddle() async throws {
        let tokens = (
            ann: try await added("ann", "answer,silence"), bob: try await added("bob", "answer")
        )
        var (nodes, address) = try await started(extra: "    journal: $DIR/c.sqlite")
        let presents = try Act.allCases.map { act in
            try sandbox.present(
                "--grace", "1h", "--id", act.id, "--option", "retry=Retry", "--option",
                "no=No:cancel", "--option", "drop=Drop:two")
        }
        var (ann, bob) = (
            ConsoleClient(address: address, token: tokens.ann),
            ConsoleClient(address: address, token: tokens.bob)
        )
        let count = presents.count
        _ = try await ann.send("GET", "/api/v1/events", until: "\"openCount\":\(count)")
        let mark: JSONValue = "0197e2b4-0000-7000-8000-000000000001"
        try await act(ann, bob, undoing: mark)
        #expect(try await presents[Act.answered.rawValue].ending() == 0)
        _ = try await ann.send("GET", "/api/v1/events", until: "\"stage\":\"settled\"")
        // Writes what came last, too: the last moment before a kill may be missing.
        #expect(try await ann.send("GET", "/api/v1/audit").status == 200)
        let before = try await allFacts(at: ann)
        #expect(
            Act.allCases.map { before[$0]?["stage"] }
                == ["open", "claimed", "open", "claimed", "leaving", "open", "settled"])
        let silences = try await ann.send("GET", "/api/v1/silences").json["silences"]

        nodes[0].send(SIGKILL)
        _ = try await nodes[0].ending()
        (nodes[0], address) = try await startedCentral()
        ann = ConsoleClient(address: address, token: tokens.ann)
        bob = ConsoleClient(address: address, token: tokens.bob)
        _ = try await ann.send("GET", "/api/v1/events", until: "\"openCount\":\(count - 1)")
        var after = try await allFacts(at: ann)
        #expect(try await ann.send("GET", "/api/v1/silences").json["silences"] == silences)
        for act in Act.allCases {
            // What happened since is behind it.
            let events = before[act]?["history"]?.arrayValue ?? []
            let all = after[act]?["history"]?.arrayValue ?? []
            #expect(!events.isEmpty && all.prefix(events.count) == events[...], "\(act)")
            after[act]?["history"] = before[act]?["history"]
            if act != .held { #expect(after[act] == before[act], "\(act)") }
        }
        // It was not sent: its author has a claim, as after an undo.
        #expect(after[.held]?["claimedBy"] == "ann" && after[.held]?["answer"] == .null)
        #expect(after[.held]?["openedAt"] == before[.held]?["openedAt"])
        #expect(presents[Act.held.rawValue].output.value.isEmpty)
        try await goOn(ann, bob, undone: mark, proposal: after[.proposed]?["proposal"])
        for act in [Act.held, .proposed] {
            #expect(try await presents[act.rawValue].ending() == 0)
        }
        #expect(presents[Act.proposed.rawValue].output.value == "drop\n")
        withExtendedLifetime(nodes) {}
    }

    /// People go on where they were.
    private func goOn(
        _ ann: ConsoleClient, _ bob: ConsoleClient, undone mark: JSONValue, proposal: JSONValue?
    ) async throws {
        let again = try await post(.undone, "answer", ["option": "no", "answer": mark], by: bob)
        #expect(again.text("error") == "takenBack")
        #expect(try await post(.held, "undo", [:], by: ann).text("error") == "nothingToUndo")
        let other = try await post(.held, "answer", ["option": "retry"], by: bob)
        #expect(other.text("error") == "claimed" && other.text("by") == "ann")
        #expect(try await post(.held, "answer", ["option": "retry"], by: ann).status == 200)
        let body: JSONValue = ["option": "drop", "confirms": try #require(proposal?["id"])]
        let confirmed = try await post(.proposed, "answer", body, by: bob)
        #expect(confirmed.text("answer", "by") == "ann")
        #expect(confirmed.text("answer", "second") == "bob")
    }
}
