import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// What a node keeps of a presentation whose end is final.
@Suite struct TombstoneTests {
    private let one = PeerID(1)
    private let id = PresentationID(1)

    @Test("it has at most 192 bytes, less than half of what it was")
    func sizes() {
        let (below, above) = (
            MemoryLayout<DownlinkEntry.Tombstone>.size, MemoryLayout<UplinkEntry.Tombstone>.size
        )
        #expect(below <= 192 && below < MemoryLayout<DownlinkEntry>.size / 2)
        #expect(above <= 192 && above < MemoryLayout<UplinkEntry>.size / 2)
    }

    @Test("a parent replies from it, and forgets it in time")
    func below() throws {
        var rig = DownlinkRig.withChild()
        _ = rig.get(.present(id), from: one)
        _ = rig.answer(id)
        #expect(rig.machine.entries.tombstoneCount == 0)
        _ = rig.get(.settled(id, .recovered), from: one)
        #expect(rig.machine.entries.tombstoneCount == 1 && rig.machine.entries.count == 1)
        let again = try #require(rig.get(.present(id, attempt: 2), from: one).sent(to: one).first)
        guard case .answer(id, let answer, _) = again else {
            Issue.record("\(again)")
            return
        }
        #expect(answer.id == Message.sampleAnswer && answer.didRecover == true)
        #expect(rig.get(.present(id, text: "y"), from: one).reject(to: one) == .conflict)
        #expect(rig.machine.entries.tombstoneCount == 1 && rig.machine.remembered.count == 1)
        _ = rig.runAlive(600_000)
        #expect(rig.machine.entries.isEmpty)
    }

    @Test("a child replies from it, to its parent and to its caller, and forgets it in time")
    func above() {
        var rig = UplinkRig.live()
        _ = rig.present(id)
        _ = rig.get(.answer(id, .decision()))
        #expect(rig.machine.entries.tombstoneCount == 0)
        _ = rig.settle(id)
        #expect(rig.machine.entries.tombstoneCount == 1 && rig.machine.entries.count == 1)
        #expect(rig.get(.answer(id, .decision())).sent == [.settled(id, .recovered)])
        #expect(rig.present(id) == [.answered(id, .repeated(didRecover: true))])
        #expect(rig.machine.entries.tombstoneCount == 1 && rig.machine.remembered.count == 1)
        _ = rig.runAlive(600_000)
        #expect(rig.machine.entries.isEmpty)
    }

    @Test("a result of unknown leaves none, since another may replace it")
    func unknown() {
        var parent = DownlinkRig.withChild()
        _ = parent.get(.present(id), from: one)
        _ = parent.answer(id)
        _ = parent.get(.settled(id, .unknown), from: one)
        #expect(parent.machine.entries.tombstoneCount == 0)
        _ = parent.get(.settled(id, .failed), from: one)
        #expect(parent.machine.entries.tombstoneCount == 1)
        var child = UplinkRig.live()
        _ = child.present(id)
        _ = child.get(.answer(id, .decision()))
        _ = child.settle(id, .unknown)
        #expect(child.machine.entries.tombstoneCount == 0)
    }

    @Test("a parent's has who asked, for what, and how it ended")
    func keptBelow() throws {
        let digest = ReportDigest(of: Message.samplePayload)
        var delivery = DownlinkEntry.Delivery(answer: .decision(), decidedAt: 1)
        delivery.result = .failed
        delivery.until = 9
        for asker in [DownlinkEntry.Asker.child("b"), .requester(nil)] {
            let whole = DownlinkEntry(
                id: id, origin: "a", digest: digest, asker: asker, key: "k",
                phase: .answered(delivery), generation: 4, askedAt: 1, standingSince: 1)
            let again = DownlinkEntry(id, try #require(whole.tombstone))
            #expect(again.id == id && again.asked == whole.asked && again.asked != nil)
            #expect(again.asker == asker && again.key == "k" && again.account == .key("k"))
            #expect(again.generation == 4 && again.forgetAt == 9)
            #expect(again.answer == .decision())
            #expect(again.result(of: PresentationID(8).value, to: digest) == .late)
        }
    }

    @Test("a child's has the attempts, the life of its parent, and what came before the end")
    func keptAbove() throws {
        var request = UplinkRig.request(id, isForwarded: true)
        request.present.digest = ReportDigest(of: Message.samplePayload)
        var whole = UplinkEntry(
            request: request, phase: .settled(Message.sampleAnswer, .invalid, until: 9), since: 1,
            attempt: 7)
        whole.answer = .decision()
        whole.noteKnown(in: BootID(number: 3))
        whole.wasAccepted = true
        whole.wasAbandoned = true
        whole.isBehindWithdrawal = true
        let again = UplinkEntry(id, try #require(whole.tombstone))
        #expect(again.request.present.id == id && again.attempt == 7)
        #expect(again.asked == whole.asked && again.asked != nil && again.request.isForwarded)
        #expect(again.phase == whole.phase && again.answer == .decision())
        #expect(again.knownIn == BootID(number: 3) && again.wasAccepted)
        #expect(again.wasAbandoned && again.isBehindWithdrawal)
    }

    @Test("an entry that is read again and has not changed is what it was")
    func again() throws {
        var parent = DownlinkRig.withChild()
        _ = parent.get(.present(id), from: one)
        _ = parent.answer(id)
        _ = parent.get(.settled(id, .failed), from: one)
        let below = try #require(parent.machine.entries[id])
        let kept = try #require(below.tombstone)
        #expect(DownlinkEntry(id, kept) == below)
        #expect(below.asker == .child("a") && below.isUnsettled == false)
        var child = UplinkRig.live()
        _ = child.present(id)
        _ = child.get(.answer(id, .decision()))
        _ = child.settle(id)
        let above = try #require(child.machine.entries[id])
        let keptAbove = try #require(above.tombstone)
        #expect(UplinkEntry(id, keptAbove) == above)
        #expect(above.attempt == 1 && above.phase != .waiting)
    }
}
