import ErrorBusTesting
import Foundation
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// Policies that are tried on the presentations of a journal.
@Suite struct RuleTrialTests {
    private let path = FileManager.default.temporaryDirectory
        .appendingPathComponent("trial-\(UUID().uuidString)/central.sqlite").path
    private let start = ManualTime().now

    private func id(_ number: UInt64) -> String {
        PresentationID(UniqueID(high: 0, low: number)).description
    }

    /// Opened as many seconds after the start as its number says.
    private func item(
        _ number: UInt64, _ stage: InboxItem.Stage, domain: String = "com.acme.db"
    ) -> InboxItem {
        let report = ErrorReport(
            domain: domain, description: "Deadlock",
            options: [.init(id: "retry", title: "Retry"), .init(id: "skip", title: "Skip")])
        let presentation = InboxPresentation(
            id: PresentationID(UniqueID(high: 0, low: number)), report: report, origin: "worker-1")
        var item = InboxItem(
            presentation, group: 0, at: start + .seconds(Int(number)), revision: number)
        item.stage = stage
        return item
    }

    private func chosen(_ option: String, _ via: Answer.Via = .person) -> InboxItem.Stage {
        .settled(Answer(option: option, by: "ann", via: via), .recovered)
    }

    /// - Parameter lost: Those of which the journal has no report.
    private func trial(
        _ policy: String, _ items: [InboxItem], lost: [InboxItem] = [], days: Int = 1,
        countMax: Int = 100, after time: Duration = .seconds(60)
    ) async throws -> RuleTrialView {
        let journal = try SQLiteJournal(path, of: "central")
        for item in items {
            try await journal.shown(
                item.id, .init(origin: item.origin, digest: nil, report: item.report))
        }
        try await journal.keep(items + lost, [], console: 0)
        let archive = try #require(try HistoryArchive(path))
        return try await archive.trial(
            try PolicyText.rules(policy), days: days, countMax: countMax, at: start + time)
    }

    private func words(_ parts: [TrialPart]) -> [String] {
        parts.map { "\($0.what) \($0.count) \($0.ids.joined(separator: " "))" }
    }

