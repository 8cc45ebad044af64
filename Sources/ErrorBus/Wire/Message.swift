/// Everything two nodes say to each other: one case per verb of EB1.
enum Message: Hashable, Sendable {
    /// Opens a node link.
    case hello(Hello)
    /// The link is accepted; the limits in force.
    case welcome(Welcome)
    /// Present this error. The same id again is the same presentation.
    case present(Present)
    /// The next hop holds a live entry.
    case accepted(id: PresentationID, attempt: UInt64)
    /// Where it stands.
    case pending(Pending)
    /// Still asking.
    case await(id: PresentationID, waitMilliseconds: UInt64)
    /// The one answer.
    case answer(PresentationID, Answer)
    /// What came of an answer.
    case settled(Settled)
    /// The origin gives up.
    case withdraw(id: PresentationID, reason: WithdrawReason, asked: Asked? = nil)
    case withdrawn(id: PresentationID)
    case ping(UInt64)
    case pong(UInt64)
    /// A typed refusal.
    case reject(Reject)
    /// The reply to SETTLED or WITHDRAW for a peer that gets one reply per request.
    case ok(id: PresentationID?)
    /// Going down, or leaving.
    case bye(reason: String)
    /// How is the node? Every peer that may connect may ask.
    case status
    /// How it is, as JSON.
    case state(Frame)

    var verb: Verb {
        switch self {
        case .hello: .hello
        case .welcome: .welcome
        case .present: .present
        case .accepted: .accepted
        case .pending: .pending
        case .await: .await
        case .answer: .answer
        case .settled: .settled
        case .withdraw: .withdraw
        case .withdrawn: .withdrawn
        case .ping: .ping
        case .pong: .pong
        case .reject: .reject
        case .ok: .ok
        case .bye: .bye
        case .status: .status
        case .state: .state
        }
    }
}

extension Message {
    /// HELLO.
    struct Hello: Hashable, Sendable {
        var from: NodeName
        var boot: BootID
        var versions: [String] = [WireLimits.version]
    }

    /// WELCOME.
    struct Welcome: Hashable, Sendable {
        var node: NodeName
        var boot: BootID
        var version: String = WireLimits.version
        var maxHeader: UInt64
        var maxPayload: UInt64
        var maxOpen: UInt64
        /// How long a link may be silent before the other side pings.
        var pingMilliseconds: UInt64
        /// From this parent to the top, as far as it knows.
        var path: [NodeName]
    }

    /// PRESENT.
    struct Present: Hashable, Sendable {
        var id: PresentationID
        /// Counts the sendings of this presentation, from 1.
        var attempt: UInt64 = 1
        var origin: NodeName
        /// The nodes passed, origin first.
        var path: [NodeName]
        var digest: ReportDigest?
        /// Time left for an answer; nil: as long as the origin lives.
        var leftMilliseconds: UInt64?
        /// How long a peer that gets one reply per request lets this one wait.
        var waitMilliseconds: UInt64?
        var retryOf: PresentationID?
        var traceparent: String?
        /// False while a hop below has lost the origin: the prompt says so.
        var isOriginReachable = true
        var unknownFields: [Header.Field] = []
        /// The error report, as its origin or the last responder that changed it wrote it.
        var payload: Frame
    }

    /// PENDING.
    struct Pending: Hashable, Sendable {
        var id: PresentationID
        var state: PresentationState.Station
        var sinceMilliseconds: UInt64?
        var by: String?
    }

    /// What was asked under an id, said to a parent that may not know it: by it the parent takes
    /// the last word of an origin also from a child that did not ask there.
    struct Asked: Hashable, Sendable {
        var origin: NodeName
        var digest: ReportDigest
    }

    /// SETTLED.
    struct Settled: Hashable, Sendable {
        var id: PresentationID
        var answer: UniqueID
        var result: RecoveryResult
        var asked: Asked?
    }

    /// Why a presentation is given up.
    enum WithdrawReason: String, Sendable, CaseIterable {
        /// The origin itself: final under that id.
        case origin
        /// A hop that no child asks: asked again, it is live again.
        case abandoned
    }

    /// REJECT.
    struct Reject: Hashable, Sendable {
        var id: PresentationID?
        var code: RejectCode
        var reason: String
        var retryMilliseconds: UInt64?

        init(
            _ code: RejectCode, _ reason: String, id: PresentationID? = nil,
            retryMilliseconds: UInt64? = nil
        ) {
            self.id = id
            self.code = code
            self.reason = reason
            self.retryMilliseconds = retryMilliseconds
        }
    }
}

/// The closed list of verbs, and who may say them: direction is authority (docs/wire.md, rule 6).
enum Verb: String, Sendable, CaseIterable {
    case hello = "HELLO"
    case welcome = "WELCOME"
    case present = "PRESENT"
    case accepted = "ACCEPTED"
    case pending = "PENDING"
    case await = "AWAIT"
    case answer = "ANSWER"
    case settled = "SETTLED"
    case withdraw = "WITHDRAW"
    case withdrawn = "WITHDRAWN"
    case ping = "PING"
    case pong = "PONG"
    case reject = "REJECT"
    case ok = "OK"
    case bye = "BYE"
    case status = "STATUS"
    case state = "STATE"

    /// Compares bytes: as texts, some letters beyond ASCII equal Latin ones (KELVIN SIGN and K).
    init?(frame: Frame) {
        guard frame.allSatisfy({ $0 < 0x80 }) else { return nil }
        self.init(rawValue: String(decoding: frame, as: UTF8.self))
    }

    /// A child may say it to its parent.
    var goesUp: Bool {
        switch self {
        case .hello, .present, .await, .settled, .withdraw, .ping, .pong, .bye, .status: true
        case .welcome, .accepted, .pending, .answer, .withdrawn, .reject, .ok, .state: false
        }
    }

    /// A parent may say it to its child.
    var goesDown: Bool {
        switch self {
        case .welcome, .accepted, .pending, .answer, .withdrawn, .reject, .ok, .ping, .pong, .bye,
            .state:
            true
        case .hello, .present, .await, .settled, .withdraw, .status: false
        }
    }
}

/// One part of a ZeroMQ message.
package typealias Frame = [UInt8]

extension Frame {
    /// The frame as text, for messages about it: at most 40 characters, made printable.
    var excerpt: String {
        let printable = prefix(40).map { byte in
            (0x20...0x7E).contains(byte) ? Character(Unicode.Scalar(byte)) : "?"
        }
        return String(printable) + (count > 40 ? "…" : "")
    }
}

/// One life of a process, a new one at every start. A peer whose boot id changed has lost what it
/// held in memory. Ours are 64 random bits in hexadecimal; a peer's may be any short token.
package struct BootID: Hashable, Sendable, CustomStringConvertible {
    package let description: String

    /// A new one from the system's generator.
    package static func make() -> BootID {
        BootID(number: .random(in: 1...UInt64.max))
    }

    init(number: UInt64) { description = number.paddedHex }

    /// Reads 1 to 64 printable ASCII characters; nil for anything else.
    init?(_ text: String) {
        guard (1...64).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        description = text
    }
}
