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
        enum State: String, Sendable, CaseIterable {
            case relayed, queued, presented, claimed, unreachable
        }
        var id: PresentationID
        var state: State
        var sinceMilliseconds: UInt64?
        var by: String?
    }

    /// ANSWER.
    struct Decision: Hashable, Sendable {
        var id: PresentationID
        var answer: UniqueID
        var by: String
        var via: Answer.Via
        var option: String?
        /// Set when it was dealt with above: nothing is attempted below.
        var didRecover: Bool?
        var reason: String?
        var extras = AnswerExtras()
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
        /// A hop, because no child asks any more: asked again, it is live again.
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
