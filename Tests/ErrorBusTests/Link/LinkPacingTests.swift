import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// What concerns many at one time does not come to the other side in one moment.
@Suite struct LinkPacingTests {
    private static let ids = (1...103 as ClosedRange<UInt64>).map { PresentationID($0) }

    private let one = PeerID(1)
    private let two = PeerID(2)
    private let id = PresentationID(1)

    /// The times at which this attempt of a presentation is sent.
    private func times(
        of attempt: UInt64, in actions: [(at: UInt64, UplinkAction)]
    ) -> [UInt64] {
        actions.compactMap { action -> UInt64? in
            guard case .send(.present(let present)) = action.1, present.attempt == attempt
            else { return nil }
            return action.at
        }
    }

    /// Whether at most 5 of them are within one millisecond.
    private func arePaced(_ times: [UInt64]) -> Bool {
        Dictionary(grouping: times, by: \.self).values.allSatisfy { $0.count <= 20 }
    }

    // MARK: With jitter

    @Test("what was sent at one time without a reply is sent again at many times")
    func resent() {
        var rig = UplinkRig.live()
        for id in Self.ids { _ = rig.present(id) }
        let again = times(of: 2, in: rig.run(1_250))
        #expect(again.count == Self.ids.count)
        #expect(again.allSatisfy { (1_000...1_250).contains($0) })
        #expect(Set(again).count > 50)
    }

    @Test("answers that went down at one time without a result go down again at many times")
    func answersResent() {
        var limits = LinkLimits()
        // So many that no PING is needed.
        limits.unreadByteCountMax = 1 << 20
        var rig = DownlinkRig.withChild(limits: limits)
        for id in Self.ids {
            _ = rig.get(.present(id), from: one)
            _ = rig.answer(id)
        }
        let again = rig.run(1_250).filter { [$0.1].verbs(to: one) == [.answer] }.map(\.at)
        #expect(again.count == Self.ids.count)
        #expect(again.allSatisfy { (1_000...1_250).contains($0) })
        #expect(Set(again).count > 50)
    }

    @Test(
        "what is refused at one time with one pause is asked again at many times",
        arguments: [RejectCode.noResponder, .notYours])
    func refused(code: RejectCode) {
        var rig = UplinkRig.live()
        for id in Self.ids { _ = rig.present(id) }
        for id in Self.ids {
            _ = rig.get(.reject(.init(code, "later", id: id, retryMilliseconds: 8_000)))
        }
        let again = times(of: 2, in: rig.runAlive(12_000))
        #expect(again.count == Self.ids.count)
        #expect(again.allSatisfy { (8_000...12_000).contains($0) })
        #expect(Set(again).count > 90)
    }

    @Test("children that a full parent refuses at one time ask again at many times")
    func refusedChildren() {
        let again = (1...50 as ClosedRange<UInt64>).compactMap { seed -> UInt64? in
            var rig = UplinkRig()
            rig.machine = UplinkMachine(
                name: "c", boot: BootID(number: 7), parentCount: 1, seed: seed)
            _ = rig.machine.started(at: rig.now)
            _ = rig.machine.connected(at: rig.now)
            _ = rig.get(UplinkRig.welcome())
            _ = rig.present(id)
            _ = rig.get(.reject(.init(.busy, "full", id: id, retryMilliseconds: 8_000)))
            return times(of: 2, in: rig.runAlive(12_000)).first
        }
        #expect(again.count == 50)
        #expect(again.allSatisfy { (8_000...12_000).contains($0) })
        #expect(Set(again).count > 40)
    }

    // MARK: On a new link

    @Test("withdrawals go to a new link one after the other, at most 20 within a millisecond")
    func withdrawals() {
        var rig = UplinkRig.live()
        for id in Self.ids {
            _ = rig.present(id)
            _ = rig.get(.accepted(id: id, attempt: 1))
            _ = rig.withdraw(id)
        }
        rig.reconnect()
        let first = rig.get(UplinkRig.welcome()).verbs.filter { $0 == .withdraw }.count
        let later = rig.run(100).filter { [$0.1].verbs == [.withdraw] }.map(\.at)
        #expect(first == 20)
        #expect(first + later.count == Self.ids.count)
        #expect(arePaced(later))
    }

    @Test("answers go to a child that is back one after the other, at most 20 within a millisecond")
    func answers() {
        var rig = DownlinkRig.withChild()
        for id in Self.ids {
            _ = rig.get(.present(id), from: one)
            _ = rig.answer(id)
        }
        _ = rig.machine.vanished(one, at: rig.now)
        let back = rig.get(.hello("a"), from: two).verbs(to: two)
        let first = back.filter { $0 == .answer }.count
        let later = rig.run(100).filter { [$0.1].verbs(to: two) == [.answer] }.map(\.at)
        #expect(first == 20)
        #expect(first + later.count == Self.ids.count)
        #expect(arePaced(later))
    }

    @Test("results go to a new link after all that is presented on it")
    func resultsLast() {
        var rig = UplinkRig.live()
        let ended = PresentationID(1_000)
        var request = UplinkRig.request(ended)
        request.present.digest = ReportDigest(of: Message.samplePayload)
        _ = rig.machine.presented(request, at: rig.now)
        _ = rig.get(.answer(ended, .decision()))
        _ = rig.settle(ended)
        for id in Self.ids { _ = rig.present(id) }
        rig.reconnect()
        var verbs = rig.get(UplinkRig.welcome(boot: 51)).verbs
        verbs += rig.run(100).map(\.1).verbs
        #expect(verbs == [Verb](repeating: .present, count: Self.ids.count) + [.settled])
    }

    @Test("a parent that is left gets WITHDRAW one after the other, at most 20 in a millisecond")
    func releases() {
        var rig = UplinkRig.live(parents: 2)
        for id in Self.ids { _ = rig.present(id) }
        _ = rig.get(.bye(reason: "shutdown"))
        _ = rig.run(200)
        _ = rig.machine.connected(at: rig.now)
        _ = rig.get(UplinkRig.welcome(boot: 51))
        _ = rig.run(100)
        for id in Self.ids { _ = rig.get(.accepted(id: id, attempt: 2)) }
        var isTried = false
        for _ in 0..<38 where !isTried {
            isTried = rig.runAlive(1_000).contains { $0.1 == .openProbe(parent: 0) }
        }
        #expect(isTried)
        _ = rig.machine.probeConnected(at: rig.now)
        let left = rig.machine.probeReceived(UplinkRig.welcome(boot: 60), at: rig.now)
        #expect(left.verbs == [Verb](repeating: .withdraw, count: 20))
        let later = rig.run(100).filter { [$0.1].verbs == [.withdraw] }.map(\.at)
        #expect(later.count == Self.ids.count - 20)
        #expect(arePaced(later))
    }
}
