import Logging
import Synchronization
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// Silences that also end what is open.
struct ConsoleSilencesTests {
    private let inbox = Inbox("console")
    private let silences: ConsoleSilences

    init() { silences = ConsoleSilences(inbox, logger: Logger(label: "silences")) }

    /// Presents a report for each of these, with the option that it has on expiry.
    private func present(_ expiries: String?...) async -> [Task<Void, any Error>] {
        let asking = expiries.enumerated().map { index, expiry in
            var report = ErrorReport(domain: "d", code: index, description: "Boom")
            report.options = [
                .init(id: "retry", title: "Retry"), .init(id: "skip", title: "Skip"),
            ]
            if let expiry, expiry != "skip" { report.options.append(Self.forPeople(expiry)) }
            report.onExpiry = expiry
            let prompt = Prompts.prompt(report)
            return Task { [inbox] in _ = try await inbox.present(prompt) }
        }
        for await _ in inbox.changes() where inbox.openCount == expiries.count { break }
        return asking
    }

    /// An option that a silence cannot choose.
    private static func forPeople(_ id: String) -> ErrorReport.Option {
        var option = ErrorReport.Option(id: id, title: id)
        option.needsTwoPeople = id == "two"
        if id == "asking" { option.fields = [.text("host", label: "Host")] }
        return option
    }

    private func request(_ option: String?, onlyWithholds: Bool = false) throws -> Silence.Request {
        let pattern: JSONValue = ["domain": "d"]
        return Silence.Request(
            pattern: pattern, match: try RuleMatch(json: pattern), option: option,
            onlyWithholds: onlyWithholds, by: "ann", comment: "known")
    }

    @Test("A silence of an option that no open match offers ends none of them, and is not made")
    func slip() async throws {
        let asking = await present(nil, "skip")
        let (open, applied) = try await silences.preview(try request("retyr"))
        #expect(open.count == 2)
        #expect(applied == ConsoleSilences.Applied(answered: 1, withheld: 1))
        let refusal = SilenceRefusal.notOffered("retyr", offered: ["retry", "skip"])
        await #expect(throws: refusal) {
            try await silences.add(try request("retyr"), for: .seconds(60), alsoOpen: true)
        }
        #expect(
            "\(refusal)"
                == "option: found \"retyr\", offered by no open match; offered: retry, skip")
        #expect(inbox.openCount == 2 && silences.silences.all.isEmpty)
        // For what comes later it may be right, and one that only withholds answers nothing.
        let later = try await silences.add(
            try request("retyr"), for: .seconds(60), alsoOpen: false)
        #expect(later.applied == ConsoleSilences.Applied())
        let withheld = try await silences.add(
            try request("retyr", onlyWithholds: true), for: .seconds(60), alsoOpen: true)
        #expect(withheld.applied == ConsoleSilences.Applied(answered: 0, withheld: 2))
        for task in asking { task.cancel() }
    }

    @Test("The preview leaves to people what the silence leaves, as claims and certain options")
    func left() async throws {
        let asking = await present(nil, "skip", "skip", "two", "asking")
        let second = try #require(inbox.items().first { $0.report.code == 1 })
        try inbox.claim(second.id, by: "bea")
        let (open, applied) = try await silences.preview(try request(nil))
        #expect(open.count == 5)
        #expect(applied == ConsoleSilences.Applied(answered: 1, withheld: 1))
        #expect(
            InboxNotices.silenced(open: 5, .object(applied.json))
                == "5 open presentations, 1 answered, 1 withheld, 3 left to people")
        let made = try await silences.add(try request(nil), for: .seconds(60), alsoOpen: true)
        #expect(made.applied == applied)
        #expect(inbox.openCount == 3)
        for task in asking { task.cancel() }
    }

    @Test("The reply has how many are answered and how many withheld, in words as well")
    func counts() async throws {
        let asking = await present(nil, "skip")
        let made = try await silences.add(try request(nil), for: .seconds(60), alsoOpen: true)
        #expect(made.applied == ConsoleSilences.Applied(answered: 1, withheld: 1))
        #expect(
            InboxNotices.silenced(open: 2, .object(made.applied.json))
                == "2 open presentations, 1 answered, 1 withheld")
        #expect(InboxNotices.silenced(open: 1, [:]) == "1 open presentation")
        let late = ConsoleSilences.Applied(answered: 1, withheld: 1, unrecorded: 2)
        #expect(
            InboxNotices.silenced(open: 2, .object(late.reply))
                == "2 open presentations, 1 answered, 1 withheld; 2 answers are not on disk yet, "
                + "and not sent until then")
        for task in asking { task.cancel() }
    }

    @Test("A silence counts what was open when it was made")
    func countsOfOpen() async throws {
        let asking = await present(nil, "skip")
        let (made, _) = try await silences.add(try request(nil), for: .seconds(60), alsoOpen: true)
        #expect(made.answeredCount == 1 && made.withheldCount == 1)
        for task in asking { task.cancel() }
    }

    @Test("A silence that cannot be stored is not in force, and one whose end cannot be stored is")
    func notStored() async throws {
        let store = FullStore()
        try silences.keep(in: store)
        await #expect(throws: FullStore.Full.self) {
            try await silences.add(try request(nil), for: .seconds(60), alsoOpen: false)
        }
        #expect(silences.silences.all.isEmpty)
        store.isFull.withLock { $0 = false }
        let (made, _) = try await silences.add(try request(nil), for: .seconds(60), alsoOpen: false)
        store.isFull.withLock { $0 = true }
        await #expect(throws: FullStore.Full.self) {
            try await silences.end(made.number, by: "bea")
        }
        let silence = try silences.silences.silence(made.number)
        #expect(silence.endsAt == made.endsAt && silence.endedBy == nil)
    }
}

/// A store of silences that can be full.
private final class FullStore: SilenceStore {
    struct Full: Error {}

    let isFull = Mutex(true)

    func silences(at now: Moment) throws -> [Silence] { [] }

    func lastNumber() throws -> Int { 0 }

    func save(_ silence: Silence) async throws {
        if isFull.withLock({ $0 }) { throw Full() }
    }

    func count(_ number: Int, isAnswered: Bool) async throws {}
}
