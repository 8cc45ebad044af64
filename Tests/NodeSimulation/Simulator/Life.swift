import ErrorBus

/// One life of a process: from its start until it is killed or has stopped. Everything by which it
/// could reach the outside asks ``isOver`` first.
// Unchecked: see Scheduler.
final class Life: @unchecked Sendable {
    let process: Plan.Process
    let number: Int
    let startedAt: UInt64
    let transport: SimulatedTransport
    private(set) var node: Node?
    let silences = Silences(now: { .now })
    private(set) var people: [People] = []
    /// What is in the chain of a relay that has one.
    let inside = ChainCount()
    private var task: Task<Void, Never>?

    var isOver: Bool { transport.isDead }

    init(_ process: Plan.Process, number: Int, in world: World) {
        self.process = process
        self.number = number
        startedAt = world.scheduler.now
        transport = SimulatedTransport(process.name, world.network)
        if process.isRequester { return }
        if world.plan.isRelayUnknown, process.name == "relay1" {
            transport.holder = world.keyHolder
        }
        var settings = NodeSettings(
            name: NodeName(process.nodeName ?? process.name) ?? "nameless")
        settings.deadline =
            process.name == Plan.presenter
            ? world.plan.presenterDeadline.map { .milliseconds($0) }
            : process.deadline.map { .milliseconds($0) }
        if let grace = world.plan.grace, process.name.hasPrefix("worker") {
            settings.whenUnreachable = .fail
            settings.grace = .milliseconds(grace)
        }
        if let grace = world.plan.relayGrace, process.name.hasPrefix("relay") {
            settings.whenUnreachable = .fail
            settings.grace = .milliseconds(grace)
        }
        if let grace = process.presentsAfter {
            settings.whenUnreachable = .presentLocally
            settings.grace = .milliseconds(grace)
        }
        settings.listen = world.endpoint(of: process.name).map { [$0] } ?? []
        if let time = world.plan.abandonAfter { settings.abandonAfter = .milliseconds(time) }
        let route = process.route.flatMap(world.endpoint).map { [("route", $0)] }
        let node = Node(
            settings, parents: process.parents.compactMap(world.endpoint), routes: route ?? [],
            parts: counted(parts(in: world), in: world), transport: transport)
        self.node = node
        task = Task.detached { try? await node.run() }
    }

    private func parts(in world: World) -> NodeParts {
        var parts = NodeParts(logger: world.logger)
        limit(&parts.limits, as: world.plan)
        if (process.nodeName ?? process.name) == "worker1" || process.name.hasPrefix("relay") {
            parts.redact = { $0.userInfo["secret"] = nil }
        }
        if process.name == Plan.presenter { addPresenters(to: &parts, in: world) }
        if process.presentsAfter != nil {
            people = [People(Plan.desk, self, world, limits: InboxLimits(), after: nil)]
            parts.presenters = people
            parts.audit = Inboxes(all: people.map(\.inbox))
        }
        if process.addsOption {
            parts.chain = { [unowned self] next in
                ClosureResponder(
                    process.name, next: next,
                    willPresent: { world.addingOption(to: $0, of: $1.id, in: self) })
            }
        }
        if let trouble = world.plan.withheldTrouble, process.name == "relay1" {
            parts.chain = { next in
                ClosureResponder(
                    "relay1", next: next,
                    willPresent: { error, _ in
                        ErrorReport(describing: error).code == trouble ? nil : error
                    })
            }
        }
        if let trouble = world.plan.forgedTrouble, process.name == "relay1" {
            let option = world.plan.forgedOption
            parts.chain = { LyingRelay(following: $0, trouble: trouble, option: option) }
        }
        if let trouble = world.plan.stumblingTrouble, process.name == "relay1" {
            parts.chain = { next in
                ClosureResponder(
                    "relay1", next: next,
                    willPresent: { error, _ in
                        // What it had waited for was cancelled.
                        if ErrorReport(describing: error).code == trouble {
                            throw CancellationError()
                        }
                        return error
                    })
            }
        }
        if process.route != nil {
            let book = RuleBook(routing: world.plan.routedTrouble)
            parts.chain = { [routes = parts.routes, logger = parts.logger, process] next in
                RuleResponder(
                    NodeName(process.name) ?? "nameless", book: book, next: next, routes: routes,
                    commands: RuleCommands(runner: NoCommands()), logger: logger,
                    timing: RuleTiming(now: { .now }))
            }
        }
        if let patience = world.plan.impatience, process.name == Plan.presenter {
            parts.chain = { Impatient(following: $0, patience: .milliseconds(patience)) }
        }
        if world.plan.revocation?.at == process.name
            || world.plan.isRelayUnknown && process.name == Plan.presenter
        {
            parts.keys = world.keyRing
        }
        if process.name == world.plan.coalescer {
            parts.chain = { [process] in CoalescingResponder(process.name, next: $0) }
        }
        return parts
    }

