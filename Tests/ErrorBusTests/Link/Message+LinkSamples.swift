@testable import ErrorBus
@testable import ErrorBusCore

extension PeerID {
    /// A peer by its routing id; `request` as REQ with CORRELATE adds one for each request.
    init(_ name: UInt8, request: UInt8? = nil) {
        self.init(
            socket: 0, envelope: Envelope(frames: [[name]] + (request.map { [[$0]] } ?? []) + [[]]))
    }
}

extension MonotonicTime: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: UInt64) { self.init(milliseconds: value) }
}

extension Message {
    static func present(
        _ id: PresentationID, attempt: UInt64 = 1, origin: NodeName = "a", path: [NodeName] = ["a"],
        left: UInt64? = nil, wait: UInt64? = nil, isReachable: Bool = true, text: String = "x"
    ) -> Message {
        .present(
            Present(
                id: id, attempt: attempt, origin: origin, path: path,
                leftMilliseconds: left, waitMilliseconds: wait, isOriginReachable: isReachable,
                payload: Frame(#"{"domain":"d","description":"\#(text)"}"#.utf8)))
    }

    /// The answer to the report of ``present(_:attempt:origin:path:left:wait:isReachable:text:)``.
    static func answered(_ id: PresentationID, _ answer: Answer) -> Message {
        let report = Frame(#"{"domain":"d","description":"x"}"#.utf8)
        return .answer(id, answer, digest: ReportDigest(of: report))
    }

    static func hello(_ name: NodeName, boot: UInt64 = 1) -> Message {
        .hello(Hello(from: name, boot: BootID(number: boot)))
    }

    static func settled(
        _ id: PresentationID, _ result: RecoveryResult, answer: UniqueID = sampleAnswer
    ) -> Message {
        .settled(Settled(id: id, answer: answer, result: result))
    }

}

extension Answer {
    /// As the wire has it.
    static func decision(
        _ id: UniqueID = Message.sampleAnswer, option: String? = "retry", didRecover: Bool? = nil
    ) -> Answer {
        Answer(
            id: id, option: option, by: "ann", via: .person, didRecover: didRecover,
            reason: "answered")
    }

    /// As the process that carried it out repeats it.
    static func repeated(didRecover: Bool) -> Answer {
        var answer = decision(didRecover: didRecover)
        answer.isRepeatedHere = true
        return answer
    }
}

extension Answer {
    static let sample = Answer(id: Message.sampleAnswer, option: "retry", by: "ann", via: .person)
    static let other = Answer(
        id: UniqueID(high: 1, low: 2), option: "cancel", by: "bob", via: .person)
}
