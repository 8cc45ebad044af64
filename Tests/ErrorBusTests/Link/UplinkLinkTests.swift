import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// Connecting, greeting, liveness, several parents.
@Suite struct UplinkLinkTests {
    @Test("open, HELLO, WELCOME")
    func opening() {
        var rig = UplinkRig()
        #expect(rig.machine.started(at: rig.now) == [.open(parent: 0)])
        #expect(rig.machine.connected(at: rig.now) == [.send(.hello("c", boot: 7))])
        let actions = rig.get(UplinkRig.welcome())
        #expect(actions.count == 1)
        #expect(rig.machine.isLive)
        #expect(rig.get(UplinkRig.welcome()).drops == [.duplicate])
    }

    @Test("HELLO again each second; without WELCOME the socket is replaced")
    func noWelcome() {
        var rig = UplinkRig()
        _ = rig.machine.started(at: rig.now)
        _ = rig.machine.connected(at: rig.now)
        let actions = rig.run(5_000)
        #expect(actions.map(\.1).verbs == [.hello, .hello, .hello, .hello])
        #expect(actions.last?.1 == .close)
    }

    @Test("parents are tried in order, with a growing pause, and again from the first")
    func parents() {
        var rig = UplinkRig(parents: 3)
        _ = rig.machine.started(at: rig.now)
        let opened = rig.run(200_000).compactMap { action -> (UInt64, Int)? in
            if case .open(let parent) = action.1 { (action.at, parent) } else { nil }
        }
        #expect(opened.prefix(6).map(\.1) == [1, 2, 0, 1, 2, 0])
        let gaps = zip(opened.dropFirst(), opened).map { $0.0 - $1.0 }
        #expect((5_200...5_250).contains(gaps[0]))
        // A round of all three takes at most 40 s and its pauses, however often it failed.
        #expect((16_833...17_708).contains(gaps[8]))
        #expect(gaps.allSatisfy { $0 <= 17_708 })
    }

    @Test("F5 each failed try gives the greeting twice the time, up to 40 s, until one succeeds")
    func slowGreeting() {
        var rig = UplinkRig()
        _ = rig.machine.started(at: rig.now)
        func greetings(_ rig: inout UplinkRig) -> [UInt64] {
            var begun: UInt64?
            return rig.run(300_000).compactMap { action -> UInt64? in
                if case .open = action.1 { begun = action.at }
                return action.1 == .close ? action.at - (begun ?? 0) : nil
            }
        }
        #expect(greetings(&rig).prefix(5) == [5_000, 10_000, 20_000, 40_000, 40_000])
        // What is slow comes up: here after 16 s of handshake and 8 s for WELCOME.
        _ = rig.run(50_000)
        if case .waiting = rig.machine.link { _ = rig.run(7_000) }
        _ = rig.machine.connected(at: rig.now)
        let whileGreeting = rig.run(8_000).map(\.1)
        #expect(Set(whileGreeting.verbs) == [.hello])
        _ = rig.get(UplinkRig.welcome())
        #expect(rig.machine.isLive)
        _ = rig.machine.disconnected("x", at: rig.now)
        _ = rig.run(200)
        let opened = rig.now
        let closed = rig.run(5_000).first { $0.1 == .close }
        #expect(closed != nil && rig.now.since(opened) == 5_000)
    }

    @Test("F29 a link that keys keep down is tried within 4.4 s, so that it is up 5 s after a mend")
    func keptDown() {
        var rig = UplinkRig()
        _ = rig.machine.started(at: rig.now)
        for failure in 1...100 {
            #expect(rig.machine.giveUp("this node's key is not known", at: rig.now) == [.close])
            let opened = rig.run(4_400).filter { $0.1 == .open(parent: 0) }
            #expect(opened.count == 1, "after \(failure)")
        }
        _ = rig.machine.connected(at: rig.now)
        _ = rig.get(UplinkRig.welcome())
        #expect(rig.machine.isLive)
    }

