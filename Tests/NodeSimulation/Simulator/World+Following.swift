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
    }
}
