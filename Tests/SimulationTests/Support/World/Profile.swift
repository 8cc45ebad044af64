@testable import ErrorBus

/// How the world of one seed is: how bad its network, how slow its people, how short its times.
struct Profile: Sendable {
    var times = LinkTimes()
    var limits = LinkLimits()
    var loss = 0.0
    var duplication = 0.0
    var replay = 0.0
    var delayMin: UInt64 = 1
    var delayMean: UInt64 = 5
    /// Messages under way on one connection and direction; more are dropped.
    var queueMax = 1_000
    /// How long a person takes.
    var thinkingMean: UInt64 = 5_000
    var withheld = 0.0
    var ownOption = 0.0
    /// The longest a recovery attempt takes.
    var attemptMax: UInt64 = 500
    /// Between a journal record and its being safe on disk.
    var syncMax: UInt64 = 20
    /// A crash loses records that were not safe yet.
    var losesUnsyncedTail = true
    var chaosLasts: UInt64 = 120_000

    /// Nothing is lost or refused but by faults, and no message comes again much later: then a
    /// live way carries what is said on it.
    var isCalm: Bool {
        loss == 0 && replay == 0 && withheld == 0 && queueMax >= 1_000
            && limits.openPerChildMax >= 1_000
    }

    /// The most that a message takes over so many hops, and the nodes on it to pass it on. One in
    /// three million takes longer over a hop.
    func travelMax(hops: Int) -> UInt64 {
        UInt64(hops) * (delayMin + 15 * delayMean + 5 * SimulatedNode.hopMax)
    }

    init() {}

    init(using random: inout SeededGenerator) {
        times.pingAfter = random.pick([4_000, 8_000, 8_000])
        times.silenceMax = 3 * times.pingAfter
        if !random.happens(0.05) {
            // The relations of the real times, in a third of the virtual time.
            times.abandonAfter = 20_000
            times.lease = 60_000
            times.awaitEvery = 20_000
            times.tombstone = 200_000
            times.returnEvery = 10_000
            times.bareWaitMax = 120_000
        }
        loss = random.pick([0, 0, 0.02, 0.1, 0.3])
        duplication = random.pick([0, 0.05, 0.2])
        replay = random.pick([0, 0, 0.01, 0.03])
        delayMin = random.pick([0, 1, 20])
        delayMean = random.pick([1, 5, 50, 50, 400, 3_000])
        queueMax = random.pick([1_000, 1_000, 50, 10])
        thinkingMean = random.pick([500, 5_000, 20_000])
        withheld = random.pick([0, 0.05])
        ownOption = random.pick([0, 0.3])
        attemptMax = random.pick([0, 500, 5_000, 40_000])
        syncMax = random.pick([0, 20, 1_000])
        limits.openPerChildMax = random.pick([1_024, 1_024, 8, 3])
        chaosLasts = random.number(in: 30_000...120_000)
    }
}
