import ErrorBus
import Testing

@testable import BusNodeKit

/// The queue of a terminal's prompts, and the lines that go through it.
struct PromptQueueTests {
    private static func queue(_ severities: Severity...) -> PromptQueue {
        var queue = PromptQueue()
        for severity in severities { _ = queue.arrived(severity) }
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
        #expect(queue.arrived(.critical) == 3)
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
        _ = queue.arrived(.debug)
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
        #expect(queue.arrived(.error) == 1)
    }

    @Test(
        "A line goes to another prompt, or lists those that wait",
        arguments: [
            ("+", .next), (" + ", .next), ("#", .list), ("#3", .show(3)), (" # 12", .show(12)),
            ("", nil), ("3", nil), ("++", nil), ("#x", nil), ("next", nil),
        ] as [(String, PromptCommand?)])
    func commands(line: String, command: PromptCommand?) {
        #expect(PromptCommand(line) == command)
    }
}
