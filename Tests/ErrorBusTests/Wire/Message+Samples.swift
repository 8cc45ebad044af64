@testable import ErrorBus
@testable import ErrorBusCore

extension PresentationID {
    init(_ number: UInt64) { self.init(UniqueID(high: 0x7000, low: number)) }
}

extension Message {
    static let sampleID = PresentationID(
        UniqueID(high: 0x0192_0000_0000_7000, low: 0x8000_0000_0000_0001))
    static let sampleAnswer = UniqueID(high: 0x5B0C_1D5E_6A5F_4F0E, low: 0x9D3C_2F1E_0D9C_8B7A)
    static let samplePayload = Frame(#"{"domain":"d","description":"what went wrong"}"#.utf8)

    /// The messages of the golden files, and each verb with as little and with as much as it may
    /// carry.
    static let samples: [Message] = {
        let boot = BootID(number: 0x00C0_FFEE)
        let extra = Header.Field(name: "x-shard", value: "7 of 9")
        let extras = Answer.Extras(
            fields: [.init(name: "x-shard", value: "7 of 9")], payload: Frame("{}".utf8))
        let proof = Answer.Extras(fields: [
            .init(name: AnswerSignature.signerField, value: "central"),
            .init(name: AnswerSignature.signatureField, value: "00"),
        ])
        var samples: [Message] = [
            .hello(Hello(from: "worker", boot: boot)),
            .welcome(
                Welcome(
                    node: "relay", boot: boot, maxHeader: 8192, maxPayload: 262_144, maxOpen: 1024,
                    pingMilliseconds: 4000, path: [])),
            .welcome(
                Welcome(
                    node: "relay", boot: boot, maxHeader: 1, maxPayload: 2, maxOpen: 3,
                    pingMilliseconds: 4, path: ["relay", "central"])),
            .present(Present(id: sampleID, origin: "cron", path: ["cron"], payload: samplePayload)),
            .present(
                Present(
                    id: sampleID, attempt: 3, origin: "cron", path: ["cron", "relay"],
                    digest: ReportDigest(of: samplePayload), leftMilliseconds: 0,
                    waitMilliseconds: 1 << 53, retryOf: PresentationID(7), traceparent: "00-ab-01",
                    isOriginReachable: false, unknownFields: [extra], payload: samplePayload)),
            .accepted(id: sampleID, attempt: 1),
            .await(id: sampleID, waitMilliseconds: 20_000),
            .answer(
                sampleID,
                Answer(
                    id: sampleAnswer, option: "retry", by: "Jörg", via: .person, didRecover: false,
                    reason: "answered", extras: extras)),
            .answer(
                sampleID,
                Answer(id: sampleAnswer, option: nil, by: "", via: .handler, didRecover: true)),
            .answer(
                sampleID,
                Answer(
                    id: sampleAnswer, option: "drop", by: "Jörg", via: .person, second: "Zoë",
                    extras: proof)),
            .withdrawn(id: sampleID), .ping(0), .pong(1 << 53), .ok(id: nil), .ok(id: sampleID),
            .bye(reason: "shutdown"), .bye(reason: ""),
            .status, .state(Frame(#"{"node":"relay"}"#.utf8)),
            .reject(Reject(.busy, "full", id: sampleID, retryMilliseconds: 2000)),
        ]
        samples += PresentationState.Station.allCases.map {
            .pending(Pending(id: sampleID, state: $0, sinceMilliseconds: 12, by: "ann"))
        }
        samples += RecoveryResult.allCases.map {
            .settled(Settled(id: sampleID, answer: sampleAnswer, result: $0))
        }
        samples += WithdrawReason.allCases.map { .withdraw(id: sampleID, reason: $0) }
        let asked = Asked(origin: "cron", digest: ReportDigest(of: samplePayload))
        samples.append(.withdraw(id: sampleID, reason: .origin, asked: asked))
        samples.append(
            .settled(
                Settled(id: sampleID, answer: sampleAnswer, result: .recovered, asked: asked)))
        samples += RejectCode.allCases.map { .reject(Reject($0, "")) }
        let golden = ((try? GoldenFile.all()) ?? []).filter { $0.expectation == .ok }
            .compactMap { try? Message(frames: $0.frames[...]) }
        samples += golden.filter { !samples.contains($0) }
        return samples
    }()
}
