import ErrorBus

/// Worlds whose people have signed in.
extension Plan {
    /// By the seed modulo 512.
    static let signedIn: [UInt64: Scene] = [
        9: .accounts, 22: .keptAccounts, 41: .heldAtStop, 49: .accounts, 73: .keptAccounts,
        102: .heldAtStop, 105: .accounts, 118: .keptAccounts,
    ]

    /// In most worlds people have accounts, each one. No message shows it: all else is the same.
    func withAccounts(of seed: UInt64) -> Plan {
        var random = SeededGenerator(seed: seed ^ 0x1DE7_71F1_ED00_ACC0)
        var plan = self
        if random.happens(0.75) { plan.hasAccounts = true }
        return plan
    }

    /// People with several names, and several with one. The presenter goes on; or it dies, and its
    /// inbox has what it had; or it shuts down while answers can still be taken back.
    mutating func stageSignedIn(_ scene: Scene, using random: inout SeededGenerator) {
        makeRow(random.pick([0, 1]))
        manner = .signedIn
        hasAccounts = true
        needsTwoPeople = random.happens(0.6)
        thinkingMax = 2_000
        chaosLasts = 40_000
        isCalm = scene == .accounts
        isTight = !isCalm
        keepsInbox = scene == .keptAccounts
        givesHeld = scene == .heldAtStop
        for time in [9_000, 19_000, 29_000] as [UInt64] where !isCalm {
            let downFor = random.number(100...1_000)
            let fault: Fault =
                givesHeld
                ? .stop(Plan.presenter, downFor: downFor)
                : .kill(Plan.presenter, downFor: downFor)
            faults.append((time, fault))
        }
        ask(24, in: 0...36_000, attempts: [300, 1_000, 5_000], using: &random)
    }
}

extension Checker {
    static let signedIn = Checker(
        name: "signed-in",
        rule: "a claim is of an account, and of a name where no account is known; two people have "
            + "two of both"
    ) { ledger, _ in
        ledger.acts.filter { $0.reply != .other && $0.reply != $0.due }.map { act in
            let person = "\(act.by.name) of \(act.by.account ?? "no account")"
            return "\(act.id): \(act.deed) by \(person): \(act.reply), due is \(act.due)"
        }
    }

    static let heldGiven = Checker(
        name: "held-given",
        rule: "what is held as its presenter shuts down is on record at once, and its result is "
            + "waited for, 2 s at most"
    ) { ledger, _ in
        ledger.heldAtStop.compactMap { held in
            let found = ledger.decisions.first { $0.answer.id == held.answer }
            guard let decision = found, decision.time <= held.time + 1_000 else {
                return "\(held.id): held at \(held.time), not on record"
            }
            guard let stop = ledger.stops[held.life], stop <= held.time + 2_500 else {
                return "\(held.id): held at \(held.time), and its presenter went on"
            }
            let hasResult = decision.settled.map { $0 <= stop + 200 } ?? false
            return hasResult || stop + 50 >= held.time + 2_000
                ? nil : "\(held.id): its result was not waited for"
        }
    }
}

extension Forgery {
    static let ofAccounts = [
        Forgery(checker: "signed-in") { ledger, _ in
            change(&ledger.acts, where: { $0.reply == .done }) { $0.reply = .samePerson }
        },
        Forgery(checker: "held-given") { ledger, _ in
            change(&ledger.heldAtStop, where: { _ in true }) {
                $0.answer = PresentationID.make().value
            }
        },
    ]
}
