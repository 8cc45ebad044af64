import ErrorBus
import ErrorBusTesting
import Foundation
import Synchronization
import Testing

@testable import BusNodeKit

struct AuditHistoryTests {
    private let history = AuditHistory()

    /// Those that contain the text, newest first.
    private func events(_ text: String? = nil) async throws -> [EventView] {
        var filter = HistoryFilter()
        filter.text = text
        return try await history.page(filter, limit: 10_000).entries
    }

    @Test("The latest events come first, and the oldest are forgotten at the limit")
    func oldest() async throws {
        let most = ConsoleLimits.auditEventMax
        for number in 1...most { history.record(.decided(.make(), "\(number)", by: "ann")) }
        #expect(try await events().count == most)
        history.record(.decided(.make(), "\(most + 1)", by: "ann"))
        let events = try await events()
        #expect(events.count == most + 1 - most / 10)
        #expect(events.first?.fields["option"] == "\(most + 1)")
        #expect(events.last?.fields["option"] == "\(most / 10 + 1)")
        #expect(history.total == most + 1)
        #expect(history.numbered.map(\.number) == Array((most / 10 + 1)...(most + 1)))
    }

    @Test("What any process can cause pushes out no decision of people, nor what others caused")
    func flood() {
        func presented(_ origin: NodeName) -> PresentationID {
            let report = ErrorReport(domain: "org.example", description: "x")
            let id = PresentationID.make()
            let what = PresentationEvent.What.presented(report, origin: origin, path: [origin])
            history.record(PresentationEvent(id, what))
            return id
        }
        let decided = presented("good")
        history.record(.decided(decided, "retry", by: "ann"))
        history.record(.settled(decided, .recovered, "retry", by: "ann"))
        let modest = presented("modest")
        let automatic = presented("modest")
        let byPolicy = Answer(option: "skip", by: "policy", via: .policy)
        history.record(PresentationEvent(automatic, .decided(byPolicy, isRestored: false)))
        for number in 0..<(2 * ConsoleLimits.auditEventMax) {
            let id = presented(NodeName(stringLiteral: "bad-\(number % 7)"))
            if number.isMultiple(of: 4) {
                history.record(PresentationEvent(id, .decided(byPolicy, isRestored: false)))
            }
        }
        #expect(history.events(of: decided).map(\.event) == ["present", "decide", "done"])
        #expect(history.events(of: modest).count == 1)
        #expect(history.events(of: automatic).map(\.event) == ["present", "decide"])
        #expect(history.numbered.count <= ConsoleLimits.auditEventMax)
    }

    @Test("Where a journal has the events as well, the oldest are forgotten")
    func stored() {
        history.restore([])
        let first = PresentationID.make()
        history.record(.decided(first, "retry", by: "ann"))
        for _ in 0..<ConsoleLimits.auditEventMax { history.record(.presented(.make(), "x")) }
        #expect(history.events(of: first).isEmpty)
        #expect(history.numbered.count == ConsoleLimits.auditEventMax)
    }

    @Test("Search finds kinds, ids and fields, in any case")
    func search() async throws {
        let id = PresentationID.make()
        history.record(.presented(id, "Disk full"))
        history.record(.decided(id, "retry", by: "ann"))
        for text in ["disk", "ANN", "present", "description", id.description] {
            #expect(try await !events(text).isEmpty, "\(text)")
        }
        #expect(try await events("bob").isEmpty)
        #expect(try await events(id.description).prefix(1).map(\.event) == ["decide"])
        #expect(history.events(of: id).map(\.event) == ["present", "decide"])
    }

    @Test("The chart has the last hour by minutes")
    func chart() {
        let now = Date(timeIntervalSince1970: 1_000_000_000)
        let id = PresentationID.make()
        history.record(.presented(id, "Disk full"), at: now - 3_600)
        history.record(.presented(id, "Disk full"), at: now - 120)
        history.record(.decided(id, "retry", by: "ann"), at: now - 60)
        // Delivered once more, as after a restart.
        let answer = Answer(option: "retry", by: "ann", via: .person)
        history.record(PresentationEvent(id, .decided(answer, isRestored: true)), at: now - 60)
        history.record(.settled(id, .recovered, "retry", by: "ann"), at: now)
        history.record(.settled(id, .failed, "retry", by: "ann"), at: now)
        let chart = history.chart(at: now)
        #expect(chart.count == 60)
        #expect(chart.map(\.bucket.presented).reduce(0, +) == 1)
        #expect(chart[57].bucket.presented == 1)
        #expect(chart[58].bucket.answered == 1)
        #expect(chart[59].bucket == AuditHistory.Bucket(recovered: 1, failed: 1))
        #expect(chart[59].at <= now)
    }

    @Test("The chart of a node that has run for hours has the whole last hour")
    func chartAfterHours() {
        let start = Date(timeIntervalSince1970: 1_000_000_000)
        // Counts are forgotten once there are those of two hours.
        let minutes = AuditHistory.bucketCount * 5 / 2
        for minute in 0...minutes {
            history.record(.presented(.make(), "Disk full"), at: start + Double(minute) * 60)
        }
        let chart = history.chart(at: start + Double(minutes) * 60)
        #expect(chart.map(\.bucket.presented) == Array(repeating: 1, count: 60))
    }

