@testable import ErrorBus

/// What travels on a simulated connection.
enum Packet {
    case message(Message)
    case bareRequest(Frame)
    case bareReply(BareReply)

    var text: String {
        switch self {
        case .message(let message): message.traceText
        case .bareRequest: "bare request"
        case .bareReply(let reply): "bare reply \(reply.outcome) \(reply.option ?? "")"
        }
    }

    /// The same once more through the codec, for messages.
    var reread: Packet? {
        guard case .message(let message) = self else { return self }
        let limits = WireLimits(headerByteCountMax: 32 * 1024, payloadByteCountMax: 1 << 20)
        guard let read = try? Message(frames: message.frames[...], limits: limits) else {
            return nil
        }
        return .message(read)
    }
}

extension Message {
    var traceText: String {
        switch self {
        case .present(let present): "PRESENT \(present.id.short) attempt \(present.attempt)"
        case .accepted(let id, _): "ACCEPTED \(id.short)"
        case .pending(let pending): "PENDING \(pending.id.short) \(pending.state)"
        case .await(let id, _): "AWAIT \(id.short)"
        case .answer(let decision):
            "ANSWER \(decision.id.short) \(decision.answer.short) \(decision.option ?? "-")"
                + " didRecover \(decision.didRecover.map { "\($0)" } ?? "-")"
        case .settled(let settled):
            "SETTLED \(settled.id.short) \(settled.answer.short) \(settled.result)"
        case .withdraw(let id, let reason, _): "WITHDRAW \(id.short) \(reason)"
        case .withdrawn(let id): "WITHDRAWN \(id.short)"
        case .reject(let reject):
            "REJECT \(reject.id?.short ?? "-") \(reject.code.rawValue) \(reject.reason)"
        case .hello, .welcome, .ping, .pong, .ok, .bye, .status, .state: verb.rawValue
        }
    }
}

extension PresentationID {
    var short: String { value.short }
}

extension UniqueID {
    /// Enough to tell the few ids of one run apart.
    var short: String { String(description.suffix(5)) }
}
