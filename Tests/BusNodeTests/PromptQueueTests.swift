import ErrorBus
import ErrorBusTesting
import Testing

@testable import BusNodeKit

/// The queue of a terminal's prompts, and the lines that go through it.
struct PromptQueueTests {
    private static let start = PromptQueue.arrival

    /// Prompts none of which is equal to another one.
    private static func queue(_ severities: Severity...) -> PromptQueue {
        var queue = PromptQueue()
        for (index, severity) in severities.enumerated() {
            _ = queue.arrived(severity, "\(index)")
        }
        return queue
    }

    /// Three equal prompts and another one; the first stands on the screen for its group.
    private static var grouped: PromptQueue {
        var queue = PromptQueue()
        for name in ["disk", "disk", "net", "disk"] { _ = queue.arrived(.error, name) }
        _ = queue.screenFreed()
        return queue
    }

    /// The prompts in the order in which they come when each is answered.
    private func order(of queue: PromptQueue) -> [Int] {
        var queue = queue
        var numbers: [Int] = []
        while let number = queue.shown ?? queue.screenFreed() {
            numbers.append(number)
            queue.ended(number)
        }
        return numbers
    }

    @Test("The most severe comes first, of these the oldest")
    func severity() {
        #expect(
            order(of: Self.queue(.info, .error, .critical, .error, .critical)) == [3, 5, 2, 4, 1])
    }

    @Test("A graver arrival leaves the prompt on the screen, and comes next")
    func arrival() {
        var queue = Self.queue(.info, .warning)
        #expect(queue.screenFreed() == 2)
        #expect(queue.arrived(.critical, "new") == 3)
        #expect(queue.shown == 2)
        #expect(queue.others == PromptQueue.Others(count: 2, severity: .critical))
        #expect(queue.ordered.map(\.number) == [2, 3, 1])
        #expect(order(of: queue) == [2, 3, 1])
    }

    @Test("A prompt that is put off comes after all others, each put off once in turn")
    func putOff() {
        var queue = Self.queue(.critical, .info, .error)
        var seen: [Int?] = [queue.screenFreed()]
        for _ in 1...4 {
            #expect(queue.wasPutOff() == true)
            #expect(queue.shown == nil)
            seen.append(queue.screenFreed())
        }
        #expect(seen == [1, 3, 2, 1, 3])
        // A new one comes before those that were put off.
        _ = queue.arrived(.debug, "new")
        #expect(queue.wasPutOff() == true)
        #expect(queue.screenFreed() == 4)
    }

    @Test("The only prompt cannot be put off")
    func only() {
        var queue = Self.queue(.error)
        #expect(queue.wasPutOff() == false)
        #expect(queue.screenFreed() == 1)
        #expect(queue.wasPutOff() == false)
        #expect(queue.shown == 1)
        #expect(queue.others == nil)
    }

    @Test("A prompt is chosen by its number, which it keeps while it waits")
    func chosen() {
        var queue = Self.queue(.error, .error, .error)
        #expect(queue.screenFreed() == 1)
        queue.ended(2)
        #expect(queue.chose(2) == false)
        #expect(queue.shown == 1)
        #expect(queue.chose(3) == true)
        #expect(queue.shown == 3)
        #expect(order(of: queue) == [3, 1])
    }

    @Test("A prompt that ends in the queue leaves the screen as it is")
    func ended() {
        var queue = Self.queue(.error, .error)
        #expect(queue.screenFreed() == 1)
        #expect(queue.ended(2) == false)
        #expect(queue.shown == 1)
        #expect(queue.ended(1) == true)
        #expect(queue.shown == nil)
        #expect(queue.screenFreed() == nil)
        // The numbers begin again.
        #expect(queue.arrived(.error, "new") == 1)
    }

    @Test("Equal prompts are one entry with their number, and come and go as one")
    func group() {
        var queue = Self.grouped
        #expect(queue.shownMembers.map(\.number) == [1, 2, 4])
        #expect(queue.others == PromptQueue.Others(count: 1, severity: .error))
        #expect(queue.ordered.map(\.members.count) == [3, 1])
        #expect(queue.wasPutOff() == true)
        #expect(queue.screenFreed() == 3)
        // A graver member makes its group graver, and its own number leads to it.
        #expect(queue.arrived(.critical, "disk") == 5)
        #expect(queue.others == PromptQueue.Others(count: 1, severity: .critical))
        #expect(queue.chose(4) == true)
        #expect(queue.shown == 1)
    }

    @Test("When the first of a group ends, the group keeps its number and the screen")
    func firstEnded() {
        var queue = Self.grouped
        #expect(queue.ended(2) == false)
        #expect(queue.ended(1) == true)
        #expect(queue.shown == 1)
        #expect(queue.shownMembers.map(\.number) == [4])
        #expect(queue.ended(4) == true)
        #expect(queue.shown == nil)
        #expect(queue.screenFreed() == 3)
    }

    @Test("An answer is not for what came within the second before it, which waits for its turn")
    func late() {
        var queue = Self.grouped
        let pause = ReturnPause.readingTime
        #expect(queue.answered(at: Self.start) == [1])
        #expect(queue.answered(at: Self.start + pause) == [1, 2, 4])
        #expect(queue.arrived(.error, "disk", at: Self.start + pause) == 5)
        let answered = queue.answered(at: Self.start + pause)
        #expect(answered == [1, 2, 4])
        for number in answered { queue.ended(number) }
        queue.wasAnswered()
        #expect(queue.screenFreed() == 3)
        #expect(queue.ordered.map(\.number) == [3, 5])
    }

    @Test("Opened, a group's prompts stand alone; joined, all not put off are one again")
    func opened() {
        var queue = Self.grouped
        #expect(queue.wasOpened() == true)
        #expect(queue.wasOpened() == false)
        #expect(queue.ordered.map(\.number) == [1, 2, 3, 4])
        #expect(queue.answered(at: Self.start + .seconds(9)) == [1])
        // Of those that come meanwhile a new group is made.
        for _ in 5...6 { _ = queue.arrived(.error, "disk") }
        #expect(queue.ordered.map(\.members.count) == [1, 1, 1, 1, 2])
        #expect(queue.wasPutOff() == true)
        #expect(queue.screenFreed() == 2)
        #expect(queue.wasJoined() == true)
        #expect(queue.shownMembers.map(\.number) == [2, 4, 5, 6])
        #expect(queue.ordered.map(\.number) == [2, 3, 1])
        #expect(queue.arrived(.error, "disk") == 7)
        #expect(queue.shownMembers.count == 5)
        #expect(queue.chose(1) == true)
        #expect(queue.wasJoined() == true)
        #expect(queue.shownMembers.map(\.number) == [1, 2, 4, 5, 6, 7])
    }

    @Test("A prompt without equal ones is neither opened nor joined")
    func alone() {
        var queue = Self.grouped
        #expect(queue.chose(3) == true)
        #expect(queue.wasOpened() == false)
        #expect(queue.wasJoined() == false)
        #expect(queue.shown == 3)
    }

    @Test(
        "A line goes to another prompt, opens a group, lists those that wait, or is for people",
        arguments: [
            ("*", .open), ("+", .next), (" + ", .next), ("#", .list), ("#3", .show(3)),
            (" # 12", .show(12)), ("**", nil), (" : It  ends. ", .comment("It  ends.")),
            (":", .comment("")), (":+", .comment("+")), ("a: b", nil),
            (" :: It  ends. ", .note("It  ends.")), ("::", .note("")), (": :", .comment(":")),
            ("", nil), ("3", nil), ("++", nil), ("#x", nil), ("next", nil),
        ] as [(String, PromptCommand?)])
    func commands(line: String, command: PromptCommand?) {
        #expect(PromptCommand(line) == command)
    }
}

extension PromptQueue {
    static let arrival = ManualTime().now.instant

    /// Equal ones have one description.
    mutating func arrived(
        _ severity: Severity, _ description: String,
        at now: ContinuousClock.Instant = arrival
    ) -> Int {
        let report = ErrorReport(domain: "test", description: description)
        return arrived(severity, CoalescingKey(report), at: now)
    }
}
