import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// On links with keys, names are those of the keys.
@Suite struct KeyHolderTests {
    private static func peer(_ holder: KeyHolder, _ number: UInt8 = 1) -> PeerID {
        var peer = PeerID(number)
        peer.holder = holder
        return peer
    }

    private static let key = PublicKey(String(repeating: "0", count: 40))

    private let holder: KeyHolder
    private let worker: PeerID
    private let relay: PeerID

    init() throws {
        holder = KeyHolder(
            key: try #require(Self.key), name: "worker", reserved: ["worker-db"], isRelay: false)
        worker = Self.peer(holder)
        relay = Self.peer(
            KeyHolder(key: try #require(Self.key), name: "relay", reserved: [], isRelay: true), 2)
    }

    private func refusal(_ actions: [DownlinkAction]) -> Message.Reject? {
        for case .send(.reject(let reject), _) in actions { return reject }
        return nil
    }

    @Test(
        "HELLO under the key's name, or that and a suffix without a key of its own",
        arguments: [
            ("worker", true), ("worker-7", true), ("worker-db", false), ("worker2", false),
            ("central", false), ("worker-db2", true), ("worker-db-exec-1-abc", false),
            ("worker-exec-db", true),
        ] as [(NodeName, Bool)])
    func hello(name: NodeName, isAllowed: Bool) {
        var rig = DownlinkRig()
        let actions = rig.get(.hello(name), from: worker)
        #expect((refusal(actions) == nil) == isAllowed)
        #expect(isAllowed || refusal(actions)?.code == .notYours)
        #expect(rig.machine.children.count == (isAllowed ? 1 : 0))
    }

    @Test(
        "PRESENT with a last hop or an origin that is not the key's gets 403",
        arguments: [
            ("worker", ["worker"], true), ("worker-7", ["worker-7"], true),
            ("billing", ["worker"], false), ("billing", ["billing"], false),
            // Only a relay presents what others ask.
            ("billing", ["billing", "worker"], false), ("bare", ["bare", "worker"], false),
            ("worker", ["worker", "relay"], false),
        ] as [(NodeName, [NodeName], Bool)])
    func present(origin: NodeName, path: [NodeName], isAllowed: Bool) {
        var rig = DownlinkRig()
        _ = rig.get(.hello("worker"), from: worker)
        let present = Message.Present(
            id: PresentationID(1), origin: origin, path: path, payload: Message.samplePayload)
        let actions = rig.get(.present(present), from: worker)
        #expect((refusal(actions) == nil) == isAllowed)
        #expect(isAllowed || refusal(actions)?.code == .notYours)
        #expect((rig.machine.entries[PresentationID(1)] != nil) == isAllowed)
    }

    @Test("a link whose key is revoked is lost at once, and another's stays")
    func revoked() {
        var rig = DownlinkRig()
        _ = rig.get(.hello("worker"), from: worker)
        _ = rig.get(.hello("plain"), from: PeerID(2))
        let none = rig.machine.keysReplaced(at: rig.now) { _, _ in true }
        #expect(none.isEmpty)
        var asked: [NodeName] = []
        let actions = rig.machine.keysReplaced(at: rig.now) { _, name in
            asked.append(name)
            return false
        }
        #expect(asked == ["worker"])
        #expect(actions == [.log(.down("worker", reason: "its key is no longer known"))])
        #expect(rig.machine.children["worker"]?.isReachable == false)
        #expect(rig.machine.children["plain"]?.isReachable == true)
    }

    @Test("what a bare client asked with a key that is revoked is given up")
    func revokedBare() throws {
        var rig = DownlinkRig()
        for (number, peer) in [(1, worker), (2, PeerID(2))] as [(UInt64, PeerID)] {
            let frame = DownlinkRequestTests.report(PresentationID(number))
            _ = rig.machine.bareReceived(
                try BareRequest(Frame(frame.utf8)), from: peer, at: rig.now)
        }
        let actions = rig.machine.keysReplaced(at: rig.now) { _, _ in false }
        #expect(actions == [.cancel(PresentationID(1), generation: 1, reason: .abandoned)])
        #expect(rig.machine.entries[PresentationID(2)]?.isOpen == true)
    }

    @Test("what a waiting client without a link asked with such a key is given up too")
    func revokedRequester() {
        var rig = DownlinkRig()
        let present = Message.Present(
            id: PresentationID(1), origin: "worker", path: ["worker"],
            payload: Message.samplePayload)
        _ = rig.get(.present(present), from: worker)
        _ = rig.get(.await(id: PresentationID(1), waitMilliseconds: 60_000), from: worker)
        let actions = rig.machine.keysReplaced(at: rig.now) { _, _ in false }
        #expect(actions == [.cancel(PresentationID(1), generation: 1, reason: .abandoned)])
    }

    @Test("only a relay's link has room for each origin")
    func roomOfOrigins() {
        for (peer, child, most) in [(worker, "worker", 2), (relay, "relay", 6)]
            as [(PeerID, NodeName, Int)]
        {
            var limits = LinkLimits()
            limits.openPerChildMax = 2
            var rig = DownlinkRig(limits: limits)
            _ = rig.get(.hello(child), from: peer)
            for number in 0..<3 {
                let origin: NodeName = ["worker-1", "worker-2", "worker-3"][number]
                let present = Message.Present(
                    id: PresentationID(UInt64(number)), origin: origin,
                    path: child == "relay" ? [origin, child] : [child],
                    payload: Message.samplePayload)
                _ = rig.get(.present(present), from: peer)
            }
            #expect(rig.machine.children[child]?.openMax == most)
        }
    }

    @Test("a key's holder that asks for the status too often leaves others their replies")
    func status() {
        var limits = LinkLimits()
        limits.statesPerSecondMax = 3
        var rig = DownlinkRig(limits: limits)
        func isTold(_ peer: PeerID) -> Bool {
            rig.get(.status, from: peer) == [.tellState(to: peer)]
        }
        let told = (10..<19).map { isTold(Self.peer(holder, $0)) }
        #expect(told == [true, true, true] + Array(repeating: false, count: 6))
        #expect(isTold(relay))
        #expect(isTold(PeerID(2)))
    }

    @Test("what a relay says of the hops behind it is its word, but for the last")
    func passedOn() {
        var rig = DownlinkRig()
        _ = rig.get(.hello("relay"), from: relay)
        let paths: [[NodeName]] = [["billing", "relay"], ["bare", "relay"]]
        for (number, path) in paths.enumerated() {
            let present = Message.Present(
                id: PresentationID(UInt64(number)), origin: path[0], path: path,
                payload: Message.samplePayload)
            #expect(refusal(rig.get(.present(present), from: relay)) == nil)
        }
        let present = Message.Present(
            id: PresentationID(9), origin: "billing", path: ["billing", "worker"],
            payload: Message.samplePayload)
        #expect(refusal(rig.get(.present(present), from: relay))?.code == .notYours)
    }

    @Test(
        "a relay speaks for the nodes that the topology places below it, and for those it lacks",
        arguments: [
            (["leaf", "relay"], true), (["leaf-7", "relay"], true),
            (["leaf", "between", "relay"], true), (["bare", "client", "relay"], true),
            (["client-exec-1", "relay"], true), (["unknown-1", "relay"], true),
            (["roaming", "relay"], true), (["other-client-1", "relay"], true),
            (["other", "relay"], false), (["other-7", "relay"], false),
            (["central", "relay"], false), (["leaf", "other", "relay"], false),
            (["bare", "other", "relay"], false),
        ] as [([NodeName], Bool)])
    func placed(path: [NodeName], isAllowed: Bool) throws {
        let places: [NodeName: NodePlace] = [
            "central": .below([]), "relay": .below(["central"]), "other": .below(["central"]),
            "between": .below(["relay", "central"]),
            "leaf": .below(["between", "relay", "central"]), "roaming": .anywhere,
            "client": .anywhere, "other-client": .anywhere,
        ]
        let relay = Self.peer(
            KeyHolder(
                key: try #require(Self.key), name: "relay", reserved: [], isRelay: true,
                places: places))
        var rig = DownlinkRig()
        _ = rig.get(.hello("relay"), from: relay)
        let present = Message.Present(
            id: PresentationID(1), origin: path[0], path: path, payload: Message.samplePayload)
        #expect((refusal(rig.get(.present(present), from: relay)) == nil) == isAllowed)
        #expect((rig.machine.entries[PresentationID(1)] != nil) == isAllowed)
        // A last word has no path.
        guard path.count == 2 else { return }
        let asked = Message.Asked(
            origin: path[0], digest: ReportDigest(of: Message.samplePayload))
        let word = Message.withdraw(id: PresentationID(2), reason: .origin, asked: asked)
        let reject = refusal(rig.get(word, from: relay))
        #expect((reject?.code != .notYours) == isAllowed)
        // A node that has moved may be ahead of the topology here.
        #expect(isAllowed || reject?.retryMilliseconds != nil)
    }

    @Test("a relay speaks for no node that has a live link beside it")
    func besideIt() {
        var rig = DownlinkRig()
        _ = rig.get(.hello("relay"), from: relay)
        _ = rig.get(.hello("worker"), from: worker)
        let present = Message.Present(
            id: PresentationID(1), origin: "worker", path: ["worker", "relay"],
            payload: Message.samplePayload)
        let asked = Message.Asked(
            origin: "worker", digest: ReportDigest(of: Message.samplePayload))
        let settled = Message.Settled(
            id: PresentationID(2), answer: UniqueID(high: 1, low: 1), result: .recovered,
            asked: asked)
        for message in [
            Message.present(present), .settled(settled),
            .withdraw(id: PresentationID(3), reason: .origin, asked: asked),
        ] {
            #expect(refusal(rig.get(message, from: relay))?.code == .notYours)
        }
        #expect(rig.machine.entries.isEmpty)
        _ = rig.get(.bye(reason: "done"), from: worker)
        #expect(refusal(rig.get(.present(present), from: relay)) == nil)
    }

    @Test("a last word about another's is refused, also where nothing is known of it")
    func lastWord() {
        var rig = DownlinkRig()
        let asked = Message.Asked(
            origin: "billing", digest: ReportDigest(of: Message.samplePayload))
        let withdraw = Message.withdraw(id: PresentationID(1), reason: .origin, asked: asked)
        let settled = Message.settled(
            .init(
                id: PresentationID(1), answer: UniqueID(high: 1, low: 1), result: .recovered,
                asked: asked))
        for message in [withdraw, settled] {
            #expect(refusal(rig.get(message, from: worker))?.code == .notYours)
            #expect(refusal(rig.get(message, from: relay))?.code != .notYours)
        }
    }

    @Test("of last words about unknown ids one key has so many passed on, and a relay's all")
    func lastWords() {
        var limits = LinkLimits()
        limits.lastWordsMax = 3
        limits.lastWordsPerSecond = 1
        var rig = DownlinkRig(limits: limits)
        var number: UInt64 = 0
        func said(_ peer: PeerID, isWithdrawal: Bool = false) -> [DownlinkAction] {
            number += 1
            let id = PresentationID(number)
            let asked = Message.Asked(
                origin: peer == relay ? "billing" : "worker",
                digest: ReportDigest(of: Message.samplePayload))
            let settled = Message.Settled(
                id: id, answer: UniqueID(high: 1, low: 1), result: .recovered, asked: asked)
            return rig.get(
                isWithdrawal ? .withdraw(id: id, reason: .origin, asked: asked) : .settled(settled),
                from: peer)
        }
        for _ in 0..<2 { #expect(refusal(said(worker)) == nil) }
        #expect(refusal(said(worker, isWithdrawal: true)) == nil)
        for isWithdrawal in [false, true] {
            let actions = said(worker, isWithdrawal: isWithdrawal)
            #expect(refusal(actions)?.code == .busy)
            #expect(actions.drops == [.excess])
            #expect(actions.count == 2)
        }
        #expect(rig.machine.entries.count == 1)
        for _ in 0..<9 { #expect(refusal(said(relay)) == nil) }
        rig.pass(1_000)
        #expect(refusal(said(worker)) == nil)
        #expect(refusal(said(worker))?.code == .busy)
    }

    @Test("a client without a link is the same only with the same key")
    func requester() {
        var rig = DownlinkRig()
        let id = PresentationID(1)
        let present = Message.Present(
            id: id, origin: "worker", path: ["worker"], payload: Message.samplePayload)
        #expect(refusal(rig.get(.present(present), from: worker)) == nil)
        for message in [
            Message.await(id: id, waitMilliseconds: 0), .withdraw(id: id, reason: .origin),
        ] {
            #expect(refusal(rig.get(message, from: relay))?.code == .notYours)
            #expect(refusal(rig.get(message, from: worker)) == nil)
        }
    }

    @Test("all that is asked by one key counts together, whatever names its links have")
    func account() {
        var rig = DownlinkRig()
        for (number, name) in (["worker", "worker-1", "worker-2"] as [NodeName]).enumerated() {
            let peer = Self.peer(holder, UInt8(10 + number))
            _ = rig.get(.hello(name), from: peer)
            let present = Message.Present(
                id: PresentationID(UInt64(number)), origin: name, path: [name],
                payload: Message.samplePayload)
            _ = rig.get(.present(present), from: peer)
        }
        #expect(rig.machine.openOfAccount == [.key("worker"): 3])
    }

    @Test("what one key may have open is limited over all its links and clients, but for a relay's")
    func openPerKey() {
        var limits = LinkLimits()
        limits.openPerKeyMax = 3
        var rig = DownlinkRig(limits: limits)
        var number: UInt64 = 0
        func code(_ path: [NodeName], _ peer: PeerID) -> RejectCode? {
            number += 1
            let present = Message.Present(
                id: PresentationID(number), origin: path[0], path: path,
                payload: Message.samplePayload)
            return refusal(rig.get(.present(present), from: peer))?.code
        }
        let (one, two, three) = (
            Self.peer(holder, 11), Self.peer(holder, 12), Self.peer(holder, 13)
        )
        _ = rig.get(.hello("worker-1"), from: one)
        _ = rig.get(.hello("worker-2"), from: two)
        _ = rig.get(.hello("relay"), from: relay)
        #expect(code(["worker-1"], one) == nil)
        #expect(code(["worker-2"], two) == nil)
        #expect(code(["worker-3"], three) == nil)
        #expect(code(["worker-1"], one) == .busy)
        #expect(code(["worker-3"], three) == .busy)
        for _ in 0..<5 { #expect(code(["billing", "relay"], relay) == nil) }
        // What ends makes room, and what was given up takes it again only where there is some.
        _ = rig.get(.withdraw(id: PresentationID(1), reason: .abandoned), from: one)
        #expect(code(["worker-2"], two) == nil)
        number = 0
        #expect(code(["worker-1"], one) == .busy)
    }

    @Test("the children of one key are limited; one that has gone makes room")
    func childrenPerKey() {
        var limits = LinkLimits()
        limits.childrenPerKeyMax = 2
        var rig = DownlinkRig(limits: limits)
        func peer(_ number: UInt8) -> PeerID { Self.peer(holder, number) }
        #expect(refusal(rig.get(.hello("worker-1"), from: peer(11))) == nil)
        #expect(refusal(rig.get(.hello("worker-2"), from: peer(12))) == nil)
        #expect(refusal(rig.get(.hello("worker-3"), from: peer(13)))?.code == .busy)
        #expect(refusal(rig.get(.hello("relay"), from: relay)) == nil)
        _ = rig.get(.bye(reason: "done"), from: peer(11))
        #expect(refusal(rig.get(.hello("worker-3"), from: peer(13))) == nil)
    }

    @Test("a key at its limit makes no room for itself in the place of another's child")
    func childrenOfOthers() {
        var limits = LinkLimits()
        limits.childrenPerKeyMax = 1
        limits.childrenMax = 2
        var rig = DownlinkRig(limits: limits)
        _ = rig.get(.hello("relay"), from: relay)
        _ = rig.get(.bye(reason: "done"), from: relay)
        _ = rig.get(.hello("worker-1"), from: Self.peer(holder, 11))
        #expect(refusal(rig.get(.hello("worker-2"), from: Self.peer(holder, 12)))?.code == .busy)
        #expect(rig.machine.children.keys.sorted() == ["relay", "worker-1"])
        #expect(rig.machine.childCountOfKey == ["relay": 1, "worker": 1])
    }

    @Test("of the children of one key that have gone the first makes room, unless it left entries")
    func firstGone() {
        var limits = LinkLimits()
        limits.childrenPerKeyMax = 3
        var rig = DownlinkRig(limits: limits)
        func peer(_ number: UInt8) -> PeerID { Self.peer(holder, number) }
        for number in 1...3 as ClosedRange<UInt8> {
            let name = NodeName("worker-\(number)") ?? "x"
            _ = rig.get(.hello(name), from: peer(number + 10))
        }
        let id = PresentationID(1)
        _ = rig.get(.present(id, origin: "worker-1", path: ["worker-1"]), from: peer(11))
        for number in 1...3 as ClosedRange<UInt8> {
            _ = rig.get(.bye(reason: "done"), from: peer(number + 10))
            rig.pass(1)
        }
        // Heard of again: it has not gone.
        _ = rig.get(.ping(1), from: peer(12))
        #expect(refusal(rig.get(.hello("worker-4"), from: peer(14))) == nil)
        #expect(rig.machine.children.keys.sorted() == ["worker-1", "worker-2", "worker-4"])
        #expect(refusal(rig.get(.hello("worker-5"), from: peer(15)))?.code == .busy)
        _ = rig.run(LinkTimes().abandonAfter)
        #expect(refusal(rig.get(.hello("worker-5"), from: peer(15))) == nil)
        #expect(rig.machine.children["worker-1"] == nil)
        #expect(rig.machine.childCountOfKey == ["worker": 3])
    }
}
