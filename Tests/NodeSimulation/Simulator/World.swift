import ErrorBus
import Logging

/// The processes of a plan, the network between them, the presenter's disk, and what is done to
/// them. Nodes, chains, inboxes and journal responders are those that ship.
// Unchecked: see Scheduler.
final class World: @unchecked Sendable {
    let plan: Plan
    let scheduler: Scheduler
    let network: Network
    let logger = Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() }
    private(set) lazy var disk = Disk(self)
    var ledger = Ledger()
    private(set) var lives: [String: Life] = [:]
    private var lifeCount = 0
    let start: UInt64
    private let endpoints: [String: Endpoint]
    /// The ids of calls that have been made.
    private var ids: [Int: PresentationID] = [:]
    private var isCalm = false

    init(_ plan: Plan, _ scheduler: Scheduler) throws {
        self.plan = plan
        self.scheduler = scheduler
        start = scheduler.now
        var endpoints: [String: Endpoint] = [:]
        for (index, process) in plan.processes.enumerated()
        where !process.name.hasPrefix("worker") {
            endpoints[process.name] = try Endpoint("tcp://127.0.0.1:\(7_700 + index)")
        }
        self.endpoints = endpoints
        network = Network(
            scheduler,
            names: Dictionary(endpoints.map { ($0.value, $0.key) }) { first, _ in first })
        network.weather = plan.weather
        network.arrivedAbove = { [unowned self] in heard($1, from: $0) }
    }

    /// A parent has got a message.
    private func heard(_ frames: [Frame], from child: String) {
        guard frames.count > 3, frames[2] == Frame("PRESENT".utf8) else { return }
        let header = String(decoding: frames[3], as: UTF8.self)
        for index in ledger.asks.indices {
            let ask = ledger.asks[index]
            if ask.worker == child, !ask.isLifeOver, header.hasPrefix("id: \(ask.id)\n") {
                ledger.asks[index].isHeard = true
            }
        }
    }

    func endpoint(of name: String) -> Endpoint? { endpoints[name] }

    /// Later on people hurry, so that all comes to an end.
    var thinkingMax: UInt64 { isCalm ? min(plan.thinkingMax, 10_000) : plan.thinkingMax }

    // MARK: Time

    /// Everything that is to happen, from the plan.
    func prepare() {
        for process in plan.processes {
            // A namesake comes when the name is taken.
            scheduler.at(start + (process.nodeName == nil ? 0 : 4_000)) { [self] in boot(process) }
        }
        for (index, call) in plan.calls.enumerated() {
            scheduler.at(start + call.time) { [self] in ask(index) }
        }
        for (time, fault) in plan.faults {
            scheduler.at(start + time) { [self] in strike(fault) }
        }
        prepareFeature()
        scheduler.at(start + plan.chaosLasts) { [self] in clear() }
        scheduler.at(start + calmAfter) { [self] in isCalm = true }
        faulted()
        look()
    }

    /// When the last call has been made and the last passing fault is over.
    private var calmAfter: UInt64 {
        plan.chaosLasts + 35_000 + (plan.isPatient ? 200_000 : 0)
    }

    /// Until when an end is waited for.
    var end: UInt64 { start + calmAfter + (plan.isPatient ? 720_000 : 320_000) }

    private func clear() {
        if plan.weather.loss > 0 { faulted() }
        network.weather = Network.Weather()
    }

    /// Nothing is under way, and nothing more will come.
    var isOver: Bool {
        scheduler.now > start + calmAfter && !ledger.asks.contains(where: \.isOpen)
            && ledger.bareReplies.values.allSatisfy { !$0.isEmpty }
            && ledger.prompts.values.allSatisfy { $0 == 0 }
            && ledger.decisions.allSatisfy { $0.result != nil && $0.result != .unknown }
    }

    // MARK: Processes

    private func boot(_ process: Plan.Process) {
        lifeCount += 1
        scheduler.note("boot \(process.name) \(lifeCount)")
        let life = Life(process, number: lifeCount, in: self)
        lives[process.name] = life
        for (index, id) in ids.sorted(by: { $0.key < $1.key })
        where plan.calls[index].worker == process.name && plan.calls[index].isKept {
            let isDone = ledger.asks.contains {
                $0.id == id && (!$0.completions.isEmpty || $0.cancelled != nil)
            }
            if !isDone { ask(index) }
        }
    }

    /// Nothing is owed to its callers any more.
    private func over(_ life: Life) {
        for index in ledger.asks.indices where ledger.asks[index].life == life.number {
            ledger.asks[index].lifeEnd = scheduler.now
        }
        for index in ledger.attempts.indices where ledger.attempts[index].life == life.number {
            ledger.attempts[index].isLifeOver = true
        }
    }

    private func kill(_ name: String, downFor time: UInt64) {
        guard let life = lives.removeValue(forKey: name) else { return }
        scheduler.note("fault: kill \(name)")
        life.kill()
        over(life)
        guard time < plan.forGood else { return }
        scheduler.after(time) { [self] in
            faulted()
            boot(life.process)
        }
    }

    private func stop(_ name: String, downFor time: UInt64) {
        guard let life = lives.removeValue(forKey: name) else { return }
        scheduler.note("fault: stop \(name)")
        life.stop()
        scheduler.after(2_000) { [self] in
            life.kill()
            over(life)
            scheduler.after(time) { [self] in
                faulted()
                boot(life.process)
            }
        }
    }

    // MARK: Faults

    func faulted() { ledger.lastFault = scheduler.now }

    private func strike(_ fault: Plan.Fault) {
        faulted()
        switch fault {
        case .kill(let name, let time): kill(name, downFor: time)
        case .stop(let name, let time): stop(name, downFor: time)
        case .reset(let link): network.reset(link)
        case .silence(let link, let directions, let lasts):
            for direction in directions { network.silence(link, direction) }
            guard let lasts else { return }
            scheduler.after(lasts) { [self] in
                faulted()
                for direction in directions { network.mend(link, direction) }
            }
        case .slowDisk(let lasts):
            disk.latencyMax = 2_000
            scheduler.after(lasts) { [self] in
                faulted()
                disk.latencyMax = 20
            }
        }
    }

    // MARK: Callers

    private func ask(_ index: Int) {
        let call = plan.calls[index]
        if let parent = call.bareParent, let endpoint = endpoint(of: parent) {
            let id = PresentationID.make()
            ledger.bareReplies[id] = []
            ledger.bareAsks[id] = Ledger.BareAsk(
                time: scheduler.now, deadline: call.deadline.map { scheduler.now + $0 },
                onExpiry: call.onExpiry)
            scheduler.note("ask \(id) bare")
            return BareClient(id, call, to: endpoint, in: self).ask()
        }
        guard let life = lives[call.worker], let node = life.node else { return }
        let id = ids[index] ?? plan.twin(of: index).flatMap { ids[$0] } ?? .make()
        ids[index] = id
        var options = PresentationOptions()
        options.id = id
        options.deadline = call.deadline.map { .milliseconds($0) }
        options.onExpiry = call.onExpiry
        let number = ledger.asks.count
        ledger.asks.append(
            Ledger.Ask(
                id: id, worker: call.worker, life: life.number, time: scheduler.now,
                deadline: call.deadline.map { scheduler.now + $0 }, onExpiry: call.onExpiry,
                trouble: index % Trouble.allCases.count,
                isSecond: plan.twin(of: index) != nil))
        options.stateChanged = { [self] state in
            if !life.isOver { ledger.asks[number].told.append((scheduler.now, state.station)) }
        }
        scheduler.note("ask \(id) \(call.worker)")
        let error = Trouble.allCases[ledger.asks[number].trouble].recoverable {
            RecoveryOption("Retry", id: "retry") { [self] in
                await attempt(
                    "retry", of: id, in: life, for: call.attempt, doesRecover: call.doesRecover)
            }
            RecoveryOption("Skip", id: "skip", role: .cancel) { [self] in
                await attempt("skip", of: id, in: life, for: call.attempt, doesRecover: false)
            }
        }
        let task = Task.detached { [self, options] in
            let outcome = await node.uplink.presentError(error, options: options)
            guard !life.isOver else { return }
            scheduler.note("end \(id) \(outcome)")
            ledger.asks[number].completions.append((scheduler.now, outcome))
        }
        guard let patience = call.cancelledAfter else { return }
        scheduler.after(patience) { [self] in
            guard !life.isOver, ledger.asks[number].completions.isEmpty else { return }
            scheduler.note("cancel \(id)")
            ledger.asks[number].cancelled = scheduler.now
            task.cancel()
        }
    }

    // MARK: Recovery

    /// What every option runs. A life that is over says nothing any more.
    private func attempt(
        _ option: String, of id: PresentationID, in life: Life, for time: UInt64, doesRecover: Bool
    ) async -> Bool {
        if life.isOver { await forever() }
        scheduler.note("attempt \(option) \(id) \(life.process.name)")
        ledger.attempts.append(
            Ledger.Attempt(
                id: id, process: life.process.name, life: life.number, option: option,
                time: scheduler.now))
        let number = ledger.attempts.count - 1
        await scheduler.sleep(time)
        if life.isOver { await forever() }
        ledger.attempts[number].result = (scheduler.now, doesRecover)
        return doesRecover
    }

    /// A relay's own option, which the relay runs itself.
    func addingOption(to error: any Error, in life: Life) -> any Error {
        guard let id = PresentationContext.current?.id else { return error }
        return error.addingRecoveryOptions {
            RecoveryOption("Use the copy", id: "copy") { [self] in
                await attempt("copy", of: id, in: life, for: 100, doesRecover: true)
            }
        }
    }

    /// Where a task of a life that is over stays.
    private func forever() async {
        await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    }

    // MARK: Looking

    /// Each second: is what has a way to people in front of them?
    private func look() {
        if disk.isFull { faulted() }
        for ask in ledger.asks {
            guard isDue(ask), !isInFront(ask) else {
                gapSince[ask.id] = nil
                continue
            }
            let since = max(gapSince[ask.id] ?? scheduler.now, ask.time, ledger.lastFault)
            gapSince[ask.id] = since
            let lasted = scheduler.now - since
            if lasted > ledger.gaps[ask.id]?.lasted ?? 0 { ledger.gaps[ask.id] = (since, lasted) }
        }
        lookAtPrompts()
        lookAtFeature()
        lookWhetherSteady()
        scheduler.after(1_000) { [self] in look() }
    }

    /// Whether people should have it in front of them.
    func isDue(_ ask: Ledger.Ask) -> Bool {
        ask.isOpen && ask.deadline.map { scheduler.now < $0 } != false && hasWayUp(ask.worker)
            && ledger.decision(of: ask.id) == nil
    }

    /// Does what is in front of people still have a caller, as far as a way leads to it?
    private func lookAtPrompts() {
        for (id, count) in ledger.prompts where count > 0 {
            let asks = ledger.asks.filter { $0.id == id }
            let lifeEnds = asks.compactMap(\.lifeEnd)
            if !asks.isEmpty, lifeEnds.count == asks.count, let end = lifeEnds.max() {
                let from = max(end, ledger.lastFault)
                ledger.orphaned[id] = scheduler.now > from ? scheduler.now - from : 0
            }
            let ends = asks.compactMap { $0.completions.first?.time ?? $0.cancelled }
            guard ends.count == asks.count, let end = ends.max(),
                asks.allSatisfy({ !$0.isLifeOver && hasWayUp($0.worker) })
            else { continue }
            let from = max(end, ledger.lastFault)
            ledger.leftOpen[id] = scheduler.now > from ? scheduler.now - from : 0
        }
    }

    /// What was not as it should be a second ago.
    var suspects: Set<String> = []
    private var gapSince: [PresentationID: UInt64] = [:]

    /// Whether a chain of live processes and clear links leads from a process to the presenter.
    func hasWayUp(_ name: String) -> Bool {
        guard let life = lives[name] else { return false }
        return name == Plan.presenter
            || life.process.parents.contains {
                network.isClear(Network.LinkID(child: name, parent: $0)) && hasWayUp($0)
            }
    }

    /// Asks every living node what its tables hold, once more when leases are over.
    func count() {
        for life in lives.values { ledger.items += life.items }
        countOnce()
        guard !ledger.leftovers.isEmpty else { return }
        scheduler.run(until: scheduler.now + LinkTimes().lease + LinkTimes().abandonAfter)
        countOnce()
    }

    private func countOnce() {
        ledger.leftovers = []
        ledger.unrepliedCount = lives.count
        for (name, life) in lives.sorted(by: { $0.key < $1.key }) {
            guard let node = life.node else { continue }
            Task.detached { [self] in
                let sizes = await node.tableSizes
                ledger.unrepliedCount -= 1
                let kept: Set = ["children", "rememberedBelow", "rememberedAbove"]
                for (table, count) in sizes.rows where count > 0 && !kept.contains(table) {
                    ledger.leftovers.append((name, table, count))
                }
            }
        }
        scheduler.run(until: scheduler.now + 1_000)
    }
}

/// What goes wrong in the workers; equal ones can be answered together.
enum Trouble: Int, Error, CaseIterable {
    case full, late, missing
}
