import ErrorBus

/// What nodes say of themselves, held against what went over their links.
extension World {
    /// At quiet moments, and in the end.
    func prepareStatus() {
        for time in plan.statusTimes {
            scheduler.at(start + time) { [self] in askForStatus() }
        }
    }

    /// Not while anything is under way, which one side has counted and the other not.
    func askForStatus() {
        let before = ledger.traffic.messageCount
        let isQuiet = scheduler.now > ledger.traffic.lastAt + 300
        for (name, life) in lives.sorted(by: { $0.key < $1.key }) {
            guard isQuiet, let node = life.node else { continue }
            Task.detached { [self] in
                let status = await node.status
                let wrong = faults(in: status, of: life)
                scheduler.after(300) { [self] in
                    guard before == ledger.traffic.messageCount else { return }
                    ledger.statusCount += 1
                    ledger.misstated += wrong.map { "\(name) at \(scheduler.now): \($0)" }
                }
            }
        }
    }

    /// A message arrives: what it says of its presentation is counted, once for each.
    func count(_ verb: Frame, _ id: PresentationID?, on link: Network.LinkID) {
        guard let id else { return }
        ledger.traffic.messageCount += 1
        ledger.traffic.lastAt = scheduler.now
        ledger.traffic.ids[link, default: [:]][verb, default: []].insert(id)
    }

    private func faults(in status: NodeStatus, of life: Life) -> [String] {
        let name = life.process.name
        var found: [String] = []
        func expect(_ what: String, _ said: some Equatable, _ counted: some Equatable) {
            if "\(said)" != "\(counted)" { found.append("\(what) \(said), not \(counted)") }
        }
        let below = links(of: name, isParent: true)
        let above = links(of: name, isParent: false)
        expect("it is", status.node.description, name)
        let counters = status.counters
        let presented = ids("PRESENT", below)
        let answered = ids("ANSWER", below)
        let settled = ids("SETTLED", below)
        let withdrawn = ids("WITHDRAW", below)
        expect("presented below", counters.presentedBelow, presented.count)
        expect("answered below", counters.answeredBelow, answered.count)
        expect("settled below", counters.settledBelow, settled.count)
        expect("refused below", counters.refusedBelow, ids("REJECT", below).count)
        expect("presented above", counters.presentedAbove, ids("PRESENT", above).count)
        let answers = ids("ANSWER", above)
        // One that crosses its withdrawal may find nothing open.
        let least = answers.subtracting(ids("WITHDRAW", above)).count
        if !(least...answers.count).contains(counters.answeredAbove) {
            expect("answered above", counters.answeredAbove, answers.count)
        }
        expect("refused above", counters.refusedAbove, ids("REJECT", above).count)
        let open = presented.subtracting(answered).subtracting(withdrawn)
        expect("open", status.openCount, open.count)
        let unsettled = answered.subtracting(settled)
        expect("not settled below", status.tables.openBelow, open.count + unsettled.count)
        let parents = status.parents.map { "\($0.node?.description ?? "-") \($0.state.rawValue)" }
        expect("parents", parents, life.process.parents.map { "\($0) up" })
        for parent in status.parents {
            let ended = ids("ANSWER", above).union(ids("WITHDRAW", above))
            let asked = ids("PRESENT", above).subtracting(ended)
            expect("open at \(parent.endpoint)", parent.openCount, asked.count)
            expect("since", parent.sinceMilliseconds <= status.upMilliseconds, true)
            expect(
                "endpoint", parent.endpoint,
                parent.node.flatMap { endpoint(of: $0.description) }?.description ?? "none")
        }
        let children = below.map { link in
            let presented = ids("PRESENT", [link])
            let answered = ids("ANSWER", [link])
            let open = presented.subtracting(answered).subtracting(ids("WITHDRAW", [link]))
            let unsettled = answered.subtracting(ids("SETTLED", [link]))
            return "\(link.child) live \(open.count) \(unsettled.count)"
        }
        let said = status.children.map {
            "\($0.name) \($0.state.rawValue) \($0.openCount) \($0.answeredCount)"
        }
        expect("children", said, children.sorted())
        let lasts = scheduler.now - life.startedAt
        expect("up", status.upMilliseconds + 50 > lasts && status.upMilliseconds <= lasts, true)
        expect("left out", status.childrenLeftOut, 0)
        expect("boot", status.boot.isEmpty, false)
        return found
    }

    private func links(of name: String, isParent: Bool) -> [Network.LinkID] {
        plan.links.filter { isParent ? $0.parent == name : $0.child == name }
    }

    private func ids(_ verb: String, _ links: [Network.LinkID]) -> Set<PresentationID> {
        let verb = Frame(verb.utf8)
        return links.reduce(into: []) { $0.formUnion(ledger.traffic.ids[$1]?[verb] ?? []) }
    }
}

extension Ledger {
    /// Which presentations messages on each link were about, by their verbs; and how many came.
    struct Traffic {
        var messageCount = 0
        var lastAt: UInt64 = 0
        var ids: [Network.LinkID: [Frame: Set<PresentationID>]] = [:]
    }
}

extension Plan {
    /// Nothing goes wrong, and nodes are asked for their status.
    mutating func stageStatuses(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 1, 2]))
        isCalm = true
        chaosLasts = 60_000
        thinkingMax = random.pick([5_000, 60_000])
        statusTimes = (1...14).map { $0 * 4_000 + 1_900 }
        ask(24, in: 0...50_000, attempts: [0, 9_000], using: &random) { call, random in
            // So that moments are quiet.
            call.time = call.time / 4_000 * 4_000 + 500
            if random.happens(0.2) { call.cancelledAfter = random.number(500...12_000) }
        }
    }
}

extension Checker {
    static let statusTrue = Checker(
        name: "status-true", rule: "a node says of its links and counts what went over them"
    ) { ledger, _ in ledger.misstated }
}

extension Forgery {
    static let statusTrue = Forgery(checker: "status-true") { ledger, _ in
        ledger.misstated.append("central: forged")
        return ledger.statusCount > 0
    }
}
