/// Open presentations that one answer may serve: the same key within a domain, or else the same
/// domain, code and description, and the same options by id, title and role. Their origins keep
/// their own attempters and results (HRS, coalescing).
package struct InboxGroup: Hashable, Sendable {
    package let number: Int
    /// The open ones, oldest first.
    package let members: [PresentationID]
    /// The oldest open one, which stands for all.
    package let first: InboxItem
    /// The gravest severity among them.
    package let severity: Severity
    /// How many nodes they come from.
    package let originCount: Int
}

/// Which open presentations are one group. A group is there as long as it has an open member;
/// after the last is answered, an equal error opens a new one (A27).
struct InboxGroups: Hashable, Sendable {
    private struct Group: Hashable, Sendable {
        let key: CoalescingKey
        var members: Set<PresentationID> = []
    }

    private var groups: [Int: Group] = [:]
    private var numbers: [CoalescingKey: Int] = [:]
    private var lastNumber = 0

    /// Adds an open presentation; returns the number of its group.
    mutating func add(_ id: PresentationID, _ key: CoalescingKey) -> Int {
        let number = numbers[key] ?? lastNumber + 1
        lastNumber = max(lastNumber, number)
        numbers[key] = number
        groups[number, default: Group(key: key)].members.insert(id)
        return number
    }

    /// Removes a presentation from the group of that number; the last takes the group with it.
    mutating func remove(_ id: PresentationID, from number: Int) {
        groups[number]?.members.remove(id)
        guard let group = groups[number], group.members.isEmpty else { return }
        groups[number] = nil
        numbers[group.key] = nil
    }

    /// The open members of a group; nil when no open group has that number.
    func members(of number: Int) -> Set<PresentationID>? { groups[number]?.members }

    var all: [(number: Int, members: Set<PresentationID>)] {
        groups.map { ($0.key, $0.value.members) }
    }
}

/// What came of answering a whole group.
package struct GroupAnswer: Hashable, Sendable {
    package internal(set) var answered: [PresentationID] = []
    /// Those that were not, and why: ended meanwhile, claimed by another person.
    package internal(set) var refused: [PresentationID: InboxRefusal] = [:]
}
