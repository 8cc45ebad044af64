import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// Presentations that one hop takes and the next refuses.
@Suite struct UplinkRefusalTests {
    private let id = PresentationID(1)

    private static func extra(_ count: Int) -> [Header.Field] {
        (0..<count).map { .init(name: "x\($0)", value: "v") }
    }

    @Test("the limits of a parent that is lost refuse nothing: the next one may take it")
    func limitsOfLostParent() {
        let own = Message.samplePayload.count
        let tight = UplinkRig.welcome(maxPayload: UInt64(own - 1))
        var rig = UplinkRig(parents: 2)
        _ = rig.machine.started(at: rig.now)
        _ = rig.machine.connected(at: rig.now)
        _ = rig.get(tight)
        #expect(rig.present(id).refusals == [.tooLarge])
        _ = rig.machine.giveUp("x", at: rig.now)
        #expect(rig.present(id).refusals == [])
        while rig.machine.connected(at: rig.now).isEmpty { _ = rig.run(100) }
        var other = rig
        #expect(rig.get(UplinkRig.welcome(boot: 51)).verbs == [.present])
        let refused = other.get(tight)
        #expect(refused.refusals == [.tooLarge])
        #expect(refused.verbs == [])
    }

    /// The next hop could read no id from such a header, and would refuse the whole link.
    @Test("a header that any of its sendings gives too many fields is refused at once")
    func tooManyFields() throws {
        var rig = UplinkRig.live()
        var wide = UplinkRig.request(id)
        wide.present.isOriginReachable = false
        let ownCount = Message.present(wide.present).headerSize.fieldCount
        wide.present.isOriginReachable = true
        wide.present.unknownFields = Self.extra(65 - ownCount)
        #expect(Message.present(wide.present).headerSize.fieldCount == 64)
        #expect(rig.machine.presented(wide, at: rig.now).refusals == [.tooLarge])
        wide.present.unknownFields = Self.extra(64 - ownCount)
        #expect(rig.machine.presented(wide, at: rig.now).refusals == [])
        // With the path that a node has, and the last field, the next hop reads it.
        wide.present.isOriginReachable = false
        wide.present.path = ["c"]
        let frames = Message.present(wide.present).frames
        #expect(try Message(frames: frames[...]) == .present(wide.present))
    }

    @Test("a header that any of its sendings makes too long is refused at once")
    func tooLong() {
        var rig = UplinkRig.live()
        var longest = UplinkRig.request(id).present
        longest.path = ["c"]
        longest.attempt = WireLimits.numberMax
        longest.isOriginReachable = false
        longest.unknownFields = [.init(name: "x", value: "")]
        let room =
            WireLimits.standard.headerByteCountMax
            - Message.present(longest).headerSize.byteCount
        func present(_ count: Int) -> [UplinkAction] {
            var long = UplinkRig.request(id)
            long.present.unknownFields = [
                .init(name: "x", value: String(repeating: "v", count: count))
            ]
            return rig.machine.presented(long, at: rig.now)
        }
        #expect(present(room + 1).refusals == [.tooLarge])
        #expect(present(room).verbs == [.present])
    }

    @Test("an answer with as many fields as a header may have can be passed down")
    func wideAnswer() throws {
        var header = Header()
        header.append("id", id.description)
        header.append("answer", Message.sampleAnswer.description)
        header.append("by", "ann")
        header.append("via", "person")
        header.append("option", "retry")
        header.append("second", "zoe")
        header.append(Self.extra(58))
        let frames = [WireLimits.magic, Frame("ANSWER".utf8), header.frame, []]
        guard case .answer(_, var answer, _) = try Message(frames: frames[...]) else {
            Issue.record("no ANSWER")
            return
        }
        #expect(answer.extras.fields.first?.name == "x0")
        answer.didRecover = true
        answer.reason = "answered"
        let digest = ReportDigest(of: Message.samplePayload)
        let passed = Message.answer(id, answer, digest: digest)
        #expect(passed.headerSize.fieldCount == WireLimits.headerFieldCountMax)
        #expect(try Message(frames: passed.frames[...]) == passed)
    }

    @Test("a result that gets 403 is sent again, with origin and digest, until OK")
    func refusedResult() {
        var rig = UplinkRig.live()
        let digest = ReportDigest(of: Message.samplePayload)
        var request = UplinkRig.request(id)
        request.present.digest = digest
        _ = rig.machine.presented(request, at: rig.now)
        _ = rig.get(.answer(id, .decision()))
        #expect(rig.settle(id).sent == [.settled(id, .recovered)])
        let reject = Message.reject(
            .init(.notYours, "c asks for itself", id: id, retryMilliseconds: 2_000))
        #expect(rig.get(reject) == [])
        let again = Message.settled(
            .init(
                id: id, answer: Message.sampleAnswer, result: .recovered,
                asked: .init(origin: "c", digest: digest)))
        #expect(rig.run(2_500).map(\.1).sent == [again])
        // Refused again, it keeps its pace.
        #expect(rig.get(reject) == [])
        #expect(rig.run(1_300).map(\.1).sent == [again])
        #expect(rig.get(.ok(id: id)) == [])
        #expect(rig.runAlive(100_000).map(\.1).verbs == [])
    }

    @Test(
        "403 after ACCEPTED asks again, and is final after ten in a row", arguments: [true, false])
    func notYours(isAccepted: Bool) {
        var rig = UplinkRig.live()
        _ = rig.present(id)
        let reject = Message.reject(.init(.notYours, "this key is no relay's", id: id))
        func attempt() -> UInt64 { rig.machine.entries[id]?.attempt ?? 0 }
        _ = rig.get(.accepted(id: id, attempt: attempt()))
        // The count starts again once a presenter has it.
        for _ in 0..<9 { #expect(rig.get(reject).refusals == []) }
        _ = rig.get(.accepted(id: id, attempt: attempt()))
        _ = rig.get(.pending(.init(id: id, state: .presented, sinceMilliseconds: nil, by: nil)))
        for _ in 0..<10 {
            #expect(rig.get(reject).refusals == [])
            if isAccepted { _ = rig.get(.accepted(id: id, attempt: attempt())) }
        }
        #expect(rig.get(reject).refusals == [.notYours])
        #expect(rig.machine.entries.isEmpty)
    }

    @Test("403 to each PRESENT is final soon: the pauses before the next one do not grow")
    func notYoursEachTime() {
        var rig = UplinkRig.live()
        _ = rig.present(id)
        _ = rig.get(.accepted(id: id, attempt: 1))
        let reject = Message.reject(.init(.notYours, "this key is no relay's", id: id))
        var (seconds, refusals) = (0, rig.get(reject).refusals)
        while refusals.isEmpty, seconds < 60 {
            let verbs = rig.runAlive(1_000).map(\.1).verbs
            for verb in verbs where verb == .present { refusals += rig.get(reject).refusals }
            seconds += 1
        }
        #expect(refusals == [.notYours])
        #expect(seconds <= 30)
    }
}
