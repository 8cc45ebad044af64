import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite struct MessageTests {
    @Test("a written message is read as the same message", arguments: Message.samples)
    func roundTrip(_ message: Message) throws {
        #expect(try Message(frames: message.frames[...]) == message)
        #expect(message.headerSize.byteCount == message.frames[2].count)
    }

    @Test("the samples include every verb")
    func samplesAreComplete() {
        #expect(Set(Message.samples.map(\.verb)) == Set(Verb.allCases))
    }

    @Test("every verb goes up or down; only PING, PONG and BYE go both ways")
    func directions() {
        #expect(Verb.allCases.allSatisfy { $0.goesUp || $0.goesDown })
        #expect(Verb.allCases.filter { $0.goesUp && $0.goesDown } == [.ping, .pong, .bye])
    }

    @Test("what proves that a child is heard, and what counts from a connection that has gone")
    func rules() {
        #expect(
            Verb.allCases.filter(\.isReply) == [
                .welcome, .accepted, .withdrawn, .pong, .ok, .state,
            ])
        #expect(
            Verb.allCases.filter(\.outlivesConnection) == [.hello, .settled, .withdraw, .bye])
    }

    private static let header = "id: \(Message.sampleID)\n"

    private func refusal(_ frames: [Frame]) -> WireError? {
        do throws(WireError) {
            _ = try Message(frames: frames[...])
            return nil
        } catch { return error }
    }

    private func refusal(_ verb: String, _ header: String, _ payload: String = "") -> WireError? {
        refusal([Frame("EB1".utf8), Frame(verb.utf8), Frame(header.utf8), Frame(payload.utf8)])
    }

    @Test("F7 four frames and no other number", arguments: 0...8)
    func frameCount(_ count: Int) {
        let frames = [Frame("EB1".utf8), Frame("WITHDRAWN".utf8), Frame(Self.header.utf8)]
        let padded = (0..<count).map { $0 < frames.count ? frames[$0] : [] }
        #expect(refusal(padded)?.code == (count == 4 ? nil : .malformed))
    }

    @Test(
        "the magic is EB1; another number of EB is another version",
        arguments: [
            ("EB2", RejectCode.version), ("EB999", .version), ("EB", .malformed),
            ("EBX", .malformed), ("eb1", .malformed), ("", .malformed), ("EB1 ", .malformed),
            ("GET / HTTP/1.1", .malformed), ("EB01", .version),
        ])
    func magic(_ text: String, _ code: RejectCode) {
        #expect(
            refusal([Frame(text.utf8), Frame("PING".utf8), Frame("n: 1\n".utf8), []])?.code == code)
        #expect(refusal([Frame(text.utf8)])?.code == code)
    }

    @Test(
        "an unknown verb is another version",
        arguments: ["EXPLODE", "ping", "", "PING ", "O\u{212A}"])
    func verb(_ text: String) {
        #expect(refusal(text, "n: 1\n")?.code == .version)
        #expect(refusal(text, "no header at all")?.code == .version)
    }

    @Test("a payload of exactly the limit is accepted, one byte more is 413 with its id")
    func payloadLimit() {
        let header = Frame("\(Self.header)attempt: 1\norigin: a\npath: a\n".utf8)
        let limit = WireLimits.standard.payloadByteCountMax
        let head = [Frame("EB1".utf8), Frame("PRESENT".utf8), header]
        #expect(refusal(head + [Frame(repeating: 0x20, count: limit)]) == nil)
        let error = refusal(head + [Frame(repeating: 0x20, count: limit + 1)])
        #expect(error?.code == .tooLarge)
        #expect(error?.id == Message.sampleID)
    }

    @Test(
        "numbers are decimal digits up to 2^53",
        arguments: [
            ("0", true), ("7", true), ("9007199254740992", true), ("9007199254740993", false),
            ("", false), ("+1", false), ("-1", false), ("01", false), ("00", false),
            ("0x1", false), ("1e3", false), ("1.0", false), ("١", false),
            ("99999999999999999999999999", false),
        ])
    func numbers(_ text: String, _ isNumber: Bool) {
        #expect((refusal("PING", "n: \(text)\n") == nil) == isNumber)
    }

    @Test(
        "an invalid field is refused with the id and the allowed values",
        arguments: [
            ("PRESENT", "attempt: 0\norigin: a\npath: a\n", "attempt"),
            ("PRESENT", "origin: a\npath: a\n", "attempt"),
            ("PRESENT", "attempt: 1\norigin: a b\npath: a\n", "origin"),
            ("PRESENT", "attempt: 1\norigin: a\npath: \n", "path"),
            ("PRESENT", "attempt: 1\norigin: a\npath: a,,b\n", "path"),
            ("PRESENT", "attempt: 1\norigin: a\npath: a, b\n", "path"),
            ("PRESENT", "attempt: 1\norigin: a\npath: a,\n", "path"),
            ("PRESENT", "attempt: 1\norigin: a\npath: a\ndigest: 12\n", "digest"),
            ("PRESENT", "attempt: 1\norigin: a\npath: a\nretry-of: x\n", "retry-of"),
            ("PENDING", "state: asleep\n", "state"),
            ("ANSWER", "answer: x\nby: a\nvia: person\noption: o\n", "answer"),
            (
                "ANSWER", "answer: \(Message.sampleAnswer)\nby: a\nvia: magic\noption: o\n", "via"
            ),
            (
                "ANSWER", "answer: \(Message.sampleAnswer)\nby: a\nvia: person\noption: a b\n",
                "option"
            ),
            (
                "ANSWER", "answer: \(Message.sampleAnswer)\nby: a\nvia: person\ndid-recover: yes\n",
                "did-recover"
            ),
            ("ANSWER", "answer: \(Message.sampleAnswer)\nby: a\nvia: person\n", "neither"),
            ("SETTLED", "answer: \(Message.sampleAnswer)\nresult: good\n", "result"),
            ("REJECT", "code: 200\nreason: r\n", "code"),
            ("REJECT", "code: +400\nreason: r\n", "code"),
            ("REJECT", "code: 400\n", "reason"),
        ])
    func wrongFields(_ verb: String, _ fields: String, _ named: String) {
        let error = refusal(verb, Self.header + fields, "{}")
        #expect(error?.code == .malformed)
        #expect(error?.id == Message.sampleID)
        #expect(error?.reason.contains(named) == true)
    }

    @Test("PRESENT without a payload is refused")
    func emptyReport() {
        let error = refusal("PRESENT", Self.header + "attempt: 1\norigin: a\npath: a\n")
        #expect(error?.code == .malformed)
    }

    @Test("a path of more than 64 names is read, so that the hop refuses it as too long")
    func longPath() throws {
        let path = (0..<100).map { "n\($0)" }.joined(separator: ",")
        #expect(
            refusal("PRESENT", Self.header + "attempt: 1\norigin: a\npath: \(path)\n", "{}") == nil)
    }

    @Test(
        "an unknown code is read by its hundreds",
        arguments: [
            (499, RejectCode.malformed), (418, .malformed), (502, .noResponder), (505, .version),
        ])
    func unknownCodes(_ number: Int, _ code: RejectCode) throws {
        let frames = [
            Frame("EB1".utf8), Frame("REJECT".utf8), Frame("code: \(number)\nreason: \n".utf8), [],
        ]
        #expect(try Message(frames: frames[...]) == .reject(.init(code, "")))
    }

    @Test("text of 256 scalars is read, more is cut; the writer cuts and cleans it")
    func textLimit() throws {
        let long = String(repeating: "ä", count: 256)
        for more in ["", "x", String(repeating: "x", count: 3_000)] {
            let frames = [
                Frame("EB1".utf8), Frame("BYE".utf8), Frame("reason: \(long)\(more)\n".utf8), [],
            ]
            #expect(try Message(frames: frames[...]) == .bye(reason: long))
        }
        let written = Message.bye(reason: long + "more").frames
        #expect(try Message(frames: written[...]) == .bye(reason: long))
        let injected = Message.bye(reason: "a\nid: b\r\0\u{85}c").frames
        #expect(try Message(frames: injected[...]) == .bye(reason: "a id: b   c"))
    }

    @Test(
        "a boot is any token of 1 to 64 printable characters",
        arguments: [
            ("00c0ffee12345678", true), ("pid-4711.1", true), ("c", true), ("a b", false),
            ("ä", false), (String(repeating: "x", count: 65), false), ("", false),
        ])
    func boots(_ text: String, _ isBoot: Bool) {
        let error = refusal("HELLO", "from: a\nboot: \(text)\nversions: EB1\n")
        #expect((error == nil) == isBoot)
        #expect(error?.reason.hasSuffix("allowed: \(BootID.allowed)") != false)
    }

    @Test(
        "HELLO must offer EB1",
        arguments: [
            ("EB1", true), ("1", true), ("EB1 EB2", true), ("EB1,EB2", true), ("EB2,EB1", true),
            ("EB2", false), ("", false),
        ])
    func versions(_ text: String, _ isKnown: Bool) {
        let error = refusal("HELLO", "from: a\nboot: 00c0ffee12345678\nversions: \(text)\n")
        #expect(error?.code == (isKnown ? nil : .version))
    }
}
