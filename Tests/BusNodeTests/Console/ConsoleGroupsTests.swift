import Foundation
import Logging
import OrderedCollections
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// A group over HTTP: what it is made of, and that nothing of it is answered unseen.
struct ConsoleGroupsTests {
    private let api: ConsoleAPI

    init() throws {
        api = ConsoleAPI(
            try Console(
                ConsoleSettings(listen: try Endpoint("tcp://127.0.0.1:8080")), of: "central",
                in: Topology(nodes: [:]), logger: Logger(label: "test")))
    }

    /// Presents reports that differ in what they say, and waits until all of them are open.
    private func present(
        _ descriptions: String..., reasons: [String?] = [],
        option: ErrorReport.Option = .init(id: "go", title: "Retry")
    ) async throws -> [Task<Void, any Error>] {
        let asking = descriptions.indices.map { index in
            var report = ErrorReport(domain: "com.acme", description: descriptions[index])
            report.failureReason = index < reasons.count ? reasons[index] : nil
            report.coalesceKey = "timeout"
            report.options = [option]
            let prompt = Prompts.prompt(report)
            return Task { [api] in _ = try await api.inbox.present(prompt) }
        }
        for await _ in api.inbox.changes() where api.inbox.openCount == descriptions.count { break }
        return asking
    }

