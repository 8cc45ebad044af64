import ErrorBus
import Foundation

/// One line of an event log, as written by ``EventLog``.
struct LoggedEvent {
    private let fields: [String: JSONValue]
    /// The line as it stands in the file.
    let line: String
    let position: Int

    private init(fields: [String: JSONValue], line: String, position: Int) {
        self.fields = fields
        self.line = line
        self.position = position
    }

    /// An event that is in no log.
    init(_ fields: [String: String]) {
        let fields = fields.mapValues { JSONValue.string($0) }
        let line = String(decoding: JSONValue.object(fields).encoded(), as: UTF8.self)
        self.init(fields: fields, line: line, position: 0)
    }

    /// A field as text; empty when the event has none of this name.
    subscript(name: String) -> String {
        switch fields[name] {
        case .string(let text): text
        case .integer(let number): String(number)
        default: ""
        }
    }

    /// The events of a file, in order, and how many of its lines are none. A log that was never
    /// written has neither.
    static func read(_ path: String) throws -> (events: [LoggedEvent], unreadable: Int) {
        guard FileManager.default.fileExists(atPath: path) else { return ([], 0) }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw Failure(.noInput, "\(path): cannot be read")
        }
        let lines = data.split(separator: UInt8(ascii: "\n"))
        let events = lines.enumerated().compactMap { index, line -> LoggedEvent? in
            guard case .object(let fields)? = try? JSONValue.parse(Array(line)),
                case .string? = fields["event"]
            else { return nil }
            // Of an earlier version, or written by hand.
            let bytes = JSONEscapes.escapingInvisible(in: Array(line))
            return LoggedEvent(
                fields: fields, line: String(decoding: bytes, as: UTF8.self), position: index)
        }
        return (events, lines.count - events.count)
    }

    /// The event for a person.
    var sentence: String {
        let known = ["time", "node", "event", "id", "pid", "sequence"]
        let rest = fields.keys.filter { !known.contains($0) && !self[$0].isEmpty }.sorted()
            .map { "\($0)=\(self[$0].shown())" }.joined(separator: " ")
        return "\(self["time"]) \(self["node"].shown()) \(self["event"].shown()) \(rest)"
    }
}
