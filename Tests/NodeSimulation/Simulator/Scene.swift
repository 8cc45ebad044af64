import ErrorBus

/// A world that is made for one thing, where chance alone would seldom lead: a fault that lasts
/// about as long as a side bears it, one that waits for a message, a write that comes too late.
enum Scene: Equatable {
    /// A link is silent, or a process away, for about as long as a side bears that.
    case silence, absence
    /// Silences after which only one side of a link takes it for lost.
    case shortSilences
    /// A link to one of two parents fails again and again.
    case flapping
    /// A parent that has lost its child is taken for the way to it.
    case staleAsker
    /// An answer is written while what it answers is given up and asked again.
    case lateWrite
    /// A recovery takes longer than the hops above it live.
    case longAttempt
    /// What goes wrong waits for a message.
    case ambush
    /// A presenter restarts while people have what it may not ask twice.
    case neverTwice
    /// One id for two reports.
    case ids
    /// A parent shuts down while it is asked; the disk is full while deadlines pass.
    case stopping, fullDisk
    /// A relay withholds one trouble.
    case withholding
    /// What answers come to is to be written while the disk is full, or cannot be read.
    case lateResult, unreadable
    /// Rare ones. Only one side of a link has lost it, for a moment.
    case nearMiss
    /// One of two paths has lost the origin, and the other is away.
    case stalePath
    /// Results are lost, and those that wait for them restart.
    case lostResult
    /// Equal errors and nearly equal ones, and callers that give up.
    case equals
    /// Deadlines pass while answers can still be taken back.
    case lastMoment
    /// Answers come as a relay gives up what they are for.
    case givenUp
    /// A process has people of its own, who are asked when its parent cannot be.
    case desk
    /// A program asks by single requests, without a link.
    case requests
    /// The clock on the wall is put forward and back.
    case clock
    /// A parent is full before a child has any place there.
    case fullParent
    /// A process is back at once, and has forgotten what it asked.
    case forgotten
    /// What had ended before a presenter restarted is asked anew.
    case askedAnew
    /// What recovered is done again, and fails again.
    case repetition
    /// A process says what is not its own to say.
    case intruder
    /// What needs two people, or asks for values, below a relay that answers for one with none.
    case twoPeople, values
    /// Close ones. Equal errors come close upon each other, and callers give up.
    case crowd
    /// A parent has lost its own, and another knows a way; or a child goes back to its first parent
    /// while it carries something out.
    case pastParent, busyReturn
    /// A child is away until its answer is given up, and longer.
    case longGone
    /// People are not asked; or a policy answers, slowly, what is given up.
    case silenced, ruled
    /// What a child asks is given up and asked again at the same moment.
    case reopened
    /// An option that one of two parents has added, while its child goes over to the other.
    case ownOption
    /// Children are away for moments, and people think for minutes.
    case breath
    /// People take on what they then leave to itself; or do so again and again, and so say much,
    /// while what a relay has to say is lost; or answer in the moment in which it ends.
    case claims, restless, tooLate
    /// One id for two reports, in two lives of all that know of it.
    case idsApart
    /// See ``Plan/last``.
    case topOption, overrun, ownGroup, latePolicy, proposals
    /// See ``Plan/more``.
    case lostReply, manyBare, refusing, tooShort, cutOff, hungParent, passage, brokenReturn
    case slowEnd, lostWrite, longAway, longOpen, otherHands, relayDesk, ownDeadline, takenBack
    /// See ``Plan/wide``.
    case lastWords, hiccups, narrowTop, farLoss, sideWay, impatient, family, fields
    case twoScreens, smallInbox, keptInbox, quietRepeats, keptSilences, ownRules, shortLimits
    case secondTry, damaged, revoked, unknownRelay, idsRelay, lateDeadlines, secondThoughts
    case played(Play), sharing, statuses, crossing, askedTwice, followed
    /// See ``Plan/signedIn``.
    case accounts, keptAccounts, heldAtStop
    /// See ``Plan/chained``.
    case oneDeclines, callersGiveUp, relayGrace, slowFirst, stoppedChain, lastInstant
    case bothClaim
    /// See ``Plan/ruled``.
    case office, quietOnce, keepComing, quietLate, removedOption
    /// See ``Plan/onLinks``.
    case noisyOrigin, crowdedOut, farGrace, wayRegained, wayBack, lateHello, lateAccepted
    case stoppedWaiting, refusedAcross, lostBehind, longLost
    /// See ``Plan/conversations``.
    case conversations(part: Int)