    @Test("Pages have each event once, also of threads that overtake each other")
    func pages() async throws {
        let start = Date(timeIntervalSince1970: 1_790_000_000)
        // A time is read before the event has its place.
        for milliseconds in [0, 3, 1, 2, 2, 9, 4, 5, 5, 5, 8, 7, 6] {
            history.record(
                .presented(.make(), "x"), at: start + Double(milliseconds) / 1_000)
        }
        for limit in 1...13 {
            var (entries, until): ([EventView], String?) = ([], nil)
            repeat {
                let filter = try HistoryFilter(until.map { ["until": $0] } ?? [:])
                let page = try await history.page(filter, limit: limit)
                entries += page.entries
                until = page.next
            } while until != nil && entries.count < 100
            #expect(Set(entries.map(\.id)).count == 13 && entries.count == 13)
            #expect(entries.map(\.time) == entries.map(\.time).sorted(by: >))
        }
    }

    @Test("a long text is cut to its beginning")
    func longText() async throws {
        let text = String(repeating: "x", count: 100_000)
        history.record(.presented(.make(), text))
        let kept = try #require(try await events("xxx").first)
        #expect(kept.fields["description"]?.unicodeScalars.count == 1_000)
        #expect(kept.fields["description"]?.hasSuffix("x…") == true)
    }

    @Test("Events as sentences")
    func sentences() {
        let id = PresentationID.make()
        let answer = Answer(option: "retry", by: "ann", via: .person)
        let report = ErrorReport(
            domain: "d", description: "x",
            options: [.init(id: "retry", title: "Try again"), .init(id: "skip", title: "skip")])
        let gone = Outcome(didRecover: false, reason: .withheld, decidedBy: "ann")
        let expired = Outcome.Reason.expired.capitalizedWords
        let expected: [(PresentationEvent.What, String)] = [
            (.reported(report), "Reported by its origin"),
            (
                .presented(report, origin: nil, path: []),
                "Presented, offering “Try again” (retry), skip"
            ),
            (.decided(answer, isRestored: false), "ann (person) chose “Try again” (retry)"),
            (
                .decided(answer, isRestored: true),
                "ann (person) chose “Try again” (retry), restored from the journal"
            ),
            (
                .decided(
                    Answer(option: "retry", by: "ann", via: .person, comment: "Again."),
                    isRestored: false), "ann (person) chose “Try again” (retry): Again."
            ),
            (.settled(.failed, of: answer), "“Try again” (retry) by ann: not recovered"),
            (.ended(report, .withheld, origin: nil, by: "ann"), "withheld by ann"),
            (
                .ended(report, .expired, origin: nil, by: "central"),
                "\(expired): no answer came in time"
            ),
            (
                .ended(report, .expired, origin: nil, by: "central", applied: "skip"),
                "\(expired): no answer came in time; its origin applies skip"
            ),
            (.completed(gone), "Completed at its origin: withheld"),
        ]
        for (what, sentence) in expected {
            #expect(PresentationEvent(id, what).sentence(of: report) == sentence)
        }
        // Without the report the id is all that is known.
        let alone = PresentationEvent(id, .settled(.failed, of: answer)).sentence()
        #expect(alone == "retry by ann: not recovered")
    }

