import ErrorBus

/// Where a console's silences survive its node.
protocol SilenceStore: Sendable {
    /// The active and the latest ended ones.
    func silences(at now: Moment) throws -> [Silence]

    /// Durable when this returns.
    func save(_ silence: Silence) async throws

    /// It kept a question from people.
    func count(_ number: Int, isAnswered: Bool) async throws
}
