import ErrorBus

/// Worlds of programs without a link, ways to origins that are lost, what takes long, and who may
/// do what.
extension Plan {
    /// By the seed modulo 128; those of a place take turns.
    static let more: [UInt64: [Scene]] = [
        42: [.slowEnd, .lostWrite], 47: [.otherHands], 50: [.longAway, .longOpen],
        83: [.lostReply, .brokenReturn, .passage], 99: [.refusing, .tooShort], 111: [.takenBack],
        114: [.hungParent, .manyBare], 123: [.cutOff, .relayDesk, .ownDeadline],
    ]

    mutating func stageMore(_ scene: Scene, using random: inout SeededGenerator) {
        switch scene {
        case .lostReply: stageLostReply(using: &random)
        case .manyBare: stageManyBare(using: &random)
        case .refusing: stageRefusing(using: &random)
        case .tooShort: stageTooShort(using: &random)
        case .cutOff: stageCutOff(using: &random)
        case .hungParent: stageHungParent(using: &random)
        case .slowEnd: stageSlowEnd(using: &random)
        case .lostWrite: stageLostWrite(using: &random)
        case .longAway: stageLongAway(using: &random)
        case .longOpen: stageLongOpen(using: &random)
        case .brokenReturn: stageBrokenReturn(using: &random)
        case .passage: stagePassage(using: &random)
        case .otherHands: stageOtherHands(using: &random)
        case .relayDesk: stageRelayDesk(using: &random)
        case .ownDeadline: stageOwnDeadline(using: &random)
        default: stageTakenBack(using: &random)
        }
    }

    // MARK: Programs without a link

