import ErrorBus

/// What a person at an inbox wants of the console.
enum InboxRequest: Hashable, Sendable {
    case detail(id: String)
    case answer(id: String, option: String)
    /// Every open one of the group that had been seen at this revision.
    case answerGroup(Int64, option: String, seen: Int64)
    case claim(id: String, takeOver: Bool)
    case release(id: String)
    case undo(id: String)
    /// Every answer of the group that has not left.
    case undoGroup(Int64)

    /// How long an answer can be taken back.
    static let undoTime: Duration = .seconds(5)
    /// How long a claim holds.
    static let claimTime: Duration = .seconds(900)

    /// The console's reply.
    func sent(to client: ConsoleClient, by person: String) async throws -> JSONValue {
        let by = JSONValue.string(person)
        let undo = JSONValue.integer(Int64(Self.undoTime / .milliseconds(1)))
        switch self {
        case .detail(let id): return try await client.get("/presentations/\(id)")
        case .answer(let id, let option):
            return try await client.answer(id, option: option, by: person, undo: Self.undoTime)
        case .answerGroup(let number, let option, let seen):
            return try await client.post(
                "/groups/\(number)/answer",
                [
                    "option": .string(option), "by": by, "seen": .integer(seen),
                    "undoMilliseconds": undo,
                ])
        case .claim(let id, let takeOver):
            let time = Int64(Self.claimTime / .milliseconds(1))
            return try await client.post(
                "/presentations/\(id)/claim",
                ["by": by, "forMilliseconds": .integer(time), "takeOver": .bool(takeOver)])
        case .release(let id):
            return try await client.post("/presentations/\(id)/release", ["by": by])
        case .undo(let id): return try await client.post("/presentations/\(id)/undo", ["by": by])
        case .undoGroup(let number):
            return try await client.post("/groups/\(number)/undo", ["by": by])
        }
    }
}
