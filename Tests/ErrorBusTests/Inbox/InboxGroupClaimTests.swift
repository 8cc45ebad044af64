import ErrorBusTesting
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// The claims of a whole group.
struct InboxGroupClaimTests {
    private var machine = InboxMachine(limits: InboxLimits())
    private let now = ManualTime().now

    private func id(_ number: UInt64) -> PresentationID { PresentationID(number) }

    /// Opens these in one group; returns its number.
    private mutating func open(_ numbers: UInt64...) throws -> Int {
        var report = ErrorReport(domain: "d", description: "broken")
        report.coalesceKey = "same"
        report.options = [.init(id: "retry", title: "Retry")]
        for number in numbers {
            let presentation = InboxPresentation(id: id(number), report: report)
            #expect(machine.opened(presentation, at: now) != nil)
        }
        return try machine.item(id(1), at: now).group
    }

    private mutating func claim(
        _ group: Int, only chosen: Set<PresentationID>? = nil, seen: UInt64? = nil,
        by person: String = "ann", takesOver: Bool = false
    ) throws(InboxRefusal) -> GroupClaim {
        try machine.claimGroup(
            group, only: chosen, seen: seen, by: person, for: .seconds(60), takesOver: takesOver,
            at: now)
    }

    /// Who has claimed each of these; nil for one that is open.
    private func holders(_ numbers: UInt64...) throws -> [String?] {
        try numbers.map { number in
            guard case .claimed(let by, _) = try machine.item(id(number), at: now).stage else {
                return nil
            }
            return by
        }
    }

    @Test("A group is claimed but for what another person has claimed, unless that is taken over")
    mutating func claimed() throws {
        let group = try open(1, 2, 3)
        let until = try machine.claim(
            id(2), by: "bob", for: .seconds(30), takesOver: false, at: now)
        let claimed = try claim(group)
        #expect(claimed.changed == [id(1), id(3)])
        #expect(claimed.refused == [id(2): .claimed(by: "bob", until: until)])
        #expect(try holders(1, 2, 3) == ["ann", "bob", "ann"])
        let all = try claim(group, takesOver: true)
        #expect(all.changed == [id(1), id(2), id(3)])
        #expect(all.refused.isEmpty)
        #expect(try holders(1, 2, 3) == ["ann", "ann", "ann"])
    }

    @Test("Only the chosen members that had arrived are claimed")
    mutating func inPart() throws {
        let group = try open(1, 2)
        let seen = machine.revision
        _ = try open(3)
        let early = try claim(group, seen: seen)
        #expect(early.changed == [id(1), id(2)])
        let others = try claim(group, only: [id(2), id(3)], by: "bob", takesOver: true)
        #expect(others.changed == [id(2), id(3)])
        #expect(try holders(1, 2, 3) == ["ann", "bob", "bob"])
    }

    @Test("A release is for the own claims; what no one has claimed stays as it is")
    mutating func released() throws {
        let group = try open(1, 2, 3, 4)
        _ = try claim(group, only: [id(1), id(2)])
        _ = try claim(group, only: [id(3)], by: "bob")
        let revision = try machine.item(id(4), at: now).revision
        let released = try machine.releaseGroup(group, only: nil, seen: nil, by: "ann", at: now)
        #expect(released.changed == [id(1), id(2)])
        #expect(Set(released.refused.keys) == [id(3)])
        #expect(try holders(1, 2, 3, 4) == [nil, nil, "bob", nil])
        #expect(try machine.item(id(4), at: now).revision == revision)
    }

    @Test("A claim that is too long, or of a group that is not open, changes nothing")
    mutating func refused() throws {
        let group = try open(1, 2)
        let revision = machine.revision
        let long = InboxRefusal.tooLong(what: "a claim", allowed: .seconds(3_600))
        #expect(throws: long) {
            try machine.claimGroup(
                group, by: "ann", for: .seconds(3_601), takesOver: false, at: now)
        }
        #expect(throws: InboxRefusal.unknownGroup(99)) { try claim(99) }
        #expect(throws: InboxRefusal.unknownGroup(99)) {
            try machine.releaseGroup(99, by: "ann", at: now)
        }
        #expect(machine.revision == revision)
    }

    @Test("Claims of a group belong to an account: its person releases them under another name")
    mutating func account() throws {
        let group = try open(1, 2)
        _ = try machine.claimGroup(
            group, by: "ann@a.example", of: "1", for: .seconds(60), takesOver: false, at: now)
        let namesake = try machine.releaseGroup(group, by: "ann@a.example", of: "2", at: now)
        #expect(namesake.changed.isEmpty && Set(namesake.refused.keys) == [id(1), id(2)])
        let renamed = try machine.releaseGroup(group, by: "ann@b.example", of: "1", at: now)
        #expect(renamed.changed == [id(1), id(2)] && renamed.refused.isEmpty)
        #expect(try holders(1, 2) == [nil, nil])
    }

    private struct Failure: ReportableError {
        var report: ErrorReport {
            var report = ErrorReport(domain: "d", description: "broken")
            report.coalesceKey = "same"
            return report
        }
    }

    @Test("The waiting sides hear who has claimed the group, and of its release")
    func told() async throws {
        let inbox = Inbox("console")
        let states = Recorder<PresentationState>()
        let asking = (0..<2).map { _ in
            let context = PresentationContext(
                id: .make(), stateChanged: { states.record($0) })
            let prompt = Prompt(Failure(), in: context)
            return Task { _ = try await inbox.present(prompt) }
        }
        for _ in asking { _ = try await states.next() }
        let group = try #require(inbox.groups.first)
        #expect(group.members.count == 2)
        #expect(try inbox.claimGroup(group.number, by: "ann").changed == group.members)
        #expect(try inbox.releaseGroup(group.number, by: "ann").changed == group.members)
        let presented = PresentationState(.presented, by: "console")
        let claimed = PresentationState(.claimed, by: "ann")
        #expect(
            states.elements == [presented, presented, claimed, claimed, presented, presented])
        for task in asking { task.cancel() }
    }
}
