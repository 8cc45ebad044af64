/// The limits of a link, in milliseconds unless said otherwise. One place, each with its reason.
public struct LinkTimes: Hashable, Sendable {
    /// Silence after which a side pings: finds dead hosts, cut cables and hung applications. The
    /// transport has no heartbeat of its own.
    public var pingAfter: UInt64 = 4_000
    /// Silence after which a link is given up: three pings' worth, below the promised 15 s.
    public var silenceMax: UInt64 = 12_000
    /// From opening a socket to WELCOME; then the socket is rebuilt, since libzmq gives some
    /// sessions up for ever without saying so.
    public var greetingMax: UInt64 = 5_000
    /// What all parents together may take when it has grown: each failed round doubles it, since a
    /// slow link needs three round trips until WELCOME.
    public var greetingRoundMax: UInt64 = 40_000
    public var helloAgainAfter: UInt64 = 1_000
    /// Pause before rebuilding a socket, doubled up to the maximum.
    public var rebuildAfter: UInt64 = 100
    public var rebuildAfterMax: UInt64 = 5_000
    /// How long there may be no parent before the log says so, and how often it says so again.
    public var parentMissing: UInt64 = 60_000
    public var parentMissingAgain: UInt64 = 600_000
    /// How often a parent that comes earlier in the list is tried, up to a quarter longer.
    public var returnEvery: UInt64 = 30_000
    /// How long what is under way to or from a parent may keep a child from leaving it.
    public var leaveMax: UInt64 = 5_000
    /// How long a hop keeps back that it gave a presentation up, which may be asked by another
    /// path meanwhile.
    public var abandonPause: UInt64 = 2_000
    /// How often an open presentation is asserted again.
    public var awaitEvery: UInt64 = 60_000
    /// A child gone for this long has its presentations withdrawn upward.
    public var abandonAfter: UInt64 = 60_000
    /// An entry that no child asked for in this time is abandoned even on a live link.
    public var lease: UInt64 = 180_000
    /// How long the result of a settled presentation is kept for those who ask again.
    public var tombstone: UInt64 = 600_000
    /// How long the holder of a name may take to answer the ping that a claimant caused.
    public var nameProbe: UInt64 = 2_000
    /// How long after a deadline an answer that was recorded in time, or the word that there is
    /// none, may still come on a live link: each process has a clock of its own.
    public var deadlineSlack: UInt64 = 1_000
    /// How long a bare client without a deadline of its own is kept waiting.
    public var bareWaitMax: UInt64 = 600_000
    /// Presentations asserted again within one millisecond, after a link was rebuilt.
    public var pacePerMillisecond: Int = 5

    public init() {}
}
