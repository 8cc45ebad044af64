import ErrorBus

extension Explanation {
    /// For people: a block for each node, then the end.
    var lines: [String] { stations.flatMap(Self.block) + ["ends: \(sentence)"] }

    private static func block(_ station: Station) -> [String] {
        var lines = [station.node.description]
        lines += station.readings.flatMap(\.lines).map { "  " + $0 }
        if !station.fallback.isEmpty {
            let presenters = station.fallback.joined(separator: ", ")
            lines.append("  asks \(presenters) only when no parent is reachable")
        }
        if let next = station.next {
            let others = station.otherParents.map(\.description).joined(separator: ", ")
            lines.append(
                "  -> \(next)" + (others.isEmpty ? "" : ", when unreachable \(others)"))
        }
        return lines
    }

    private var sentence: String {
        switch ending {
        case .answered(let answer, let by, let owner):
            "answered by \(by) with \(answer.option.shown()), which \(owner) carries out"
        case .withheld(let by): "withheld by \(by), not presented"
        case .presented(let by, let otherwise):
            "presented by \(by) of \(last)"
                + (otherwise.isEmpty
                    ? "" : ", and when that declines \(otherwise.joined(separator: ", "))")
        case .leaves(let endpoint): "leaves this topology for \(endpoint)"
        case .userCancelled: "in \(last), it says \"user cancelled\": not presented"
        case .detached: "in \(last), which has no presenter (503)"
        case .refused(let reason): "in \(last), no node takes the report: \(reason.shown())"
        }
    }

    private var last: String { stations.last?.node.description ?? "" }

    /// For scripts.
    var json: JSONValue {
        .object([
            "hops": .array(stations.map(Self.json)), "end": endJSON,
            "report": report.json,
        ])
    }

    private static func json(_ station: Station) -> JSONValue {
        .object([
            "node": .string(station.node.description),
            "rules": .array(station.readings.map(\.json)),
            "next": station.next.map { .string($0.description) } ?? .null,
            "otherParents": .array(station.otherParents.map { .string($0.description) }),
            "fallback": .array(station.fallback.map { .string($0) }),
        ])
    }

    private var endJSON: JSONValue {
        var object: [String: JSONValue] = ["node": .string(last)]
        switch ending {
        case .answered(let answer, let by, let owner):
            object["how"] = "answered"
            object["by"] = .string(by)
            object["option"] = .string(answer.option)
            object["owner"] = .string(owner.description)
        case .withheld(let by):
            object["how"] = "withheld"
            object["by"] = .string(by)
        case .presented(let by, let otherwise):
            object["how"] = "presented"
            object["by"] = .string(by)
            object["otherwise"] = .array(otherwise.map { .string($0) })
        case .leaves(let endpoint):
            object["how"] = "leaves"
            object["to"] = .string(endpoint.description)
        case .userCancelled: object["how"] = "userCancelled"
        case .detached: object["how"] = "detached"
        case .refused(let reason):
            object["how"] = "refused"
            object["reason"] = .string(reason)
        }
        return .object(object)
    }
}
