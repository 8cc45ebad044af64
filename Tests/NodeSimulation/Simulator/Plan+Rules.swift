import ErrorBus

/// Worlds of a policy with schedules, and of silences that a restart meets.
extension Plan {
    /// By the seed modulo 512.
    static let ruled: [UInt64: Scene] = [
        13: .office, 77: .office, 81: .office, 86: .office, 89: .office, 1: .quietOnce,
        54: .quietOnce, 65: .quietOnce, 70: .quietOnce, 24: .keepComing, 264: .keepComing,
        392: .keepComing, 88: .quietLate, 280: .quietLate, 344: .quietLate,
        79: .removedOption, 143: .removedOption, 328: .removedOption,
    ]

    /// The rules of a policy are in force at certain times. The clock on the wall is put to moments
    /// just before those at which one of them begins or ends, again and again.
    mutating func stageOffice(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 1]))
        isCalm = true
        thinkingMax = 3_000
        let ruling = Ruling(using: &random)
        self.ruling = ruling
        troubleCount = ruling.traits.count
        chaosLasts = 150_000
        for number in [0, 1, 2, 3, 4] as [UInt64] {
            let time = number * 30_000
            let edge = ruling.edge(using: &random) - Int64(random.number(8_000...20_000))
            let change = edge - wall(at: start + time)
            faults.append((time, .wallClock(by: change)))
        }
        ask(60, in: 3_000...150_000, using: &random) { call, random in
            call.worker = random.pick(["worker1", "worker1", "worker2"])
        }
    }

    /// What the clock on the wall shows then, in milliseconds since 1970.
    func wall(at time: UInt64) -> Int64 {
        faults.reduce(Int64(time)) { sum, next in
            guard case .wallClock(let change) = next.1, start + next.time <= time else {
                return sum
            }
            return sum + change
        }
    }

    /// What was in front of people when the presenter restarted is refused after that. What a
    /// silence had withheld is asked anew, where the silence goes on, or where it is gone; and what
    /// it answers fails again and again.
    mutating func stageQuietOnce(using random: inout SeededGenerator) {
        makeRow(0)
        asksOnlyOnce = true
        forgets = true
        keepsSilences = random.happens(0.5)
        troubleCount = 2
        chaosLasts = 80_000
        thinkingMax = 120_000
        let option = random.pick([nil, nil, "retry"])
        feature = .silence(
            .init(
                trouble: 0, option: option, from: 500, lasts: 600_000,
                endedAt: random.pick([nil, nil, 60_000])))
        faults = [
            (20_000, .kill(Plan.presenter, downFor: random.number(100...2_000))),
            (26_000, .kill("worker1", downFor: random.number(100...2_000))),
        ]
        ask(12, in: 1_000...15_000, using: &random) { call, _ in call.worker = "worker1" }
        ask(8, in: 35_000...75_000, using: &random)
        ask(4, in: 1_000...18_000, using: &random) { call, random in
            call.worker = "worker2"
            call.isKept = false
            call.doesRecover = true
            call.repeats = Int(random.number(4...6))
        }
    }
}

// MARK: What rules compare

extension Ruling {
    /// At the beginning and in the middle of a year, and where clocks are put forward.
    private static let days = twoWeeks(from: 20_465) + twoWeeks(from: 20_640) + [20_541, 20_520]

    private static func twoWeeks(from first: Int64) -> [Int64] { Array(first..<first + 14) }

    init(using random: inout SeededGenerator) {
        for _ in 0..<12 { traits.append(Traits(using: &random)) }
        for number in 0..<5 {
            var clause = Clause()
            // Only the others may hold at all times, or for nearly everything.
            if number == 0 || random.happens(0.8) { clause.schedule = Schedule(using: &random) }
            clause.conditions = [Condition(using: &random)]
            if random.happens(0.3) {
                let other = Condition(using: &random)
                if other.part != clause.conditions[0].part { clause.conditions.append(other) }
            }
            clause.option = random.pick(["retry", "skip", "skip", nil])
            clause.isDryRun = number == 1 && random.happens(0.5)
            clauses.append(clause)
        }
    }

    /// A moment at which a rule begins or ceases to be in force, or at which its day does.
    func edge(using random: inout SeededGenerator) -> Int64 {
        let schedule = random.pick(clauses.compactMap(\.schedule))
        var day = random.pick(Self.days)
        // Rather where one of its days follows one that is not.
        for _ in 0..<3 where schedule.has(day) == schedule.has(day - 1) {
            day = random.pick(Self.days)
        }
        let minutes: [Int64] = [0] + (schedule.hours.map { [$0.from, $0.to, $0.to] } ?? [])
        let local = (day * Schedule.dayLength + random.pick(minutes)) * 60_000
        return local - schedule.zone.minutes(at: local) * 60_000
    }
}

extension Ruling.Traits {
    fileprivate init(using random: inout SeededGenerator) {
        self.init(
            domain: random.pick([
                "com.acme.db", "com.acme.db.pool", "com.acme.cache", "org.example.disk",
            ]),
            code: random.pick([nil, 7, 40, 404, 500, 503]),
            severity: random.pick(Severity.allCases),
            command: random.pick([nil, "rsync -a /srv", "run rsync", "disk 12", "disk x1"]),
            tries: random.pick([nil, 3, 13, 30]))
    }
}

extension Condition {
    fileprivate init(using random: inout SeededGenerator) {
        let part = random.pick(Part.allCases)
        let choices: [[Form]] =
            switch part {
            case .domain:
                [
                    [.text("com.acme.db")], [.begins("com.acme.")], [.ends(".disk")],
                    [.text("com.acme.cache"), .text("org.example.disk")], [.includes(".db")],
                ]
            case .code:
                [[.text("40"), .begins("5")], [.begins("40")], [.text("7"), .text("500")]]
            case .origin: [[.text("worker1")], [.ends("2")], [.numbered("worker")]]
            case .severity:
                [
                    [.atLeast("warning")], [.atLeast("error")], [.text("debug"), .text("error")],
                    [.atLeast("critical"), .text("info")],
                ]
            case .command: [[.includes("rsync")], [.begins("rsync")], [.numbered("disk ")]]
            case .tries: [[.text("3")], [.begins("3")], [.ends("3"), .text("30")]]
            }
        self.init(part: part, forms: random.pick(choices))
    }
}

extension Schedule {
    fileprivate init(using random: inout SeededGenerator) {
        let days: [Int64] = random.pick([
            [0, 1, 2, 3, 4], [0, 1, 2, 3, 4], [5, 6], [4], [6], [0, 2], Array(0...6),
        ])
        let zone = random.pick(Zone.allCases)
        guard random.happens(0.85) else {
            self.init(days: days, hours: nil, zone: zone)
            return
        }
        // Over midnight, or by day; or what chance has.
        let (from, to): (UInt64, UInt64) =
            switch random.index(below: 4) {
            case 0, 1: (random.number(36...47), random.number(1...14))
            case 2: (random.number(12...20), random.number(30...44))
            default: (random.number(0...23), random.number(24...48))
            }
        self.init(days: days, hours: Hours(from: Int64(from) * 30, to: Int64(to) * 30), zone: zone)
    }
}
