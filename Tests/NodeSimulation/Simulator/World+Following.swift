import ErrorBus

/// What consoles see that look at an inbox from time to time.
extension World {
    /// A console reads the inbox.
    func follow(_ people: People) {
        let second = scheduler.now / 1_000
        people.reader.read(people.inbox, at: second)
        if second.isMultiple(of: 16) { compareReader(of: people) }
    }

    /// Has a console, once it has read the rest, what is there?
    func compareReader(of people: People) {
        let groups = people.inbox.groups
        if let fault = people.reader.compare(with: people.inbox, groups) {
            ledger.misread.append("\(people.presenterName): \(fault)")
        }
        // What an inbox has forgotten is new to it.
        guard plan.inboxEndedMax == nil else { return }
        lookAtOrder(of: groups, people)
    }

    /// Are groups of one severity, and the members of each, in the order in which people were
    /// first asked?
    private func lookAtOrder(of groups: [InboxGroup], _ people: People) {
        guard groups.count > 1 || groups.contains(where: { $0.members.count > 1 }) else { return }
        let places = ledger.places
        func asked(_ id: PresentationID) -> UInt64 {
            let time = places[id].flatMap {
                ledger.first(of: $0, to: people.presenterName, in: people.lifeNumber, plan)
            }
            return time ?? 0
        }
        let isInOrder = zip(groups, groups.dropFirst()).allSatisfy { group, next in
            group.severity > next.severity
                || group.severity == next.severity && asked(group.first.id) <= asked(next.first.id)
        }
        if !isInOrder { ledger.misordered.append("\(people.presenterName): groups out of order") }
        for group in groups {
            let times = group.members.map(asked)
            guard zip(times, times.dropFirst()).contains(where: { $0 > $1 }) else { continue }
            ledger.misordered.append("\(people.presenterName): group \(group.number) out of order")
        }
    }
}

extension Ledger {
    /// Where each presentation is in ``shown``, the first time first.
    var places: [PresentationID: [Int]] {
        var places: [PresentationID: [Int]] = [:]
        for index in shown.indices { places[shown[index].id, default: []].append(index) }
        return places
    }

    /// When people first had a presentation in front of them, of the lives that their inbox knows
    /// of.
    func first(
        of places: [Int], to presenter: String, in life: Int, _ plan: Plan
    ) -> UInt64? {
        let place = places.first { place in
            shown[place].presenter == presenter
                && (plan.keepsInbox || shown[place].life == life)
        }
        return place.map { shown[$0].time }
    }
}

extension Checker {
    static let agesKept = Checker(
        name: "ages-kept",
        rule: "what returns to people is as old as when they were first asked, and has its place "
            + "in their list by that"
    ) { ledger, plan in
        // What an inbox has forgotten is new to it.
        guard plan.inboxEndedMax == nil else { return [] }
        let places = ledger.places
        return ledger.misordered
            + ledger.items.compactMap { item -> String? in
                let asked = places[item.id].flatMap {
                    ledger.first(of: $0, to: item.presenter, in: item.life, plan)
                }
                guard let asked else { return nil }
                // One clock may be read a moment before the other.
                let isTrue = item.openedAt <= asked + 1 && asked <= item.openedAt + 1
                return isTrue
                    ? nil
                    : "\(item.id): open since \(item.openedAt) for \(item.presenter), first "
                        + "asked at \(asked)"
            }
    }
}

extension Forgery {
    static let agesKept = Forgery(checker: "ages-kept") { ledger, plan in
        guard plan.inboxEndedMax == nil else { return false }
        let places = ledger.places
        let index = ledger.items.firstIndex { item in
            let own = places[item.id] ?? []
            return ledger.first(of: own, to: item.presenter, in: item.life, plan) != nil
        }
        guard let index else { return false }
        ledger.items[index].openedAt += 5_000
        return true
    }
}
