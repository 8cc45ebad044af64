import ErrorBus

/// One life of a process: from its start until it is killed or has stopped. Everything by which it
/// could reach the outside asks ``isOver`` first.
// Unchecked: see Scheduler.
final class Life: @unchecked Sendable {
    let process: Plan.Process
    let number: Int
    let transport: SimulatedTransport
    private(set) var node: Node?
    private var people: [People] = []
    private var task: Task<Void, Never>?

    var isOver: Bool { transport.isDead }

    init(_ process: Plan.Process, number: Int, in world: World) {
        self.process = process
        self.number = number
        transport = SimulatedTransport(process.name, world.network)
        var settings = NodeSettings(name: NodeName(process.name) ?? "nameless")
        settings.deadline =
            process.name == Plan.presenter
            ? world.plan.presenterDeadline.map { .milliseconds($0) } : nil
        settings.listen = world.endpoint(of: process.name).map { [$0] } ?? []
        let node = Node(
            settings, parents: process.parents.compactMap(world.endpoint), parts: parts(in: world),
            transport: transport)
        self.node = node
        task = Task.detached { try? await node.run() }
    }

    private func parts(in world: World) -> NodeParts {
        var parts = NodeParts(logger: world.logger)
        if process.name == Plan.presenter {
            var limits = InboxLimits()
            limits.escalateAfter = world.plan.escalatesAfter.map { .milliseconds($0) }
            people = [People("duty", self, world, limits: limits, after: nil)]
            if limits.escalateAfter != nil || world.plan.asksBoth {
                let before = world.plan.asksBoth ? nil : people[0]
                people.append(People("boss", self, world, limits: InboxLimits(), after: before))
            }
            parts.presenters =
                world.plan.asksBoth ? [FirstOfPresenters(people, logger: world.logger)] : people
            parts.audit = Inboxes(all: people.map(\.inbox))
            parts.journal = DiskJournal(disk: world.disk, life: self)
        }
        if process.addsOption {
            parts.chain = { [unowned self] next in
                ClosureResponder(
                    process.name, next: next,
                    willPresent: { world.addingOption(to: $0, in: self) })
            }
        }
        return parts
    }

    /// What its inboxes show.
    var items: [Ledger.Item] { people.flatMap(\.items) }

    /// Ends it without a word.
    func kill() {
        transport.die()
        for people in people { people.died() }
    }

    /// Has it shut down in order.
    func stop() { task?.cancel() }
}

/// Each of several inboxes learns what came of the answers.
private struct Inboxes: AuditLog {
    let all: [Inbox]

    func record(_ event: AuditEvent) {
        for inbox in all { inbox.record(event) }
    }
}
