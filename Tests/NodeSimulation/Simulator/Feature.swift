import ErrorBus

/// What a world has beside processes, calls and faults.
enum Feature {
    /// The presenter answers one trouble by itself.
    case policy(Policy)
    /// For a time people are not asked about one trouble.
    case silence(Silencing)
    /// Equal errors wait for one another at this process.
    case coalescing(at: String)
    /// No node takes more presentations than these of one child.
    case limit(Int)
    /// The presenter takes no more than these for each origin of a child.
    case topLimit(Int)
    /// The presenter's disk takes no more for a time.
    case fullDisk(from: UInt64, lasts: UInt64)
    /// Nothing that is on the presenter's disk can be read for a time.
    case unreadableDisk(from: UInt64, lasts: UInt64)
    /// For how long workers bear that no parent is there.
    case grace(UInt64)
    /// What was shown before the presenter's restart is refused after it.
    case asksOnce
    /// Another process has the name of a worker, and gets its place when that one is gone.
    case namesake(goneAt: UInt64)
    /// The second of these calls, another worker's, has the id of the first.
    case collision(Int, Int)

    struct Policy {
        let trouble: Int
        let option: String
        /// Answered so many times in so long, for each origin.
        let count: Int
        let window: UInt64
        let delay: UInt64
        /// At most so much more, by chance.
        var jitter: UInt64 = 0
        /// It adds the option that it chooses.
        var isItsOwn = false

        /// The longest that it takes.
        var delayMax: UInt64 { delay + jitter }

        var book: RuleBook {
            let limit = IntensityLimit(count, per: .milliseconds(window))
            let answer = RuleAnswer(
                option, comment: "a rule", limit: limit, delay: .milliseconds(delay),
                jitter: .milliseconds(jitter))
            let added = isItsOwn ? [AddedOption(id: option, title: "Fix", run: ["fix"])] : []
            let match = RuleMatch(code: [.exact("\(trouble)")])
            return RuleBook(
                [
                    // Only tried out: it withholds nothing.
                    Rule(match: RuleMatch(), actions: [.withhold], position: 1, isDryRun: true),
                    Rule(
                        match: match, actions: added.map { .addOption($0) } + [.answer(answer)],
                        position: 2),
                ], mode: .firstMatch)
        }
    }

    struct Silencing {
        let trouble: Int
        let option: String?
        let from: UInt64
        let lasts: UInt64
        /// When a person ends it, if that is before its time.
        let endedAt: UInt64?

        /// When it is over.
        var end: UInt64 { min(from + lasts, endedAt ?? .max) }

        /// Another one for the same, with another option: the first of two counts.
        var later: Silence.Request {
            var later = request
            later.option = option == "retry" ? "skip" : "retry"
            return later
        }

        var request: Silence.Request {
            Silence.Request(
                pattern: .object(["code": .string("\(trouble)")]),
                match: RuleMatch(code: [.exact("\(trouble)")]),
                // An option that no report offers is as good as none.
                option: option ?? (trouble == 0 ? nil : "gone"), by: "ann", comment: "known")
        }
    }

    init(for plan: Plan, using random: inout SeededGenerator) {
        let trouble = random.index(below: Trouble.allCases.count)
        let relays = plan.processes.map(\.name).filter { $0.hasPrefix("relay") }
        let from = random.number(0...plan.chaosLasts / 2)
        switch random.index(below: 9) {
        case 0:
            self = .policy(
                Policy(
                    trouble: trouble, option: random.pick(["retry", "skip"]),
                    count: Int(random.number(1...3)), window: random.pick([10_000, 30_000]),
                    delay: random.pick([0, 500, 1_500])))
        case 1:
            let lasts = random.number(5_000...40_000)
            self = .silence(
                Silencing(
                    trouble: trouble, option: random.pick([nil, "retry", "skip"]), from: from,
                    lasts: lasts,
                    endedAt: random.happens(0.3) ? from + random.number(1_000...lasts) : nil))
        case 2:
            self = relays.isEmpty ? .limit(2) : .coalescing(at: relays[0])
        case 3: self = .limit(Int(random.number(1...3)))
        case 4: self = .fullDisk(from: from, lasts: random.number(500...20_000))
        case 5: self = .grace(random.number(1_000...20_000))
        case 6: self = .asksOnce
        case 7:
            let isAlone =
                plan.isCalm
                && plan.processes.contains {
                    $0.name == "worker1" && $0.parents.count == 1
                }
            self = isAlone ? .namesake(goneAt: from + 5_000) : .asksOnce
        default:
            let first = plan.calls.firstIndex {
                $0.time > 3_000 && $0.worker == "worker1" && $0.deadline == nil
                    && $0.cancelledAfter == nil
            }
            let second = plan.calls.firstIndex { $0.worker == "worker2" }
            if plan.isCalm, let first, let second, first % 3 != second % 3 {
                self = .collision(first, second)
            } else {
                self = .grace(2_000)
            }
        }
    }
}

