import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// Peers without HELLO: exactly one reply per request (section 13).
@Suite struct DownlinkRequestTests {
    private let peer = PeerID(9)
    private let id = PresentationID(1)

    private func wait(_ rig: inout DownlinkRig, _ message: Message) -> [(
        at: UInt64, DownlinkAction
    )] {
        let first = rig.get(message, from: peer).map { (at: UInt64(0), $0) }
        return (first + rig.run(60_000)).filter { [$0.1].sent(to: peer).count == 1 }
    }

    @Test(
        "PRESENT and AWAIT get PENDING at the end of their wait, at most 20 s",
        arguments: [(nil, 0), (0, 0), (500, 500), (20_000, 20_000), (1 << 53, 20_000)]
            as [(UInt64?, UInt64)])
    func pending(_ asked: UInt64?, _ end: UInt64) {
        var rig = DownlinkRig()
        for message in [
            Message.present(id, wait: asked), .await(id: id, waitMilliseconds: asked ?? 0),
        ] {
            let replies = wait(&rig, message)
            #expect(replies.map(\.at) == [end])
            #expect(replies.map(\.1).verbs(to: peer) == [.pending])
        }
    }

    @Test("the answer ends the wait; SETTLED and WITHDRAW get OK")
    func answered() {
        var rig = DownlinkRig()
        #expect(rig.get(.present(id, wait: 20_000), from: peer).offers.count == 1)
        #expect(rig.answer(id).verbs(to: peer) == [.answer])
        #expect(rig.run(30_000).isEmpty)
        let later = PeerID(9, request: 2)
        #expect(rig.get(.settled(id, .recovered), from: later).verbs(to: later) == [.ok])
        #expect(rig.get(.settled(id, .recovered), from: later).verbs(to: later) == [.ok])
        #expect(rig.get(.withdraw(id: id, reason: .origin), from: later).verbs(to: later) == [.ok])
        #expect(
            rig.get(.present(id, wait: 9), from: later).sent(to: later) == [
                .answered(id, .decision(didRecover: true))
            ])
    }

    @Test("F15 a result that a new life of the hop knows nothing of is not confirmed: asked again")
    func settledElsewhere() {
        var rig = DownlinkRig()
        let settled = rig.get(.settled(id, .recovered), from: peer)
        #expect(settled.verbs(to: peer) == [.reject])
        #expect(rig.get(.present(id, wait: 20_000), from: peer).offers.count == 1)
        #expect(rig.get(.settled(id, .recovered), from: peer).verbs(to: peer) == [.reject])
        _ = rig.get(.present(id, wait: 20_000), from: peer)
        #expect(rig.answer(id).verbs(to: peer) == [.answer])
        #expect(rig.get(.settled(id, .recovered), from: peer).verbs(to: peer) == [.ok])
    }

    @Test("a request for what is gone gets one reply, and the next asker no second one")
    func gone() {
        var rig = DownlinkRig()
        _ = rig.get(.withdraw(id: id, reason: .origin), from: peer)
        #expect(rig.get(.present(id, wait: 20_000), from: peer).verbs(to: peer) == [.withdrawn])
        let other = PeerID(9, request: 2)
        let actions = rig.get(.present(id, wait: 20_000), from: other)
        #expect(actions.verbs(to: peer) == [])
        #expect(actions.verbs(to: other) == [.withdrawn])
    }

    @Test("a bare client gets one frame; the same id again gets the same answer")
    func bare() throws {
        var rig = DownlinkRig()
        let request = try BareRequest(
            Frame(Self.report(id).utf8))
        func ask(_ peer: PeerID) -> [DownlinkAction] {
            rig.machine.bareReceived(request, from: peer, at: rig.now)
        }
        #expect(ask(peer).offers.count == 1)
        let reply = BareReply(id, .decision())
        #expect(
            rig.answer(id) == [
                .reply(reply, to: peer), .settled(id, answer: Message.sampleAnswer, .unknown),
            ])
        #expect(ask(PeerID(8)) == [.reply(reply, to: PeerID(8))])
        #expect(
            rig.get(.await(id: id, waitMilliseconds: 9), from: peer).reject(to: peer) == .notYours)
        #expect(rig.get(.settled(id, .recovered), from: peer).reject(to: peer) == .notYours)
    }

    @Test("a bare client never gets an option it did not offer; its question stays open")
    func bareAlienOption() throws {
        var rig = DownlinkRig()
        let request = try BareRequest(Frame(Self.report(id).utf8))
        _ = rig.machine.bareReceived(request, from: peer, at: rig.now)
        let alien = Answer(
            id: UniqueID(high: 3, low: 4), option: "relay-own", by: "ann", via: .person)
        #expect(rig.answer(id, alien) == [.settled(id, answer: alien.id, .invalid)])
        #expect(rig.answer(id).contains { if case .reply = $0 { true } else { false } })
        #expect(
            try BareRequest(Frame(#"{"domain":"d","description":"x"}"#.utf8)).offered.map(\.id)
                == ["ok"])
    }

    @Test("A bare client gets what needs two people with the names of both alone")
    func bareOfTwoPeople() throws {
        func settled(_ by: String, second: String?, via: Answer.Via) throws -> Bool {
            var rig = DownlinkRig()
            let frame = Frame(
                (#"{"id":"\#(id)","domain":"d","description":"x","recoveryOptions":["#
                    + #"{"id":"wipe","title":"W","twoPeople":true}]}"#).utf8)
            _ = rig.machine.bareReceived(try BareRequest(frame), from: peer, at: rig.now)
            let answer = Answer(
                id: UniqueID(high: 3, low: 4), option: "wipe", by: by, via: via, second: second)
            let actions = rig.answer(id, answer)
            return actions != [.settled(id, answer: answer.id, .invalid)]
        }
        #expect(try settled("ann", second: "bob", via: .person))
        #expect(try !settled("ann", second: nil, via: .person))
        #expect(try !settled("relay", second: nil, via: .expiry))
        #expect(try !settled("ann", second: "ann", via: .person))
        #expect(try !settled("rules", second: "bob", via: .policy))
    }

    @Test("A42 a bare client gets the values of its option, checked here but for their patterns")
    func bareValues() throws {
        var rig = DownlinkRig()
        let frame = Frame(
            (#"{"id":"\#(id)","domain":"d","description":"x","recoveryOptions":["#
                + #"{"id":"move","title":"M","fields":["#
                + #"{"name":"path","label":"P","kind":"text","required":true,"pattern":"/*"},"#
                + #"{"name":"pin","label":"P","kind":"secret"},"#
                + #"{"name":"n","label":"N","kind":"number","default":3}]}]}"#).utf8)
        _ = rig.machine.bareReceived(try BareRequest(frame), from: peer, at: rig.now)
        func answer(_ low: UInt64, _ values: [String: JSONValue]) -> Answer {
            Answer(
                id: UniqueID(high: 3, low: low), option: "move", by: "ann", via: .person,
                values: values, secrets: ["pin": "hunter2"])
        }
        let bad: [[String: JSONValue]] = [[:], ["path": 1], ["path": "/", "x": 1], ["pin": "1"]]
        for (index, values) in bad.enumerated() {
            let answer = answer(UInt64(index), values)
            #expect(rig.answer(id, answer) == [.settled(id, answer: answer.id, .invalid)])
        }
        let replies = rig.answer(id, answer(9, ["path": "srv"])).compactMap(\.bareReply)
        #expect(replies.map(\.values) == [["path": "srv", "pin": "hunter2", "n": 3]])
        #expect(
            replies.map { String(decoding: $0.frame, as: UTF8.self) }.allSatisfy {
                $0.contains(#""values":{"n":3,"path":"srv","pin":"hunter2"}"#)
            })
    }

    @Test("A28 a bare client cannot declare an option for expiry that needs a value")
    func bareExpiryNeedsValue() throws {
        func request(_ field: String) throws -> BareRequest {
            try BareRequest(
                Frame(
                    (#"{"onExpiry":"go","domain":"d","description":"x","recoveryOptions":["#
                        + #"{"id":"go","title":"G","fields":[{"name":"n","label":"N","#
                        + #""kind":"number"\#(field)}]}]}"#).utf8))
        }
        let error = #expect(throws: WireError.self) { try request(#","required":true"#) }
        #expect(error?.code == .malformed && error?.reason.contains("without an answer") == true)
        for field in ["", #","required":true,"default":3"#] {
            #expect(throws: Never.self) { try request(field) }
        }
    }

    static func report(_ id: PresentationID) -> String {
        #"{"id":"\#(id)","domain":"d","description":"x","recoveryOptions":["#
            + #"{"id":"retry","title":"R"},{"id":"cancel","title":"C"}]}"#
    }

    @Test("a bare client gets a reply when no answer comes in time")
    func bareExpires() throws {
        var rig = DownlinkRig()
        let request = try BareRequest(
            Frame(#"{"deadlineMilliseconds":5000,"domain":"d","description":"x"}"#.utf8))
        _ = rig.machine.bareReceived(request, from: peer, at: rig.now)
        let replies = rig.run(20_000).compactMap { action -> BareReply? in
            if case .reply(let reply, peer) = action.1 { reply } else { nil }
        }
        #expect(replies.map(\.outcome) == [.expired])
    }

    @Test("A28 a bare client gets what it declared when no answer comes in time")
    func bareDefault() throws {
        var rig = DownlinkRig()
        let request = try BareRequest(
            Frame(
                (#"{"deadlineMilliseconds":5000,"onExpiry":"cancel","#
                    + Self.report(id).dropFirst()).utf8))
        _ = rig.machine.bareReceived(request, from: peer, at: rig.now)
        let replies = rig.run(20_000).compactMap(\.1.bareReply)
        #expect(replies.map(\.option) == ["cancel"])
        #expect(replies.map(\.via) == [.expiry])
        #expect(replies.map(\.outcome) == [.answered])
        let again = rig.machine.bareReceived(
            request, from: PeerID(8), at: rig.now)
        #expect(again.compactMap(\.bareReply) == replies)
    }

    @Test("A28 a bare client without any time gets what it declared, or reads that it is over")
    func bareWithoutTime() throws {
        for option in ["cancel", nil] as [String?] {
            var rig = DownlinkRig()
            let declared = option.map { #""onExpiry":"\#($0)","# } ?? ""
            let rest = String(Self.report(id).dropFirst())
            let text = #"{"deadlineMilliseconds":0,"# + declared + rest
            let request = try BareRequest(Frame(text.utf8))
            let outcome: BareReply.Outcome = option == nil ? .expired : .answered
            for client in [peer, PeerID(8)] {
                let actions = rig.machine.bareReceived(request, from: client, at: rig.now)
                let replies = actions.compactMap(\.bareReply)
                #expect(replies.map(\.option) == [option])
                #expect(replies.map(\.outcome) == [outcome])
            }
            #expect(rig.machine.entries[id] == nil)
        }
    }

    @Test("A28 so it is where the chain's clock is first")
    func bareDefaultFromAbove() throws {
        for verdict in [
            DownlinkVerdict.refused(.deadlinePassed, "too late"),
            .decided(
                Answer(
                    id: Message.sampleAnswer, option: nil, by: "p", via: .expiry, didRecover: false,
                    reason: "expired")),
        ] {
            var rig = DownlinkRig()
            let request = try BareRequest(
                Frame((#"{"onExpiry":"retry","# + Self.report(id).dropFirst()).utf8))
            _ = rig.machine.bareReceived(request, from: peer, at: rig.now)
            let actions = rig.machine.completed(
                id, generation: 1, verdict: verdict, at: rig.now)
            #expect(actions.compactMap(\.bareReply?.option) == ["retry"])
            #expect(actions.compactMap(\.bareReply?.didRecover) == [])
        }
    }

    @Test("F28 what needs two people is applied by this hop's own clock, whatever is said above")
    func bareEarly() throws {
        let early = DownlinkVerdict.decided(
            Answer(
                id: Message.sampleAnswer, option: nil, by: "p", via: .expiry, didRecover: false,
                reason: "expired"))
        for verdict in [DownlinkVerdict.refused(.deadlinePassed, "too late"), early] {
            var rig = DownlinkRig()
            let request = try BareRequest(
                Frame(
                    (#"{"id":"\#(id)","domain":"d","description":"x","onExpiry":"wipe","#
                        + #""deadlineMilliseconds":5000,"recoveryOptions":["#
                        + #"{"id":"wipe","title":"W","twoPeople":true}]}"#).utf8))
            _ = rig.machine.bareReceived(request, from: peer, at: rig.now)
            #expect(rig.machine.completed(id, generation: 1, verdict: verdict, at: rig.now) == [])
            let replies = rig.run(20_000).filter { $0.1.bareReply != nil }
            #expect(replies.map(\.1.bareReply?.option) == ["wipe"])
            #expect(replies.allSatisfy { $0.at >= 5_000 })
        }
    }

    /// Each request comes in its own envelope, as with CORRELATE.
    @Test(
        "exactly one reply per request, whatever happens in between",
        arguments: 1...60 as ClosedRange<UInt64>)
    func oneReply(_ seed: UInt64) throws {
        var generator = FuzzGenerator(seed: seed)
        var rig = DownlinkRig.withChild()
        var requests: [PeerID] = []
        var replies: [PeerID: Int] = [:]
        let answers = [Answer.sample, .other]
        for number in 0..<150 {
            let id = PresentationID(UInt64.random(in: 1...3, using: &generator))
            let peer = PeerID(UInt8.random(in: 10...12, using: &generator), request: UInt8(number))
            let generation = rig.machine.entries[id]?.generation ?? 1
            let wait = UInt64.random(in: 0...30_000, using: &generator)
            var actions: [DownlinkAction] = []
            func request(_ message: Message) -> [DownlinkAction] {
                requests.append(peer)
                return rig.get(message, from: peer)
            }
            switch Int.random(in: 0..<14, using: &generator) {
            case 0, 1: actions = request(.present(id, origin: "bare", path: ["bare"], wait: wait))
            case 2, 3: actions = request(.await(id: id, waitMilliseconds: wait))
            case 4: actions = request(.settled(id, .unknown))
            case 5: actions = request(.settled(id, .failed))
            case 6:
                actions = request(.withdraw(id: id, reason: wait % 2 == 0 ? .origin : .abandoned))
            case 7: actions = request(.ping(3))
            case 8: actions = request(.bye(reason: ""))
            case 9:
                requests.append(peer)
                let frame = Frame(Self.report(id).utf8)
                actions = rig.machine.bareReceived(
                    try BareRequest(frame), from: peer, at: rig.now)
            case 10:
                actions = rig.get(.present(id, origin: "bare", path: ["bare"]), from: PeerID(1))
            case 11: actions = rig.answer(id, generation: generation, answers[Int(wait % 2)])
            case 12:
                actions = rig.machine.completed(
                    id, generation: generation, verdict: .refused(.noResponder, "no one"),
                    at: rig.now)
            default: actions = rig.run(wait).map(\.1)
            }
            for action in actions {
                switch action {
                case .send(_, let peer), .reply(_, let peer): replies[peer, default: 0] += 1
                default: break
                }
            }
        }
        for (_, action) in rig.run(700_000) {
            switch action {
            case .send(_, let peer), .reply(_, let peer): replies[peer, default: 0] += 1
            default: break
            }
        }
        for peer in requests { #expect(replies[peer] == 1, "\(peer)") }
    }
}