    @Test("What a rule answers is compared with what people answered")
    func counts() async throws {
        let view = try await trial(
            "rules: [{ match: { domain: com.acme.db }, answer: retry }]",
            [
                item(1, chosen("retry")), item(2, chosen("retry")), item(3, chosen("skip")),
                item(4, .closed(.withdrawn)), item(5, .open),
                item(6, chosen("skip", .expiry)), item(7, chosen("retry"), domain: "other"),
            ], lost: [item(8, chosen("retry"))])
        #expect([view.compared, view.unread, view.matched] as [Int] == [7, 1, 6])
        #expect([view.answered, view.same] as [Int] == [6, 2] && !view.isCut)
        #expect(words(view.otherwise) == ["skip 1 \(id(3))"])
        #expect(
            words(view.unanswered)
                == [
                    "withdrawn 1 \(id(4))", "open 1 \(id(5))",
                    "\(Outcome.Reason.expired.words) 1 \(id(6))",
                ])
        #expect(view.declined.isEmpty)
        #expect(
            view.lines[1] == "would have answered 6: 2 as people did, 1 otherwise, "
                + "3 that no person answered")
        #expect(RuleTrialView(json: view.json)?.lines == view.lines)
    }

    @Test("An answer with other values of the same option is not as people did")
    func values() async throws {
        func item(_ number: UInt64, _ values: [String: JSONValue]) -> InboxItem {
            var report = ErrorReport(
                domain: "com.acme.db", description: "Deadlock",
                options: [.init(id: "retry", title: "Retry")])
            report.options[0].fields = [
                .text("path", label: "Path"), .number("count", label: "Count", default: 3),
                .secret("pin", label: "PIN", isRequired: false),
            ]
            let presentation = InboxPresentation(
                id: PresentationID(UniqueID(high: 0, low: number)), report: report,
                origin: "worker-1")
            var item = InboxItem(
                presentation, group: 0, at: start + .seconds(Int(number)), revision: number)
            let answer = Answer(
                option: "retry", by: "ann", via: .person, values: values,
                secrets: ["pin": .string("4711")])
            item.stage = .settled(answer, .recovered)
            return item
        }
        let view = try await trial(
            "rules: [{ match: {}, answer: { option: retry, values: { path: /a } } }]",
            [
                item(1, ["path": "/a", "count": 3]), item(2, ["path": "/b", "count": 3]),
                item(3, ["path": "/a", "count": 4]),
            ])
        #expect(view.answered == 3 && view.same == 1 && view.otherwise.isEmpty)
        #expect(words(view.otherValues) == ["retry 2 \(id(2)) \(id(3))"])
        let others = "people chose retry with other values 2: \(id(2)) \(id(3))"
        #expect(view.lines.contains("  \(others)"))
        #expect(view.lines[1].contains("1 as people did, 2 otherwise"))
    }

    @Test("Limits and times are those of the presentations, and a dry run does not count")
    func limits() async throws {
        let items = (1...4).map { item($0, chosen("retry")) }
        let limited = try await trial(
            "rules: [{ match: {}, answer: { option: retry, limit: 2 per 2s }, dryRun: true }]",
            items)
        // The window of the first has passed at the third.
        #expect(limited.same == 4 && limited.declined.isEmpty)
        let strict = try await trial(
            "rules: [{ match: {}, answer: { option: retry, limit: 1 per 1h } }]", [])
        #expect(strict.same == 1)
        #expect(
            words(strict.declined)
                == ["limitReached 3 \((2...4).map { id($0) }.joined(separator: " "))"])
        let ids = (2...4).map { id($0) }.joined(separator: " ")
        #expect(strict.lines.contains("would have declined 3, above its limit: \(ids)"))
        let weekend = try await trial(
            "rules: [{ match: {}, answer: retry, during: { days: [sat, sun], timeZone: UTC } }]",
            [])
        // The start is a Friday.
        #expect(weekend.matched == 4 && weekend.answered == 0)
        #expect(weekend.declined.map(\.what) == ["outsideSchedule"])
        let late = "would have declined 4, outside its times: "
        #expect(weekend.lines.contains { $0.hasPrefix(late) })
    }

    @Test("An answer that the end of its presentation forestalls does not count")
    func ended() async throws {
        func ending(_ number: UInt64, _ stage: InboxItem.Stage, after seconds: Int) -> InboxItem {
            var ended = item(number, stage)
            ended.changedAt = start + .seconds(Int(number) + seconds)
            return ended
        }
        let items = [
            ending(1, .closed(.withdrawn), after: 2), ending(2, chosen("retry"), after: 1),
            ending(4, chosen("retry"), after: 1), ending(5, .closed(.expired), after: 4),
            ending(6, chosen("skip", .expiry), after: 4),
            ending(20, .closed(.withdrawn), after: 5), ending(21, .open, after: 0),
        ]
        let view = try await trial(
            """
            rules: [{ match: {}, answer: { option: retry, limit: 1 per 10s, delay: 5s } }]
            """, items)
        let forestalled = [1, 5, 6].map { id($0) }.joined(separator: " ")
        #expect(
            words(view.declined)
                == ["endedWithinDelay 3 \(forestalled)", "limitReached 2 \(id(2)) \(id(21))"])
        // The first one counted until it was withdrawn; the one of 5 s ended with its delay.
        #expect(view.matched == 7 && view.answered == 2 && view.same == 1)
        #expect(words(view.unanswered) == ["withdrawn 1 \(id(20))"])
        let line = "would have declined 3, ended within its delay: \(forestalled)"
        #expect(view.lines.contains(line))
        let early = try await trial(
            "rules: [{ match: {}, answer: { option: retry, limit: 9 per 10s, delay: 5s } }]", [])
        #expect(words(early.declined) == ["endedWithinDelay 3 \(forestalled)"])
        #expect(early.answered == 4)
        // What expired within the delay gets the answer of the next rule, what was withdrawn none.
        let second = try await trial(
            "rules: [{ match: {}, answer: { option: retry, delay: 5s } }, "
                + "{ match: {}, answer: skip }]", [])
        #expect(words(second.declined) == ["endedWithinDelay 1 \(id(1))"])
        #expect(second.answered == 6)
    }

    @Test("Actions other than answers are counted, and options that were not offered")
    func others() async throws {
        let items = [item(1, .closed(.expired), domain: "a"), item(2, .open, domain: "b")]
        let view = try await trial(
            """
            rules:
              - { match: { domain: a }, withhold: true }
              - { match: { domain: b }, answer: wipe }
            """, items)
        #expect([view.matched, view.answered, view.withheld] as [Int] == [2, 0, 1])
        #expect(words(view.declined) == ["notOffered 1 \(id(2))"])
        let changed = try await trial(
            "rules: [{ match: {}, rewrite: { severity: info } }]", [])
        #expect(changed.changed == 2)
    }

    @Test("Older ones, and of too many the oldest, are left out")
    func bounded() async throws {
        let items = (1...5).map { item($0, chosen("retry")) }
        let policy = "rules: [{ match: {}, answer: skip }]"
        let cut = try await trial(policy, items, countMax: 3)
        #expect(cut.compared == 3 && cut.isCut && cut.countMax == 3)
        let latest = (3...5).map { id($0) }.joined(separator: " ")
        #expect(words(cut.otherwise) == ["retry 3 \(latest)"])
        #expect(try await trial(policy, [], days: 1, after: .seconds(86_403)).compared == 3)
        #expect(try await trial(policy, [], countMax: 5).isCut == false)
    }

    @Test("Of many presentations with something in common the latest are named")
    func named() async throws {
        let items = (1...22).map { item($0, chosen("skip")) }
        let view = try await trial("rules: [{ match: {}, answer: retry }]", items)
        #expect(view.otherwise.map(\.count) == [22])
        #expect(view.otherwise.map(\.ids) == [(3...22).map { id($0) }])
        #expect(view.lines.contains { $0.hasSuffix("\(id(22)) and 2 before") })
    }

    @Test("What several consoles had counts once, as the one has it that changed it last")
    func severalConsoles() async throws {
        let (first, second) = (item(1, chosen("retry")), item(2, chosen("retry")))
        let policy = "rules: [{ match: {}, answer: { option: retry, limit: 2 per 1h } }]"
        _ = try await trial(policy, [first, second])
        var earlier = item(1, .open)
        earlier.changedAt = start
        try await SQLiteJournal(path, of: "central").keep([earlier, second], [], console: 1)
        let view = try await trial(policy, [])
        #expect([view.compared, view.same] as [Int] == [2, 2] && view.declined.isEmpty)
        #expect(view.unanswered.isEmpty)
        #expect(try await trial(policy, [], countMax: 2).isCut == false)
        let archive = try #require(try HistoryArchive(path))
        #expect(try await archive.rule(from: id(1)).answers == 2)
        let rules = try PolicyText.rules(policy)
        let own = try await archive.trial(rules, days: 1, console: 1, at: start + .seconds(60))
        #expect(own.unanswered.map(\.what) == ["open"])
    }

    @Test("Patterns that take too long for what was presented are refused")
    func costly() async throws {
        let regex = String(repeating: "(a|b)*", count: 40)
        // The domain alone shows that it does not match, which costs nothing here.
        let rules = try PolicyText.rules(
            "rules: [{ match: { domain: x, userInfo.log: '/\(regex)/' }, answer: retry }]")
        let one = item(1, .open)
        var report = one.report
        report.userInfo["log"] = .string(
            String(repeating: "x", count: TextPattern.scalarCountMax))
        let row = PastRow(row: HistoryRow(one, console: 0), payload: Data(report.payload()))
        var trial = RuleTrial(rules, of: "central", RuleTrialView(), at: start)
        let refusal = #expect(throws: Failure.self) {
            for _ in 1...1_000 { try trial.add(row) }
        }
        #expect(refusal?.status == .usage)
    }

    @Test("The page has the same words for what keeps a rule from having an effect")
    func refusals() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Sources/BusNodeKit/Console/Page/rule-form.js")
        let page = try String(contentsOf: file, encoding: .utf8)
        let refusals = RuleStep.Refusal.Kind.allCases.map { ($0.rawValue, $0.words) }
        for (word, words) in refusals + [RuleTrialView.endedWithinDelay] {
            #expect(page.contains("\(word): \"\(words)\""))
        }
    }

    @Test("A rule is made of what a journal has, by a part of the id")
    func made() async throws {
        _ = try await trial(
            "rules: []", [item(1, chosen("retry")), item(2, chosen("retry"))],
            lost: [item(3, chosen("retry"))])
        let archive = try #require(try HistoryArchive(path))
        let view = try await archive.rule(from: id(1))
        #expect(view.option == "retry" && view.answers == 2)
        #expect(view.rule.contains("origin: worker-1\n"))
        await #expect(throws: Failure.self) { try await archive.rule(from: "00000000") }
        await #expect(throws: Failure.self) { try await archive.rule(from: id(3)) }
    }
}
