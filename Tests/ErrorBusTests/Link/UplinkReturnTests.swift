import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// Back from a later parent to an earlier one.
@Suite struct UplinkReturnTests {
    private let id = PresentationID(1)
    private static let home = Message.Welcome(
        node: "home", boot: BootID(number: 60), maxHeader: 8192, maxPayload: 262_144,
        maxOpen: 1024, pingMilliseconds: 4000, path: ["home"])

    /// The first parents were lost; the last is in use and holds one presentation.
    private func away(parents: Int = 2) -> UplinkRig {
        var rig = UplinkRig.live(parents: parents)
        _ = rig.present(id)
        for number in 1..<parents {
            _ = rig.get(.bye(reason: "shutdown"))
            _ = rig.run(200)
            _ = rig.machine.connected(at: rig.now)
            _ = rig.get(UplinkRig.welcome(boot: 50 + UInt64(number)))
        }
        _ = rig.get(.accepted(id: id, attempt: 2))
        return rig
    }

    /// The first parent has said WELCOME on the second socket.
    private func leaving() -> (UplinkRig, [UplinkAction]) {
        var rig = away()
        _ = rig.runAlive(38_000)
        _ = rig.machine.probeConnected(at: rig.now)
        let actions = rig.machine.probeReceived(.welcome(Self.home), at: rig.now)
        return (rig, actions)
    }

    private func probes(_ actions: [(at: UInt64, UplinkAction)]) -> [(at: UInt64, parent: Int)] {
        actions.compactMap {
            if case .openProbe(let parent) = $0.1 { ($0.at, parent) } else { nil }
        }
    }

    @Test("the first parent is tried every 30 s; dead, it takes nothing from the one in use")
    func staysAway() {
        var rig = away()
        let actions = rig.runAlive(200_000)
        let tried = probes(actions)
        #expect(tried.count == 4)
        let greetings: [UInt64] = [5_000, 10_000, 20_000]
        for (gap, greeting) in zip(zip(tried.dropFirst(), tried).map({ $0.at - $1.at }), greetings)
        {
            #expect((30_000...37_500).contains(gap - greeting), "\(gap) ms")
        }
        #expect(tried.allSatisfy { $0.parent == 0 })
        #expect(actions.filter { $0.1 == .closeProbe }.count >= tried.count - 1)
        #expect(Set(actions.map(\.1).verbs) == [.await])
        #expect(rig.machine.isLive)
        #expect(rig.machine.parent == 1)
    }

    @Test("F5 a first parent far away is returned to once its greeting gets the time it takes")
    func farAway() {
        var rig = away()
        var openedAt: UInt64?
        for second in 0..<300 where rig.machine.parent == 1 {
            let now = UInt64(second) * 1_000
            for action in rig.runAlive(1_000).map(\.1) {
                switch action {
                case .openProbe: openedAt = now
                case .closeProbe: openedAt = nil
                default: break
                }
            }
            guard let opened = openedAt else { continue }
            if now - opened == 16_000 { _ = rig.machine.probeConnected(at: rig.now) }
            guard now - opened == 24_000 else { continue }
            _ = rig.machine.probeReceived(.welcome(Self.home), at: rig.now)
            _ = rig.get(.withdrawn(id: id))
        }
        #expect(rig.machine.parent == 0)
        #expect(rig.machine.isLive)
    }

    @Test("with the first parent in use, none is tried")
    func atHome() {
        var rig = UplinkRig.live(parents: 3)
        #expect(probes(rig.runAlive(200_000)).isEmpty)
    }

    @Test("from the third parent the first two are tried in turn")
    func inTurn() {
        var rig = away(parents: 3)
        #expect(probes(rig.runAlive(200_000)).prefix(4).map(\.parent) == [0, 1, 0, 1])
    }

    @Test("HELLO on the second socket each second, for 5 s")
    func noWelcome() {
        var rig = away()
        _ = rig.runAlive(38_000)
        #expect(rig.machine.probeConnected(at: rig.now) == [.sendProbe(.hello("c", boot: 7))])
        let actions = rig.run(5_000).map(\.1)
        let hello = UplinkAction.sendProbe(.hello("c", boot: 7))
        #expect(actions.filter { $0 == hello }.count == 4)
        #expect(actions.contains(.closeProbe))
        #expect(rig.machine.probeReceived(.welcome(Self.home), at: rig.now).drops == [.duplicate])
    }

    @Test(
        "a refusal and a goodbye on the second socket close it",
        arguments: [
            Message.reject(.init(.busy, "full", retryMilliseconds: 100)), .bye(reason: "x"),
        ])
    func turnedAway(_ message: Message) {
        var rig = away()
        _ = rig.runAlive(38_000)
        _ = rig.machine.probeConnected(at: rig.now)
        #expect(rig.machine.probeReceived(.ping(3), at: rig.now) == [.sendProbe(.pong(3))])
        #expect(rig.machine.probeReceived(message, at: rig.now) == [.closeProbe])
        #expect(rig.machine.probeLost("x", at: rig.now) == [])
        #expect(probes(rig.runAlive(60_000)).count == 1)
    }

