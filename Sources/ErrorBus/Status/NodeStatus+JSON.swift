extension NodeStatus {
    /// As STATE carries it (docs/wire.md, section 15).
    public var json: JSONValue {
        [
            "node": .string(node.description), "version": .string(version.asStatusText),
            "boot": .string(boot), "upMilliseconds": .milliseconds(upMilliseconds),
            "open": .integer(Int64(openCount)), "tables": .counts(tables.rows),
            "counters": .counts(counters.rows),
            "dropped": .object(dropped.mapValues { .integer(Int64($0)) }),
            "parents": .array(parents.map(\.json)), "children": .array(children.map(\.json)),
            "childrenLeftOut": .integer(Int64(childrenLeftOut)),
            "faults": .array(faults.map(\.json)),
        ]
    }
}

extension ParentStatus {
    fileprivate var json: JSONValue {
        [
            "node": node.map { .string($0.description) } ?? .null,
            "endpoint": .string(endpoint), "state": .string(state.rawValue),
            "reason": reason.map { .string($0.asStatusText) } ?? .null,
            "sinceMilliseconds": .milliseconds(sinceMilliseconds),
            "open": .integer(Int64(openCount)),
        ]
    }
}

extension ChildStatus {
    /// As in ``NodeStatus/json``.
    public var json: JSONValue {
        [
            "name": .string(name.description), "state": .string(state.rawValue),
            "sinceMilliseconds": .milliseconds(sinceMilliseconds),
            "open": .integer(Int64(openCount)), "answered": .integer(Int64(answeredCount)),
        ]
    }
}

extension NotedFault {
    fileprivate var json: JSONValue {
        [
            "source": .string(source.rawValue), "text": .string(text),
            "count": .integer(Int64(count)), "agoMilliseconds": .milliseconds(agoMilliseconds),
        ]
    }
}

extension JSONValue {
    fileprivate static func milliseconds(_ time: UInt64) -> JSONValue {
        .integer(Int64(clamping: time))
    }

    fileprivate static func counts(_ rows: [(name: String, count: Int)]) -> JSONValue {
        .object(
            Dictionary(rows.map { ($0.name, .integer(Int64($0.count))) }) { first, _ in first })
    }
}
