import ErrorBus
import Foundation
import Testing

extension EndToEnd.Notify {
    func centre() async throws -> (Launched, ConsoleClient) {
        let central = try await sandbox.start("central")
        return (central, try await EndToEnd.Console(sandbox: sandbox).client(central.errors))
    }

    func areOpen(_ count: Int, _ client: ConsoleClient) async throws {
        _ = try await client.send("GET", "/api/v1/events", until: "\"openCount\":\(count)")
    }

    /// What is to survive a centre that is killed in the middle of a storm.
    struct Kept {
        /// A claimed one, one with a note, one that is left alone, and one that is settled.
        fileprivate let ids: [String]
        fileprivate let facts: [[String: JSONValue]]
        fileprivate let openings: [JSONValue]
        fileprivate let silences: JSONValue?
        /// The events of the audit that are ann's, newest first.
        fileprivate let acts: [JSONValue]
        /// What the chart of the last hour counts.
        fileprivate let counts: [String: Int64]
        /// The cause of which nothing needs to stay.
        private let leftOut: String

        fileprivate init(
            of ids: [String], but leftOut: String, at client: ConsoleClient
        ) async throws {
            self.ids = ids
            self.leftOut = leftOut
            var facts: [[String: JSONValue]] = []
            for id in ids {
                let item = try await client.send("GET", "/api/v1/presentations/\(id)").json
                let names = [
                    "stage", "openedAt", "claimedBy", "claimedUntil", "notes", "answer", "result",
                    "outcome", "origin", "path", "history",
                ]
                facts.append(Dictionary(names.map { ($0, item[$0] ?? .null) }) { $1 })
            }
            self.facts = facts
            openings = try await Self.open(but: leftOut, at: client)
                .map { ["id": $0["id"] ?? .null, "openedAt": $0["openedAt"] ?? .null] }
            silences = try await client.send("GET", "/api/v1/silences").json["silences"]
            let chart = try await client.send("GET", "/api/v1/chart").json
            let buckets = chart["buckets"]?.arrayValue ?? []
            var counts: [String: Int64] = [:]
            for name in ["presented", "answered", "recovered"] {
                counts[name] = buckets.compactMap { $0[name]?.integerValue }.reduce(0, +)
            }
            self.counts = counts
            // Last, since it writes what the chart has counted.
            let audit = try await client.send("GET", "/api/v1/audit?by=ann&limit=10000").json
            acts = audit["events"]?.arrayValue ?? []
        }

        /// All that are open, but those of a cause, by id.
        fileprivate static func open(
            but leftOut: String, at client: ConsoleClient
        ) async throws -> [JSONValue] {
            let list = try await client.send("GET", "/api/v1/inbox?stage=open&limit=10000").json
            return (list["items"]?.arrayValue ?? [])
                .filter { $0["description"] != .string(leftOut) }
                .sorted { $0["id"]?.stringValue ?? "" < $1["id"]?.stringValue ?? "" }
        }

        func expectKept(at client: ConsoleClient) async throws {
            let now = try await Kept(of: ids, but: leftOut, at: client)
            for (before, after) in zip(facts, now.facts) {
                // What happened since is behind it.
                let events = before["history"]?.arrayValue ?? []
                #expect(!events.isEmpty)
                #expect(after["history"]?.arrayValue?.prefix(events.count) == events[...])
                var after = after
                after["history"] = before["history"]
                #expect(after == before)
            }
            #expect(now.openings == openings && openings.count == 586)
            #expect(now.silences == silences && silences?.arrayValue?.count == 1)
            #expect(acts.count > 200 && now.acts.suffix(acts.count) == acts[...])
            for (name, count) in counts {
                #expect(count > 0 && now.counts[name, default: 0] >= count, "\(name)")
            }
        }
    }

    /// What people do in the middle of a storm, of which one answer was carried out before.
    func people(
        at client: ConsoleClient, but leftOut: String, answered: String
    ) async throws -> Kept {
        let ids = try await Kept.open(but: leftOut, at: client).prefix(3)
            .compactMap { $0["id"]?.stringValue }
        try #require(ids.count == 3)
        let hour: JSONValue = 3_600_000
        for (path, body) in [
            ("presentations/\(ids[0])/claim", ["by": "ann", "forMilliseconds": hour]),
            ("presentations/\(ids[1])/note", ["by": "ann", "text": "It is the switch."]),
            (
                "silences",
                [
                    "match": ["domain": "other"], "comment": "known", "by": "ann",
                    "forMilliseconds": hour,
                ]
            ),
        ] as [(String, JSONValue)] {
            let reply = try await client.send("POST", "/api/v1/\(path)", body)
            #expect(reply.status == 200, "\(reply.text)")
        }
        // Writes what came last, too: the last moment before a kill may be missing.
        #expect(try await client.send("GET", "/api/v1/audit").status == 200)
        return try await Kept(of: ids + [answered], but: leftOut, at: client)
    }
}
