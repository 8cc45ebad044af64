@testable import ErrorBus

/// One simulated bus: nodes of real machines, a network, people, and what is done to them.
/// Single-threaded; the same plan and seed give the same run.
final class World {
    let plan: Plan
    let mutation: Mutation?
    let scheduler = Scheduler()
    var random: SeededGenerator
    private(set) var isHealed = false
    private(set) var traceLines: [String] = []
    private let isTracing: Bool
    private(set) lazy var ledger = Ledger(
        now: { [scheduler] in scheduler.now }, trace: { [unowned self] in trace($0) })
    private(set) lazy var network = SimulatedNetwork(world: self)
    private(set) var nodes: [SimulatedNode] = []
    private var nodesByName: [NodeName: SimulatedNode] = [:]
    private var ways: [NodeName: Way] = [:]

    var now: UInt64 { scheduler.now }
    var time: MonotonicTime { MonotonicTime(milliseconds: scheduler.now + 1_000_000) }

    init(_ plan: Plan, mutation: Mutation? = nil, isTracing: Bool = false) {
        self.plan = plan
        self.mutation = mutation
        self.isTracing = isTracing
        random = SeededGenerator(seed: plan.seed)
        for planned in plan.nodes {
            let node = SimulatedNode.make(planned, in: self)
            nodes.append(node)
            nodesByName[planned.name] = node
        }
    }

    func node(_ name: NodeName) -> SimulatedNode {
        guard let node = nodesByName[name] else { preconditionFailure("no node \(name)") }
        return node
    }

    /// Links of a node come in the order of its parents.
    func link(child: NodeName, parent: NodeName) -> Int {
        plan.links.firstIndex { $0.child == child && $0.parent == parent } ?? 0
    }

    func trace(_ text: @autoclosure () -> String) {
        if isTracing { traceLines.append("\(now) \(text())") }
    }

    func makeID() -> UniqueID { UniqueID(milliseconds: now, using: &random) }

    // MARK: Running

    /// Faults first, then everything is mended; returns when nothing is open any more, or when
    /// the time that this may take is over.
    func run() -> Bool {
        if plan.profile.isCalm { scheduler.afterEach = { [unowned self] in noteWays() } }
        for node in nodes {
            let delay = random.number(in: 0...1_000)
            scheduler.after(delay) { if node.life == 0 { node.start() } }
        }
        for (index, presentation) in plan.presentations.enumerated() {
            scheduler.after(presentation.time) { [self] in
                node(presentation.origin).present(presentation, number: index)
            }
        }
        for fault in plan.faults {
            scheduler.after(fault.time) { [self] in begin(fault.kind) }
        }
        scheduler.run(until: plan.profile.chaosLasts)
        heal()
        let end = now + settlingMax
        while now < end {
            scheduler.run(until: now + 5_000)
            guard nodes.allSatisfy(\.isQuiet) else { continue }
            // Everybody goes back to their first parent, and nothing comes of that.
            let times = plan.profile.times
            scheduler.run(until: now + 2 * times.returnEvery + 4 * times.rebuildAfterMax)
            return nodes.allSatisfy(\.isQuiet)
        }
        return false
    }

    /// What it may take at worst from mending until nothing is open: orphans' leases, answers
    /// whose delivery is given up, resending, people.
    private var settlingMax: UInt64 {
        let times = plan.profile.times
        return 2 * (times.lease + times.abandonAfter) + times.awaitEvery + times.bareWaitMax
            + 8 * plan.profile.thinkingMean + plan.profile.attemptMax + 120_000
    }

    private func noteWays() {
        for node in nodes where node.planned.role == .origin {
            let way = way(of: node)
            guard ways[node.name] != way else { continue }
            ways[node.name] = way
            ledger.note(.wayChanged(of: node.name, way))
        }
    }

    private func heal() {
        trace("# mended")
        isHealed = true
        network.healed()
        for node in nodes { node.healed() }
    }

    private func begin(_ kind: Plan.Fault.Kind) {
        trace("# fault \(kind)")
        switch kind {
        case .crash(let name, let actions, let downFor):
            node(name).crash(afterActions: actions, downFor: downFor)
        case .shutDown(let name, let downFor): node(name).shutDown(downFor: downFor)
        case .freeze(let name, let lasts): node(name).freeze(lasts: lasts)
        case .cut(let link, let cut, let lasts):
            network.cut(link: link, cut)
            scheduler.after(lasts) { [self] in network.mend(link: link, cut) }
        case .reset(let link): network.reset(link: link)
        case .clog(let link, let direction, let lasts):
            network.clog(link: link, direction, until: now + lasts)
        case .wallClockJump(let name, let by): node(name).wallOffset += by
        case .flood(let name, let count):
            let presentation = Plan.Presentation(
                time: now, origin: name, deadline: 30_000, grace: nil, isKept: false)
            for number in 0..<count { node(name).present(presentation, number: 10_000 + number) }
        case .forge(let name, let forgery, let number): forge(forgery, at: node(name), number)
        }
    }
}
