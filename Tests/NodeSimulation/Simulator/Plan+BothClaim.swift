import ErrorBus

extension Plan {
    /// People at two inboxes that have the same take it on and give it back, again and again.
    mutating func stageBothClaim(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 1]))
        isCalm = true
        asksBoth = true
        manner = .restless
        thinkingMax = 3_000
        chaosLasts = 30_000
        ask(16, in: 0...12_000, using: &random)
    }
}

extension Ledger {
    /// A claim at one of two inboxes.
    struct ClaimAtOne {
        let id: PresentationID
        let presenter: String
        let time: UInt64
        let by: String
        let until: UInt64
    }

    /// The person who has it then, after the first so many of the claims: of two the later one.
    /// The outer nil: that changes about then.
    fileprivate func holder(afterClaim place: Int, until soon: UInt64) -> String?? {
        let last = claimsAtBoth[place]
        var standing: [ClaimAtOne] = []
        for claim in claimsAtBoth[...place] where claim.id == last.id {
            standing.removeAll { $0.presenter == claim.presenter }
            if claim.until > claim.time { standing.append(claim) }
        }
        let isChanging = standing.contains { last.time < $0.until + 50 && $0.until < soon + 50 }
        if isChanging { return nil }
        let holder = standing.last { $0.until > soon }?.by
        return .some(holder)
    }
}

extension People {
    func noteAtBoth(_ id: PresentationID, _ person: String, for time: UInt64) {
        let now = world.scheduler.now
        // Later they also answer.
        guard world.plan.scene == .bothClaim, now < world.start + world.plan.chaosLasts else {
            return
        }
        world.ledger.claimsAtBoth.append(
            Ledger.ClaimAtOne(
                id: id, presenter: presenterName, time: now, by: person, until: now + time))
    }
}

extension Checker {
    static let toldOfBoth = Checker(
        name: "told-of-both",
        rule: "who gives it back at one inbox leaves it to the person who has it at another, and "
            + "its caller reads that"
    ) { ledger, plan in
        ledger.claimsAtBoth.indices.compactMap { place -> String? in
            let claim = ledger.claimsAtBoth[place]
            let soon = claim.time + 1_000
            // What people do afterwards is not noted.
            guard soon < plan.start + plan.chaosLasts else { return nil }
            let isNews = !ledger.claimsAtBoth[(place + 1)...].contains {
                $0.id == claim.id && $0.time <= soon
            }
            let stands = ledger.shown.contains {
                $0.id == claim.id && $0.time < claim.time && ($0.hidden ?? .max) > soon
            }
            guard isNews, stands, let ask = ledger.asks.first(where: { $0.id == claim.id }),
                let holder = ledger.holder(afterClaim: place, until: soon)
            else { return nil }
            let told = ask.told.last { $0.time <= soon }?.state
            let isTold =
                holder == nil
                ? told?.station == .presented
                : told?.station == .claimed && told?.by == holder
            return isTold
                ? nil
                : "\(claim.id): told \(told?.station.rawValue ?? "nothing") by "
                    + "\(told?.by ?? "-") after \(claim.time), it is \(holder ?? "no one")'s"
        }
    }
}

extension Forgery {
    static let toldOfBoth = Forgery(checker: "told-of-both") { ledger, plan in
        guard plan.scene == .bothClaim,
            let shown = ledger.shown.first(where: { shown in
                (shown.hidden ?? .max) > shown.time + 2_000
                    && shown.time + 2_000 < plan.start + plan.chaosLasts
                    && ledger.asks.contains { $0.id == shown.id }
            })
        else { return false }
        ledger.claimsAtBoth.append(
            Ledger.ClaimAtOne(
                id: shown.id, presenter: "duty", time: shown.time + 1, by: "anna",
                until: .max - 100))
        return true
    }
}