    private func limit(_ limits: inout LinkLimits, as plan: Plan) {
        if let most = plan.openMax, !plan.hasTopLimit || process.parents.isEmpty {
            limits.openPerChildMax = most
        }
        if let most = plan.openPerNodeMax { limits.openPerNodeMax = most }
        if let most = plan.undeliveredMax { limits.undeliveredMax = most }
    }

    private func addPresenters(to parts: inout NodeParts, in world: World) {
        let plan = world.plan
        var limits = InboxLimits()
        limits.escalateAfter = plan.dutyPatience.map { .milliseconds($0) }
        if let most = plan.proposalMax { limits.proposalMax = .milliseconds(most) }
        if let most = plan.inboxEndedMax {
            limits.endedMax = most
            limits.openMax = 40
        }
        people = [People("duty", self, world, limits: limits, after: nil)]
        if plan.storeFails { people[0].inbox.kept(upTo: 0) }
        if limits.escalateAfter != nil || plan.asksBoth {
            let before = plan.asksBoth ? nil : people[0]
            people.append(People("boss", self, world, limits: InboxLimits(), after: before))
        }
        let audit = Inboxes(all: people.map(\.inbox))
        let journal = DiskJournal(disk: world.disk, life: self)
        var presenters: [any Presenter] =
            plan.asksBoth
            ? [FirstOfPresenters(people.map(plan.asked), logger: world.logger)] : people
        if plan.silencing != nil {
            presenters.insert(SilencingPresenter(silences, audit: audit), at: 0)
        }
        if plan.hasSecondThoughts { presenters = [SecondThoughts(world: world, life: self)] }
        parts.presenters = presenters
        parts.asksAgainAfterRestart = !plan.asksOnce
        parts.audit = audit
        parts.journal = journal
        guard let book = plan.policy?.book ?? plan.ruling?.book else { return }
        parts.presenting = { [logger = world.logger, presenters] next in
            RuleResponder(
                Plan.presenterName, book: book,
                next: PresentingResponder(
                    Plan.presenter, presenters: presenters, next: next, journal: journal,
                    audit: audit, logger: logger),
                commands: RuleCommands(runner: OwnCommands(world: world, life: self)),
                journal: journal, audit: audit,
                logger: logger, timing: RuleTiming(now: { .now }))
        }
    }

    /// What its inboxes show.
    var items: [Ledger.Item] { people.flatMap(\.items) }

    /// What they hold of what has ended.
    var leftovers: [(table: String, count: Int)] { people.flatMap(\.leftovers) }

    /// What people here read about the origin of a presentation; nil where they have none of it.
    func isReachable(_ id: PresentationID) -> Bool? {
        people.lazy.compactMap { try? $0.inbox.item(id) }.first(where: \.isOpen)?.isReachable
    }

    /// Ends it without a word.
    func kill() {
        transport.die()
        for people in people { people.died() }
    }

    /// Sends what its inboxes hold, as a console does that shuts down before its node.
    func giveHeld() async {
        for people in people { await people.inbox.giveHeld() }
    }

    /// Has it shut down in order.
    func stop() {
        for people in people { people.stopped() }
        task?.cancel()
    }
}

/// Each of several inboxes gets the results of the answers.
private struct Inboxes: AuditLog {
    let all: [Inbox]

    func record(_ event: PresentationEvent) {
        for inbox in all { inbox.record(event) }
    }
}
