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
    case answer(Decision)
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
    /// How is the node? Anybody who may connect may ask.
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
