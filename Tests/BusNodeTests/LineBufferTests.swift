import ErrorBus
import ErrorBusTesting
import Glibc
import Synchronization
import Testing

@testable import BusNodeKit

struct LineBufferTests {
    private static func start(_ mark: Int) -> InputLines.Start {
        InputLines.Start(mark: mark, at: ManualTime().now.instant)
    }

    @Test("Lines are assembled from any pieces, and began with their first byte")
    func lines() {
        var lines = StartedLines(byteCountMax: 8)
        #expect(lines.take("on".utf8, from: Self.start(1)).isEmpty)
        let taken = lines.take("e\n\ntwo\nth".utf8, from: Self.start(2))
        #expect(taken.map(\.text) == ["one", "", "two"])
        #expect(taken.map(\.start.mark) == [1, 2, 2])
        let last = lines.end()
        #expect(last?.text == "th" && last?.start.mark == 2)
        #expect(lines.end() == nil)
    }

    @Test("A line beyond the limit has no text", arguments: [8, 9, 100_000])
    func tooLong(count: Int) {
        var buffer = LineBuffer(byteCountMax: 8)
        let text = String(repeating: "r", count: count)
        #expect(buffer.take("\(text)\nok\n".utf8) == [count > 8 ? nil : text, "ok"])
    }

    @Test("Lines of a terminal that come at once go on together, after a second at the latest")
    func held() {
        let start = Self.start(1)
        func line(_ text: String) -> InputLines.Line { InputLines.Line(text: text, start: start) }
        var held = HeldLines()
        held.hold([], at: start.at)
        #expect(held.isEmpty && held.passedOn() == nil)
        held.hold([line("one")], at: start.at)
        #expect(!held.isEmpty && !held.isOverdue(at: start.at + .milliseconds(999)))
        #expect(held.passedOn() == .line(line("one")))
        #expect(held.isEmpty)
        held.hold([line("one")], at: start.at)
        held.hold([line("two"), line("three")], at: start.at + .milliseconds(999))
        #expect(held.isOverdue(at: start.at + .seconds(1)))
        #expect(held.passedOn() == .lines(["one", "two", "three"].map(line)))
        #expect(held.isEmpty && !held.isOverdue(at: start.at + .seconds(9)))
        for _ in 1...3 {
            held.hold(Array(repeating: line("flood"), count: 40), at: start.at)
        }
        #expect(held.passedOn() == .lines(Array(repeating: line("flood"), count: 64)))
    }

    @Test("Input that another program made non-blocking does not end", .timeLimit(.minutes(10)))
    func nonBlocking() async {
        var ends: [CInt] = [-1, -1]
        #expect(pipe(&ends) == 0)
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
        let marks = Atomic(0)
        let lines = InputLines.lines(of: ends[0]) {
            // Each read has a mark: by the second there was nothing to read.
            marks.add(1, ordering: .relaxed).newValue
        }
        var texts: [String?] = []
        _ = write(ends[1], "o\n", 2)
        for await case .line(let line) in lines {
            texts.append(line.text)
            if texts.count == 2 { close(ends[1]) } else { _ = write(ends[1], "p\n", 2) }
        }
        #expect(texts == ["o", "p"])
    }
}