    static let close: [Scene] = [
        .crowd, .crowd, .pastParent, .busyReturn, .reopened, .reopened, .ownOption, .breath,
        .claims, .restless, .silenced, .ruled, .ruled, .tooLate, .idsApart, .longGone,
    ]

    /// These came later and have seeds of their own, so that those before them keep theirs.
    static let later: [Scene] = [
        .lateResult, .unreadable, .desk, .desk, .requests, .requests,
        .clock, .repetition,
    ]

    /// Each as often as it is to come: some stand for many worlds.
    static let weighted: [Scene] = [
        .silence, .absence, .shortSilences, .flapping, .staleAsker, .lateWrite, .longAttempt,
        .ambush, .neverTwice, .ids, .stopping, .fullDisk, .withholding, .silence, .absence,
        .silence, .absence, .ambush, .ambush,
    ]
}

extension Plan {
    /// The scenes of a seed, of which one is staged; none for a random world, or for one of
    /// ``Plan/rare``.
    static func scenes(of seed: UInt64) -> [Scene] {
        // In every other round of 256 seeds these places have what was there before.
        let place = seed % 512
        if let part = conversations.firstIndex(of: place) { return [.conversations(part: part)] }
        if let scene = signedIn[place] ?? chained[place] ?? ruled[place] { return [scene] }
        if let all = onLinks[place] { return [all[Int(seed / 512) % all.count]] }
        if let all = wide[seed % 256] { return [all[Int(seed / 256) % all.count]] }
        if let all = more[seed % 128] { return [all[Int(seed / 128) % all.count]] }
        // Those of them had shown nothing before there were these.
        if [2, 20, 26, 31].contains(seed % 32) || seed % 64 == 40 { return Scene.close }
        return switch seed % 8 {
        case 1, 5, 6: Scene.weighted
        case 3:
            [
                43: [.fullParent], 51: [.forgotten], 59: [.askedAnew], 67: [.twoPeople],
                75: [.values],
            ][seed % 128] ?? last[seed % 128] ?? []
        case 4: seed % 64 == 12 ? [.intruder] : Scene.later
        default: []
        }
    }

    /// Makes all of it new.
    mutating func stage(_ scene: Scene, using random: inout SeededGenerator) {
        self = Plan()
        self.scene = scene
        weather.delayMax = random.pick([5, 30])
        switch scene {
        case .silence, .absence: stageOutage(scene, using: &random)
        case .shortSilences: stageShortSilences(using: &random)
        case .flapping: stageFlapping(using: &random)
        case .staleAsker: stageStaleAsker(using: &random)
        case .lateWrite: stageLateWrite(using: &random)
        case .longAttempt: stageLongAttempt(using: &random)
        case .ambush: stageAmbush(using: &random)
        case .neverTwice: stageNeverTwice(using: &random)
        case .ids: stageIDs(using: &random)
        case .stopping: stageStopping(using: &random)
        case .fullDisk: stageFullDisk(using: &random)
        case .lateResult: stageLateResult(using: &random)
        case .unreadable: stageUnreadable(using: &random)
        case .desk: stageDesk(using: &random)
        case .requests: stageRequests(using: &random)
        case .clock: stageClock(using: &random)
        case .fullParent: stageFullParent(using: &random)
        case .forgotten: stageForgotten(using: &random)
        case .askedAnew: stageAskedAnew(using: &random)
        case .repetition: stageRepetition(using: &random)
        case .intruder: stageIntruder(using: &random)
        case .twoPeople: stageTwoPeople(using: &random)
        case .values: stageValues(using: &random)
        case .withholding:
            makeRow(random.pick([1, 2]))
            isCalm = true
            chaosLasts = 20_000
            withheldTrouble = random.index(below: Trouble.allCases.count)
            ask(12, in: 0...20_000, using: &random)
        case .crowd, .pastParent, .reopened, .ownOption, .breath, .claims, .restless,
            .busyReturn, .longGone, .silenced, .ruled, .tooLate, .idsApart:
            stageClose(scene, using: &random)
        case .topOption, .overrun, .ownGroup, .latePolicy, .proposals:
            stageLast(scene, using: &random)
        case .lostReply, .manyBare, .refusing, .tooShort, .cutOff, .hungParent, .passage,
            .brokenReturn, .slowEnd, .lostWrite, .longAway, .longOpen, .otherHands,
            .relayDesk, .ownDeadline, .takenBack:
            stageMore(scene, using: &random)
        case .lastWords, .hiccups, .narrowTop, .farLoss, .sideWay, .impatient, .family,
            .fields, .twoScreens, .smallInbox, .keptInbox, .quietRepeats, .keptSilences, .ownRules,
            .shortLimits, .secondTry, .damaged, .revoked, .unknownRelay, .idsRelay, .lateDeadlines,
            .secondThoughts, .played, .sharing, .statuses, .crossing, .askedTwice, .followed:
            stageWide(scene, using: &random)
        case .accounts, .keptAccounts, .heldAtStop: stageSignedIn(scene, using: &random)
        case .oneDeclines, .callersGiveUp, .relayGrace, .slowFirst, .stoppedChain, .lastInstant,
            .bothClaim:
            stageChain(scene, using: &random)
        case .office: stageOffice(using: &random)
        case .quietOnce: stageQuietOnce(using: &random)
        case .keepComing: stageKeepComing(using: &random)
        case .quietLate: stageQuietLate(using: &random)
        case .removedOption: stageRemovedOption(using: &random)
        case .noisyOrigin, .crowdedOut, .farGrace, .wayRegained, .wayBack, .lateHello,
            .lateAccepted, .stoppedWaiting, .refusedAcross, .lostBehind, .longLost:
            stageOnLinks(scene, using: &random)
        case .conversations(let part): stageConversations(part: part)
        default: stageRare(scene, using: &random)
        }
    }