    @Test("F12 on loss of the first parent everything open goes to the next under the same ids")
    func nextParent() {
        var rig = UplinkRig.live(parents: 2)
        let id = PresentationID(1)
        _ = rig.present(id)
        _ = rig.get(.accepted(id: id, attempt: 1))
        let lost = rig.get(.bye(reason: "shutdown"))
        #expect(
            lost == [
                .close, .linkDown(reason: "parent left: shutdown"),
                .moved(id, .unreachable, by: "p"),
            ])
        #expect(rig.run(200).map(\.1) == [.open(parent: 1)])
        _ = rig.machine.connected(at: rig.now)
        let actions = rig.get(UplinkRig.welcome(boot: 51))
        let attempts = actions.sent.compactMap { message -> UInt64? in
            if case .present(let present) = message { present.attempt } else { nil }
        }
        #expect(attempts == [2])
    }

    @Test("F3 F5 F18 one PING after silence, then the link is given up; a reply is life")
    func liveness() {
        var rig = UplinkRig.live()
        let alive = rig.runAlive(30_000).map(\.1)
        #expect(alive.isEmpty)
        let actions = rig.run(12_000)
        #expect(actions.map(\.at) == [4_000, 12_000, 12_000])
        #expect(actions.map(\.1).verbs == [.ping])
        #expect(rig.get(.ping(3)) == [])
    }

    @Test(
        "F3 what a parent sends of its own accord is no life: this side's may arrive nowhere",
        arguments: [
            .ping(1), .pending(.init(id: PresentationID(1), state: .presented)),
            .answer(PresentationID(1), .decision()),
            .reject(.init(.gone, "the chain above ended", id: PresentationID(1))),
        ] as [Message])
    func oneWay(message: Message) {
        var rig = UplinkRig.live()
        _ = rig.run(5_000)
        _ = rig.get(message)
        #expect(rig.run(7_000).contains { $0 == (7_000, .close) })
    }

    @Test("PING is answered")
    func pong() {
        var rig = UplinkRig.live()
        #expect(rig.get(.ping(3)) == [.send(.pong(3))])
    }

    @Test(
        "a refusal without an id concerns the link: pause as long as it says",
        arguments: [
            (nil, 5_000), (50, 100), (7_000, 7_000), (1 << 53, 60_000),
        ] as [(UInt64?, UInt64)])
    func linkRefused(_ retry: UInt64?, _ pause: UInt64) {
        var rig = UplinkRig()
        _ = rig.machine.started(at: rig.now)
        _ = rig.machine.connected(at: rig.now)
        let reject = Message.Reject(.notYours, "held", retryMilliseconds: retry)
        #expect(rig.get(.reject(reject)) == [.close])
        #expect(rig.run(pause).map(\.at) == [pause])
        #expect(rig.machine.lastFailure == "refused: 403 held")
    }

    @Test("F1 a lost connection is made again after 100 ms; the same parent is asked first")
    func lostConnection() {
        var rig = UplinkRig.live(parents: 2)
        #expect(rig.machine.disconnected("x", at: rig.now).first == .close)
        let next = rig.run(500).first
        #expect(next?.1 == .open(parent: 0))
        #expect((100...125).contains(next?.at ?? 0))
    }

    @Test("F2 a connection lost before WELCOME is backed off from, and the next parent asked")
    func lostGreeting() {
        var rig = UplinkRig(parents: 2)
        _ = rig.machine.started(at: rig.now)
        _ = rig.machine.connected(at: rig.now)
        #expect(rig.machine.disconnected("x", at: rig.now) == [.close])
        #expect(rig.run(500).first?.1 == .open(parent: 1))
    }

    @Test("events of a socket that is closed already change nothing")
    func late() {
        var rig = UplinkRig.live()
        _ = rig.machine.giveUp("x", at: rig.now)
        #expect(rig.machine.giveUp("y", at: rig.now) == [])
        #expect(rig.machine.disconnected("z", at: rig.now) == [])
        #expect(rig.machine.connected(at: rig.now) == [])
        #expect(rig.get(.bye(reason: "")) == [])
        _ = rig.machine.stopped(at: rig.now)
        #expect(rig.machine.giveUp("x", at: rig.now) == [])
        #expect(rig.machine.nextDue == nil)
    }

    @Test("WELCOME asks everything again, at most 20 within a millisecond")
    func paced() {
        var rig = UplinkRig.live()
        for number in 1...103 as ClosedRange<UInt64> {
            _ = rig.present(PresentationID(number))
            _ = rig.get(.accepted(id: PresentationID(number), attempt: 1))
        }
        rig.reconnect()
        let first = rig.get(UplinkRig.welcome()).verbs.filter { $0 == .present }.count
        let later = rig.run(100).filter { [$0.1].verbs == [.present] }
        #expect(first == 20)
        #expect(first + later.count == 103)
        #expect(Dictionary(grouping: later, by: \.at).values.allSatisfy { $0.count <= 20 })
    }

    @Test("stopping withdraws this node's own and says goodbye; children's stay")
    func stopping() {
        var rig = UplinkRig.live()
        _ = rig.present(PresentationID(1))
        _ = rig.present(PresentationID(2), isForwarded: true)
        let actions = rig.machine.stopped(at: rig.now)
        #expect(
            actions.sent == [
                .withdraw(id: PresentationID(1), reason: .origin), .bye(reason: "shutdown"),
            ])
        #expect(rig.present(PresentationID(3)).refusals == [.noResponder])
    }

    @Test(
        "what only children say is dropped", arguments: Message.samples.filter { !$0.verb.goesDown }
    )
    func direction(_ message: Message) {
        var rig = UplinkRig.live()
        #expect(rig.get(message).drops == [.wrongDirection])
    }
}
