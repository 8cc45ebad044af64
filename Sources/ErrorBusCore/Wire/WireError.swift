/// The refusal of a message: its code, and the fault found.
package struct WireError: Error, Hashable, Sendable {
    package let code: RejectCode
    package let reason: String
    /// The presentation of the message, if readable.
    package var id: PresentationID?
    /// Whether the message was to be a REJECT or OK, which gets no reply.
    package var endsExchange = false

    init(_ code: RejectCode, _ reason: String, id: PresentationID? = nil) {
        self.code = code
        self.reason = reason
        self.id = id
    }
}

extension WireError: CustomStringConvertible {
    package var description: String { "\(code.rawValue) \(reason)" }
}

/// The typed refusals of EB1.
package enum RejectCode: UInt16, Sendable, CaseIterable {
    case malformed = 400
    case notYours = 403
    case unknownID = 404
    case deadlinePassed = 408
    case conflict = 409
    case gone = 410
    case tooLarge = 413
    case busy = 429
    case loop = 482
    case tooManyHops = 483
    case noResponder = 503
    case version = 505

    /// The words of ``deadlinePassed`` for people: at the node that ends the presentation, at its
    /// origin, and in the texts that both print.
    package static let noAnswer = "no answer came in time"

    /// The words of ``conflict`` about an id.
    package static let anotherReport = "this id stands for another report"

    /// Whether the refusal is about one presentation alone: an equal error may have another
    /// outcome.
    package var isOfOne: Bool {
        switch self {
        case .malformed, .notYours, .unknownID, .conflict, .gone, .tooLarge, .loop, .tooManyHops:
            true
        case .deadlinePassed, .busy, .noResponder, .version: false
        }
    }

    /// A peer's code. An unknown code is read by its hundreds: after 4xx the sender gives up, after
    /// 5xx it may try again.
    package init?(number: UInt64) {
        switch number {
        case 400...499: self = RejectCode(rawValue: UInt16(number)) ?? .malformed
        case 500...599: self = RejectCode(rawValue: UInt16(number)) ?? .noResponder
        default: return nil
        }
    }
}

/// The size limits of EB1, checked before anything is parsed or kept.
package struct WireLimits: Hashable, Sendable {
    /// The name of the version in HELLO and WELCOME; the magic has only the major version.
    package static let version = "EB1"
    static let magic: Frame = Array("EB1".utf8)

    /// Frames of an envelope, the empty delimiter included.
    static let envelopeFrameCountMax = 8
    static let envelopeFrameByteCountMax = 255
    static let headerFieldCountMax = 64
    static let fieldNameByteCountMax = 64
    /// Hops in `path`.
    package static let hopCountMax = 16
    /// Free text in a header field (`reason`, `by`).
    static let textScalarCountMax = 256
    /// Numbers in header fields; many JSON and JavaScript peers cannot read larger ones exactly.
    package static let numberMax: UInt64 = 1 << 53
    /// The longest wait of a peer that gets one reply per request.
    static let waitMillisecondsMax: UInt64 = 20_000
    /// The longest deadline of a bare client, a day: the client is silent while it waits, so its
    /// prompt stays until then even if the client is gone.
    static let bareDeadlineMillisecondsMax: UInt64 = 86_400_000

    package var headerByteCountMax: Int
    package var payloadByteCountMax: Int

    package init(headerByteCountMax: Int, payloadByteCountMax: Int) {
        self.headerByteCountMax = headerByteCountMax
        self.payloadByteCountMax = payloadByteCountMax
    }

    /// 8 KiB of header, 256 KiB of payload.
    package static let standard = WireLimits(
        headerByteCountMax: 8 * 1024, payloadByteCountMax: 256 * 1024)
}