    /// So many relays in a row, and a worker below; another one at the top.
    mutating func makeRow(_ relayCount: Int) {
        var parent = Plan.presenter
        for number in 0..<relayCount {
            processes.append(Process(name: "relay\(number + 1)", parents: [parent]))
            parent = "relay\(number + 1)"
        }
        processes.append(Process(name: "worker1", parents: [parent]))
        processes.append(Process(name: "worker2", parents: [Plan.presenter]))
    }

    /// Two relays side by side, and workers below both.
    mutating func makePair() {
        for name in ["relay1", "relay2"] {
            processes.append(Process(name: name, parents: [Plan.presenter]))
        }
        processes.append(Process(name: "worker1", parents: ["relay1", "relay2"]))
        processes.append(Process(name: "worker2", parents: ["relay2", "relay1"]))
    }

    /// What worker1 asks, and now and then the other one.
    mutating func ask(
        _ count: UInt64, in times: ClosedRange<UInt64>, attempts: [UInt64] = [0, 300],
        using random: inout SeededGenerator,
        _ change: (inout Call, inout SeededGenerator) -> Void = { _, _ in }
    ) {
        for _ in 0..<random.number(2...count) {
            var call = Call(
                time: random.number(times), worker: random.happens(0.8) ? "worker1" : "worker2",
                isKept: true, attempt: random.pick(attempts), doesRecover: random.happens(0.7))
            change(&call, &random)
            calls.append(call)
        }
        calls.sort { $0.time < $1.time }
    }

    func link(_ child: String, _ parent: String) -> Network.LinkID {
        Network.LinkID(child: child, parent: parent)
    }

    // MARK: One fault that lasts

    private mutating func stageOutage(_ scene: Scene, using random: inout SeededGenerator) {
        makeRow(random.pick([0, 1, 1, 2]))
        // A minute after a link has ended what a child asks is given up, and two seconds after that
        // it is said above; after the lease and that minute an answer is given up.
        let (about, spread): (UInt64, UInt64) = random.pick([
            (72_000, 4_000), (75_000, 2_500), (150_000, 60_000), (280_000, 35_000),
        ])
        let lasts = random.number(about - spread...about + spread)
        isPatient = true
        isTight = true
        chaosLasts = 21_000 + lasts
        thinkingMax = random.pick([20_000, 20_000, lasts + 10_000, 300_000])
        weather.delayMax = random.pick([5, 30, 400])
        let first = processes[processes.count - 2]
        if scene == .silence {
            let link = random.pick([link(first.name, first.parents[0]), random.pick(links)])
            faults = [(20_000, .silence(link, [.up, .down], lasts: lasts))]
        } else {
            let name = random.pick([first.name, random.pick(processes).name])
            faults = [(20_000, .kill(name, downFor: lasts))]
        }
        if processes.count > 3, random.happens(0.5) {
            processes[1].addsOption = true
            copyAttempt = random.pick([100, lasts, lasts + 60_000])
        }
        if processes.count > 3, random.happens(0.5) {
            let link = link(processes[1].name, Plan.presenter)
            ambushes = [Ambush("WITHDRAW", on: link, then: .silence(link, [.down], lasts: 7_000))]
        }
        if random.happens(0.3) { faults.append((0, .slowDisk(lasts: chaosLasts))) }
        let attempts: [UInt64] = [0, 3_000, lasts / 2, lasts + 15_000]
        ask(10, in: 0...35_000, attempts: attempts, using: &random) { call, random in
            guard random.happens(0.25) else { return }
            call.cancelledAfter = 20_000 + random.number(0...lasts) - min(call.time, 20_000)
        }
    }

