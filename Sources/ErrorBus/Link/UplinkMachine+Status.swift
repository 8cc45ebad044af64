/// How the links upward are.
extension UplinkMachine {
    /// The parent in use is there.
    mutating func noteUp(_ welcome: Message.Welcome, at now: MonotonicTime) {
        parents[parent] = UplinkParent(node: welcome.node, since: now)
    }

    /// A parent was tried in vain, or is lost. Trying again in vain is nothing new.
    mutating func noteDown(
        _ index: Int, _ reason: String, isRefusal: Bool = false, at now: MonotonicTime
    ) {
        if parents[index].failure == nil { parents[index].since = now }
        parents[index].failure = reason
        parents[index].isRefusing = isRefusal
    }

    /// The parent in use is left for an earlier one.
    mutating func noteLeft(at now: MonotonicTime) { parents[parent].since = now }

    /// Puts in what this machine knows. `endpoints` are the parents', in order.
    func tell(
        into status: inout NodeStatus, endpoints: [Endpoint], at now: MonotonicTime
    ) {
        if status.boot.isEmpty { status.boot = boot.description }
        status.counters.presentedAbove += counters.presentedAbove
        status.counters.answeredAbove += counters.answeredAbove
        status.counters.refusedAbove += counters.refusedAbove
        status.parents += zip(parents, endpoints).enumerated().map { index, pair in
            let state = state(ofParent: index)
            return ParentStatus(
                node: pair.0.node, endpoint: pair.1.description, state: state,
                reason: state == .up || state == .standby ? nil : pair.0.failure,
                sinceMilliseconds: now.since(pair.0.since),
                openCount: index == parent ? openCount : 0)
        }
    }

    private func state(ofParent index: Int) -> ParentStatus.State {
        if index == parent, isLive { return .up }
        if link == .closed { return .down }
        if parents[index].isRefusing { return .refused }
        if index == parent || index == triedAgain { return .connecting }
        return parents[index].failure == nil ? .standby : .down
    }

    /// The earlier parent that is tried at the moment, beside the one in use.
    private var triedAgain: Int? {
        switch returning {
        case .none, .waiting: nil
        case .opening, .greeting, .leaving: preferred
        }
    }
}
