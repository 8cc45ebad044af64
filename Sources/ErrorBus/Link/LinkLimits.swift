/// How much a node takes on. Reached, each is refused with 429, never queued.
public struct LinkLimits: Hashable, Sendable {
    /// Open presentations from one child, told in WELCOME.
    public var openPerChildMax = 1024
    /// Open presentations of the whole node.
    public var openPerNodeMax = 16_384
    /// The last eighth of them is shared: there a child may have no more than an equal share of
    /// what is free, and so may all clients without a link together. Floods that fill the rest
    /// leave room for a client that asks little.
    var sharedOpenCount: Int { openPerNodeMax / 8 }
    /// Answers that wait for what comes of them; above it the oldest are given up: `unknown`,
    /// until a late result corrects it.
    public var undeliveredMax = 16_384
    /// Results and withdrawals remembered for those who ask again.
    public var rememberedMax = 65_536
    /// Withdrawals of what was never asked here: apart from the above, since any peer can send
    /// as many as it likes.
    public var unaskedMax = 4_096
    /// Child links, named or superseded.
    public var childrenMax = 4_096
    /// Open presentations of this node towards its parent.
    public var openUpwardMax = 32_768

    /// How often in a second it tells how it is, all askers together.
    public var statesPerSecondMax = 20

    public init() {}
}
