import ErrorBus

/// Worlds in which a node stops that programs without a link wait for.
extension Plan {
    /// A node stops in order while programs without a link wait for its replies.
    mutating func stageStoppedWaiting(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 1]))
        let parent = processes[processes.count - 2].parents[0]
        processes.append(
            Process(name: Plan.requester, parents: [parent], isRequester: true))
        thinkingMax = 120_000
        chaosLasts = 20_000
        faults = [
            (random.number(9_000...12_000), .stop(parent, downFor: random.number(100...3_000)))
        ]
        ask(8, in: 2_000...8_500, using: &random) { call, random in
            call.isKept = false
            if random.happens(0.5) {
                call.worker = Plan.requester
            } else {
                call.worker = "bare"
                call.bareParent = parent
            }
        }
    }
}

extension World {
    /// A program without a link sends a request.
    func requested(_ id: PresentationID, at parent: String) {
        guard plan.scene == .stoppedWaiting else { return }
        ledger.requests.append(Ledger.Request(id: id, parent: parent, time: scheduler.now))
    }

    /// It gets a reply.
    func replied(_ id: PresentationID) {
        guard let place = ledger.requests.lastIndex(where: { $0.id == id }) else { return }
        ledger.requests[place].replied = ledger.requests[place].replied ?? scheduler.now
    }
}

extension Checker {
    static let repliedAtStop = Checker(
        name: "replied-at-stop",
        rule: "who waits without a link for a node that stops in order gets a reply at once"
    ) { ledger, _ in
        ledger.stops.flatMap { life, stop in
            ledger.requests.filter { request in
                request.parent == ledger.lifeEnds[life]?.process && request.time + 200 < stop
                    && request.replied ?? .max > stop + 500
            }.map { "\($0.id): sent at \($0.time), no reply when its node stopped at \(stop)" }
        }.sorted()
    }
}

extension Forgery {
    static let repliedAtStop = Forgery(checker: "replied-at-stop") { ledger, plan in
        guard plan.scene == .stoppedWaiting, let life = ledger.stops.keys.first,
            let process = ledger.lifeEnds[life]?.process
        else { return false }
        ledger.requests.append(Ledger.Request(id: .make(), parent: process, time: 0))
        return true
    }
}
