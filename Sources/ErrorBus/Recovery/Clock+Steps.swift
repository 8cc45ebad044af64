extension Clock where Duration == Swift.Duration {
    /// Sleeps in steps of at most five seconds. A sleep that is cancelled stays in memory until
    /// its time has come all the same, and nearly every limit here is cancelled: ten minutes long,
    /// they would add up.
    func sleepInSteps(for limit: Duration) async throws {
        try await sleepInSteps(until: now.advanced(by: limit))
    }

    func sleepInSteps(until deadline: Instant) async throws {
        while now < deadline {
            try await sleep(until: min(deadline, now.advanced(by: .seconds(5))), tolerance: nil)
        }
    }
}
