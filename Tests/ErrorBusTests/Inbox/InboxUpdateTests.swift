import ErrorBusTesting
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// What a reader is sent of the changes, and of the groups.
struct InboxUpdateTests {
    /// A reader that keeps the open groups by what it is sent.
    private struct Reader {
        var seen: UInt64 = 0
        var known: UInt64?
        var groups: [Int: InboxGroup] = [:]

        /// Reads until nothing more follows, and returns all that it was sent.
        @discardableResult
        mutating func read(
            _ machine: InboxMachine, upTo limit: Int = 100, at now: Moment
        ) -> [InboxUpdate] {
            var updates: [InboxUpdate] = []
            while updates.last?.isLast != true, updates.count < 1_000 {
                let asked = known.map { InboxUpdate.Groups.changed(after: $0) } ?? .all
                let update = machine.update(after: seen, asked, upTo: limit, at: now)
                if update.goneGroups == nil { groups = [:] }
                for number in update.goneGroups ?? [] { groups[number] = nil }
                for group in update.groups { groups[group.number] = group }
                (seen, known) = (update.revision, update.groupRevision)
                updates.append(update)
            }
            return updates
        }
    }

    private var machine = InboxMachine(limits: InboxLimits())
    private var reader = Reader()
    private let now = ManualTime().now

    private func id(_ number: UInt64) -> PresentationID { PresentationID(number) }

    /// Opens a presentation; returns the number of its group.
    @discardableResult
    private mutating func open(
        _ number: UInt64, _ key: String, severity: Severity = .error, origin: NodeName = "w"
    ) throws -> Int {
        var report = ErrorReport(
            domain: "d", description: "broken", severity: severity,
            options: [.init(id: "retry", title: "Retry")])
        report.coalesceKey = key
        let presentation = InboxPresentation(id: id(number), report: report, origin: origin)
        let opened = machine.opened(presentation, at: now)
        return try #require(opened).group
    }

    private mutating func answer(
        _ number: UInt64, as base: UInt64 = 1_000, undo: Duration = .zero
    ) throws(InboxRefusal) {
        let answer = Answer(id: id(base + number).value, option: "retry", by: "ann", via: .person)
        _ = try machine.answer(id(number), with: answer, undo: undo, at: now)
    }

    /// The only update since the last one.
    private mutating func next() throws -> InboxUpdate {
        let updates = reader.read(machine, at: now)
        #expect(updates.count == 1)
        return try #require(updates.first)
    }

    @Test("The first update has all groups, a later one those that changed alone")
    mutating func changed() throws {
        let (one, two) = (try open(1, "a"), try open(2, "b", severity: .critical))
        let first = try next()
        #expect(first.goneGroups == nil && first.groups.map(\.number) == [two, one])
        #expect([first.openCount, first.groupCount, first.items.count] == [2, 2, 2])
        try open(3, "a", origin: "v")
        let later = try next()
        #expect(later.groups.map(\.number) == [one] && later.goneGroups == [])
        #expect(later.groups.first?.members == [id(1), id(3)])
        #expect(later.groups.first?.originCount == 2)
        #expect([later.openCount, later.groupCount, later.items.count] == [3, 2, 1])
        #expect(try next().groups.isEmpty)
    }

    @Test("A claim, a proposal, a note and lost contact of a member change its group alone")
    mutating func members() throws {
        let one = try open(1, "a")
        try open(2, "b")
        _ = try next()
        _ = try machine.claim(id(1), by: "ann", for: .seconds(60), takesOver: false, at: now)
        #expect(try next().groups.map(\.number) == [one])
        _ = try machine.propose(
            id(1), option: "retry", by: SignedInPerson("ann"), as: id(9).value, at: now)
        #expect(try next().groups.map(\.number) == [one])
        let note = InboxNote(id: id(8).value, by: "ann", text: "called Bob", at: now)
        _ = try machine.noted(id(1), note, at: now)
        #expect(try next().groups.map(\.number) == [one])
        machine.contactChanged(id(1), isReachable: false, at: now)
        let update = try next()
        #expect(update.groups.map(\.number) == [one])
        let item = try machine.item(id(1), at: now)
        #expect(update.groups.first?.first == item)
    }

    @Test("A group without an open member is named as gone, and what ended changes no group")
    mutating func gone() throws {
        let (one, two) = (try open(1, "a"), try open(2, "b"))
        try open(3, "b")
        _ = try next()
        try answer(1, undo: .seconds(5))
        try answer(2)
        let update = try next()
        #expect(update.goneGroups == [one] && update.groups.map(\.number) == [two])
        #expect(update.groups.first?.members == [id(3)] && update.groupCount == 1)
        // Ended, in a group that is open.
        machine.settled(id(2), id(1_002).value, .recovered, at: now)
        #expect(try next().groups.isEmpty)
        // Open again, in another group.
        try machine.undo(id(1), at: now)
        let undone = try next()
        #expect(undone.goneGroups == [] && undone.groups.map(\.members) == [[id(1)]])
        #expect(undone.groups.first?.number != one)
    }

