import ErrorBus

extension LiveTopology.Link {
    /// For a picture.
    var words: String {
        var words: [String]
        switch state {
        case .up: words = ["up"]
        case .down: words = [isStandby ? "not in use" : "down"]
        case .unknown: words = ["unknown"]
        }
        if let sinceMilliseconds, !isStandby {
            words[0] += " " + AgeText.text(milliseconds: sinceMilliseconds)
        }
        if let openCount, openCount > 0 || state == .up { words.append("\(openCount) open") }
        return words.joined(separator: ", ")
    }

    var json: JSONValue {
        [
            "child": .string(child.description), "parent": .string(parent.description),
            "state": .string(state.rawValue), "openCount": openCount.map { .count($0) } ?? .null,
            "sinceMilliseconds": sinceMilliseconds.map { .integer(Int64(clamping: $0)) } ?? .null,
        ]
    }
}

extension LiveTopology.Node {
    /// For a picture.
    var words: String {
        switch state {
        case .up: openCount.map { "up, \($0) open" } ?? "up" + (reason.map { ": \($0)" } ?? "")
        case .unreachable: reason ?? "cannot be reached"
        case .unknown: "unknown: it does not listen, and no parent knows"
        }
    }

    var fields: [String: JSONValue] {
        ["state": .string(state.rawValue), "openCount": openCount.map { .count($0) } ?? .null]
    }
}