    /// One side takes the link for lost, and the other does not.
    private mutating func stageShortSilences(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 1, 1, 2]))
        isTight = true
        thinkingMax = 15_000
        for number in 0..<10 {
            let link = random.pick(links)
            let directions = random.pick([[Network.Direction.up, .down], [.up, .down], [.up]])
            let lasts = random.number(9_000...12_300)
            faults.append((UInt64(number + 1) * 40_000, .silence(link, directions, lasts: lasts)))
        }
        chaosLasts = 440_000
        ask(90, in: 0...chaosLasts, using: &random)
    }

    private mutating func stageLongAttempt(using random: inout SeededGenerator) {
        makeRow(random.pick([1, 1, 2]))
        isPatient = true
        isTight = true
        chaosLasts = 220_000
        thinkingMax = 3_000
        let above = processes.map(\.name).filter { !$0.hasPrefix("worker") }
        faults = [
            (random.number(12_000...40_000), .kill(random.pick(above), downFor: 3_000)),
            (random.number(70_000...200_000), .reset(random.pick(links))),
        ]
        ask(8, in: 0...10_000, attempts: [70_000, 120_000, 180_000], using: &random)
    }

    // MARK: Two parents

    private mutating func stageFlapping(using random: inout SeededGenerator) {
        makePair()
        isTight = true
        thinkingMax = random.pick([30_000, 120_000])
        let first = link("worker1", "relay1")
        var time: UInt64 = 5_000
        for _ in 0..<random.number(1...4) {
            let lasts = random.pick([random.number(8_000...60_000), 100_000])
            let directions = random.pick([[Network.Direction.up, .down], [.up], [.down]])
            faults.append((time, .silence(first, directions, lasts: lasts)))
            time += lasts + random.number(1_000...60_000)
        }
        chaosLasts = time
        for relay in ["relay1", "relay2"] where random.happens(0.4) {
            let above = link(relay, Plan.presenter)
            let lasts = random.number(8_500...12_500)
            let time = random.number(15_000...chaosLasts)
            chaosLasts = max(chaosLasts, time + lasts)
            faults.append(
                (time, random.pick([.reset(above), .silence(above, [.up, .down], lasts: lasts)])))
        }
        let last = chaosLasts
        ask(14, in: 0...last, attempts: [0, 3_000, 20_000], using: &random) { call, random in
            if random.happens(0.3) { call.time = random.number(0...6_000) }
            if random.happens(0.3) { call.cancelledAfter = random.number(1_000...40_000) }
            // While no parent is there.
            if call.time < 6_000, random.happens(0.5) {
                call.cancelledAfter = random.number(7_000...17_000) - call.time
            }
        }
    }

    private mutating func stageStaleAsker(using random: inout SeededGenerator) {
        makePair()
        isTight = true
        faults = [(5_000, .silence(link("worker1", "relay1"), [.down], lasts: nil))]
        if random.happens(0.5) {
            chaosLasts = 110_000
            thinkingMax = random.pick([30_000, 60_000])
            let reset = random.number(17_500...24_500)
            faults.append((reset, .reset(link("relay1", Plan.presenter))))
            let kill = reset + random.number(2_000...12_000)
            faults.append((kill, .kill("relay1", downFor: random.number(10_000...60_000))))
        } else {
            // The one that has not lost it is silent, as the presenter sees it.
            chaosLasts = 260_000
            thinkingMax = 120_000
            for number in 0..<4 {
                faults.append(
                    (
                        50_000 + UInt64(number) * 70_000,
                        .silence(
                            link("relay2", Plan.presenter), [.up, .down],
                            lasts: random.number(8_500...12_500))
                    ))
            }
            ask(12, in: 0...250_000, using: &random)
        }
        ask(12, in: 0...5_000, using: &random)
    }
}
