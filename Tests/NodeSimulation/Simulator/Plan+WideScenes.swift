import ErrorBus

/// Worlds of links that fail for moments, of little room, and of ways to origins; those of what
/// people and callers have are in another file.
extension Plan {
    /// By the seed modulo 256; those of a place take turns.
    static let wide: [UInt64: [Scene]] = [
        129: [.impatient, .family], 133: [.fields], 134: [.twoScreens], 138: [.lastWords],
        141: [.smallInbox], 142: [.keptInbox], 145: [.quietRepeats], 146: [.hiccups],
        149: [.keptSilences], 150: [.ownRules], 157: [.shortLimits], 158: [.secondTry],
        161: [.damaged], 165: [.revoked], 166: [.unknownRelay], 173: [.idsRelay],
        174: [.lateDeadlines], 177: [.lastWords], 181: [.smallInbox], 182: [.hiccups],
        189: [.narrowTop], 190: [.farLoss], 193: [.sideWay], 197: [.idsRelay],
        198: [.family, .impatient], 202: [.narrowTop], 205: [.ownRules], 206: [.sideWay],
        209: [.narrowTop], 213: [.farLoss], 214: [.unknownRelay], 216: [.farLoss],
        221: [.secondThoughts], 225: [.twoScreens], 248: [.sideWay],
        153: [.played(.withdrawnThenInvalid), .played(.firstGivesUp), .played(.givenUpAgain)],
        185: [.played(.secondGivesUp), .played(.firstIsThrough), .played(.otherResult)],
        230: [.played(.secondIsThrough), .played(.longAsked), .played(.withdrawnLate)],
        241: [.played(.givenUpAgain)], 169: [.askedTwice], 201: [.crossing], 217: [.sharing],
        222: [.statuses], 233: [.askedTwice], 237: [.crossing], 238: [.sharing],
        246: [.keptInbox], 253: [.keptInbox, .followed], 254: [.followed], 245: [.followed],
        249: [.followed],
    ]

    mutating func stageWide(_ scene: Scene, using random: inout SeededGenerator) {
        switch scene {
        case .lastWords: stageLastWords(using: &random)
        case .hiccups: stageHiccups(using: &random)
        case .narrowTop: stageNarrowTop(using: &random)
        case .farLoss: stageFarLoss(using: &random)
        case .sideWay: stageSideWay(using: &random)
        case .smallInbox: stageSmallInbox(using: &random)
        case .keptInbox: stageKeptInbox(using: &random)
        case .followed: stageFollowed(using: &random)
        case .twoScreens: stageTwoScreens(using: &random)
        case .secondThoughts: stageSecondThoughts(using: &random)
        case .damaged: stageDamaged(using: &random)
        case .revoked: stageRevoked(using: &random)
        case .quietRepeats: stageQuietRepeats(using: &random)
        case .keptSilences: stageKeptSilences(using: &random)
        case .ownRules: stageOwnRules(using: &random)
        case .impatient: stageImpatient(using: &random)
        case .family: stageFamily(using: &random)
        case .fields: stageFields(using: &random)
        case .shortLimits: stageShortLimits(using: &random)
        case .secondTry: stageSecondTry(using: &random)
        case .unknownRelay: stageUnknownRelay(using: &random)
        case .idsRelay: stageIDsRelay(using: &random)
        case .played(let play): stagePlay(play, using: &random)
        case .sharing: stageSharing(using: &random)
        case .statuses: stageStatuses(using: &random)
        case .crossing: stageCrossing(using: &random)
        case .askedTwice: stageAskedTwice(using: &random)
        default: stageLateDeadlines(using: &random)
        }
    }

    // MARK: Links

