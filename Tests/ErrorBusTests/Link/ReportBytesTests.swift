import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// The bytes of the reports that a node holds are bounded, for each key and for the node.
@Suite struct ReportBytesTests {
    private static let size = 1_000

    private static func id(_ number: Int) -> PresentationID { PresentationID(UInt64(number)) }

    private static func keyed(
        _ name: NodeName, _ number: UInt8, isRelay: Bool = false
    ) throws -> PeerID {
        var peer = PeerID(number)
        peer.holder = KeyHolder(
            key: try #require(PublicKey(String(repeating: "0", count: 40))), name: name,
            reserved: [], isRelay: isRelay)
        return peer
    }

    /// A report of ``size`` bytes, or of as many more.
    private static func report(_ more: Int = 0) -> Frame {
        let bare = #"{"domain":"d","description":""}"#.utf8.count
        let text = String(repeating: "x", count: size - bare + more)
        return Frame(#"{"domain":"d","description":"\#(text)"}"#.utf8)
    }

    private func reject(
        _ rig: inout DownlinkRig, _ number: Int, _ path: [NodeName], _ peer: PeerID, more: Int = 0
    ) -> Message.Reject? {
        let present = Message.Present(
            id: Self.id(number), origin: path[0], path: path, payload: Self.report(more))
        let actions = rig.get(.present(present), from: peer)
        for case .send(.reject(let reject), _) in actions {
            #expect(actions.offers.isEmpty)
            return reject
        }
        return nil
    }

    @Test("one key may have so many bytes open and not settled, over all its links and clients")
    func perKey() throws {
        var limits = LinkLimits()
        limits.reportBytesPerKeyMax = 2 * Self.size
        var rig = DownlinkRig(limits: limits)
        let (one, two) = (try Self.keyed("w", 1), try Self.keyed("w", 2))
        _ = rig.get(.hello("w-1"), from: one)
        #expect(reject(&rig, 1, ["w-1"], one) == nil)
        // One byte above, then exactly as many.
        #expect(reject(&rig, 2, ["w"], two, more: 1)?.code == .busy)
        #expect(reject(&rig, 2, ["w"], two) == nil)
        let refusal = reject(&rig, 3, ["w-1"], one)
        #expect(refusal?.code == .busy)
        #expect(refusal?.retryMilliseconds == 1_000)
        #expect(rig.machine.entries.count == 2)
        // An answer leaves the report with its attempt, whose end makes room.
        _ = rig.answer(Self.id(1))
        #expect(reject(&rig, 3, ["w-1"], one)?.code == .busy)
        _ = rig.get(.settled(Self.id(1), .recovered), from: one)
        #expect(reject(&rig, 3, ["w-1"], one) == nil)
        #expect(rig.machine.byteCountOfAccount == [.key("w"): 2 * Self.size])
    }

    @Test("what was given up takes its bytes again only where there is room for them")
    func reopened() throws {
        var limits = LinkLimits()
        limits.reportBytesPerKeyMax = Self.size
        var rig = DownlinkRig(limits: limits)
        let peer = try Self.keyed("w", 1)
        _ = rig.get(.hello("w"), from: peer)
        #expect(reject(&rig, 1, ["w"], peer) == nil)
        _ = rig.get(.withdraw(id: Self.id(1), reason: .abandoned), from: peer)
        #expect(rig.machine.byteCount == 0)
        #expect(reject(&rig, 2, ["w"], peer) == nil)
        #expect(reject(&rig, 1, ["w"], peer)?.code == .busy)
        _ = rig.get(.withdraw(id: Self.id(2), reason: .origin), from: peer)
        #expect(reject(&rig, 1, ["w"], peer) == nil)
        _ = rig.run(1_000_000)
        #expect(rig.machine.byteCount == 0)
        #expect(rig.machine.byteCountOfAccount.isEmpty)
    }

    @Test("a relay's key has no such limit, and what another key asks again counts for that key")
    func relays() throws {
        var limits = LinkLimits()
        limits.reportBytesPerKeyMax = Self.size
        var rig = DownlinkRig(limits: limits)
        let (one, two) = (
            try Self.keyed("r1", 1, isRelay: true), try Self.keyed("r2", 2, isRelay: true)
        )
        _ = rig.get(.hello("r1"), from: one)
        _ = rig.get(.hello("r2"), from: two)
        for number in 1...3 { #expect(reject(&rig, number, ["w", "r1"], one) == nil) }
        #expect(reject(&rig, 1, ["w", "r2"], two) == nil)
        #expect(
            rig.machine.byteCountOfAccount == [.key("r1"): 2 * Self.size, .key("r2"): Self.size])
        #expect(rig.machine.byteCount == 3 * Self.size)
    }

    @Test("a flood of large reports leaves room for a modest child, and all stay within the limit")
    func shares() {
        var limits = LinkLimits()
        limits.reportBytesPerNodeMax = 64 * Self.size
        var rig = DownlinkRig.withChild(limits: limits)
        let flood = (1...100).count { reject(&rig, $0, ["a"], PeerID(1)) == nil }
        // All but the eighth that is shared.
        #expect(flood == 56)
        _ = rig.get(.hello("b"), from: PeerID(2))
        #expect(reject(&rig, 101, ["b"], PeerID(2)) == nil)
        #expect(reject(&rig, 102, ["c"], PeerID(3)) == nil)
        let more = (103...200).count { reject(&rig, $0, ["b"], PeerID(2)) == nil }
        #expect(more < 5)
        #expect(rig.machine.byteCount <= limits.reportBytesPerNodeMax)
        let refusal = reject(&rig, 201, ["a"], PeerID(1))
        #expect(refusal?.retryMilliseconds == 2_000)
    }

    @Test("one key may present so many bytes in large reports at once, and some more each second")
    func rate() throws {
        var limits = LinkLimits()
        limits.largeReportBytesMin = Self.size
        (limits.largeReportBytesMax, limits.largeReportBytesPerSecond) = (3_003, 1_001)
        var rig = DownlinkRig(limits: limits)
        let (one, relay) = (try Self.keyed("w", 1), try Self.keyed("r", 2, isRelay: true))
        _ = rig.get(.hello("w"), from: one)
        _ = rig.get(.hello("r"), from: relay)
        for number in 1...3 {
            #expect(reject(&rig, number, ["w"], one, more: 1) == nil)
            _ = rig.get(.withdraw(id: Self.id(number), reason: .origin), from: one)
        }
        let refusal = reject(&rig, 4, ["w"], one, more: 1)
        #expect(refusal?.code == .busy)
        #expect(refusal?.retryMilliseconds == 1_000)
        #expect(rig.machine.entries[Self.id(4)] == nil)
        // A report that is not large counts as little as a repetition or a relay's.
        #expect(reject(&rig, 5, ["w"], one) == nil)
        for number in 6...20 { #expect(reject(&rig, number, ["x", "r"], relay, more: 1) == nil) }
        #expect(reject(&rig, 20, ["x", "r"], relay, more: 1) == nil)
        rig.pass(1_000)
        #expect(reject(&rig, 4, ["w"], one, more: 1) == nil)
        #expect(reject(&rig, 4, ["w"], one, more: 1) == nil)
        #expect(reject(&rig, 21, ["w"], one, more: 1)?.code == .busy)
    }

    @Test("a bare client above the limit gets 429")
    func bare() throws {
        var limits = LinkLimits()
        limits.reportBytesPerNodeMax = 10
        var rig = DownlinkRig(limits: limits)
        let request = try BareRequest(Self.report())
        let actions = rig.machine.bareReceived(request, from: PeerID(1), at: rig.now)
        #expect(actions.offers.isEmpty)
        let reply = try #require(actions.compactMap(\.bareReply).first)
        #expect(reply.code == .busy)
    }
}
