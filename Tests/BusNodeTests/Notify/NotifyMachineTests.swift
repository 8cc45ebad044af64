import ErrorBusTesting
import OrderedCollections
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

struct NotifyMachineTests {
    @Test("A storm of 1,000 with three causes is three messages, delivered by the third try")
    func storm() {
        var rig = NotifyRig([NotifyRig.hook()])
        for number in 0..<1_000 {
            rig.open(NotifyRig.report("cause \(number % 3)", code: number % 3))
            rig.pass(.milliseconds(4))
        }
        var tries: [String: Int] = [:]
        let delivered = rig.pass(.seconds(60)) { message in
            tries[message.id, default: 0] += 1
            return tries[message.id] == 3 ? nil : "status 503"
        }
        #expect(
            delivered.map(\.outline) == [
                "opened 334 cause 0", "opened 333 cause 1", "opened 333 cause 2",
            ])
        #expect(tries.values.allSatisfy { $0 == 3 })
        #expect(rig.machine.dead.isEmpty)
        #expect(
            rig.machine.takeNotes() == [
                .fails("hook", "status 503"), .worksAgain("hook", after: 2),
                .fails("hook", "status 503"), .worksAgain("hook", after: 2),
                .fails("hook", "status 503"), .worksAgain("hook", after: 2),
            ])
    }

    @Test("A group that goes on is collected for twice as long each time, and in the end forgotten")
    func longStorm() {
        var rig = NotifyRig([NotifyRig.hook()])
        var counts: [Int] = []
        for _ in 0..<300 {
            rig.open()
            counts += rig.pass(.seconds(1)).map(\.count)
        }
        // After 5, 15, 35, 75 and 155 s.
        #expect(counts == [5, 10, 20, 40, 80])
        #expect(rig.pass(.seconds(600)).map(\.count) == [145])
        rig.pass(.seconds(600))
        #expect(rig.machine.nextStep == nil)
        rig.open()
        #expect(rig.pass(.seconds(5)).map(\.count) == [1])
    }

    @Test("A failed message is tried again after 1, 2, 4 .. 60 s, then it is a dead letter")
    func deadLetter() throws {
        var rig = NotifyRig([NotifyRig.hook(digest: .zero)])
        rig.open(NotifyRig.report("first"))
        rig.open(NotifyRig.report("second"))
        var times: [Duration] = []
        let start = rig.time.now.instant
        let time = rig.time
        let delivered = rig.pass(.seconds(600)) { message in
            guard message.outline.hasSuffix("first") else { return nil }
            times.append(start.duration(to: time.now.instant))
            return "refused"
        }
        #expect(times == [0, 1, 3, 7, 15, 31, 63, 123].map { Duration.seconds($0) })
        #expect(delivered.map(\.outline) == ["opened 1 second"])
        let letter = try #require(rig.machine.dead.first)
        #expect(rig.machine.dead.count == 1)
        #expect(letter.failed.tries == 8)
        #expect(letter.failed.reason == "refused")
        #expect(
            rig.machine.takeNotes() == [
                .fails("hook", "refused"), .worksAgain("hook", after: 8), .died(letter),
            ])
        #expect(throws: NotifyRefusal.unknown(7)) { try rig.machine.retry(7) }
        try rig.machine.retry(letter.number)
        #expect(rig.machine.dead.isEmpty)
        #expect(rig.pass(.zero) == [letter.failed.message])
        #expect(throws: NotifyRefusal.unknown(letter.number)) {
            try rig.machine.retry(letter.number)
        }
    }

    @Test("Dead letters of an earlier life are sent again, and later ones have later numbers")
    func restoredLetters() throws {
        let once: (inout HookSettings) -> Void = { $0.tries = 1 }
        let hook = NotifyRig.hook(digest: .zero, once)
        var former = NotifyRig([hook, NotifyRig.hook("gone", digest: .zero, once)])
        former.open(NotifyRig.report("before"))
        former.pass(.seconds(1)) { _ in "refused" }
        var rig = NotifyRig([hook])
        rig.machine.restore(former.machine.dead)
        rig.open(NotifyRig.report("after"))
        rig.pass(.seconds(1)) { _ in "refused" }
        #expect(rig.machine.dead.map(\.number) == [1, 2, 3])
        #expect(throws: NotifyRefusal.noHook("gone")) { try rig.machine.retry(2) }
        try rig.machine.retry(1)
        #expect(rig.machine.dead.map(\.number) == [2, 3])
        // A node that is killed before it is delivered still has it.
        #expect(rig.machine.kept.map(\.number) == [1, 2, 3])
        #expect(rig.pass(.seconds(60)).map(\.outline) == ["opened 1 before"])
        #expect(rig.machine.kept.map(\.number) == [2, 3])
    }

    @Test("Messages of a hook keep their order, and one hook does not wait for another")
    func order() {
        var rig = NotifyRig([
            NotifyRig.hook("a", digest: .zero), NotifyRig.hook("b", digest: .zero),
        ])
        for number in 0..<5 { rig.open(NotifyRig.report("\(number)")) }
        var tryCount = 0
        let delivered = rig.pass(.seconds(10)) { message in
            guard message.id.contains("-a-") else { return nil }
            tryCount += 1
            return tryCount <= 2 ? "refused" : nil
        }
        let all = (0..<5).map { "opened 1 \($0)" }
        for hook in ["-a-", "-b-"] {
            #expect(delivered.filter { $0.id.contains(hook) }.map(\.outline) == all)
        }
        #expect(delivered.prefix(5).allSatisfy { $0.id.contains("-b-") })
    }

    @Test("Above the rate the rest is one message, and every event is in some message")
    func rate() {
        var rig = NotifyRig([NotifyRig.hook(digest: .zero) { $0.perMinute = 10 }])
        for number in 0..<100 {
            rig.open(NotifyRig.report("\(number)"))
        }
        let first = rig.pass(.seconds(59))
        #expect(first.count == 10)
        let rest = rig.pass(.seconds(1))
        #expect(rest.map(\.outline) == ["summary 90"])
        guard case .summary(let summary) = rest.first?.content else { return }
        #expect(summary.groups == nil)
        #expect(rig.machine.takeNotes() == [.summing("hook")])
        rig.open(NotifyRig.report("later"))
        #expect(rig.pass(.seconds(1)).map(\.outline) == ["opened 1 later"])
    }

    @Test("Dead letters that are sent again keep to the rate")
    func rateOfDeadLetters() throws {
        var rig = NotifyRig([
            NotifyRig.hook(digest: .zero) {
                $0.perMinute = 10
                $0.tries = 1
            }
        ])
        for number in 0..<25 {
            rig.open(NotifyRig.report("\(number)"))
            rig.pass(.seconds(10)) { _ in "refused" }
        }
        rig.pass(.seconds(60))
        for letter in rig.machine.dead.map(\.number) { try rig.machine.retry(letter) }
        #expect(rig.pass(.seconds(59)).count == 10)
        #expect(rig.pass(.seconds(60)).count == 10)
        #expect(rig.pass(.seconds(2)).count == 5)
        #expect(rig.machine.kept.isEmpty)
    }

    @Test("A dead letter that the rate keeps back neither wakes the hook nor stops it")
    func heldDeadLetter() throws {
        var rig = NotifyRig([
            NotifyRig.hook(digest: .zero) {
                $0.perMinute = 1
                $0.tries = 1
            }
        ])
        rig.open(NotifyRig.report("first"))
        rig.pass(.milliseconds(500)) { _ in "refused" }
        try rig.machine.retry(1)
        #expect(rig.machine.step(at: rig.time.now).isEmpty)
        rig.pass(.seconds(2))
        let next = try #require(rig.machine.nextStep)
        #expect(next > rig.time.now.instant + .seconds(50))
        // New events do not push it back for ever.
        var sent: [String] = []
        for number in 0..<6 {
            rig.open(NotifyRig.report("\(number)"))
            sent += rig.pass(.seconds(20)).map(\.outline)
        }
        #expect(sent.first == "opened 1 first" && sent.count == 2, "\(sent)")
    }

    @Test("Without room events are summed up, counted and noted")
    func room() {
        var limits = NotifyLimits()
        limits.waitingMax = 3
        limits.deadMax = 2
        let hook = NotifyRig.hook {
            $0.perMinute = 1_000
            $0.tries = 1
        }
        var rig = NotifyRig([hook], limits: limits)
        for number in 0..<9 { rig.open(NotifyRig.report("\(number)")) }
        var count = 0
        rig.pass(.seconds(600)) { message in
            count += message.count
            return "refused"
        }
        #expect(count == 9)
        #expect(rig.machine.dead.map(\.failed.message.event) == ["opened", "summary"])
        #expect(rig.machine.forgottenCount == 2)
        let notes = rig.machine.takeNotes()
        #expect(notes.contains(.summing("hook")))
        #expect(notes.contains(.forgotten(2)))
    }

    @Test("More groups than can be collected at a time are summed up")
    func groups() {
        var limits = NotifyLimits()
        limits.digestCountMax = 5
        var rig = NotifyRig([NotifyRig.hook()], limits: limits)
        for number in 0..<9 { rig.open(NotifyRig.report("\(number)")) }
        let messages = rig.pass(.seconds(600))
        #expect(
            messages.map(\.outline) == ["summary 4"] + (0..<5).map { "opened 1 \($0)" })
        guard case .summary(let summary) = messages.first?.content else { return }
        let named = (5..<9).map { NotifyRig.report("\($0)").groupKey }
        #expect(summary.groups.map { Array($0) } == named)
    }

    /// The events of messages, with what was done.
    private func details(_ messages: [NotifyMessage]) -> [String] {
        messages.map { message in
            guard case .notice(let notice) = message.content else { return "" }
            let words = notice.details.counts.keys.joined(separator: "|")
            return "\(message.event) \(words)".trimmingSuffix(" ")
        }
    }

    @Test("Claims, answers and ends are sent with their words, to the hooks that want them")
    func stages() throws {
        let all = Set(HookSettings.Event.allCases)
        var rig = NotifyRig([
            NotifyRig.hook("all", on: all, digest: .zero), NotifyRig.hook("ends", on: [.ended]),
        ])
        let id = rig.open()
        #expect(details(rig.pass(.zero)) == ["opened"])
        for person in ["ann", "ann", "bob"] {
            _ = try rig.act { inbox, now throws(InboxRefusal) in
                try inbox.claim(id, by: person, for: .seconds(60), takesOver: true, at: now)
            }
        }
        // The second claim only made the first one longer.
        #expect(details(rig.pass(.zero)) == ["claimed by ann|by bob"])
        try rig.answer(id, by: "bob")
        #expect(details(rig.pass(.zero)) == ["answered retry by bob (person)"])
        try rig.settle(id, .recovered)
        let ended = "ended retry by bob: recovered"
        #expect(details(rig.pass(.seconds(5))) == [ended, ended])
        let other = rig.open()
        _ = try rig.act { inbox, now throws(InboxRefusal) in
            inbox.closed(other, .withdrawn, at: now)
        }
        #expect(
            details(rig.pass(.seconds(60))) == ["opened", "ended withdrawn", "ended withdrawn"])
    }

    @Test("A claim by the same person, or handed to that person, is sent once the former ran out")
    func claimedAgain() throws {
        var rig = NotifyRig([NotifyRig.hook(on: [.claimed], digest: .zero)])
        let id = rig.open()
        func claim(by person: String, to receiver: String? = nil) throws -> [String] {
            _ = try rig.act { inbox, now throws(InboxRefusal) in
                try inbox.claim(
                    id, by: person, for: .seconds(60), takesOver: false, to: receiver, at: now)
            }
            return details(rig.pass(.seconds(59)))
        }
        #expect(try claim(by: "ann") == ["claimed by ann"])
        #expect(try claim(by: "ann") == [])
        rig.pass(.seconds(1))
        #expect(try claim(by: "bob", to: "ann") == ["claimed by ann"])
        rig.pass(.seconds(1))
        #expect(try claim(by: "ann") == ["claimed by ann"])
    }

    @Test("Ends have the words of the list: what was given up or skipped did not go wrong")
    func ends() throws {
        var report = NotifyRig.report()
        report.options = [
            .init(id: "stop", title: "Stop", role: .cancel), .init(id: "skip", title: "Skip"),
        ]
        report.onExpiry = "skip"
        var rig = NotifyRig([NotifyRig.hook(on: [.ended])])
        for option in ["stop", "skip"] {
            let id = rig.open(report)
            try rig.answer(id, option)
            try rig.settle(id, .failed)
        }
        let id = rig.open(report)
        _ = try rig.act { inbox, now throws(InboxRefusal) in
            inbox.closed(id, .expired, at: now)
        }
        let ends = [
            "stop by ann: \(RecoveryResult.cancelledWord)",
            "skip by ann: \(RecoveryResult.failed.words)",
            Outcome.Reason.expired.words(applying: "skip"),
        ]
        #expect(details(rig.pass(.seconds(60))) == ["ended \(ends.joined(separator: "|"))"])
    }

    @Test("A proposal is sent with its author and its option, once")
    func proposed() throws {
        var rig = NotifyRig([NotifyRig.hook(on: [.proposed])])
        var report = NotifyRig.report()
        report.options[0].needsTwoPeople = true
        let id = rig.open(report)
        _ = try rig.act { inbox, now throws(InboxRefusal) in
            try inbox.propose(
                id, option: "retry", by: SignedInPerson("ann"), as: UniqueID(high: 3, low: 1),
                made: UniqueID(high: 4, low: 1), at: now)
        }
        #expect(details(rig.pass(.seconds(10))) == ["proposed retry by ann"])
        _ = try rig.act { inbox, now throws(InboxRefusal) in try inbox.decline(id, at: now) }
        #expect(details(rig.pass(.seconds(60))).isEmpty)
    }

    @Test("What can still be undone counts as open")
    func undoable() throws {
        var rig = NotifyRig([NotifyRig.hook(on: [.answered], digest: .seconds(1))])
        let (first, second) = (rig.open(), rig.open())
        try rig.answer(first)
        try rig.answer(second, undo: .seconds(5))
        guard case .notice(let notice) = rig.pass(.seconds(2)).first?.content else {
            Issue.record("no message")
            return
        }
        #expect(notice.openCount == 1)
    }

    @Test("A hook gets what matches, and knows how many of a group are still open")
    func matching() throws {
        let match = try RuleMatch(json: ["origin": "worker-*"])
        var rig = NotifyRig([NotifyRig.hook(on: [.opened, .ended]) { $0.match = match }])
        rig.open(origin: "other")
        let ids = (1...3).map { rig.open(origin: NodeName("worker-\($0)") ?? "worker") }
        rig.pass(.seconds(1))
        _ = try rig.act { inbox, now throws(InboxRefusal) in
            inbox.closed(ids[0], .withdrawn, at: now)
        }
        let messages = rig.pass(.seconds(10))
        #expect(messages.map(\.count) == [3, 1])
        for case .notice(let notice) in messages.map(\.content) { #expect(notice.openCount == 2) }
    }

    @Test("Lost changes are counted in a message, and what is open is followed again")
    func missed() {
        var rig = NotifyRig([NotifyRig.hook(on: [.opened, .aging], digest: .zero)])
        rig.open()
        rig.pass(.zero)
        rig.machine.restart(with: rig.openItems, missed: 12)
        #expect(rig.pass(.seconds(1)).map(\.outline) == ["summary 12"])
        #expect(rig.machine.takeNotes() == [.missed(12)])
        #expect(rig.pass(.seconds(300)).map(\.outline) == ["aging 1 broken"])
    }

    @Test("A node that shuts down tries each message once more; the rest are dead letters")
    func shutdown() {
        var rig = NotifyRig([NotifyRig.hook("down", digest: .zero), NotifyRig.hook("up")])
        rig.open(NotifyRig.report("early"))
        rig.pass(.seconds(4)) { $0.id.contains("down") ? "refused" : nil }
        rig.open(NotifyRig.report("late"))
        rig.machine.hurry(at: rig.time.now)
        let delivered = rig.pass(.zero) { $0.id.contains("down") ? "refused" : nil }
        #expect(delivered.map(\.outline) == ["opened 1 early", "opened 1 late"])
        #expect(rig.machine.isDone)
        rig.machine.abandon(at: rig.time.now)
        #expect(rig.machine.dead.map(\.failed.message.outline) == delivered.map(\.outline))
        #expect(rig.machine.dead.allSatisfy { $0.hook == "down" && $0.failed.reason == "refused" })
        #expect(rig.machine.dead.last?.failed.tries == 1)
    }
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
    }
}