    /// A process stops as a recovery in it ends; on a slow link its parent finds its connection
    /// gone before it has read the last of it.
    private mutating func stageLastWords(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 0, 1]))
        isTight = true
        weather.delayMax = random.pick([30, 1_500])
        thinkingMax = 12_000
        chaosLasts = 30_000
        stopsAtAttempt = Int(random.number(2...6))
        ask(30, in: 0...8_000, attempts: [0, 300, 2_000], using: &random) { call, _ in
            call.worker = "worker1"
        }
    }

    /// Links are silent for moments, or parents stand still, and queues are short.
    private mutating func stageHiccups(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 1]))
        isTight = true
        queueMax = Int(random.number(2...5))
        thinkingMax = random.pick([3_000, 20_000])
        // What had no room at a process that stands still may have kept a link.
        bearsFaults = random.happens(0.5)
        for number in 0..<5 {
            let link = random.pick(links)
            let lasts = random.number(1_000...3_500)
            let directions = random.pick([[Network.Direction.up, .down], [.up], [.down]])
            let fault: Fault =
                bearsFaults
                ? .silence(link, directions, lasts: lasts) : .freeze(link.parent, lasts: lasts)
            faults.append((UInt64(number + 1) * 11_000, fault))
        }
        chaosLasts = 60_000
        ask(90, in: 0...60_000, using: &random)
    }

    // MARK: Room

    /// The presenter alone has little room. Its relay stands for several origins one after another,
    /// or gives up what the earlier life of a child has asked.
    private mutating func stageNarrowTop(using random: inout SeededGenerator) {
        makeRow(1)
        feature = .topLimit(2)
        chaosLasts = 40_000
        if random.happens(0.5) {
            isCalm = true
            thinkingMax = 6_000
            for number in 3...7 {
                processes.append(Process(name: "worker\(number)", parents: ["relay1"]))
                ask(2, in: UInt64(number) * 3_000...UInt64(number) * 3_000 + 500, using: &random) {
                    call, _ in call.worker = "worker\(number)"
                }
            }
            ask(14, in: 0...24_000, using: &random) { call, _ in call.worker = "worker1" }
            ask(14, in: 25_000...26_000, using: &random) { call, _ in call.worker = "worker1" }
        } else {
            isTight = true
            thinkingMax = 40_000
            abandonAfter = random.number(500...2_000)
            let downFor = random.number(100...2_000)
            faults = [(10_000, .kill("worker1", downFor: downFor))]
            ask(8, in: 1_000...9_000, using: &random) { call, _ in call.isKept = false }
            ask(8, in: 12_500...14_000, using: &random) { call, _ in call.isKept = false }
        }
    }

    // MARK: Ways to origins

    /// What a relay has lost stays lost: also when the relay itself is missed for a moment, and
    /// where two relays say so.
    private mutating func stageFarLoss(using random: inout SeededGenerator) {
        isTight = true
        isPatient = true
        thinkingMax = 600_000
        if random.happens(0.6) {
            makeRow(1)
            weather.delayMax = 1_500
            abandonAfter = 150_000
            faults = [(10_000, .kill("worker1", downFor: forGood))]
            for time in [20_000, 40_000] as [UInt64] {
                // Only the presenter takes it for lost.
                let lasts = random.number(11_000...13_500)
                let above = link("relay1", Plan.presenter)
                faults.append((time, .silence(above, [.up], lasts: lasts)))
            }
            chaosLasts = 54_000
        } else {
            makeRow(2)
            processes.append(Process(name: "worker3", parents: ["relay2"]))
            faults = [
                (10_000, .kill("worker1", downFor: forGood)),
                (20_000, .kill("relay1", downFor: random.number(100...1_000))),
            ]
            chaosLasts = 23_000
        }
        ask(8, in: 0...4_000, using: &random) { call, _ in
            call.worker = "worker1"
            call.isKept = false
        }
        guard processes.contains(where: { $0.name == "worker3" }) else { return }
        ask(6, in: 0...40_000, using: &random) { call, _ in call.worker = "worker3" }
    }

    /// A relay has a way to the presenter beside its parent, by which a rule passes some on.
    private mutating func stageSideWay(using random: inout SeededGenerator) {
        makeRow(1)
        processes[1].route = "relay2"
        processes.append(Process(name: "relay2", parents: [Plan.presenter]))
        isTight = true
        if random.happens(0.5) {
            isPatient = true
            thinkingMax = 600_000
            faults = [(10_000, .kill("worker1", downFor: forGood))]
            chaosLasts = 12_000
            ask(8, in: 0...6_000, using: &random) { call, _ in
                call.worker = "worker1"
                call.isKept = false
            }
        } else {
            // No rule passes anything on; its way is gone when a child comes back.
            routedTrouble = Trouble.allCases.count
            processes.append(Process(name: "relay3", parents: [Plan.presenter]))
            processes[2] = Process(name: "worker1", parents: ["relay1", "relay3"])
            faults = [
                // Welcomed by a relay that has its way up by then.
                (3_000, .kill("worker1", downFor: 500)),
                (8_000, .kill("relay2", downFor: forGood)),
                (12_000, .silence(link("worker1", "relay1"), [.up, .down], lasts: 25_000)),
            ]
            chaosLasts = 37_000
            ask(8, in: 0...20_000, using: &random)
            ask(8, in: 145_000...190_000, using: &random) { call, _ in call.worker = "worker1" }
        }
    }
}
