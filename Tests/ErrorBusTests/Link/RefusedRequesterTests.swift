import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// A peer that gets one reply per request, refused between two of its requests.
@Suite struct RefusedRequesterTests {
    private let peer = PeerID(socket: 1, envelope: Envelope(frames: [[1], []]))
    private let now = MonotonicTime(milliseconds: 1_000)
    private let present = Message.Present(
        id: .make(), origin: "cron", path: ["cron"], waitMilliseconds: 0, payload: [])

    /// PRESENT that does not wait, its PENDING, and then the chain's refusal.
    private func refusedMachine(_ code: RejectCode) -> DownlinkMachine {
        var machine = DownlinkMachine(name: "central", boot: .make(), seed: 1)
        _ = machine.received(.present(present), from: peer, at: now)
        #expect(
            machine.completed(
                present.id, generation: 1, verdict: .refused(code, "why"), at: now) == [])
        return machine
    }

    @Test("AWAIT learns of it, once; the next PRESENT is a new question")
    func awaiting() {
        var machine = refusedMachine(.noResponder)
        let reject = Message.reject(.init(.noResponder, "why", id: present.id))
        let told = machine.received(
            .await(id: present.id, waitMilliseconds: 0), from: peer, at: now)
        #expect(told == [.send(reject, to: peer)])
        let again = machine.received(.present(present), from: peer, at: now)
        #expect(again.contains { if case .offer = $0 { true } else { false } })
    }

    @Test("PRESENT again learns of it as well, without asking the chain")
    func presenting() {
        var machine = refusedMachine(.malformed)
        let reject = Message.reject(.init(.malformed, "why", id: present.id))
        #expect(
            machine.received(.present(present), from: peer, at: now)
                == [.send(reject, to: peer)])
        #expect(machine.entries.isEmpty)
    }

    @Test("A client without a link learns when to ask a busy chain again")
    func busy() {
        var rig = DownlinkRig()
        _ = rig.get(.present(PresentationID(1), wait: 20_000), from: peer)
        let refused = rig.machine.completed(
            PresentationID(1), generation: 1, verdict: .refused(.busy, "full"), at: rig.now)
        let pauses = refused.sent(to: peer).compactMap { message -> UInt64? in
            if case .reject(let reject) = message { reject.retryMilliseconds } else { nil }
        }
        #expect(pauses == [1_000])
    }
}
