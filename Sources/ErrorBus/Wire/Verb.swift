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
