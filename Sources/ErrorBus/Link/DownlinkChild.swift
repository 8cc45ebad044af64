/// A child that opened a node link: the one live link of its name.
struct DownlinkChild: Hashable, Sendable {
    /// Another process that claims the name, waiting for whether its holder still lives.
    struct Claimant: Hashable, Sendable {
        let peer: PeerID
        let hello: Message.Hello
        let until: MonotonicTime
    }

    var peer: PeerID
    var boot: BootID
    var heardAt: MonotonicTime
    /// Since when it has been live without a break.
    var liveSince: MonotonicTime
    var pingedAt: MonotonicTime?
    /// Since when nothing reaches it; nil while it lives.
    var unreachableSince: MonotonicTime?
    /// Its connection is gone: what still comes from it was sent before.
    var isDisconnected = false
    /// It said BYE, and nothing since.
    var hasLeft = false
    var claimant: Claimant?

    var isReachable: Bool { unreachableSince == nil }
}