    @Test("What is presented again moves to another group, and its last one is gone")
    mutating func presentedAgain() throws {
        let one = try open(1, "a")
        _ = try next()
        let two = try open(1, "b")
        let update = try next()
        #expect(update.goneGroups == [one] && update.groups.map(\.number) == [two])
    }

    @Test("More groups than one update has follow, and none is left out or sent twice")
    mutating func cut() throws {
        for number in 1...10 { try open(UInt64(number), "\(number)") }
        _ = try next()
        // Ten groups that lost a member since, whose items changed once more after all of these.
        for number in 11...20 { try open(UInt64(number), "\(number - 10)") }
        _ = try next()
        for number in 1...10 { try answer(UInt64(number)) }
        for number in 1...10 {
            machine.settled(
                id(UInt64(number)), id(UInt64(1_000 + number)).value, .recovered, at: now)
        }
        let updates = reader.read(machine, upTo: 4, at: now)
        #expect(updates.map(\.groups.count) == [4, 4, 2, 0, 0])
        #expect(updates.map(\.items.count) == [0, 0, 4, 4, 2])
        #expect(Set(updates.flatMap(\.groups).map(\.number)).count == 10)
        #expect(updates.map(\.isLast) == [false, false, false, false, true])
    }

    @Test("Of a list that was cut, groups that were sent at its begin are not sent again")
    mutating func begin() throws {
        for number in 1...10 { try open(UInt64(number), "\(number)") }
        let updates = reader.read(machine, upTo: 4, at: now)
        #expect(updates.map(\.items.count) == [4, 4, 2])
        #expect(updates.map(\.groups.count) == [10, 0, 0])
    }

    @Test("All groups follow once ends of groups are forgotten that the reader lacks")
    mutating func forgotten() throws {
        var limits = InboxLimits()
        limits.endedMax = 2
        machine = InboxMachine(limits: limits)
        try open(1, "open")
        try open(2, "0")
        _ = try next()
        // The same presentation, each time in another group: nothing has ended.
        for number in 1...4 { try open(2, "\(number)") }
        #expect(try next().goneGroups?.count == 4)
        for number in 5...10 { try open(2, "\(number)") }
        let update = try next()
        #expect(update.goneGroups == nil && update.groups.count == 2)
        #expect(machine.forgottenRevision == 0)
    }

    @Test("Without groups an update has their number alone")
    mutating func none() throws {
        try open(1, "a")
        let update = machine.update(after: 0, .none, upTo: 9, at: now)
        #expect(update.groups.isEmpty && update.goneGroups == nil && update.groupCount == 1)
        #expect(update.items.map(\.id) == [id(1)])
    }

    /// Does one of the things that change an inbox.
    private mutating func act(_ generator: inout FuzzGenerator, _ step: UInt64) throws {
        let number = UInt64.random(in: 1...12, using: &generator)
        let (member, key) = (id(number), id(1_000_000 + step).value)
        switch Int.random(in: 0...10, using: &generator) {
        case 0: try? answer(number, as: 1_000 * step)
        case 1: try? answer(number, as: 1_000 * step, undo: .seconds(5))
        case 2: try? machine.undo(member, at: now)
        case 3:
            _ = try? machine.claim(
                member, by: "ann", for: .seconds(60), takesOver: false, at: now)
        case 4: _ = try? machine.release(member, by: "ann", at: now)
        case 5:
            let person = SignedInPerson("ann")
            _ = try? machine.propose(member, option: "retry", by: person, as: key, at: now)
        case 6:
            let note = InboxNote(id: key, by: "ann", text: "seen", at: now)
            _ = try? machine.noted(member, note, at: now)
        case 7: machine.contactChanged(member, isReachable: step.isMultiple(of: 2), at: now)
        case 8: machine.closed(member, .withdrawn, at: now)
        default:
            let severity = Severity.allCases.randomElement(using: &generator) ?? .error
            let key = "\(Int.random(in: 0...4, using: &generator))"
            try open(number, key, severity: severity, origin: step.isMultiple(of: 3) ? "v" : "w")
        }
    }

    @Test("A reader that is sent what changed has the groups that are open", arguments: 1...20)
    mutating func kept(seed: Int) throws {
        var limits = InboxLimits()
        limits.endedMax = 5
        machine = InboxMachine(limits: limits)
        var generator = FuzzGenerator(seed: UInt64(seed))
        for step: UInt64 in 1...400 {
            try act(&generator, step)
            guard Int.random(in: 0...3, using: &generator) == 0 else { continue }
            // It lacks ends: it starts over.
            if reader.seen < machine.forgottenRevision { reader = Reader() }
            reader.read(machine, upTo: 3, at: now)
            let open = machine.openGroups(at: now).map { ($0.number, $0) }
            #expect(reader.groups == Dictionary(uniqueKeysWithValues: open), "step \(step)")
        }
    }
}
