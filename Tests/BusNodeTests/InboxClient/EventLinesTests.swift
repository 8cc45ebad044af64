import Testing

@testable import BusNodeKit

@Suite struct EventLinesTests {
    @Test("events are assembled, wherever the stream is cut", arguments: [1, 2, 3, 7, 1_000])
    func pieces(size: Int) {
        let text =
            "id: 7\nevent: change\ndata: {\"a\":1}\n\n: note\n\nevent: ping\ndata: {}\n\nid: 8\n"
        var lines = EventLines(byteCountMax: 1_000)
        var events: [EventLines.Event] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            events += lines.take(rest.prefix(size))
            rest = rest.dropFirst(size)
        }
        #expect(
            events == [
                EventLines.Event(id: "7", name: "change", data: "{\"a\":1}"),
                EventLines.Event(id: nil, name: "ping", data: "{}"),
            ])
    }

    @Test("a line beyond the limit is dropped with its event")
    func tooLong() {
        var lines = EventLines(byteCountMax: 10)
        #expect(lines.take("data: 123456789\n\ndata: 1\n\n".utf8).map(\.data) == ["1"])
    }
}
