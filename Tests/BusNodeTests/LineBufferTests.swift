import Testing

@testable import BusNodeKit

struct LineBufferTests {
    @Test("Lines are assembled from any pieces")
    func lines() {
        var buffer = LineBuffer(byteCountMax: 8)
        #expect(buffer.take("on".utf8) == [])
        #expect(buffer.take("e\n\ntwo\nth".utf8) == ["one", "", "two"])
        #expect(buffer.end() == "th")
        #expect(buffer.end() == nil)
    }

    @Test("A line beyond the limit is dropped as a whole", arguments: [8, 9, 100_000])
    func tooLong(count: Int) {
        var buffer = LineBuffer(byteCountMax: 8)
        let lines = buffer.take((String(repeating: "r", count: count) + "\nok\n").utf8)
        #expect(lines.count == (count > 8 ? 1 : 2))
        #expect(lines.last == "ok")
    }
}
