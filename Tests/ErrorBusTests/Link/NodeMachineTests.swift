import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// What a node's machine carries from one link to the other.
@Suite struct NodeMachineTests {
    /// A relay with the child `a` and a live parent.
    private struct Rig {
        var machine: NodeMachine
        let now: MonotonicTime = 1_000_000
        let id = PresentationID(1)
        let child = PeerID(1)

        init(isPassage: Bool = true) throws {
            machine = NodeMachine(
                below: DownlinkRig.withChild().machine, above: [UplinkRig.live().machine],
                endpoints: [[try Endpoint("ipc:///p")]])
            machine.isPassage = isPassage
        }

        mutating func fromChild(_ message: Message) -> [NodeAction] {
            machine.below(at: now) { [now, child] in
                $0.received(message, from: child, at: now)
            }
        }

        mutating func fromParent(_ message: Message) -> [NodeAction] {
            machine.above(0, at: now) { [now] in $0.received(message, at: now) }
        }

        /// The child asks, and the parent has it.
        mutating func ask() {
            _ = fromChild(.present(id))
            _ = fromParent(.accepted(id: id, attempt: 1))
        }
    }

    @Test("What a child asks goes up as it came, and its deadline with it")
    func passed() throws {
        var rig = try Rig()
        let actions = rig.fromChild(.present(rig.id, left: 5_000))
        #expect(actions.down(to: rig.child) == [])
        #expect(actions.offers.isEmpty)
        guard case .present(let present) = actions.up.first else {
            Issue.record("\(actions)")
            return
        }
        #expect(present.payload == Frame(#"{"domain":"d","description":"x"}"#.utf8))
        #expect(present.leftMilliseconds == 5_000)
        #expect(present.path == ["a", "c"])
        #expect(rig.machine.passingCount == 1)
    }

    @Test("Where the chain looks at it, it is offered there and stays here")
    func offered() throws {
        var rig = try Rig(isPassage: false)
        let actions = rig.fromChild(.present(rig.id))
        #expect(actions.offers.map(\.present.id) == [rig.id])
        #expect(actions.up.isEmpty)
    }

    @Test("An answer that an earlier life asked for goes to the child that waits in the chain")
    func answeredBefore() throws {
        var rig = try Rig(isPassage: false)
        _ = rig.fromChild(.present(rig.id))
        let digest = try #require(rig.machine.below.entries[rig.id]?.digest)
        let other = rig.fromParent(.answer(rig.id, .decision(), digest: ReportDigest(of: [1])))
        #expect(other.down(to: rig.child) == [])
        let answer = rig.fromParent(.answer(rig.id, .decision(), digest: digest))
        #expect(answer.down(to: rig.child) == [.answer])
        #expect(answer.contains(.cancel(rig.id, generation: 1, .abandoned)))
        #expect(rig.fromParent(.answer(rig.id, .decision(), digest: digest)) == [])
        #expect(rig.fromChild(.settled(rig.id, .recovered)).up.results == [.recovered])
        #expect(rig.machine.passingCount == 0)
    }

    @Test("An answer to an earlier life, of what its origin has withdrawn here, is settled so")
    func withdrawnHere() throws {
        var rig = try Rig(isPassage: false)
        _ = rig.fromChild(.present(rig.id))
        let digest = try #require(rig.machine.below.entries[rig.id]?.digest)
        #expect(rig.fromChild(.withdraw(id: rig.id, reason: .origin)).up == [])
        let other = rig.fromParent(.answer(rig.id, .decision(), digest: ReportDigest(of: [1])))
        #expect(other.up == [])
        let answer = rig.fromParent(.answer(rig.id, .decision(), digest: digest))
        #expect(answer.up == [.settled(rig.id, .withdrawn)])
        #expect(answer.down(to: rig.child) == [])
    }

    @Test("An answer goes down, its result up, and nothing is kept as passing")
    func answered() throws {
        var rig = try Rig()
        rig.ask()
        let answer = rig.fromParent(.answer(rig.id, Answer.decision()))
        #expect(answer.down(to: rig.child) == [.answer])
        #expect(rig.machine.passingCount == 1)
        let settled = rig.fromChild(.settled(rig.id, .recovered))
        #expect(settled.up.results == [.recovered])
        #expect(rig.machine.passingCount == 0)
        #expect(rig.machine.tableSizes.waiting == 0)
    }

    @Test("What a node above dealt with is settled there at once, and told as dealt with")
    func dealtWith() throws {
        var rig = try Rig()
        rig.ask()
        var answer = Answer.decision()
        answer.didRecover = false
        let actions = rig.fromParent(.answer(rig.id, answer))
        #expect(actions.up.results == [.failed])
        guard case .answer(_, let told, _) = actions.messages(to: rig.child).first else {
            Issue.record("\(actions)")
            return
        }
        #expect(told.didRecover == false)
        #expect(rig.machine.passingCount == 0)
    }