    private var number: Int {
        get throws { try #require(api.inbox.groups.first).number }
    }

    /// How many are answered, or the word of the refusal.
    private func answer(_ fields: [String: JSONValue]) throws -> String {
        let body = JSONValue.object(
            ["option": "go", "by": "ann", "undoMilliseconds": 60_000].merging(fields) { $1 })
        do {
            _ = try api.answerGroup(try number, body.encoded(), .unnamed)
            return "\(api.inbox.items().count { $0.answer != nil })"
        } catch let problem as APIProblem {
            #expect(api.inbox.items().allSatisfy { $0.answer == nil })
            return problem.word
        }
    }

    @Test("F25 A preview that would compare for long is refused, and one that ends is not")
    func costly() async throws {
        let asking = try await present("One.", "Two.")
        func preview(_ patterns: [JSONValue]) async throws -> String {
            let body: JSONValue = ["match": ["userInfo": ["log": .array(patterns)]]]
            do {
                _ = try await api.previewSilence(body.encoded(), .unnamed)
                return "made"
            } catch let problem as APIProblem {
                return problem.word
            }
        }
        let pattern = JSONValue.string("/(a?b?){40}x/")
        #expect(try await preview([pattern]) == "made")
        // Both have short contexts; now a third has a long one.
        var report = ErrorReport(domain: "com.acme", description: "Three.")
        report.options = [.init(id: "go", title: "Retry")]
        report.userInfo["log"] = .string(String(repeating: "ab", count: 4_000))
        let many = (0..<50).map { _ in
            Task { [api, report] in _ = try await api.inbox.present(Prompts.prompt(report)) }
        }
        for await _ in api.inbox.changes() where api.inbox.openCount == 52 { break }
        #expect(try await preview([pattern]) == "made")
        #expect(try await preview(Array(repeating: pattern, count: 20)) == "tooCostly")
        #expect(try await preview(Array(repeating: pattern, count: 200)) == "badRequest")
        for task in asking + many { task.cancel() }
    }

    @Test("A group lists its members and their differences")
    func varies() async throws {
        let asking = try await present("One.", "Two.", reasons: ["the same", "the same"])
        let group = try api.group(number)
        #expect(group["varies"] == ["description"])
        #expect(group["members"] == 2)
        let texts = group["items"]?.arrayValue?.compactMap { $0["description"]?.stringValue }
        #expect(Set(texts ?? []) == ["One.", "Two."])
        let reasons = group["items"]?.arrayValue?.compactMap { $0["failureReason"]?.stringValue }
        #expect(reasons == ["the same", "the same"])
        let first = try #require(api.inbox.groups.first?.members.first)
        try api.inbox.claim(first, by: "bob")
        let claimed = try api.group(number)["items"]?.arrayValue?.first
        #expect(claimed?["claimedBy"] == "bob" && claimed?["claimedUntil"]?.stringValue != nil)
        #expect(claimed?["openedAt"]?.stringValue != nil)
        let refusal = #expect(throws: APIProblem.self) { try api.group(99) }
        #expect(refusal?.word == "unknownGroup")
        for task in asking { task.cancel() }
    }

    @Test("Of long reasons a group has the ends, as a list has")
    func longReasons() async throws {
        let most = ConsoleLimits.descriptionScalarMax
        let long = String(repeating: "x", count: most)
        let asking = try await present("One.", "One.", reasons: ["\(long)a", "\(long)b"])
        let items = try api.group(number)["items"]?.arrayValue
        let reasons = items?.compactMap { $0["failureReason"]?.stringValue }
        let start = String(repeating: "x", count: most - 1)
        #expect(Set(reasons ?? []) == ["\(start)a", "\(start)b"])
        for task in asking { task.cancel() }
    }

    @Test("A group and each of its members have the address of the page that shows it")
    func addresses() async throws {
        let asking = try await present("One.", "One.")
        api.console.listens(at: ConsoleHosts(api.console.settings, port: 8080))
        let group = try api.group(number)
        let key = try #require(group["first"]?["groupKey"]?.stringValue)
        let page = "http://127.0.0.1:8080/#/inbox"
        #expect(group["url"] == .string("\(page)?filter=group%3A\(key)"))
        let items = group["items"]?.arrayValue ?? []
        #expect(items.count == 2)
        for item in items {
            let id = try #require(item["id"]?.stringValue)
            #expect(item["url"] == .string("\(page)/\(id)"))
        }
        for task in asking { task.cancel() }
    }

    @Test("Different members are answered only with the revision that was seen")
    func differing() async throws {
        let asking = try await present("One.", "Two.")
        #expect(try answer([:]) == "notSeen")
        let seen = api.console.revisions.shown(api.inbox.revision)
        #expect(try answer(["seen": .integer(seen)]) == "2")
        for task in asking { task.cancel() }
    }

    @Test(
        "Different reasons need the revision that was seen, or the ids", arguments: [true, false])
    func differingReasons(isSeen: Bool) async throws {
        let asking = try await present("One.", "One.", reasons: ["the disk", "the lease"])
        #expect(try answer(["count": 2]) == "notSeen")
        let seen = api.console.revisions.shown(api.inbox.revision)
        #expect(try answer(isSeen ? ["seen": .integer(seen)] : ["ids": json(ids.open)]) == "2")
        for task in asking { task.cancel() }
    }

    /// The ids of those that were answered, and of those that are open.
    private var ids: (answered: Set<PresentationID>, open: Set<PresentationID>) {
        let items = api.inbox.items()
        return (
            Set(items.filter { $0.answer != nil }.map(\.id)),
            Set(items.filter(\.isOpen).map(\.id))
        )
    }

    private func json(_ ids: some Sequence<PresentationID>) -> JSONValue {
        .array(ids.map { .string($0.description) })
    }

    @Test("Only the chosen members are answered; the others stay open as the group")
    func inPart() async throws {
        let asking = try await present("One.", "One.", "One.")
        let (group, all) = (try number, ids.open.sorted { $0.description < $1.description })
        #expect(try answer(["ids": json(all.prefix(2))]) == "2")
        #expect(ids.answered == Set(all.prefix(2)) && ids.open == [all[2]])
        #expect(try number == group)
        #expect(api.inbox.groups.first?.members == [all[2]])
        for task in asking { task.cancel() }
    }

    /// Undoes these answers of the group; the members that are open again.
    private func undo(_ answers: JSONValue) throws -> Set<PresentationID> {
        let body: JSONValue = ["by": "ann", "answers": answers]
        let group = try #require(api.inbox.items().first).group
        _ = try api.undoGroup(group, body.encoded(), .unnamed)
        return ids.open
    }

    @Test("An undo takes back the answers that it names, and none that came in their place")
    func undone() async throws {
        let asking = try await present("One.", "One.", "One.", "One.")
        // The last one stays open, and the group with it.
        let all = api.inbox.items().map(\.id)
        let body: JSONValue = [
            "option": "go", "by": "ann", "undoMilliseconds": 60_000, "ids": json(all.prefix(3)),
        ]
        let reply = try api.answerGroup(try number, body.encoded(), .unnamed)
        let answered = reply.texts("answered").compactMap { PresentationID($0) }
        let answers = reply.texts("answers")
        #expect(try answered.map { try api.inbox.item($0).answer?.id.description } == answers)
        #expect(try undo([.string(answers[0])]) == [answered[0], all[3]])
        // Another person takes it over, and answers it again.
        _ = try api.inbox.claim(answered[0], by: "bob", for: .seconds(60), takesOver: true)
        try api.inbox.answer(answered[0], option: "go", by: "bob", undo: .seconds(60))
        let problem = #expect(throws: APIProblem.self) { try undo([.string(answers[0])]) }
        #expect(problem?.word == "nothingToUndo")
        #expect(try undo(answers.json) == [answered[1], answered[2], all[3]])
        #expect(try api.inbox.item(answered[0]).answer?.by == "bob")
        for bad: JSONValue in [[], ["x"], .string(answers[0])] {
            #expect(throws: APIProblem.self) { try undo(bad) }
        }
        for task in asking { task.cancel() }
    }

    @Test("An answer that is repeated after a lost reply has the same reply, and is noted once")
    func repeated() async throws {
        let asking = try await present("One.", "One.", "One.")
        let (group, all) = (try number, api.inbox.items().map(\.id))
        let seen = api.console.revisions.shown(api.inbox.revision)
        func answer(_ fields: [String: JSONValue] = [:]) throws -> JSONValue {
            let body: [String: JSONValue] = [
                "option": "go", "by": "ann", "undoMilliseconds": 60_000,
                "answer": .string(UniqueID(high: 0x7000, low: 1).description),
                "seen": .integer(seen),
            ]
            return try api.answerGroup(
                group, JSONValue.object(body.merging(fields) { $1 }).encoded(), .unnamed)
        }
        try api.inbox.claim(all[2], by: "bob")
        let first = try answer()
        #expect(first.texts("answered").count == 2)
        #expect(try answer() == first)
        #expect(try answer(["ids": json(all)]) == first)
        // What was refused is answered once it can be.
        try api.inbox.release(all[2], by: "bob")
        #expect(try answer().texts("answered") == all.map(\.description))
        #expect(api.inbox.groups.isEmpty)
        let last = try answer(["ids": json(all)])
        #expect(last.texts("answered") == all.map(\.description))
        #expect(last["refused"] == [])
        for id in all {
            #expect(api.console.history.events(of: id).count { $0.event == "leaving" } == 1)
        }
        // Another answer under this id, and one without what was seen.
        #expect(try answer(["comment": "Why"]).texts("answered").isEmpty)
        let problem = #expect(throws: APIProblem.self) { try answer(["seen": .null]) }
        #expect(problem?.word == "badRequest")
        for task in asking { task.cancel() }
    }

    @Test("An answer that is repeated is acknowledged, though a chosen member has ended since")
    func repeatedChosen() async throws {
        let asking = try await present("One.", "One.")
        let (group, all) = (try number, api.inbox.items().map(\.id))
        let body: JSONValue = [
            "option": "go", "by": "ann", "undoMilliseconds": 60_000, "ids": json(all),
            "answer": .string(UniqueID(high: 0x7000, low: 1).description),
            "seen": .integer(api.console.revisions.shown(api.inbox.revision)),
        ]
        func answered() throws -> [String] {
            try api.answerGroup(group, body.encoded(), .unnamed).texts("answered")
        }
        #expect(try answered() == all.map(\.description))
        asking[0].cancel()
        for await _ in api.inbox.changes() where ids.answered.count == 1 { break }
        #expect(try answered() == ids.answered.map(\.description))
        asking[1].cancel()
    }

    @Test("With a chosen member that is no longer open none is answered, and the refusal names it")
    func inPartChanged() async throws {
        let asking = try await present("One.", "One.", "One.")
        let all = ids.open.sorted { $0.description < $1.description }
        let seen = api.console.revisions.shown(api.inbox.revision)
        try api.inbox.answer(all[0], option: "go", by: "bob")
        let body: JSONValue = ["option": "go", "by": "ann", "ids": json(all)]
        let refusal = #expect(throws: APIProblem.self) {
            try api.answerGroup(try number, body.encoded(), .unnamed)
        }
        #expect(refusal?.word == "notSeen" && refusal?.details["missing"] == json([all[0]]))
        #expect(ids.open == Set(all.dropFirst()))
        // What came after the list was seen was not chosen on it.
        let late = Prompts.prompt(try api.inbox.item(all[1]).report)
        let more = Task { [api] in _ = try await api.inbox.present(late) }
        for await _ in api.inbox.changes() where api.inbox.openCount == 3 { break }
        let second: JSONValue = [
            "option": "go", "by": "ann", "ids": json([all[1], late.id]), "seen": .integer(seen),
        ]
        let other = #expect(throws: APIProblem.self) {
            try api.answerGroup(try number, second.encoded(), .unnamed)
        }
        #expect(other?.details["missing"] == json([late.id]))
        #expect(ids.open.count == 3)
        for task in asking + [more] { task.cancel() }
    }

    /// The reply to a claim or a release of the group, or the word of the refusal.
    private func claim(
        _ fields: [String: JSONValue] = [:], releases: Bool = false
    ) throws -> (reply: JSONValue?, refusal: String?) {
        let body = JSONValue.object(["by": "ann"].merging(fields) { $1 }).encoded()
        do {
            let group = try number
            if releases { return (try api.releaseGroup(group, body, .unnamed), nil) }
            return (try api.claimGroup(group, body, .unnamed), nil)
        } catch let problem as APIProblem {
            return (nil, problem.word)
        }
    }

    @Test("A group is claimed and released at once; the reply says who has claimed the rest")
    func claimed() async throws {
        let asking = try await present("One.", "Two.", "Three.")
        let members = try #require(api.inbox.groups.first).members
        try api.inbox.claim(members[1], by: "bob")
        let reply = try #require(try claim(["forMilliseconds": 60_000]).reply)
        #expect(reply.texts("claimed") == [members[0], members[2]].map(\.description))
        let refused = try #require(reply["refused"]?.arrayValue)
        #expect(refused.count == 1)
        #expect(refused[0]["id"] == .string(members[1].description))
        #expect(refused[0]["error"] == "claimed" && refused[0]["by"] == "bob")
        #expect(refused[0]["until"]?.stringValue != nil)
        let until = try #require(try api.inbox.item(members[0]).stage.claim).until
        let event = api.console.history.events(of: members[0]).first { $0.event == "claim" }
        #expect(event?.fields["until"] == TimeText.text(until.date))
        #expect(!api.console.history.events(of: members[1]).map(\.event).contains("claim"))
        let released = try #require(try claim(releases: true).reply)
        #expect(released.texts("released") == [members[0], members[2]].map(\.description))
        #expect(released["refused"]?.arrayValue?.first?["by"] == "bob")
        #expect(api.console.history.events(of: members[2]).map(\.event).contains("release"))
        let all = try #require(try claim(["takeOver": true]).reply)
        #expect(all.texts("claimed") == members.map(\.description))
        for task in asking { task.cancel() }
    }

    @Test("A claim is for the chosen members that were seen, and its fields are checked")
    func claimedInPart() async throws {
        let asking = try await present("One.", "Two.", "Three.")
        let members = try #require(api.inbox.groups.first).members
        let reply = try claim(["ids": json(members.prefix(2))]).reply
        #expect(reply?.texts("claimed") == members.prefix(2).map(\.description))
        #expect(try api.inbox.item(members[2]).stage == .open)
        try api.inbox.answer(members[0], option: "go", by: "ann")
        #expect(try claim(["ids": json(members)]).refusal == "notSeen")
        #expect(try claim(["seen": .integer(1)]).refusal == "notSeen")
        for bad: [String: JSONValue] in [
            ["forMilliseconds": 0], ["forMilliseconds": 3_600_001], ["takeOver": 1], ["ids": []],
            ["option": "go"],
        ] {
            #expect(try claim(bad).refusal == "badRequest")
        }
        #expect(try claim(["takeOver": true], releases: true).refusal == "badRequest")
        #expect(try api.inbox.item(members[2]).stage == .open)
        for task in asking { task.cancel() }
    }

    @Test("Only the chosen members count for what has to be seen; ids are checked")
    func inPartChecked() async throws {
        let asking = try await present("One.", "One.", "Two.")
        let alike = api.inbox.items().filter { $0.report.description == "One." }.map(\.id)
        let all = Array(ids.open)
        for bad: JSONValue in [[], ["x"], 1, json([all[0], all[0]])] {
            #expect(try answer(["ids": bad]) == "badRequest")
        }
        #expect(try answer(["ids": json(all)]) == "notSeen")
        #expect(try answer(["ids": json(alike)]) == "2")
        #expect(ids.answered == Set(alike))
        for task in asking { task.cancel() }
    }

    @Test("A destructive option for a whole group requires proof that it was seen")
    func destructive() async throws {
        let option = ErrorReport.Option(id: "go", title: "Delete it", role: .destructive)
        let asking = try await present("One.", "One.", option: option)
        #expect(try answer([:]) == "notSeen")
        #expect(try answer(["role": "default"]) == "notSeen")
        #expect(try answer(["role": "none"]) == "notSeen")
        #expect(try answer(["role": "destructive"]) == "2")
        for task in asking { task.cancel() }
    }

    @Test(
        "An option whose title differs from the seen one is refused", arguments: ["Retry", ""])
    func title(title: String) async throws {
        let option = ErrorReport.Option(id: "go", title: title)
        let asking = try await present("One.", "One.", option: option)
        #expect(try answer(["title": "Delete it"]) == "notSeen")
        #expect(try answer(["role": "wipe"]) == "badRequest")
        #expect(try answer(["title": .string(title), "role": "none"]) == "2")
        for task in asking { task.cancel() }
    }

    @Test("An answer with the cancel option ends as cancelled, not as a failure")
    func cancelled() async throws {
        let option = ErrorReport.Option(id: "go", title: "Give up", role: .cancel)
        let asking = try await present("One.", option: option)
        let id = try #require(api.inbox.items().first).id
        let answer = try api.inbox.answer(id, option: "go", by: "ann")
        api.console.audit.record(PresentationEvent(id, .settled(.failed, of: answer)))
        let chart = try await api.chart(.hour)
        let bucket = try #require(chart.buckets.last).bucket
        #expect(bucket.cancelled == 1)
        #expect(bucket.failed == 0)
        for task in asking { task.cancel() }
    }
}
