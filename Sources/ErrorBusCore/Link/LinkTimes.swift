/// The times of a link, in milliseconds unless noted. All are in one place, each with its reason.
package struct LinkTimes: Hashable, Sendable {
    /// Silence after which a side pings: finds dead hosts, cut cables and hung applications. The
    /// transport has no heartbeat of its own.
    var pingAfter: UInt64 = 4_000
    /// Silence after which a link is given up: three pings' worth, below the promised 15 s.
    package var silenceMax: UInt64 = 12_000
    /// The longest time from opening a socket to WELCOME; then the child rebuilds the socket, since
    /// libzmq silently gives up some sessions for good.
    var greetingMax: UInt64 = 5_000
    /// The limit of ``greetingMax`` for all parents together: each failed round doubles the time,
    /// since a slow link needs three round trips until WELCOME.
    var greetingRoundMax: UInt64 = 40_000
    var helloAgainAfter: UInt64 = 1_000
    /// The pause before rebuilding a socket, doubled up to the maximum: with its jitter of a
    /// quarter and a handshake a link is up within 5 s after its fault is mended.
    var rebuildAfter: UInt64 = 100
    var rebuildAfterMax: UInt64 = 3_500
    /// The time without a parent before a node logs that, and the interval of repetitions.
    package var parentMissing: UInt64 = 60_000
    package var parentMissingAgain: UInt64 = 600_000
    /// The interval of tries of a parent that comes earlier in the list, up to a quarter longer.
    var returnEvery: UInt64 = 30_000
    /// The time that a parent may have no way up before the child tries others, for each node of
    /// the way, so that nodes near the fault react first.
    package var wayMax: UInt64 = 10_000
    /// The longest wait for messages under way before a child leaves its parent.
    var leaveMax: UInt64 = 5_000
    /// The longest such wait for an attempt in progress: well below ``abandonPause``, so that no
    /// prompt disappears and returns.
    var leaveResultMax: UInt64 = 1_000
    /// The delay of an abandonment at a hop, since another path may present meanwhile.
    var abandonPause: UInt64 = 2_000
    /// The time that a parent holds back the ACCEPTED and the station of a new presentation: the
    /// answer of a policy comes sooner, and then neither is worth a message. Far below the second
    /// after which the child sends PRESENT again, and too short for a person to notice.
    package var holdBack: UInt64 = 50
    /// The interval of AWAIT for an open presentation.
    package var awaitEvery: UInt64 = 60_000
    /// The time that a child may be gone before its presentations are withdrawn upward.
    package var abandonAfter: UInt64 = 60_000
    /// The time that an entry may go without PRESENT or AWAIT before it is abandoned even on a live
    /// link.
    package var lease: UInt64 = 180_000
    /// The time that the result of a settled presentation is kept for repeated requests.
    package var tombstone: UInt64 = 600_000
    /// The time that the holder of a name may take to answer the ping that a claimant caused.
    var nameProbe: UInt64 = 2_000
    /// The time after a deadline in which an answer recorded in time, or the report of the expiry,
    /// may still arrive on a live link: each process has its own clock.
    var deadlineSlack: UInt64 = 1_000
    /// The longest wait of a bare client without a deadline.
    var bareWaitMax: UInt64 = 600_000
    /// Messages of one sort that are sent within one millisecond where many are due at once, as on
    /// a rebuilt link: a refusal for want of room may come before all are sent.
    var pacePerMillisecond: Int = 20

    package init() {}
}

