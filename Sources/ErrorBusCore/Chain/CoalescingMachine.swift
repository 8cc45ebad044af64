/// The machine that decides which of several equal errors climbs, and for which verdict the others
/// wait.
///
/// A group is one prompt for equal errors: its representative climbs, its members wait. The group
/// closes when its answer arrives, so a later equal error is presented again (A27).
package struct CoalescingMachine: Hashable, Sendable {
    /// Identifies one waiting caller.
    package typealias Ticket = UInt64

    package enum Action: Hashable, Sendable {
        /// Climb, and report the end under this ticket.
        case climb(Ticket)
        /// Climb without a group: the group is full.
        case climbAlone
        /// Wait for a verdict under this ticket.
        case wait(Ticket)
        /// Let these callers run their own attempters.
        case attempt([Ticket])
        /// Give these callers the representative's outcome.
        case share([Ticket])
        /// Let this waiting caller climb in the representative's place.
        case promote(Ticket)
        /// End the wait of this caller.
        case release(Ticket)
        case nothing
    }

    private struct Group: Hashable, Sendable {
        var representative: Ticket
        /// The waiting callers, in the order of arrival.
        var members: [Ticket] = []
    }

    private var groups: [CoalescingKey: Group] = [:]
    private var lastTicket: Ticket = 0
    private let memberCountMax: Int

    package init(memberCountMax: Int) { self.memberCountMax = memberCountMax }

    package var isEmpty: Bool { groups.isEmpty }

    /// The caller that climbs for the group of these errors; nil without a group.
    package func representative(of key: CoalescingKey) -> Ticket? { groups[key]?.representative }

    /// An error came from below.
    package mutating func arrived(_ key: CoalescingKey) -> Action {
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

    /// The representative's error was answered.
    package mutating func answered(_ ticket: Ticket, _ key: CoalescingKey) -> Action {
        // A repeated answer finds its group gone, or another representative in its place.
        guard let group = groups[key], group.representative == ticket else { return .nothing }
        groups[key] = nil
        return group.members.isEmpty ? .nothing : .attempt(group.members)
    }

    /// The representative's error returned from above.
    ///
    /// - Parameter isItsOwn: The reason concerns only the representative (its caller gave up), so
    ///   the others still need an answer.
    package mutating func ended(_ ticket: Ticket, _ key: CoalescingKey, isItsOwn: Bool) -> Action {
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
    package mutating func left(_ ticket: Ticket, _ key: CoalescingKey) -> Action {
        // A caller answered or promoted at the same moment no longer waits; that verdict stands.
        guard let index = groups[key]?.members.firstIndex(of: ticket) else { return .nothing }
        groups[key]?.members.remove(at: index)
        return .release(ticket)
    }
}
