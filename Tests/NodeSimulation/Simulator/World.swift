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
    @exclusivity(unchecked) var ledger = Ledger()
    @exclusivity(unchecked) private(set) var lives: [String: Life] = [:] { didSet { waysUp = [:] } }
    private var lifeCount = 0
    let start: UInt64
    private(set) lazy var recoveryMax = plan.recoveryMax
    private let endpoints: [String: Endpoint]
    /// The ids of calls that have been made.
    private var ids: [Int: PresentationID] = [:]
    private var isCalm = false
    /// See ``Script``.
    var talks: [Talk] = []
    /// How many messages each of the plan's ambushes has seen.
    var met: [Int: Int] = [:]

    init(_ plan: Plan, _ scheduler: Scheduler) throws {
        self.plan = plan
        self.scheduler = scheduler
        start = scheduler.now
        beginTimeLimitsAnew()
        scheduler.isCrowded = plan.isCrowded
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
        network.queueMax = plan.queueMax ?? .max
        network.fate = { [unowned self] in fate(of: $1, on: $0) }
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
            scheduler.at(start + call.time) { [self] in askFirst(index) }
        }
        for (time, fault) in plan.faults {
            scheduler.at(start + time) { [self] in strike(fault) }
        }
        prepareFeature()
        prepareWide()
        prepareStatus()
        prepareConversations()
        scheduler.at(start + plan.chaosLasts) { [self] in clear() }
        scheduler.at(start + calmAfter) { [self] in isCalm = true }
        faulted()
        look()
    }

    /// When the last call has been made and the last passing fault is over.
    private(set) lazy var allBegunAfter: UInt64 = {
        let asked = (plan.calls.map(\.time).max() ?? 0) + 5_000
        return max(plan.chaosLasts + 35_000, asked)
    }()

    /// From when on people hurry.
    private var calmAfter: UInt64 { allBegunAfter + (plan.isPatient ? 200_000 : 0) }

    /// Until when an end is waited for.
    var end: UInt64 { start + calmAfter + (plan.isPatient ? 720_000 : 320_000) }

    private func clear() {
        if plan.weather.loss > 0 { faulted() }
        network.weather = Network.Weather()
    }

    /// How many of the first askings are over, and of the first decisions: for good.
    var overCounts = (asks: 0, decisions: 0)

    // MARK: Processes

    private func boot(_ process: Plan.Process) {
        lifeCount += 1
        scheduler.note("boot \(process.name) \(lifeCount)")
        let life = Life(process, number: lifeCount, in: self)
        restore(life)
        lives[process.name] = life
        for (index, id) in ids.sorted(by: { $0.key < $1.key })
        where plan.calls[index].worker == process.name && plan.calls[index].isKept {
            let isDone = ledger.asks.contains {
                $0.id == id && (!$0.completions.isEmpty && !plan.forgets || $0.cancelled != nil)
            }
            if !isDone { ask(index) }
        }
    }

    /// Its callers have all completed.
    private func over(_ life: Life) {
        for index in ledger.asks.indices where ledger.asks[index].life == life.number {
            ledger.asks[index].lifeEnd = scheduler.now
        }
        for index in ledger.attempts.indices where ledger.attempts[index].life == life.number {
            ledger.attempts[index].isLifeOver = true
        }
        ends(life)
    }

    /// It accepts no more work.
    private func ends(_ life: Life) {
        let end = ledger.lifeEnds[life.number]?.time ?? scheduler.now
        ledger.lifeEnds[life.number] = (life.process.name, end)
    }

    private func kill(_ name: String, downFor time: UInt64) {
        guard let life = lives.removeValue(forKey: name) else { return }
        scheduler.note("fault: kill \(name)")
        keep(life)
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
        guard plan.givesHeld, !life.people.isEmpty else { return stop(life, downFor: time) }
        Task.detached { [self] in
            noteHeld(in: life)
            await life.giveHeld()
            stop(life, downFor: time)
        }
    }

    private func stop(_ life: Life, downFor time: UInt64) {
        life.stop()
        ends(life)
        ledger.stops[life.number] = scheduler.now
        scheduler.after(2_000) { [self] in
            lookAtStopped(life)
            let isAwake = life.transport.frozenUntil + 2_000 < scheduler.now
            ledger.leftWaiting += ledger.asks.filter {
                isAwake && $0.life == life.number && $0.completions.isEmpty
                    && !ledger.isBeingAttempted($0)
            }.map(\.id)
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

    func strike(_ fault: Plan.Fault) {
        if case .wallClock(let change) = fault { return scheduler.moveWallClock(change) }
        faulted()
        switch fault {
        case .wallClock: break
        case .answers: for people in lives[Plan.presenter]?.people ?? [] { people.answerAll() }
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
        case .freeze(let name, let lasts):
            guard let life = lives[name] else { return }
            scheduler.note("fault: freeze \(name)")
            life.transport.freeze(for: lasts)
            scheduler.after(lasts) { [self] in faulted() }
        case .slowDisk(let lasts, let latencyMax):
            disk.setLatency(latencyMax)
            scheduler.after(lasts) { [self] in
                faulted()
                disk.setLatency(20)
            }
        }
    }

    // MARK: Callers

    func ask(_ index: Int) {
        let call = plan.calls[index]
        if let parent = call.bareParent, let endpoint = endpoint(of: parent) {
            let first = plan.twin(of: index).flatMap { ids[$0] }
            let id = first ?? .make()
            ids[index] = id
            scheduler.note("ask \(id) bare")
            if first == nil {
                ledger.bareReplies[id] = []
                ledger.bareAsks[id] = Ledger.BareAsk(
                    time: scheduler.now, deadline: call.deadline.map { scheduler.now + $0 },
                    onExpiry: call.onExpiry, parent: parent)
            } else {
                ledger.bareSeconds[id] = []
            }
            let client = BareClient(id, call, isSecond: first != nil, to: endpoint, in: self)
            return client.ask()
        }
        guard let life = lives[call.worker] else { return }
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
                deadline: (call.deadline ?? life.process.deadline).map { scheduler.now + $0 },
                onExpiry: call.onExpiry, trouble: index % plan.troubleCount,
                isSecond: plan.twin(of: index) != nil))
        openAsks.append(number)
        options.stateChanged = { [self] state in
            if !life.isOver { ledger.asks[number].told.append((scheduler.now, state)) }
        }
        scheduler.note("ask \(id) \(call.worker)")
        guard let node = life.node else { return request(id, call, number, of: life) }
        if let repeats = call.repeats {
            return repeated(repeats, call, number, options, at: node.uplink, of: life)
        }
        let trouble = ledger.asks[number].trouble
        let isOther = trouble >= Trouble.allCases.count
        let limit = call.limit ?? Plan.attemptMax
        let kind = Trouble.allCases[trouble % Trouble.allCases.count]
        let error = kind.recoverable(timeLimit: .milliseconds(limit)) {
            RecoveryOption(
                "Retry", id: "retry", needsSignature: plan.needsSignature,
                needsTwoPeople: plan.needsTwoPeople, fields: plan.fields(isOther: isOther)
            ) { [self] values in
                await attempt(
                    "retry", of: id, in: life, for: call.attempt, doesRecover: call.doesRecover,
                    with: values, within: limit)
            }
            RecoveryOption(
                isOther && !plan.hasOtherFields ? "Skip all" : "Skip", id: "skip", role: .cancel
            ) { [self] in
                await attempt(
                    "skip", of: id, in: life, for: call.attempt, doesRecover: false, within: limit)
            }
        }
        let task = Task.detached { [self, options] in
            let first = call.worker == plan.coalescer ? node.chain : node.uplink
            let outcome = await first.presentError(filled(error, call, trouble), options: options)
            guard !life.isOver else { return }
            scheduler.note("end \(id) \(outcome)")
            ledger.asks[number].completions.append((scheduler.now, outcome))
        }
        if let patience = call.cancelledAfter { cancel(task, number, after: patience, of: life) }
    }

    // MARK: Recovery

    /// What every option runs. A life that is over logs nothing.
    func attempt(
        _ option: String, of id: PresentationID, in life: Life, for time: UInt64, doesRecover: Bool,
        with values: FieldValues? = nil, within limit: UInt64 = Plan.attemptMax
    ) async -> Bool {
        if life.isOver { await forever() }
        scheduler.note("attempt \(option) \(id) \(life.process.name)")
        ledger.attempts.append(
            Ledger.Attempt(
                id: id, process: life.process.name, life: life.number, option: option,
                time: scheduler.now, values: values, limit: limit))
        let number = ledger.attempts.count - 1
        await scheduler.sleep(min(time, limit))
        if life.isOver { await forever() }
        let isTooLong = time > limit
        scheduler.note("attempted \(option) \(id) \(doesRecover && !isTooLong)")
        ledger.attempts[number].result = (scheduler.now, doesRecover && !isTooLong)
        ledger.attempts[number].isTooLong = isTooLong
        attempted(in: life)
        if isTooLong {
            await scheduler.sleep(1_000)
            ledger.attempts[number].isEnded = Task.isCancelled
            await scheduler.sleep(time - limit)
        }
        return doesRecover
    }

    /// A relay's own option, which the relay runs itself.
    func addingOption(to error: any Error, of id: PresentationID, in life: Life) -> any Error {
        error.addingRecoveryOptions {
            RecoveryOption(
                "Use the copy", id: "copy", needsTwoPeople: plan.needsTwoPeople,
                fields: plan.asksForValues ? Plan.fields : []
            ) { [self] values in
                await attempt(
                    "copy", of: id, in: life, for: plan.copyAttempt, doesRecover: true,
                    with: values)
            }
        }
    }

    /// Where a task of a life that is over stays.
    private func forever() async {
        await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    }

    // MARK: What lasts longer than a life

    /// What inboxes had, and who had claimed what, by presenter; and the silences.
    var kept:
        [String: (
            records: [InboxRecord], claims: [PresentationID: People.Claim],
            proposers: [PresentationID: People.Proposer]
        )] = [:]
    var keptSilences: [Silence] = []
    private(set) lazy var keyRing = KeyRing(keys)

    // MARK: Looking

    /// What is not as it should be at this second, and what was not at the one before.
    var suspects: Set<String> = []
    var suspectsBefore: Set<String> = []
    /// What was not in its inbox at the last look.
    var missing: Set<String> = []
    /// The askings whose callers wait, by number.
    @exclusivity(unchecked) var openAsks: [Int] = []
    /// Whether a way leads up from a process, as far as it was looked for since lives and silences
    /// changed, and of the latter how many had then.
    var waysUp: [String: Bool] = [:]
    var waysSeen = 0
    /// Since when what is asked is in front of no person, or has reached no parent: by the number
    /// of the asking, since an id may be asked again.
    var gapSince: [Int: UInt64] = [:]
    var unheardSince: [Int: UInt64] = [:]
    var undeliveredSince: [Int: UInt64] = [:]
}
