import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// The deadline of a bare client, which says nothing while it waits.
@Suite struct BareDeadlineTests {
    private let client = PeerID(9)
    private let id = PresentationID(1)

    @Test("a bare client waits ten minutes at most, also for what another peer has asked before")
    func takenOver() throws {
        var rig = DownlinkRig()
        let request = try BareRequest(Frame(DownlinkRequestTests.report(id).utf8))
        let present = Message.Present(
            id: id, origin: .bare, path: [.bare], waitMilliseconds: 0, payload: request.payload)
        _ = rig.get(.present(present), from: PeerID(8))
        #expect(rig.machine.entries[id]?.isOpen == true)
        #expect(rig.machine.entries[id]?.deadline == nil)
        let asked = rig.machine.bareReceived(request, from: client, at: rig.now)
        #expect(asked == [])
        let late = BareReply(Message.Reject(.deadlinePassed, RejectCode.noAnswer, id: id))
        let replies = rig.run(700_000).filter { $0.1 == .reply(late, to: client) }
        #expect(replies.map(\.at) == [601_000])
    }

    @Test("the option that a bare client declared is no answer of the node's chain")
    func declared() throws {
        let now: MonotonicTime = 1_000_000
        var machine = NodeMachine(below: DownlinkRig().machine, above: [], endpoints: [])
        let declared = #"{"deadlineMilliseconds":500,"onExpiry":"cancel","#
        let text: String = declared + DownlinkRequestTests.report(id).dropFirst()
        let request = try BareRequest(Frame(text.utf8))
        _ = machine.below(at: now) { [client] in
            $0.bareReceived(request, from: client, at: now)
        }
        let actions = machine.ticked(at: now + 1_500)
        let options = actions.compactMap { action -> String? in
            if case .reply(let reply, _) = action { reply.option } else { nil }
        }
        #expect(options == ["cancel"])
        // No person and no policy gave it, so that its result is none for the journal.
        let isRecorded = actions.contains { if case .settledLater = $0 { true } else { false } }
        #expect(!isRecorded)
    }
}
