/// The limits of a link, in milliseconds unless said otherwise. One place, each with its reason.
package struct LinkTimes: Hashable, Sendable {
    /// Silence after which a side pings: finds dead hosts, cut cables and hung applications. The
    /// transport has no heartbeat of its own.
    package var pingAfter: UInt64 = 4_000
    /// Silence after which a link is given up: three pings' worth, below the promised 15 s.
    package var silenceMax: UInt64 = 12_000
    /// From opening a socket to WELCOME; then the socket is rebuilt, since libzmq gives some
    /// sessions up for ever without saying so.
    package var greetingMax: UInt64 = 5_000
    /// What all parents together may take when it has grown: each failed round doubles it, since a
    /// slow link needs three round trips until WELCOME.
    package var greetingRoundMax: UInt64 = 40_000
    package var helloAgainAfter: UInt64 = 1_000
    /// Pause before rebuilding a socket, doubled up to the maximum.
    package var rebuildAfter: UInt64 = 100
    package var rebuildAfterMax: UInt64 = 5_000
    /// How long there may be no parent before the log says so, and how often it says so again.
    package var parentMissing: UInt64 = 60_000
    package var parentMissingAgain: UInt64 = 600_000
    /// How often a parent that comes earlier in the list is tried, up to a quarter longer.
    package var returnEvery: UInt64 = 30_000
    /// How long a parent may have no way up before others are tried, for each node of its way: what
    /// is nearer to the fault goes past it first.
    package var wayMax: UInt64 = 10_000
    /// How long what is under way to or from a parent may keep a child from leaving it.
    package var leaveMax: UInt64 = 5_000
    /// The same for an answer that is being carried out: well below ``abandonPause``, so that no
    /// prompt goes away and comes back.
    package var leaveResultMax: UInt64 = 1_000
    /// How long a hop keeps back that it gave a presentation up, which may be asked by another
    /// path meanwhile.
    package var abandonPause: UInt64 = 2_000
    /// How often an open presentation is asserted again.
    package var awaitEvery: UInt64 = 60_000
    /// A child gone for this long has its presentations withdrawn upward.
    package var abandonAfter: UInt64 = 60_000
    /// An entry that no child asked for in this time is abandoned even on a live link.
    package var lease: UInt64 = 180_000
    /// How long the result of a settled presentation is kept for those who ask again.
    package var tombstone: UInt64 = 600_000
    /// How long the holder of a name may take to answer the ping that a claimant caused.
    package var nameProbe: UInt64 = 2_000
    /// How long after a deadline an answer that was recorded in time, or the word that there is
    /// none, may still come on a live link: each process has a clock of its own.
    package var deadlineSlack: UInt64 = 1_000
    /// How long a bare client without a deadline of its own is kept waiting.
    package var bareWaitMax: UInt64 = 600_000
    /// Presentations asserted again within one millisecond, after a link was rebuilt.
    package var pacePerMillisecond: Int = 5

    package init() {}
}

/// How much a node takes on. Reached, each is refused with 429, never queued.
package struct LinkLimits: Hashable, Sendable {
    /// Open presentations from one child, told in WELCOME.
    package var openPerChildMax = 1024
    /// Open presentations of the whole node.
    package var openPerNodeMax = 16_384
    /// The last eighth of them is shared: there a child may have no more than an equal share of
    /// what is free, and so may all clients without a link together. Floods that fill the rest
    /// leave room for a client that asks little.
    var sharedOpenCount: Int { openPerNodeMax / 8 }
    /// Answers that wait for what comes of them; above it the oldest are given up: `unknown`,
    /// until a late result corrects it.
    package var undeliveredMax = 16_384
    /// Results and withdrawals remembered for those who ask again.
    package var rememberedMax = 65_536
    /// Withdrawals of what was never asked here: apart from the above, since any peer can send
    /// as many as it likes.
    package var unaskedMax = 4_096
    /// Child links, named or superseded.
    package var childrenMax = 4_096
    /// Open presentations of this node towards its parent.
    package var openUpwardMax = 32_768

    /// How often in a second it tells how it is, all askers together.
    package var statesPerSecondMax = 20

    package init() {}
}

/// The machines' only randomness: a small generator (SplitMix64) that is part of their state, so
/// that a copied machine with the same seed does the same.
struct Jitter: Hashable, Sendable, RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }

    /// 1, 2, 4 .. 30 s after `tries` sendings without a reply, each up to a quarter longer.
    mutating func resendDelay(afterTries tries: Int) -> UInt64 {
        let seconds = min(30, UInt64(1) << UInt64(min(max(tries - 1, 0), 5)))
        return seconds * 1000 + UInt64.random(in: 0...seconds * 250, using: &self)
    }

    mutating func milliseconds(in range: ClosedRange<UInt64>) -> UInt64 {
        UInt64.random(in: range, using: &self)
    }
}
