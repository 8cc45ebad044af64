import ErrorBus

/// An order of the presentations that wait for an answer, by the name that the page has for it.
/// Groups are in this order; the members of a group are together, oldest first.
package enum InboxSort: String, CaseIterable, Sendable {
    /// The most severe first, among equals the oldest; the page's ordinary order.
    case gravity
    /// The soonest deadline first, groups without one last.
    case deadline
    /// The oldest first.
    case age
    /// The largest group first.
    case count

    /// The members of a group that a list has, of which none is counted that it leaves out.
    private struct Group {
        let members: [InboxItem]
        let severity: Severity
        let deadline: ContinuousClock.Instant?

        init(_ items: [InboxItem]) {
            members = items.sorted { $0.isOlder(than: $1) }
            severity = items.map(\.report.severity).max() ?? .debug
            deadline = items.compactMap(\.deadline).min()
        }

        func isOlder(than other: Group) -> Bool { members[0].isOlder(than: other.members[0]) }

        func isGraver(than other: Group) -> Bool {
            severity == other.severity ? isOlder(than: other) : severity > other.severity
        }

        func isDue(before other: Group) -> Bool {
            switch (deadline, other.deadline) {
            case (let deadline?, let other?): deadline < other
            case (_?, nil): true
            case (nil, _): false
            }
        }
    }

    func sorted(_ items: [InboxItem]) -> [InboxItem] {
        let groups = Dictionary(grouping: items, by: \.group).values.map { Group($0) }
        return groups.sorted { isBefore($0, $1) }.flatMap(\.members)
    }

    private func isBefore(_ group: Group, _ other: Group) -> Bool {
        switch self {
        case .deadline where group.deadline != other.deadline: group.isDue(before: other)
        case .count where group.members.count != other.members.count:
            group.members.count > other.members.count
        case .age: group.isOlder(than: other)
        case .gravity, .deadline, .count: group.isGraver(than: other)
        }
    }
}

extension QueryFields {
    /// The order of a list of what waits; nil for that of its changes. A list in such an order has
    /// no further pages, since each change of a group can move it across their borders.
    func sort(in stage: String) throws(APIProblem) -> InboxSort? {
        let words = InboxSort.allCases.map(\.rawValue)
        guard let word = try word("sort", among: words) else { return nil }
        guard stage == "open" else {
            throw .badRequest(
                "query: sort: found stage=\(stage), expected stage=open: what has ended has no "
                    + "such order")
        }
        for other in ["after", "begun", "order"] where text(other) != nil {
            throw .badRequest(
                "query: sort: found \(other) beside it, which is for a list in pages; a sorted "
                    + "list has one page: leave \(other) out, and take a limit of up to "
                    + "\(ConsoleLimits.pageMax), or filters")
        }
        return InboxSort(rawValue: word)
    }
}
