import ErrorBus

/// Scenes of what a presenter keeps, and those that have seeds of their own: see ``Scene/later``.
extension Plan {
    mutating func stageLateResult(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 1]))
        isTight = true
        thinkingMax = 3_000
        if random.happens(0.5) {
            feature = .fullDisk(from: 10_000, lasts: random.number(5_000...60_000))
        } else {
            feature = .unreadableDisk(from: 10_000, lasts: random.number(5_000...60_000))
            // The results of its answers are sent to its next life.
            faults = [(random.number(8_000...9_900), .kill(Plan.presenter, downFor: 50))]
        }
        chaosLasts = 75_000
        ask(10, in: 0...9_000, attempts: [0, 5_000, 20_000, 60_000], using: &random) {
            call, random in
            if random.happens(0.2) { call.cancelledAfter = random.number(1_000...30_000) }
        }
    }

    mutating func stageDesk(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 0, 1]))
        isTight = true
        thinkingMax = random.pick([3_000, 20_000, 60_000])
        let index = processes.count - 2
        let worker = processes[index]
        processes[index].presentsAfter = random.pick([1_000, 5_000, 20_000])
        let parent = worker.parents[0]
        var time: UInt64 = 10_000
        for _ in 0..<random.number(1...3) {
            let lasts = random.number(5_000...60_000)
            let silence = Fault.silence(link(worker.name, parent), [.up, .down], lasts: lasts)
            faults.append((time, random.pick([silence, .kill(parent, downFor: lasts)])))
            time += lasts + random.number(5_000...40_000)
        }
        chaosLasts = time
        ask(16, in: 0...time, attempts: [0, 300, 5_000], using: &random) { call, random in
            if random.happens(0.2) { call.cancelledAfter = random.number(1_000...40_000) }
            guard random.happens(0.25) else { return }
            call.deadline = random.number(2_000...40_000)
            call.onExpiry = random.pick([nil, "retry", "skip"])
        }
    }

    mutating func stageRequests(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 0, 1]))
        let parent = processes[processes.count - 2].parents[0]
        processes.append(
            Process(name: Plan.requester, parents: [parent], isRequester: true))
        thinkingMax = random.pick([3_000, 20_000, 60_000])
        chaosLasts = 60_000
        weather.loss = random.pick([0, 0, 0.05])
        weather.duplication = random.pick([0, 0.1])
        for _ in 0..<random.index(below: 4) {
            let lasts = random.number(100...30_000)
            let link = link(Plan.requester, parent)
            faults.append(
                (
                    random.number(5_000...50_000),
                    random.pick([
                        .kill(parent, downFor: lasts), .kill(Plan.presenter, downFor: lasts),
                        .kill(Plan.requester, downFor: lasts), .reset(link),
                        .silence(link, [.up, .down], lasts: lasts),
                    ])
                ))
        }
        ask(12, in: 0...60_000, attempts: [0, 300, 5_000, 30_000], using: &random) { call, random in
            if random.happens(0.8) { call.worker = Plan.requester }
            if random.happens(0.2) { call.cancelledAfter = random.number(1_000...40_000) }
            guard random.happens(0.25) else { return }
            call.deadline = random.number(2_000...40_000)
        }
    }

    mutating func stageClock(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 1]))
        isCalm = true
        chaosLasts = 40_000
        thinkingMax = random.pick([1_000, 5_000, 30_000])
        escalatesAfter = random.pick([nil, 4_000])
        let hour: Int64 = 3_600_000
        for _ in 0..<random.number(1...4) {
            let change = random.pick([hour, -hour / 6, 24 * hour, -1_000, 60_000])
            faults.append((random.number(0...40_000), .wallClock(by: change)))
        }
        ask(12, in: 0...40_000, attempts: [0, 300, 5_000], using: &random) { call, random in
            guard random.happens(0.4) else { return }
            call.deadline = random.number(2_000...40_000)
            call.onExpiry = random.pick([nil, "retry", "skip"])
        }
    }

    mutating func stageFullParent(using random: inout SeededGenerator) {
        let relayCount = random.pick([0, 1])
        makeRow(relayCount)
        isCalm = random.happens(0.5)
        chaosLasts = 40_000
        thinkingMax = 5_000
        // Without a relay a worker reaches its own limit before the node's.
        add(.limit(relayCount == 0 ? 3 : 2))
        if !isCalm { faults = [(random.number(5_000...30_000), .reset(random.pick(links)))] }
        ask(60, in: 0...40_000, attempts: [0, 300], using: &random) { call, random in
            if random.happens(0.2) { call.cancelledAfter = random.number(500...12_000) }
        }
    }

    mutating func stageAskedAnew(using random: inout SeededGenerator) {
        makeRow(0)
        feature = .asksOnce
        forgets = true
        chaosLasts = 20_000
        thinkingMax = 300_000
        faults = [
            (12_000, .kill(Plan.presenter, downFor: random.number(100...2_000))),
            (18_000, .kill("worker1", downFor: random.number(100...2_000))),
        ]
        ask(8, in: 0...4_000, using: &random) { call, random in
            call.deadline = random.number(2_000...5_000)
        }
    }

    mutating func stageForgotten(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 1, 2]))
        isPatient = true
        chaosLasts = 25_000
        thinkingMax = 300_000
        // Before its parent has missed it.
        faults = [(20_000, .kill("worker1", downFor: random.number(50...6_000)))]
        if processes.count > 3, random.happens(0.5) {
            let parent = processes[processes.count - 2].parents[0]
            faults.append((20_000, .kill(parent, downFor: random.number(50...6_000))))
        }
        ask(12, in: 0...19_000, using: &random) { call, random in
            call.isKept = random.happens(0.2)
        }
    }

    mutating func stageRepetition(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 1]))
        thinkingMax = 3_000
        chaosLasts = 60_000
        isCalm = random.happens(0.5)
        if !isCalm {
            weather.loss = random.pick([0, 0.05])
            let lasts = random.number(100...10_000)
            let fault: Fault = random.pick([
                .reset(random.pick(links)), .kill(Plan.presenter, downFor: lasts),
            ])
            faults = [(random.number(5_000...50_000), fault)]
        }
        ask(8, in: 0...50_000, attempts: [0, 300, 5_000], using: &random) { call, random in
            call.isKept = false
            call.doesRecover = true
            call.repeats = Int(random.number(0...4))
        }
    }

    mutating func stageUnreadable(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 1]))
        isTight = true
        thinkingMax = random.pick([3_000, 30_000])
        chaosLasts = 40_000
        feature = .unreadableDisk(from: 10_000, lasts: random.number(100...20_000))
        if random.happens(0.5) {
            faults = [(random.number(5_000...30_000), .reset(random.pick(links)))]
        }
        ask(12, in: 5_000...35_000, attempts: [0, 300, 5_000], using: &random)
    }

    mutating func stageFullDisk(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 1]))
        isCalm = true
        chaosLasts = 60_000
        feature = .fullDisk(from: 10_000, lasts: 30_000)
        ask(8, in: 5_000...40_000, using: &random) { call, random in
            if random.happens(0.3) {
                call.worker = "bare"
                call.bareParent = Plan.presenter
            }
            guard random.happens(0.5) else { return }
            call.deadline = random.number(5_000...20_000)
            call.onExpiry = random.pick([nil, "skip"])
        }
    }

    mutating func stageNeverTwice(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 1]))
        feature = .asksOnce
        chaosLasts = 60_000
        thinkingMax = 40_000
        weather.loss = random.pick([0, 0, 0.1, 0.2])
        faults = [(15_000, .kill(Plan.presenter, downFor: random.number(100...5_000)))]
        if random.happens(0.5) { ambushes = [Ambush("REJECT", on: random.pick(links), .lost)] }
        ask(8, in: 0...14_000, using: &random)
    }

    mutating func stageIDs(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 1]))
        thinkingMax = 20_000
        chaosLasts = 30_000
        let first = Call(
            time: 5_000, worker: "worker1", isKept: false, attempt: 0, doesRecover: true)
        var second = first
        second.time = 9_500
        calls = [first, second]
        if random.happens(0.5) {
            faults = [(7_000, .kill("worker1", downFor: 1_000))]
        } else {
            let parent = processes[processes.count - 2].parents[0]
            for index in calls.indices {
                calls[index].worker = "bare"
                calls[index].bareParent = parent
            }
        }
        feature = .collision(0, 1)
    }
}
