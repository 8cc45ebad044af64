/// A message between two nodes: one case per verb of EB1.
package enum Message: Hashable, Sendable {
    /// Opens a node link.
    case hello(Hello)
    /// Accepts the link, with the limits in force.
    case welcome(Welcome)
    /// Presents an error. A repeated id means the same presentation.
    case present(Present)
    /// The next hop holds an open entry for the presentation.
    case accepted(id: PresentationID, attempt: UInt64)
    /// The state of the presentation.
    case pending(Pending)
    /// The child still waits for the answer.
    case await(id: PresentationID, waitMilliseconds: UInt64)
    /// The answer, and the digest of the report that it answers; nil from a peer that sends none.
    case answer(PresentationID, Answer, digest: ReportDigest? = nil)
    /// The result of an answer.
    case settled(Settled)
    /// The origin withdraws.
    case withdraw(id: PresentationID, reason: WithdrawReason, asked: Asked? = nil)
    case withdrawn(id: PresentationID)
    case ping(UInt64)
    case pong(UInt64)
    /// A typed refusal.
    case reject(Reject)
    /// The reply to SETTLED or WITHDRAW for a peer that gets one reply per request.
    case ok(id: PresentationID?)
    /// The sender shuts down, or leaves.
    case bye(reason: String)
    /// Asks for the node's status. Any peer that may connect may send it.
    case status
    /// The status, as JSON.
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
    package struct Hello: Hashable, Sendable {
        var from: NodeName
        var boot: BootID
        var versions: [String] = [WireLimits.version]
    }

    /// WELCOME.
    package struct Welcome: Hashable, Sendable {
        var node: NodeName
        var boot: BootID
        var version: String = WireLimits.version
        var maxHeader: UInt64
        var maxPayload: UInt64
        var maxOpen: UInt64
        /// The time that a link may be silent before the other side sends PING.
        var pingMilliseconds: UInt64
        /// The nodes from this parent to the root, as far as the parent knows.
        var path: [NodeName]
    }

    /// PRESENT.
    package struct Present: Hashable, Sendable {
        package var id: PresentationID
        /// The number of this sending of the presentation, from 1.
        package var attempt: UInt64 = 1
        package var origin: NodeName
        /// The nodes that the presentation passed, origin first.
        package var path: [NodeName]
        package var digest: ReportDigest?
        /// Time left for an answer; nil: as long as the origin lives.
        package var leftMilliseconds: UInt64?
        /// The time that a peer that gets one reply per request waits for the reply to this one.
        package var waitMilliseconds: UInt64?
        package var retryOf: PresentationID?
        var traceparent: String?
        /// False while a hop below cannot reach the origin; the prompt shows it.
        package var isOriginReachable = true
        var unknownFields: [Header.Field] = []
        /// The error report as the origin or the last responder that changed it wrote it.
        package var payload: Frame

        package init(
            id: PresentationID, attempt: UInt64 = 1, origin: NodeName, path: [NodeName],
            digest: ReportDigest? = nil, leftMilliseconds: UInt64? = nil,
            waitMilliseconds: UInt64? = nil, retryOf: PresentationID? = nil,
            traceparent: String? = nil, isOriginReachable: Bool = true,
            unknownFields: [Header.Field] = [], payload: Frame
        ) {
            self.id = id
            self.attempt = attempt
            self.origin = origin
            self.path = path
            self.digest = digest
            self.leftMilliseconds = leftMilliseconds
            self.waitMilliseconds = waitMilliseconds
            self.retryOf = retryOf
            self.traceparent = traceparent
            self.isOriginReachable = isOriginReachable
            self.unknownFields = unknownFields
            self.payload = payload
        }
    }

    /// PENDING.
    package struct Pending: Hashable, Sendable {
        var id: PresentationID
        var state: PresentationState.Station
        var sinceMilliseconds: UInt64?
        var by: String?
    }

    /// The origin and digest of a presentation, sent to a parent that may not know it, so that the
    /// parent accepts the last word of an origin even from a child that never presented it there.
    package struct Asked: Hashable, Sendable {
        package var origin: NodeName
        package var digest: ReportDigest
    }

    /// SETTLED.
    package struct Settled: Hashable, Sendable {
        package var id: PresentationID
        package var answer: UniqueID
        package var result: RecoveryResult
        package var asked: Asked?
    }

    /// The reason why a presentation is withdrawn.
    package enum WithdrawReason: String, Sendable, CaseIterable {
        /// The origin withdrew: final under that id.
        case origin
        /// A hop has no child left that waits: a repeated PRESENT reopens it.
        case abandoned
    }

    /// REJECT.
    package struct Reject: Hashable, Sendable {
        package var id: PresentationID?
        package var code: RejectCode
        package var reason: String
        package var retryMilliseconds: UInt64?

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

/// The closed list of verbs, with the senders that may use them: direction is authority
/// (docs/wire.md, section 10).
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
        guard let known = Self.allVerbs.first(where: { $0.frame == frame }) else { return nil }
        self = known.verb
    }

    private static let allVerbs = allCases.map { (frame: Frame($0.rawValue.utf8), verb: $0) }

    /// The rules of docs/wire.md for a verb.
    private struct Rules: OptionSet {
        let rawValue: UInt8
        /// A child may send the verb to its parent.
        static let up = Rules(rawValue: 1)
        /// A parent may send the verb to its child.
        static let down = Rules(rawValue: 2)
        /// A parent sends the verb in reply to a child.
        static let reply = Rules(rawValue: 4)
        /// The message counts even if it is read after its connection has gone.
        static let last = Rules(rawValue: 8)
    }

    private var rules: Rules {
        switch self {
        case .present, .await, .status: .up
        case .hello, .settled, .withdraw: [.up, .last]
        case .welcome, .accepted, .withdrawn, .ok, .state: [.down, .reply]
        // REJECT may be how the chain above ended.
        case .pending, .answer, .reject: .down
        case .ping: [.up, .down]
        case .pong: [.up, .down, .reply]
        case .bye: [.up, .down, .last]
        }
    }

    /// Whether a child may send the verb to its parent.
    var goesUp: Bool { rules.contains(.up) }

    /// Whether a parent may send the verb to its child.
    var goesDown: Bool { rules.contains(.down) }

    /// Whether a parent sends the verb in reply to a child, which proves that the child's messages
    /// arrive.
    var isReply: Bool { rules.contains(.reply) }

    /// Whether no receiver replies to the verb: else two parents that are wired together would
    /// refuse each other endlessly.
    var endsExchange: Bool { self == .reject || self == .ok }

    /// Whether the verb counts from a connection that has gone: HELLO opens a new link, and the
    /// others need no reply.
    var outlivesConnection: Bool { rules.contains(.last) }
}

/// One part of a ZeroMQ message.
package typealias Frame = [UInt8]

extension Frame {
    /// The frame as text for messages: at most 40 characters, made printable.
    var excerpt: String {
        let printable = prefix(40).map { byte in
            (0x20...0x7E).contains(byte) ? Character(Unicode.Scalar(byte)) : "?"
        }
        return String(printable) + (count > 40 ? "…" : "")
    }
}

/// The id of one life of a process, new at every start. A peer whose boot id changed has lost its
/// memory. Ours are 64 random bits in hexadecimal; a peer's may be any short token.
package struct BootID: Hashable, Sendable, CustomStringConvertible {
    package let description: String

    /// A new id from the system's generator.
    package static func make() -> BootID {
        BootID(number: .random(in: 1...UInt64.max))
    }

    init(number: UInt64) { description = number.paddedHex }

    static let allowed = "1 to 64 printable ASCII characters without spaces"

    /// Reads an ``allowed`` id; nil for anything else.
    init?(_ text: String) {
        guard (1...64).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        description = text
    }
}
