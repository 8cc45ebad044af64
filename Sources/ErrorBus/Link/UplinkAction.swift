/// What an ``UplinkMachine`` wants done.
enum UplinkAction: Hashable, Sendable {
    /// Open a socket to the parent of this index, in place of the one that is open.
    case open(parent: Int)
    case close
    case send(Message)
    /// Open a second socket, to the parent of this index, beside the one that is open.
    case openProbe(parent: Int)
    case closeProbe
    case sendProbe(Message)
    /// The second socket takes the place of the first, which is closed once all is sent.
    case adoptProbe
    /// The parent welcomed us.
    case linkUp(Message.Welcome)
    case linkDown(reason: String)
    /// Tell the caller where its presentation stands.
    case moved(PresentationID, Message.Pending.State, by: String?)
    /// Carry out the answer, then report ``UplinkMachine/settled(_:answer:result:at:)``.
    case answered(PresentationID, Message.Decision)
    /// The presentation is refused for good.
    case refused(PresentationID, Message.Reject)
    case expired(PresentationID)
    /// No parent could be reached within the caller's grace. Stays open until withdrawn.
    ///
    /// With the refusal that it met last, where a parent was there and was busy.
    case graceOver(PresentationID, Message.Reject?)
    /// Late, doubled or alien: counted and dropped.
    case dropped(Anomaly)
}
