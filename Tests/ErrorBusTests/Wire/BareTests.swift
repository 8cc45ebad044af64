import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// The one frame that a client of a few lines sends, and the one it gets.
@Suite struct BareTests {
    private static let id = "01920000-0000-7000-8000-000000000001"

    @Test("the two keys of the request are taken out of the report")
    func keys() throws {
        let request = try BareRequest(
            Frame(
                #"{"id":"\#(Self.id)","deadlineMilliseconds":86400000,"domain":"d","#.utf8)
                + Frame(#""description":"x","shard":7}"#.utf8))
        #expect(request.id == Message.sampleID)
        #expect(request.deadlineMilliseconds == 86_400_000)
        let report = try ErrorReport(payload: request.payload)
        #expect(report.unknownKeys == ["shard": .integer(7)])
    }

    @Test("without an id each request is a new presentation; null means none")
    func noID() throws {
        let frame = Frame(
            #"{"domain":"d","description":"x","id":null,"deadlineMilliseconds":null}"#.utf8)
        #expect(try BareRequest(frame).id != BareRequest(frame).id)
        #expect(try BareRequest(frame).deadlineMilliseconds == nil)
    }

    @Test("the same report has the same bytes, so the same id is the same presentation")
    func stable() throws {
        let one = try BareRequest(
            Frame(#"{"id":"\#(Self.id)","domain":"d","description":"x"}"#.utf8))
        let two = try BareRequest(
            Frame(#"{"domain":"d", "description":"x","id":"\#(Self.id)"}"#.utf8))
        #expect(one == two)
    }

    @Test(
        "an invalid request is refused with the place and the reason",
        arguments: [
            ("", "0"), ("hello", ""), ("{", ""), ("[]", ""), ("{}", "domain"),
            (#"{"domain":"d"}"#, "description"),
            (#"{"id":"x","domain":"d","description":"x"}"#, "id"),
            (#"{"id":7,"domain":"d","description":"x"}"#, "id"),
            (#"{"deadlineMilliseconds":-1,"domain":"d","description":"x"}"#, "deadline"),
            (#"{"deadlineMilliseconds":1.5,"domain":"d","description":"x"}"#, "deadline"),
            (#"{"deadlineMilliseconds":"1","domain":"d","description":"x"}"#, "deadline"),
            (
                #"{"deadlineMilliseconds":86400001,"domain":"d","description":"x"}"#,
                "deadline"
            ),
            (#"{"domain":"d","domain":"d","description":"x"}"#, "domain"),
            (#"{"onExpiry":"retry","domain":"d","description":"x"}"#, "onExpiry"),
            (#"{"onExpiry":"a b","domain":"d","description":"x"}"#, "onExpiry"),
            (
                #"{"domain":"d","description":"x","#
                    + #""recoveryOptions":[{"id":"wipe","title":"W","signed":true}]}"#, "wipe"
            ),
        ])
    func malformed(_ text: String, _ named: String) {
        let error = #expect(throws: WireError.self) { try BareRequest(Frame(text.utf8)) }
        #expect(error?.code == .malformed)
        if named != "0" { #expect(error?.reason.contains(named) == true) }
    }

    @Test("the refusal of a signed option has the id of its request")
    func signed() {
        let text =
            #"{"id":"\#(Self.id)","domain":"d","description":"x","#
            + #""recoveryOptions":[{"id":"wipe","title":"W","signed":true}]}"#
        let error = #expect(throws: WireError.self) { try BareRequest(Frame(text.utf8)) }
        #expect(error?.code == .malformed)
        #expect(error?.id == Message.sampleID)
    }

    @Test("a frame above the payload's limit is 413")
    func tooLarge() {
        let error = #expect(throws: WireError.self) {
            try BareRequest(
                Frame(repeating: 0x20, count: WireLimits.standard.payloadByteCountMax + 1))
        }
        #expect(error?.code == .tooLarge)
    }

    private func decision(_ option: String?, _ didRecover: Bool?, _ reason: String?) -> BareReply {
        BareReply(
            Message.sampleID,
            Answer(
                id: Message.sampleAnswer, option: option, by: "ann", via: .person,
                didRecover: didRecover, reason: reason))
    }

    @Test(
        "the outcome shows the kind of end",
        arguments: [
            ("retry", nil, "answered", BareReply.Outcome.answered),
            ("login", true, "answered", .answered), (nil, false, "handled", .handled),
            (nil, false, "withheld", .withheld), (nil, false, "userCancelled", .withheld),
            (nil, false, "expired", .expired),
        ] as [(String?, Bool?, String?, BareReply.Outcome)])
    func outcomes(
        _ option: String?, _ didRecover: Bool?, _ reason: String?, _ outcome: BareReply.Outcome
    ) {
        let reply = decision(option, didRecover, reason)
        #expect(reply.outcome == outcome)
        #expect(reply.didRecover == didRecover)
    }

    @Test("a refusal is rejected with its code; a passed deadline is expired")
    func refusals() {
        #expect(BareReply(Message.Reject(.busy, "full")).outcome == .rejected)
        #expect(BareReply(Message.Reject(.deadlinePassed, "late")).outcome == .expired)
        #expect(BareReply(WireError(.malformed, "bad")).code == .malformed)
    }

    @Test("all eight keys are always there, as JSON")
    func frame() throws {
        let keys: Set = [
            "id", "outcome", "option", "didRecover", "reason", "by", "via", "code",
        ]
        for reply in [decision("retry", nil, nil), BareReply(WireError(.malformed, "\"\n"))] {
            guard case .object(let object) = try JSONValue.parse(reply.frame) else {
                Issue.record("no object")
                return
            }
            #expect(Set(object.keys) == keys)
        }
    }
    @Test("an answer of two people has the second one as a ninth key")
    func second() throws {
        let reply = BareReply(
            Message.sampleID, Answer(option: "drop", by: "ann", via: .person, second: "bob"))
        let json = try JSONValue.parse(reply.frame)
        #expect(json["by"] == "ann" && json["second"] == "bob")
    }

    @Test("a comment is one more key, also where a node above ran the option")
    func comment() throws {
        for didRecover in [nil, true] {
            var answer = Answer(
                option: "move", by: "ann", via: .person, values: ["path": "/a"],
                comment: "Try\n\"it\".")
            answer.didRecover = didRecover
            let json = try JSONValue.parse(BareReply(Message.sampleID, answer).frame)
            #expect(json["comment"] == "Try\n\"it\".")
            #expect((json["values"] == nil) == (didRecover == true))
        }
    }
}