    @Test("The result of an option to give up is named so, unless it was not tried")
    func cancelled() {
        let report = ErrorReport(
            domain: "d", description: "x",
            options: [.init(id: "abort", title: "abort", role: .cancel)])
        let item = AnswerLinkRig.item(report)
        let history = AuditHistory { _ in item }
        let results: [(String, RecoveryResult)] = [
            ("abort", .failed), ("retry", .failed), ("abort", .late), ("abort", .unknown),
        ]
        for (option, result) in results {
            let answer = Answer(option: option, by: "ann", via: .person)
            history.record(PresentationEvent(.make(), .settled(result, of: answer)))
        }
        #expect(
            history.numbered.map(\.event.sentence) == [
                "abort by ann: cancelled", "retry by ann: not recovered", "abort by ann: too late",
                "abort by ann: no result known",
            ])
        #expect(
            history.numbered.map(\.event.count) == [.cancelled, .failed, .cancelled, .unknown])
    }

    @Test("Each event names the error, which is looked up only where the event does not have it")
    func errors() async throws {
        let report = ErrorReport(
            domain: "d", description: "Disk full", options: [.init(id: "retry", title: "Again")])
        let lookups = Mutex(0)
        let item = AnswerLinkRig.item(report)
        let history = AuditHistory { _ in
            lookups.withLock { $0 += 1 }
            return item
        }
        let id = PresentationID.make()
        history.record(.presented(id, "Disk full"))
        history.record(
            PresentationEvent(id, .ended(report, .expired, origin: nil, by: "central")))
        #expect(lookups.withLock(\.self) == 0)
        history.record(.decided(id, "retry", by: "ann"))
        history.note(.claim(until: ManualTime().now), id, by: "ann")
        history.note(.leaving(option: "retry"), id, by: "ann")
        #expect(lookups.withLock(\.self) == 3)
        let events = history.events(of: id)
        #expect(events.map { $0.fields["description"] } == Array(repeating: "Disk full", count: 5))
        #expect(events.last?.sentence == "ann chose “Again” (retry), held back to undo")
        #expect(events.first?.view.sentenceOfError == "Presented · Disk full")
        history.note(.removeView("night"), nil, by: "ann")
        #expect(lookups.withLock(\.self) == 3)
        #expect(history.numbered.last?.event.fields["description"] == nil)
    }

    @Test("What people do is found by the domain and the origin of the presentation")
    func about() async throws {
        let item = AnswerLinkRig.item(ErrorReport(domain: "com.acme.db", description: "Disk full"))
        let history = AuditHistory { [item] in $0 == item.id ? item : nil }
        history.record(PresentationEvent(item.id, .presented(item.report, origin: nil, path: [])))
        history.note(.claim(until: ManualTime().now), item.id, by: "ann")
        history.record(.decided(item.id, "retry", by: "ann"))
        history.note(.claim(until: ManualTime().now), .make(), by: "ann")
        let origin = try #require(item.origin).description
        for (name, value) in [("domain", "com.acme.*"), ("origin", origin)] {
            let filter = try HistoryFilter(["by": "ann", name: value])
            let found = try await history.page(filter, limit: 9).entries
            #expect(found.map(\.event) == ["decide", "claim"])
            #expect(found.map(\.originName) == [origin, origin])
        }
        // What an event has of its own stays.
        #expect(history.numbered.first?.event.fields["origin"] == "")
    }

    @Test("A silence is an event without a presentation")
    func silence() async throws {
        let pattern: JSONValue = ["domain": "com.acme.*"]
        let now = ManualTime().now
        let silence = Silence(
            number: 3,
            request: .init(
                pattern: pattern, match: try RuleMatch(json: pattern), by: "ann",
                comment: "the disk"),
            createdAt: now, endsAt: now)
        history.note(.silence(silence), nil, by: "ann")
        history.note(.silenceEnd(silence), nil, by: "bob")
        #expect(
            try await events().map(\.sentence)
                == ["Silence 3 ended by bob", "Silence 3 made by ann: the disk"])
        let event = try #require(try await events().last)
        #expect(event.id.isEmpty)
        #expect(event.fields["match"] == #"{"domain":"com.acme.*"}"#)
    }

    @Test("A message of a hook that was sent again is an event with who sent it")
    func resend() async throws {
        var rig = NotifyRig([NotifyRig.hook { $0.tries = 1 }])
        rig.open(NotifyRig.report("full"))
        rig.pass(.seconds(600)) { _ in "refused" }
        let letter = try rig.machine.retry(1)
        history.note(.resend(letter), nil, by: "ann")
        let event = try #require(try await events("resend").last)
        #expect(
            event.sentence == "Undelivered message 1 of hook \(letter.hook) sent again by ann")
        #expect(event.fields["by"] == "ann" && event.fields["letter"] == "1")
        #expect(event.fields["message"] == letter.failed.message.id)
    }

    @Test(
        "Acts of people as sentences",
        arguments: [
            (PersonalAct.leaving(option: "retry"), "ann chose retry, held back to undo"),
            (
                .link(option: "retry", hook: "phone"),
                "ann chose retry by a link in a message of hook phone"
            ),
            (.undo, "Taken back by ann"), (.claim(until: ManualTime().now), "Claimed by ann"),
            (.release, "Released by ann"),
            (.handOver(to: "bob", until: ManualTime().now), "Handed to bob by ann"),
        ])
    func acts(act: PersonalAct, expected: String) {
        let id = PresentationID.make()
        history.note(act, id, by: "ann")
        #expect(history.events(of: id).map(\.sentence) == [expected])
        #expect(history.events(of: id).first?.fields["by"] == "ann")
    }
}

/// Short events for tests of what is made of them.
extension PresentationEvent {
    static func presented(_ id: PresentationID, _ description: String) -> PresentationEvent {
        let report = ErrorReport(domain: "org.example", description: description)
        return PresentationEvent(id, .presented(report, origin: nil, path: []))
    }

    static func decided(
        _ id: PresentationID, _ option: String, by person: String
    ) -> PresentationEvent {
        let answer = Answer(option: option, by: person, via: .person)
        return PresentationEvent(id, .decided(answer, isRestored: false))
    }

    static func settled(
        _ id: PresentationID, _ result: RecoveryResult, _ option: String, by person: String
    ) -> PresentationEvent {
        let answer = Answer(option: option, by: person, via: .person)
        return PresentationEvent(id, .settled(result, of: answer))
    }

    static func completed(
        _ id: PresentationID, _ reason: Outcome.Reason, answer: Answer? = nil
    ) -> PresentationEvent {
        let outcome = Outcome(
            didRecover: false, reason: reason, decidedBy: "central", answer: answer)
        return PresentationEvent(id, .completed(outcome))
    }
}