/// The rules of a world add no options.
struct NoCommands: CommandRunner {
    func run(
        _ command: [String], environment: [String: String], input: [UInt8], timeLimit: Duration
    ) async throws -> CommandResult {
        preconditionFailure("nothing to run: \(command)")
    }
}

extension Plan {
    /// Longer than any world lasts.
    var forGood: UInt64 { .max / 4 }

    /// What only some worlds have.
    mutating func add(_ feature: Feature) {
        self.feature = feature
        switch feature {
        case .coalescing:
            // An option of a responder above serves one of several that wait.
            for index in processes.indices { processes[index].addsOption = false }
            calls.removeAll { $0.bareParent != nil }
        case .limit: thinkingMax = min(thinkingMax, 5_000)
        case .namesake(let time):
            let worker = processes.first { $0.name == "worker1" }
            processes.append(
                Process(name: "worker1b", parents: worker?.parents ?? [], nodeName: "worker1"))
            faults.append((time, .kill("worker1", downFor: forGood)))
            for index in calls.indices
            where calls[index].worker == "worker1" && calls[index].time > time {
                calls[index].worker = "worker1b"
                calls[index].time += 20_000
            }
        case .collision(let first, let second):
            calls[second].time = calls[first].time + 1_500
            calls[second].deadline = nil
            calls[second].onExpiry = nil
        case .asksOnce:
            guard !isCalm else { return }
            let isOrderly = chaosLasts % 2 == 0
            faults.append(
                (
                    chaosLasts / 2,
                    isOrderly
                        ? .stop(Plan.presenter, downFor: 3_000)
                        : .kill(Plan.presenter, downFor: 3_000)
                ))
        case .policy, .silence, .fullDisk, .unreadableDisk, .grace, .topLimit: break
        }
    }

    var policy: Feature.Policy? {
        if case .policy(let policy) = feature { policy } else { nil }
    }

    var silencing: Feature.Silencing? {
        if case .silence(let silencing) = feature { silencing } else { nil }
    }

    var grace: UInt64? {
        if case .grace(let grace) = feature { grace } else { nil }
    }

    /// The latest time at which a result that came at `time` is written: a full disk is retried
    /// after about as long as it has been full since.
    func writable(from time: UInt64) -> UInt64 {
        guard case .fullDisk(let from, let lasts) = feature else { return time }
        let end = start + from + lasts
        guard time + 500 > start + from, time < end else { return time }
        return end + (end - time) + 2_000
    }

    var openMax: Int? {
        switch feature {
        case .limit(let max), .topLimit(let max): max
        default: nil
        }
    }

    var hasTopLimit: Bool {
        if case .topLimit = feature { true } else { false }
    }

    /// How many of a child may be open: as many for each origin that it may stand for.
    func openMax(of child: String) -> Int {
        let isWorker = workers.contains(child)
        return min((openMax ?? .max) * (isWorker ? 1 : workers.count + 2), openPerNodeMax ?? .max)
    }

    /// Nodes that are full before a child has all that it may have.
    var openPerNodeMax: Int? {
        if case .limit(let max) = feature, max > 1 { max * 2 - 2 } else { nil }
    }

    /// Where equal errors wait for one another.
    var coalescer: String? {
        if case .coalescing(let name) = feature { name } else { nil }
    }

    var asksOnce: Bool {
        if case .asksOnce = feature { true } else { asksOnlyOnce }
    }

    /// The call whose id another has as well.
    func twin(of call: Int) -> Int? {
        if case .collision(let first, call) = feature { first } else { nil }
    }

    /// The processes below the presenter that lead to it from `worker`; nil where there are several
    /// ways.
    func onlyWay(from worker: String) -> [String]? {
        var way: [String] = []
        var name = worker
        while name != Plan.presenter {
            let parents = processes.first { $0.name == name }?.parents ?? []
            guard parents.count == 1 else { return nil }
            way.append(name)
            name = parents[0]
        }
        return way
    }

    /// What a process is called on the bus.
    func nodeName(of process: String) -> String {
        processes.first { $0.name == process }?.nodeName ?? process
    }

    /// Whether a process does not come back.
    func goesForGood(_ process: String) -> Bool {
        let all = faults.map(\.1) + ambushes.compactMap(\.fault)
        return all.contains { fault in
            if case .kill(process, let time) = fault { time >= forGood } else { false }
        }
    }

    /// Until when a process stands still that does so at `time`.
    func thaw(of process: String, at time: UInt64) -> UInt64 {
        let ends = faults.compactMap { begin, fault -> UInt64? in
            // A child leaves its parent a second for its word.
            guard case .freeze(process, let lasts) = fault, time + 1_500 > start + begin else {
                return nil
            }
            return start + begin + lasts
        }
        return ends.max() ?? 0
    }

    /// Whether lives of a process follow each other.
    func isRestarted(_ process: String) -> Bool {
        faults.contains { _, fault in
            switch fault {
            case .kill(let name, _), .stop(let name, _): name == process
            case .reset, .silence, .slowDisk, .freeze, .wallClock, .answers: false
            }
        }
    }
}

/// What goes wrong in the workers; equal ones can be answered together.
enum Trouble: Int, Error, CaseIterable {
    case full, late, missing
}
