import ErrorBus

/// What waits for a message on a link, and what it does then.
struct Ambush {
    enum Fate {
        case goes, lost
        case doubled(after: UInt64)
        /// It comes so much later, also where its connection has been closed meanwhile: of two
        /// connections of one process neither waits for the other.
        case late(after: UInt64)
    }

    let verb: String
    /// The same as a message has it.
    let verbFrame: Frame
    let link: Network.LinkID
    /// Which of these messages.
    let number: Int
    let fate: Fate
    let fault: Plan.Fault?
    /// The fault comes so much later.
    var delay: UInt64 = 0

    init(
        _ verb: String, _ number: Int = 1, on link: Network.LinkID, _ fate: Fate = .goes,
        then fault: Plan.Fault? = nil, after delay: UInt64 = 0
    ) {
        self.verb = verb
        verbFrame = Frame(verb.utf8)
        self.number = number
        self.link = link
        self.fate = fate
        self.fault = fault
        self.delay = delay
    }
}
