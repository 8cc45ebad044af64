/// Which open presentations are one question. A group is there as long as it has an open member;
/// after the last is answered, an equal error opens a new one (A27).
struct InboxGroups: Hashable, Sendable {
    private struct Group: Hashable, Sendable {
        let number: Int
        var members: Set<PresentationID> = []
    }

    private var groups: [InboxGroup.Key: Group] = [:]
    private var keys: [Int: InboxGroup.Key] = [:]
    private var lastNumber = 0

    /// Adds an open presentation; returns the number of its group.
    mutating func add(_ id: PresentationID, _ key: InboxGroup.Key) -> Int {
        if groups[key] == nil {
            lastNumber += 1
            groups[key] = Group(number: lastNumber)
            keys[lastNumber] = key
        }
        groups[key]?.members.insert(id)
        return groups[key]?.number ?? lastNumber
    }

    mutating func remove(_ id: PresentationID, _ key: InboxGroup.Key) {
        guard var group = groups[key] else { return }
        group.members.remove(id)
        groups[key] = group.members.isEmpty ? nil : group
        if group.members.isEmpty { keys[group.number] = nil }
    }

    /// The open members of a group; nil when there is none of that number (any more).
    func members(of number: Int) -> Set<PresentationID>? {
        keys[number].flatMap { groups[$0]?.members }
    }

    var all: [(number: Int, members: Set<PresentationID>)] {
        groups.values.map { ($0.number, $0.members) }
    }
}