    /// Clients without a link lose their reply, and ask again.
    private mutating func stageLostReply(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 1]))
        let parent = processes[processes.count - 2].parents[0]
        asksForValues = true
        isTight = true
        thinkingMax = 3_000
        chaosLasts = 30_000
        weather.loss = random.pick([0, 0.05])
        if random.happens(0.3) {
            faults = [(random.number(5_000...30_000), .kill(parent, downFor: 500))]
        }
        ask(10, in: 0...30_000, using: &random) { call, random in
            guard random.happens(0.8) else { return }
            call.worker = "bare"
            call.bareParent = parent
            call.isKept = false
            call.losesReply = random.happens(0.7)
            guard random.happens(0.3) else { return }
            call.deadline = random.number(1_000...10_000)
            call.onExpiry = random.pick([nil, "skip"])
        }
    }

    /// As many as a node reads at a time, and more, one after another.
    private mutating func stageManyBare(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 1]))
        let parent = processes[processes.count - 2].parents[0]
        isCalm = true
        thinkingMax = 500
        chaosLasts = 40_000
        for number in 0..<140 {
            calls.append(
                Call(
                    time: 1_000 + UInt64(number) * 200, worker: "bare", isKept: false, attempt: 0,
                    doesRecover: false, bareParent: parent))
        }
        ask(6, in: 30_000...40_000, using: &random)
    }

    /// Those that ask by single requests are refused what a restart found in front of people.
    private mutating func stageRefusing(using random: inout SeededGenerator) {
        makeRow(0)
        processes.append(
            Process(name: Plan.requester, parents: [Plan.presenter], isRequester: true))
        feature = .asksOnce
        isTight = true
        thinkingMax = 40_000
        chaosLasts = 30_000
        let downFor = random.number(100...2_000)
        faults = [(15_000, .kill(Plan.presenter, downFor: downFor))]
        ask(12, in: 0...20_000, using: &random) { call, random in
            if random.happens(0.8) { call.worker = Plan.requester }
        }
    }

    /// Deadlines pass on the way.
    private mutating func stageTooShort(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 1, 2]))
        isCalm = true
        chaosLasts = 30_000
        thinkingMax = 5_000
        ask(30, in: 1_000...30_000, using: &random) { call, random in
            call.deadline = random.number(0...60)
            call.onExpiry = random.pick([nil, "skip", "retry"])
        }
    }

    // MARK: Ways to origins

    /// A relay that has lost its child says so, and its parent restarts.
    private mutating func stageCutOff(using random: inout SeededGenerator) {
        makeRow(random.pick([1, 2]))
        isTight = true
        isPatient = true
        thinkingMax = 600_000
        faults = [
            (10_000, .kill("worker1", downFor: forGood)),
            (20_000, .kill(Plan.presenter, downFor: random.number(100...2_000))),
        ]
        chaosLasts = 23_000
        ask(6, in: 0...8_000, using: &random) { call, _ in
            call.worker = "worker1"
            call.isKept = false
        }
    }

    /// A child greets a parent that is there and says nothing.
    private mutating func stageHungParent(using random: inout SeededGenerator) {
        makePair()
        isTight = true
        thinkingMax = 5_000
        faults = [
            (1_000, .kill("worker1", downFor: 400)), (1_200, .freeze("relay1", lasts: 120_000)),
        ]
        chaosLasts = 122_000
        ask(10, in: 3_000...30_000, using: &random) { call, _ in call.worker = "worker1" }
    }

    /// A first parent restarts without a way up, and once more: its child stays at the other.
    private mutating func stagePassage(using random: inout SeededGenerator) {
        makePair()
        thinkingMax = 150_000
        faults = [
            // Welcomed by a relay that has its way up by then.
            (3_000, .kill("worker1", downFor: 500)),
            (9_000, .kill("relay1", downFor: 300)),
            (random.number(13_500...15_000), .kill("relay1", downFor: 15_000)),
            (8_000, .silence(link("relay1", Plan.presenter), [.up, .down], lasts: 100_000)),
        ]
        chaosLasts = 108_000
        ask(10, in: 0...8_000, using: &random) { call, _ in call.worker = "worker1" }
    }

    /// The first parent, to which a child goes back, is gone at that moment.
    private mutating func stageBrokenReturn(using random: inout SeededGenerator) {
        makePair()
        isTight = true
        thinkingMax = 120_000
        faults = [(5_000, .silence(link("worker1", "relay1"), [.up, .down], lasts: 15_000))]
        let second = link("worker1", "relay2")
        ambushes = [
            Ambush("WITHDRAWN", on: second, then: .kill("relay1", downFor: forGood))
        ]
        for number in 2...8 { ambushes.append(Ambush("WITHDRAWN", number, on: second, .lost)) }
        chaosLasts = 60_000
        ask(8, in: 0...5_000, using: &random) { call, _ in call.worker = "worker1" }
    }

    // MARK: What takes long

    /// What was given up still ends, as the disk is slow, when its child is back.
    private mutating func stageSlowEnd(using random: inout SeededGenerator) {
        makeRow(0)
        isTight = true
        isPatient = true
        thinkingMax = 900_000
        let own = link("worker1", Plan.presenter)
        let lasts = random.number(72_500...76_000)
        faults = [
            (20_000, .silence(own, [.up, .down], lasts: lasts)),
            (86_000, .slowDisk(lasts: random.number(12_000...20_000), latencyMax: 9_000)),
        ]
        chaosLasts = 110_000
        ask(12, in: 0...18_000, using: &random) { call, random in
            call.worker = "worker1"
            call.cancelledAfter = random.number(112_000...120_000) - call.time
        }
    }

    /// An answer is being written when the child that asked is given up, and is there again.
    private mutating func stageLostWrite(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 1]))
        let parent = processes[processes.count - 2].parents[0]
        isTight = true
        isPatient = true
        thinkingMax = 900_000
        troubleCount = 1
        feature = .policy(
            .init(trouble: 0, option: "retry", count: 99, window: 1_000, delay: 80_000))
        faults = [
            (
                20_000,
                .silence(
                    link("worker1", parent), [.up, .down], lasts: random.number(84_000...95_000))
            ),
            (78_000, .slowDisk(lasts: 16_000, latencyMax: 5_000)),
        ]
        chaosLasts = 116_000
        ask(12, in: 3_000...11_000, using: &random) { call, _ in call.worker = "worker1" }
    }

    /// A child is away for so long that the result of its answer is nearly forgotten.
    private mutating func stageLongAway(using random: inout SeededGenerator) {
        makeRow(0)
        isTight = true
        isPatient = true
        thinkingMax = 25_000
        // Longer than an answer is sent; or nearly as long again as its result is kept.
        let isLong = random.happens(0.5)
        let lasts = isLong ? random.number(700_000...830_000) : random.number(290_000...330_000)
        faults = [
            (12_000, .silence(link("worker1", Plan.presenter), [.up, .down], lasts: lasts))
        ]
        chaosLasts = 20_000 + lasts
        let attempts: [UInt64] = isLong ? [250_000] : [100_000, 180_000, 250_000]
        ask(14, in: 0...11_000, attempts: attempts, using: &random) { call, _ in
            call.worker = "worker1"
            if isLong { call.time = 11_000 + call.time / 12 }
        }
        calls.sort { $0.time < $1.time }
    }

    /// People leave what is asked to itself until its callers give up.
    private mutating func stageLongOpen(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 1]))
        isTight = true
        thinkingMax = 2_000_000
        chaosLasts = 700_000
        ask(8, in: 0...10_000, using: &random) { call, random in
            call.cancelledAfter = random.number(605_000...680_000)
        }
    }

    // MARK: Who may do what

    /// A relay has an option of its own, and another one chooses it; or a chain stumbles.
    private mutating func stageOtherHands(using random: inout SeededGenerator) {
        makeRow(random.pick([1, 2]))
        isCalm = true
        thinkingMax = 3_000
        chaosLasts = 30_000
        switch random.index(below: 3) {
        case 0:
            processes[1].addsOption = true
            asksForValues = true
        case 1:
            // The lower relay's option is for two people, and the upper one has asked one.
            processes = [Process(name: Plan.presenter, parents: [])]
            makeRow(2)
            processes[2].addsOption = true
            needsTwoPeople = true
            forgedTrouble = random.index(below: Trouble.allCases.count)
            forgedOption = "copy"
        default: stumblingTrouble = random.index(below: Trouble.allCases.count)
        }
        ask(14, in: 0...30_000, attempts: [0, 300, 5_000], using: &random) { call, _ in
            call.worker = "worker1"
        }
    }

    /// A relay restarts without its parent, and shows people of its own what gets its answer.
    private mutating func stageRelayDesk(using random: inout SeededGenerator) {
        makeRow(1)
        isTight = true
        processes[1].presentsAfter = 1_000
        isDeskIdle = true
        thinkingMax = 40_000
        let above = link("relay1", Plan.presenter)
        faults = [
            (6_000, .silence(above, [.down], lasts: random.number(12_000...40_000))),
            (7_500, .kill("relay1", downFor: 300)),
        ]
        chaosLasts = 48_000
        ask(12, in: 0...6_000, using: &random) { call, random in
            call.worker = "worker1"
            call.cancelledAfter = random.number(100_000...150_000)
        }
    }

    /// The deadline of a process counts from when it is asked, not from when its own people are.
    private mutating func stageOwnDeadline(using random: inout SeededGenerator) {
        makeRow(0)
        isTight = true
        processes[1].presentsAfter = random.number(5_000...15_000)
        processes[1].deadline = random.number(16_000...30_000)
        thinkingMax = 100_000
        faults = [(5_000, .kill(Plan.presenter, downFor: 70_000))]
        chaosLasts = 75_000
        ask(12, in: 0...40_000, using: &random) { call, _ in call.isKept = false }
    }

    /// People take back what they gave, alone and in two, at two inboxes or before it is passed on.
    private mutating func stageTakenBack(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 1]))
        isCalm = true
        chaosLasts = 40_000
        thinkingMax = 3_000
        manner = .hesitant
        switch random.index(below: 3) {
        case 0: asksBoth = true
        case 1: needsTwoPeople = true
        default:
            manner = .restless
            escalatesAfter = 6_000
            thinkingMax = 20_000
        }
        let isTimed = asksBoth
        ask(16, in: 0...38_000, using: &random) { call, random in
            if isTimed { call.deadline = random.number(3_000...9_000) }
        }
    }
}