    @Test("An end without an answer goes down under the id that is given: a machine makes its own")
    func endedWithoutAnswer() {
        let outcome = Outcome(didRecover: false, reason: .withheld, decidedBy: "top")
        let id = UniqueID(high: 0x7000, low: 0x8000_0000_0000_0000)
        guard case .decided(let answer) = DownlinkVerdict(outcome, node: "p", answerID: id) else {
            Issue.record("no answer")
            return
        }
        #expect(answer.id == id)
        #expect(answer.reason == Outcome.Reason.withheld.rawValue)
    }

    @Test("the age of a state above goes down with it, and grows")
    func standing() throws {
        var rig = try Rig()
        rig.ask()
        _ = rig.machine.below(at: rig.now + 50) { $0.ticked(at: 1_000_050) }
        func age(_ actions: [NodeAction]) -> UInt64? {
            guard case .pending(let pending) = actions.messages(to: rig.child).first else {
                return nil
            }
            return pending.sinceMilliseconds
        }
        let pending = Message.Pending(
            id: rig.id, state: .presented, sinceMilliseconds: 7_000, by: "ann")
        #expect(age(rig.fromParent(.pending(pending))) == 7_000)
        let later = rig.now + 500
        let again = rig.machine.below(at: later) { [id = rig.id, child = rig.child] in
            $0.received(.await(id: id, waitMilliseconds: 0), from: child, at: later)
        }
        #expect(age(again) == 7_500)

        // A node that has been up for a shorter time counts from its start at most.
        var claimed = pending
        claimed.state = .claimed
        claimed.sinceMilliseconds = WireLimits.numberMax
        #expect(age(rig.fromParent(.pending(claimed))) == 1_000_000)
        var told = try Rig(isPassage: false)
        _ = told.fromChild(.present(told.id))
        _ = told.machine.below(at: told.now + 50) { $0.ticked(at: 1_000_050) }
        let own = told.machine.below(at: told.now) { [id = told.id, now = told.now] in
            $0.moved(id, generation: 1, to: .queued, by: nil, since: now - 3_000, at: now)
        }
        #expect(age(own) == 3_000)
    }

    @Test("A refusal from above is the child's, in the place of ACCEPTED")
    func refused() throws {
        var rig = try Rig()
        rig.ask()
        let reject = Message.Reject(.gone, "shown before", id: rig.id)
        let actions = rig.fromParent(.reject(reject))
        guard case .reject(let told) = actions.messages(to: rig.child).first else {
            Issue.record("\(actions)")
            return
        }
        // The detail of an outcome begins with the number, and the child prepends it as well.
        #expect(told.code == .gone && told.reason == "shown before")
        #expect(actions.down(to: rig.child) == [.reject])
        #expect(rig.machine.passingCount == 0)

        var large = try Rig()
        _ = large.machine.above(0, at: large.now) {
            $0.welcome?.maxPayload = 1
            return []
        }
        #expect(large.fromChild(.present(large.id)).down(to: large.child) == [.reject])
    }

    @Test("A child's withdrawal goes up, with its reason")
    func withdrawn() throws {
        for reason in [Message.WithdrawReason.origin, .abandoned] {
            var rig = try Rig()
            rig.ask()
            var up = rig.fromChild(.withdraw(id: rig.id, reason: reason, asked: nil)).up
            up += rig.machine.above(0, at: rig.now + 10_000) { $0.ticked(at: 1_010_000) }.up
            let reasons: [Message.WithdrawReason] = up.compactMap {
                if case .withdraw(rig.id, let reason, _) = $0 { reason } else { nil }
            }
            #expect(reasons.first == reason)
            #expect(rig.machine.tableSizes.waiting == 0)
        }
    }

    @Test("The result of an answer that the chain gave is for what waits, later for the journal")
    func attempted() throws {
        var rig = try Rig(isPassage: false)
        _ = rig.fromChild(.present(rig.id))
        let answer = Answer.sample
        let (known, _) = rig.machine.answered(
            rig.id, generation: 1, with: answer, at: rig.now)
        #expect(known == nil)
        let attempt = NodeMachine.Attempt(id: rig.id, answer: answer.id)
        let settled = rig.fromChild(.settled(rig.id, .unknown, answer: answer.id))
        #expect(settled.contains(.attempted(attempt, .unknown)))
        let later = rig.fromChild(.settled(rig.id, .recovered, answer: answer.id))
        let isLater = later.contains {
            if case .settledLater(rig.id, _, .recovered) = $0 { true } else { false }
        }
        #expect(isLater)
    }

