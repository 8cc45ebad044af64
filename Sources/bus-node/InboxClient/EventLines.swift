import ErrorBus

/// Puts the events of a `text/event-stream` together.
struct EventLines {
    struct Event: Hashable {
        var id: String?
        var name = ""
        var data = ""
    }

    private var lines: LineBuffer
    private var event = Event()

    init(byteCountMax: Int) { lines = LineBuffer(byteCountMax: byteCountMax) }

    /// The events that are complete now.
    mutating func take(_ bytes: some Sequence<UInt8>) -> [Event] {
        var events: [Event] = []
        for line in lines.take(bytes) {
            guard !line.isEmpty else {
                if !event.data.isEmpty { events.append(event) }
                event = Event()
                continue
            }
            let parts = line.split(
                separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""
            switch parts[0] {
            case "id": event.id = value
            case "event": event.name = value
            case "data": event.data += event.data.isEmpty ? value : "\n" + value
            default: break
            }
        }
        return events
    }
}
