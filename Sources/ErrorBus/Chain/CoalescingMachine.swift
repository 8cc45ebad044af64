/// Decides which of several equal errors climbs and what becomes of the others.
///
/// A group is one prompt for equal errors: its representative climbs, its members wait. The group
/// is gone the moment its answer arrives, so an equal error after that is asked about again (A27).
struct CoalescingMachine: Hashable, Sendable {
    /// One caller's stay here.
    typealias Ticket = UInt64

    enum Action: Hashable, Sendable {
        /// Climb, and report how it ended under this ticket.
        case climb(Ticket)
        /// Climb for itself alone: the group is full.
        case climbAlone
        /// Wait for word under this ticket.
        case wait(Ticket)
        /// Have these run their own attempters.
        case attempt([Ticket])
        /// Give these the representative's outcome.
        case share([Ticket])
        /// Have this waiting one climb in the representative's place.
        case promote(Ticket)
        /// Let this waiting one go.
        case release(Ticket)
        case nothing
    }

    private struct Group: Hashable, Sendable {
        var representative: Ticket
        /// In the order of arrival.
        var members: [Ticket] = []
    }

    private var groups: [CoalescingKey: Group] = [:]
    private var lastTicket: Ticket = 0
    private let memberCountMax: Int

    init(memberCountMax: Int) { self.memberCountMax = memberCountMax }

    var isEmpty: Bool { groups.isEmpty }

    /// An error came from below.
    mutating func arrived(_ key: CoalescingKey) -> Action {
        guard var group = groups[key] else {
            lastTicket += 1
            groups[key] = Group(representative: lastTicket)
            return .climb(lastTicket)
        }
        guard group.members.count < memberCountMax else { return .climbAlone }
        lastTicket += 1
        group.members.append(lastTicket)
        groups[key] = group
        return .wait(lastTicket)
    }

    /// The answer to the representative's error arrived.
    mutating func answered(_ ticket: Ticket, _ key: CoalescingKey) -> Action {
        // A repeated answer finds its group gone, or another representative in its place.
        guard let group = groups[key], group.representative == ticket else { return .nothing }
        groups[key] = nil
        return group.members.isEmpty ? .nothing : .attempt(group.members)
    }

    /// The representative is back from above. `isItsOwn`: it ended for a reason that concerns only
    /// it, as when its caller gave up, so the others are still to be asked about.
    mutating func ended(_ ticket: Ticket, _ key: CoalescingKey, isItsOwn: Bool) -> Action {
        // After an answer the group is gone, or another representative in its place.
        guard var group = groups[key], group.representative == ticket else { return .nothing }
        guard let first = group.members.first else {
            groups[key] = nil
            return .nothing
        }
        guard isItsOwn else {
            groups[key] = nil
            return .share(group.members)
        }
        group.members.removeFirst()
        group.representative = first
        groups[key] = group
        return .promote(first)
    }

    /// A waiting caller gave up, or its time ran out.
    mutating func left(_ ticket: Ticket, _ key: CoalescingKey) -> Action {
        // One that was answered or promoted in the same moment no longer waits: that stands.
        guard let index = groups[key]?.members.firstIndex(of: ticket) else { return .nothing }
        groups[key]?.members.remove(at: index)
        return .release(ticket)
    }
}