    @Test("At the stop the result of an answer that a live child has is left to the next life")
    func leftToNextLife() throws {
        for isLive in [true, false] {
            var rig = try Rig(isPassage: false)
            _ = rig.fromChild(.present(rig.id))
            if !isLive {
                _ = rig.machine.below(at: rig.now) { [now = rig.now, child = rig.child] in
                    $0.vanished(child, at: now)
                }
            }
            _ = rig.machine.answered(rig.id, generation: 1, with: .sample, at: rig.now)
            let attempt = NodeMachine.Attempt(id: rig.id, answer: Answer.sample.id)
            let stopped = rig.machine.stopped(at: rig.now)
            #expect(stopped.contains(.leftToNextLife(attempt)) == isLive)
            #expect(stopped.contains(.attempted(attempt, .unknown)) == !isLive)
            #expect(rig.machine.tableSizes.attempts == 0)
        }
    }

    @Test("A caller that asks again takes the place of the one before; at the stop both are free")
    func callers() throws {
        var rig = try Rig()
        let request = UplinkRig.request(rig.id)
        _ = rig.machine.asked(request, on: 0, caller: 1, at: rig.now)
        let second = rig.machine.asked(request, on: 0, caller: 2, at: rig.now)
        #expect(second.contains(.ended(caller: 1, .withdrawn)))
        #expect(rig.machine.gaveUp(rig.id, on: 0, caller: 1, .origin, at: rig.now).isEmpty)
        let stopped = rig.machine.stopped(at: rig.now)
        #expect(stopped.contains(.ended(caller: 2, .shutDown)))
        #expect(rig.machine.tableSizes.waiting == 0)
    }

    @Test("A grace was only too short where the parent is up and has refused nothing")
    func tooSoon() throws {
        var slow = try Rig()
        let request = UplinkRig.request(slow.id, grace: 0)
        let first = slow.machine.asked(request, on: 0, caller: 1, at: slow.now).outcome
        #expect(first?.isTooSoon == true)
        let why = "connected, but no node above has accepted it yet"
        #expect(first?.detail == "tried ipc:///p: \(why)")

        var busy = try Rig()
        let patient = UplinkRig.request(busy.id, grace: 100)
        _ = busy.machine.asked(patient, on: 0, caller: 1, at: busy.now)
        _ = busy.fromParent(.reject(Message.Reject(.busy, "full", id: busy.id)))
        let second = busy.machine.ticked(at: busy.now + 200).outcome
        #expect(second?.isTooSoon == false)
        #expect(second?.detail == "tried ipc:///p: refused: 429 full")

        var gone = try Rig()
        _ = gone.machine.above(0, at: gone.now) { [now = gone.now] in
            $0.disconnected("the connection was lost", at: now)
        }
        let third = gone.machine.asked(request, on: 0, caller: 1, at: gone.now).outcome
        #expect(third?.isTooSoon == false)
        #expect(third?.detail == "tried ipc:///p: the connection was lost")
    }

    @Test("What a node asks itself is held, and what passes it on both links; open it counts twice")
    func held() throws {
        var rig = try Rig()
        #expect(rig.machine.heldCount == 0)
        _ = rig.machine.asked(
            UplinkRig.request(PresentationID(2)), on: 0, caller: 1, at: rig.now)
        #expect(rig.machine.heldCount == 2)
        rig.ask()
        #expect(rig.machine.heldCount == 6)
    }

    @Test("A result that is unknown only because the node stops is left open above")
    func stopping() throws {
        var rig = try Rig()
        rig.ask()
        _ = rig.fromParent(.answer(rig.id, Answer.decision()))
        #expect(rig.machine.stopped(at: rig.now).up.results.isEmpty)
        #expect(rig.machine.passingCount == 0)
    }
}

extension [NodeAction] {
    func messages(to peer: PeerID) -> [Message] {
        compactMap { if case .send(let message, peer) = $0 { message } else { nil } }
    }

    func down(to peer: PeerID) -> [Verb] { messages(to: peer).map(\.verb) }

    var up: [Message] {
        compactMap { if case .above(_, .send(let message)) = $0 { message } else { nil } }
    }

    /// What the first caller whose presentation ended gets.
    fileprivate var outcome: Outcome? {
        let endings: [UplinkEnding] = compactMap {
            if case .ended(_, let ending) = $0 { ending } else { nil }
        }
        return endings.first.map { Outcome($0, at: "c") }
    }

    var offers: [DownlinkOffer] {
        compactMap { if case .offer(let offer) = $0 { offer } else { nil } }
    }
}

extension [Message] {
    fileprivate var results: [RecoveryResult] {
        compactMap { if case .settled(let settled) = $0 { settled.result } else { nil } }
    }
}