/// The resource limits of a node. A request above a limit is rejected with 429, never queued.
package struct LinkLimits: Hashable, Sendable {
    /// Open presentations from one child, sent in WELCOME.
    package var openPerChildMax = 1024
    /// Open presentations of one key that is no relay's, over all its links and clients: as many as
    /// one child and as many processes with one each may have. A relay's key has no such limit: for
    /// each origin behind the relay it may have as many as a child.
    package var openPerKeyMax = 2_048
    /// Open presentations of the whole node.
    package var openPerNodeMax = openPerNodeDefault
    package static let openPerNodeDefault = 16_384
    /// The number of the last presentations, an eighth, that all share: there a child may have at
    /// most an equal share of the free room, and so may all clients without a link together; with
    /// keys, all links and clients of one key. So a flood leaves room for a modest client.
    var sharedOpenCount: Int { openPerNodeMax / 8 }
    /// Bytes of the reports of one key that is no relay's, until they are settled: as many
    /// presentations as it may have open, of 8 KiB each.
    package var reportBytesPerKeyMax = 16 << 20
    /// Bytes of the reports of the whole node, until they are settled.
    package var reportBytesPerNodeMax = 128 << 20
    /// The last of these bytes, shared as the last presentations are.
    var sharedReportBytes: Int { reportBytesPerNodeMax / 8 }
    /// Bytes in large reports that one key that is no relay's may present at once: each costs the
    /// nodes above and the journal work, and disk, at the expense of others.
    package var largeReportBytesMax = 64 << 20
    /// The bytes of these that come back in a second.
    package var largeReportBytesPerSecond = 1 << 20
    /// The size up to which a report is not large.
    package var largeReportBytesMin = 4 << 10
    /// Answers without a result; above it the oldest are given up as `unknown`, until a late result
    /// corrects that. At this limit and the next two, entries of the key that has the most go
    /// first; without keys, of the child.
    package var undeliveredMax = 16_384
    /// Results and withdrawals kept for repeated requests.
    package var rememberedMax = 65_536
    /// Withdrawals of presentations that were never sent here: separate from the above, since a
    /// peer can send any number of them.
    package var unaskedMax = 4_096
    /// Last words of one key that is no relay's that are passed on at once, for ids that are not
    /// known here: more than the key may have open, so that all of them survive a restart.
    package var lastWordsMax = 4_096
    /// The number of further last words in a second: each costs the nodes above and the journal
    /// work, at the expense of the others behind this node.
    package var lastWordsPerSecond = 20
    /// Child links, named or superseded.
    package var childrenMax = 4_096
    /// Child links of one key.
    package var childrenPerKeyMax = 1_024
    /// Links of one child that begin anew at once, while it has more presentations than
    /// ``lightChildMax``: each is work for all of them, at the expense of other children.
    package var newLinksMax = 16
    /// The milliseconds until one more of these comes back: less than a refused child waits.
    package var newLinkPause: UInt64 = 4_000
    /// The most presentations without a result of a child whose new links are little work.
    package var lightChildMax = 256
    /// Open presentations of this node towards its parent.
    package var openUpwardMax = 32_768
    /// Bytes of reports that a parent, or of answers that a child, has been sent and may not have
    /// read. What is more waits here, so that a peer that reads slowly takes no more memory of this
    /// node, and a hundred children together no more than the parent's queue has
    /// (``ReceiveQueue``).
    package var unreadByteCountMax = 256 << 10

    /// The most STATUS replies in a second to one key, and to all peers without one together.
    package var statesPerSecondMax = 20

    package init() {}

    /// Allows as many open presentations in the node. The limits of one child and one key grow with
    /// it, and so do those that are reached when all are answered at once: answers without a
    /// result, and results in memory.
    package mutating func allow(open count: Int) {
        let fresh = LinkLimits()
        func share(_ limit: KeyPath<LinkLimits, Int>) -> Int {
            max(fresh[keyPath: limit], fresh[keyPath: limit] * count / fresh.openPerNodeMax)
        }
        openPerNodeMax = count
        openPerChildMax = share(\.openPerChildMax)
        openPerKeyMax = share(\.openPerKeyMax)
        reportBytesPerNodeMax = share(\.reportBytesPerNodeMax)
        reportBytesPerKeyMax = share(\.reportBytesPerKeyMax)
        largeReportBytesMax = share(\.largeReportBytesMax)
        lastWordsMax = share(\.lastWordsMax)
        undeliveredMax = share(\.undeliveredMax)
        rememberedMax = share(\.rememberedMax)
        openUpwardMax = share(\.openUpwardMax)
    }
}

/// The machines' only randomness: a small generator (SplitMix64) in their state, so that copies of
/// a machine act alike.
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

    /// The delay of a resending: 1, 2, 4 .. 30 s after `tries` sendings without a reply, each up to
    /// a quarter longer.
    mutating func resendDelay(afterTries tries: Int) -> UInt64 {
        let seconds = min(30, UInt64(1) << UInt64(min(max(tries - 1, 0), 5)))
        return seconds * 1000 + UInt64.random(in: 0...seconds * 250, using: &self)
    }

    mutating func milliseconds(in range: ClosedRange<UInt64>) -> UInt64 {
        UInt64.random(in: range, using: &self)
    }
}
