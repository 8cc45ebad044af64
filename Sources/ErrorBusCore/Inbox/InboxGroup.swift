/// Open presentations that one answer may serve, by their ``CoalescingKey``. Each origin keeps its
/// own attempter and result (HRS, coalescing).
package struct InboxGroup: Hashable, Sendable {
    package let number: Int
    /// The open members, oldest first.
    package let members: [PresentationID]
    /// The oldest open member, which stands for the whole group.
    package let first: InboxItem
    /// The highest severity among the members.
    package let severity: Severity
    /// The number of nodes that the members come from.
    package let originCount: Int
}

/// The table of open groups. A group exists while it has an open member; a later equal error opens
/// a new group (A27).
struct InboxGroups: Hashable, Sendable {
    /// A group and the latest change of the group or of one of its members.
    private struct Group: Hashable, Sendable {
        let key: CoalescingKey
        var members: Set<PresentationID> = []
        var revision: UInt64 = 0
    }

    /// The number of a group and the revision of its latest change.
    struct Change: Hashable, Sendable {
        let number: Int
        let revision: UInt64
    }

    private var groups: [Int: Group] = [:]
    private var numbers: [CoalescingKey: Int] = [:]
    private var lastNumber = 0
    /// The groups that have no open member left, in the order of their ends.
    private var gone: [Change] = []
    /// The latest end of a forgotten group: a reader that has seen less may lack an end.
    private(set) var forgottenRevision: UInt64 = 0

    var count: Int { groups.count }

    /// Adds an open presentation; returns the number of its group.
    mutating func add(_ id: PresentationID, _ key: CoalescingKey, at revision: UInt64) -> Int {
        let number = numbers[key] ?? lastNumber + 1
        lastNumber = max(lastNumber, number)
        numbers[key] = number
        groups[number, default: Group(key: key)].members.insert(id)
        groups[number]?.revision = revision
        return number
    }

    /// Removes a presentation from the group of that number; the group goes with its last member.
    ///
    /// - Parameter limit: How many groups that are gone are remembered at least.
    mutating func remove(
        _ id: PresentationID, from number: Int, at revision: UInt64, remembering limit: Int
    ) {
        groups[number]?.members.remove(id)
        groups[number]?.revision = revision
        guard let group = groups[number], group.members.isEmpty else { return }
        groups[number] = nil
        numbers[group.key] = nil
        gone.append(Change(number: number, revision: revision))
        // Forgets rarely, so that the mean cost of a call is low.
        guard gone.count > 2 * limit else { return }
        let excess = gone.count - limit
        forgottenRevision = gone[excess - 1].revision
        gone.removeFirst(excess)
    }

    /// An open member of the group of that number changed.
    mutating func memberChanged(in number: Int, at revision: UInt64) {
        groups[number]?.revision = revision
    }

    /// The open groups that changed after `seen`, oldest change first.
    func changed(after seen: UInt64) -> [Change] {
        let changed = groups.filter { $0.value.revision > seen }
        return changed.map { Change(number: $0.key, revision: $0.value.revision) }
            .sorted { ($0.revision, $0.number) < ($1.revision, $1.number) }
    }

    /// The groups that ended after `seen`, in the order of their ends.
    func gone(after seen: UInt64) -> [Change] {
        let known = gone.lastIndex { $0.revision <= seen }
        return Array(gone[(known.map { $0 + 1 } ?? 0)...])
    }

    /// The open members of a group; nil when no open group has that number.
    func members(of number: Int) -> Set<PresentationID>? { groups[number]?.members }

    /// The numbers of the open groups, in no order.
    var openNumbers: [Int] { Array(groups.keys) }
}

/// The result of answering a whole group.
package struct GroupAnswer: Hashable, Sendable {
    package var answered: [PresentationID] = []
    /// The ids of the members' answers, in the same order.
    package var answers: [UniqueID] = []
    /// The members for which the answer is only a proposal now: their option needs two people.
    package var proposed: [PresentationID] = []
    /// The members without an answer, each with its refusal: the member ended meanwhile, or another
    /// person has claimed it.
    package var refused: [PresentationID: InboxRefusal] = [:]
    /// The proposals that were to be confirmed but stand for no open member: answered, withdrawn or
    /// declined meanwhile.
    package var notProposed: Set<UniqueID> = []

    package init() {}

    package mutating func add(_ answer: Answer, for id: PresentationID) {
        answered.append(id)
        answers.append(answer.id)
    }
}

extension InboxItem {
    /// Whether a request with this id for the item's group has answered the item.
    package func isAnswered(by request: UniqueID?) -> Bool {
        answer.map { $0.id == request?.act(on: id) } ?? false
    }

    /// Whether the answer or proposal of a request with this id for the item's group was undone.
    func hasTakenBack(_ request: UniqueID?) -> Bool {
        request.map { takenBack.contains($0.act(on: id)) } ?? false
    }

    /// Whether a request with this id for the item's group has made the item's proposal.
    package func isProposed(by request: UniqueID?) -> Bool {
        proposal.map { $0.request == request?.act(on: id) } ?? false
    }
}

extension UniqueID {
    /// The id of the act of this request on one member of a group: the same for each repetition of
    /// the request, and another one for each member.
    package func act(on member: PresentationID) -> UniqueID {
        // Version 8: of a form of its own (RFC 9562).
        UniqueID(
            high: (high ^ member.value.high) & ~0xF000 | 0x8000,
            low: (low ^ member.value.low) & 0x3FFF_FFFF_FFFF_FFFF | 1 << 63)
    }
}

/// The result of claiming or releasing a whole group.
package struct GroupClaim: Hashable, Sendable {
    /// The members that the request claimed or released.
    package var changed: [PresentationID] = []
    /// The members that the request left out, each with its refusal: another person has claimed it.
    package var refused: [PresentationID: InboxRefusal] = [:]
    /// The end of the new claims; nil without one.
    package var until: Moment?
}