    @Test("F28 a parent on the second socket answers and ends nothing: another one was asked")
    func notAsked() {
        var rig = away()
        _ = rig.runAlive(38_000)
        _ = rig.machine.probeConnected(at: rig.now)
        let refusal = Message.reject(.init(.gone, "gone", id: id))
        let answer = Message.answer(id, .sample, digest: nil)
        for message in [answer, .withdrawn(id: id), refusal] {
            #expect(rig.machine.probeReceived(message, at: rig.now).drops == [.whileClosed])
        }
        #expect(rig.machine.entries[id]?.isOpen == true)
        #expect(rig.get(answer).contains(.answered(id, .sample)))
    }

    @Test("welcomed, it takes back what is open, each with an acknowledgement, and then moves")
    func moves() {
        var (rig, actions) = leaving()
        #expect(actions == [.send(.withdraw(id: id, reason: .abandoned))])
        let second = PresentationID(2)
        #expect(rig.present(second) == [])
        let moved = rig.get(.withdrawn(id: id))
        #expect(
            moved.prefix(3) == [
                .send(.bye(reason: "back to home")), .adoptProbe, .linkUp(Self.home),
            ])
        let asked = moved.sent.compactMap { message -> PresentationID? in
            if case .present(let present) = message { present.id } else { nil }
        }
        #expect(asked == [id, second])
        #expect(rig.machine.parent == 0)
        #expect(rig.machine.isLive)
        // A late reply of the parent that was left, and nothing more to try.
        #expect(rig.get(.withdrawn(id: id)) == [])
        #expect(rig.machine.entries[id]?.isOpen == true)
        #expect(probes(rig.runAlive(100_000)).isEmpty)
    }

    @Test("a withdrawal that is refused for now, and sent again, does not keep it from moving")
    func refusedWithdrawal() {
        var rig = away()
        let second = PresentationID(2)
        let asked = Message.Asked(origin: "c", digest: ReportDigest(of: Message.samplePayload))
        var request = UplinkRig.request(second, isForwarded: true)
        request.present.digest = asked.digest
        _ = rig.machine.presented(request, at: rig.now)
        _ = rig.get(.accepted(id: second, attempt: 1))
        let withdrawal = Message.withdraw(id: second, reason: .origin, asked: asked)
        #expect(rig.withdraw(second).sent == [withdrawal])
        let reject = Message.Reject(
            .notYours, "c has a live link here", id: second, retryMilliseconds: 2_000)
        _ = rig.get(.reject(reject))
        let actions = rig.runAlive(38_000)
        #expect(actions.map(\.1).sent.contains(withdrawal))
        #expect(probes(actions).map(\.parent) == [0])
        _ = rig.machine.probeConnected(at: rig.now)
        _ = rig.machine.probeReceived(.welcome(Self.home), at: rig.now)
        let moved = rig.get(.withdrawn(id: id))
        #expect(moved.contains(.adoptProbe))
        #expect(moved.sent.contains(withdrawal))
    }

    @Test("an answer on its way is taken, and its result sent to the parent that it came from")
    func answeredMeanwhile() {
        var (rig, _) = leaving()
        let answer = Message.answer(id, .decision())
        #expect(rig.get(answer) == [.answered(id, .decision())])
        #expect(rig.get(.withdrawn(id: id)) == [])
        let settled = rig.settle(id)
        #expect(settled.verbs == [.settled, .bye])
        #expect(settled.contains(.adoptProbe))
    }

    @Test("a parent that does not let go is left after 5 s")
    func leavesAnyway() {
        var (rig, _) = leaving()
        let actions = rig.run(5_000)
        let moved = actions.first { $0.1 == .adoptProbe }
        #expect(moved?.at == 5_000)
        #expect(actions.map(\.1).verbs == [.withdraw, .withdraw, .ping, .bye, .ping, .present])
        // The other one is silent since its WELCOME, not since the move.
        let lost = rig.run(30_000).first { if case .linkDown = $0.1 { true } else { false } }
        #expect(lost?.at == LinkTimes().silenceMax - 5_000)
    }

    @Test("busy and 404 said to what was asked before change nothing; 403 lets go")
    func refusedMeanwhile() {
        var (rig, _) = leaving()
        #expect(rig.get(.reject(.init(.busy, "", id: id, retryMilliseconds: 1))) == [])
        #expect(rig.get(.reject(.init(.unknownID, "", id: id))) == [])
        #expect(rig.get(.reject(.init(.notYours, "", id: id))).contains(.adoptProbe))
    }

    @Test("the second socket is lost while leaving: everything is asked again where it was")
    func probeLost() {
        var (rig, _) = leaving()
        let actions = rig.machine.probeLost("x", at: rig.now)
        #expect(actions.first == .closeProbe)
        #expect(actions.verbs == [.present])
        #expect(rig.get(.withdrawn(id: id)) == [])
        #expect(rig.machine.entries[id]?.isOpen == true)
        #expect(rig.machine.parent == 1)
    }

    @Test("the link is lost while leaving: the parent that has said WELCOME is next")
    func linkLost() {
        var (rig, _) = leaving()
        let lost = rig.machine.disconnected("x", at: rig.now)
        #expect(lost.contains(.closeProbe))
        #expect(rig.run(200).map(\.1) == [.open(parent: 0)])
        _ = rig.machine.connected(at: rig.now)
        #expect(rig.get(.welcome(Self.home)).verbs == [.present])
    }

    @Test("put off while an answer is carried out, ten times at most")
    func putOff() {
        var rig = away()
        _ = rig.get(.answer(id, .decision()))
        let tried = probes(rig.runAlive(450_000))
        #expect((330_000...413_000).contains(tried.first?.at ?? 0))
        _ = rig.settle(id)
        #expect(probes(rig.runAlive(60_000)).isEmpty == false)
    }

    @Test("a caller that gives up while it moves has given up; a deadline passes as ever")
    func endsMeanwhile() {
        var (rig, _) = leaving()
        #expect(rig.withdraw(id) == [.send(.withdraw(id: id, reason: .origin))])
        let moved = rig.get(.withdrawn(id: id))
        #expect(moved.verbs == [.bye])
        #expect(rig.machine.entries[id]?.isOpen == false)
    }

    @Test("stopping closes the second socket")
    func stops() {
        var (rig, _) = leaving()
        let actions = rig.machine.stopped(at: rig.now)
        #expect(actions.first == .closeProbe)
        #expect(actions.verbs == [.withdraw, .bye])
    }

    // MARK: Past a parent without a way up

    private static func relay(_ name: NodeName, isCutOff: Bool = false) -> Message {
        .welcome(
            Message.Welcome(
                node: name, boot: BootID(number: 70), maxHeader: 8192, maxPayload: 262_144,
                maxOpen: 1024, pingMilliseconds: 4000, path: [name] + (isCutOff ? [] : ["top"])))
    }

    private func says(_ state: PresentationState.Station) -> Message {
        .pending(Message.Pending(id: id, state: state, sinceMilliseconds: 0, by: nil))
    }

    /// The first of two relays has lost its parent, for so long.
    private func cutOff(for time: UInt64) -> (UplinkRig, [UplinkAction]) {
        var rig = UplinkRig(parents: 2)
        _ = rig.machine.started(at: rig.now)
        _ = rig.machine.connected(at: rig.now)
        _ = rig.get(Self.relay("one"))
        _ = rig.present(id)
        _ = rig.get(.accepted(id: id, attempt: 1))
        _ = rig.get(says(.unreachable))
        let actions = rig.runAlive(time).map(\.1)
        return (rig, actions)
    }

    @Test("A30 past a parent that has lost its own, after 10 s for each node of its way")
    func past() {
        #expect(!cutOff(for: 19_000).1.contains(.openProbe(parent: 1)))
        var (rig, actions) = cutOff(for: 20_000)
        #expect(actions.contains(.openProbe(parent: 1)))
        #expect(rig.machine.probeConnected(at: rig.now) == [.sendProbe(rig.machine.hello)])
        guard case .welcome(let two) = Self.relay("two") else { return }
        #expect(rig.machine.probeReceived(.welcome(two), at: rig.now).verbs == [.withdraw])
        let moved = rig.get(.withdrawn(id: id))
        #expect(moved.contains(.send(.bye(reason: "over to two"))))
        #expect(moved.contains(.adoptProbe))
        #expect(rig.machine.parent == 1)
        #expect(moved.verbs.contains(.present))
    }

    @Test("a parent whose way is there again in time is not left")
    func backInTime() {
        var (rig, _) = cutOff(for: 15_000)
        _ = rig.get(says(.relayed))
        _ = rig.get(says(.unreachable))
        #expect(!rig.runAlive(15_000).map(\.1).contains(.openProbe(parent: 1)))
        _ = rig.runAlive(5_000)
        _ = rig.machine.probeConnected(at: rig.now)
        _ = rig.get(says(.presented))
        guard case .welcome(let two) = Self.relay("two") else { return }
        #expect(rig.machine.probeReceived(.welcome(two), at: rig.now) == [.closeProbe])
        #expect(rig.machine.parent == 0)
    }

    @Test("a parent that is greeted without a way up is no way back", arguments: [true, false])
    func noWayBack(isCutOff: Bool) {
        var (rig, _) = cutOff(for: 20_000)
        _ = rig.machine.probeConnected(at: rig.now)
        guard case .welcome(let two) = Self.relay("two") else { return }
        _ = rig.machine.probeReceived(.welcome(two), at: rig.now)
        _ = rig.get(.withdrawn(id: id))
        _ = rig.get(.accepted(id: id, attempt: 2))
        #expect(rig.runAlive(38_000).map(\.1).contains(.openProbe(parent: 0)))
        _ = rig.machine.probeConnected(at: rig.now)
        guard case .welcome(let one) = Self.relay("one", isCutOff: isCutOff) else { return }
        let actions = rig.machine.probeReceived(.welcome(one), at: rig.now)
        #expect(isCutOff ? actions == [.closeProbe] : actions.verbs == [.withdraw])
    }
}
