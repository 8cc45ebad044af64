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

    /// The open members of a group; nil when no group has that number (any more).
    func members(of number: Int) -> Set<PresentationID>? { groups[number]?.members }

    var all: [(number: Int, members: Set<PresentationID>)] {
        groups.map { ($0.key, $0.value.members) }
    }
}
