import ErrorBus
import HTTPTypes
import Synchronization

/// The open event streams of a console: at most so many in all, and of each owner. They end with
/// the sign-in that they belong to.
final class EventStreams: Sendable {
    /// The visitor whose streams count together.
    enum Owner: Hashable, Sendable {
        case user(SignedInPerson)
        /// All clients at an address, if all share one token.
        case address(String)

        init(_ visitor: ConsoleVisitor, at address: String) {
            self = visitor.person.map { .user($0) } ?? .address(address)
        }

        fileprivate func isSame(as other: Owner) -> Bool {
            switch (self, other) {
            case (.user(let person), .user(let other)): person.isSame(as: other)
            default: self == other
            }
        }

        fileprivate var countMax: Int {
            switch self {
            case .user: ConsoleLimits.streamCountMaxPerUser
            case .address: ConsoleLimits.streamCountMaxPerAddress
            }
        }

        fileprivate var problem: APIProblem {
            let (whose, remedy) =
                switch self {
                case .user(let user): ("of \(user.name)", "close pages or programs of this user")
                case .address(let host): ("from \(host)", "close pages or programs there")
                }
            return APIProblem(
                .tooManyRequests, "tooManyStreams",
                "event streams \(whose): the limit of \(countMax) at a time is reached; \(remedy)",
                details: ["limit": .count(countMax)])
        }
    }

    /// The place of one of the limited number of streams; it is free again when this object is
    /// released.
    final class Place: Sendable {
        private let streams: EventStreams
        private let number: Int

        fileprivate init(_ streams: EventStreams, _ number: Int) {
            self.streams = streams
            self.number = number
        }

        deinit { streams.state.withLock { _ = $0.streams.removeValue(forKey: number) } }
    }

    private struct Stream {
        let owner: Owner
        let session: ConsoleSessions.Label?
        let end: @Sendable () -> Void
    }

    private struct State {
        var streams: [Int: Stream] = [:]
        var lastNumber = 0
    }

    private let state = Mutex(State())

    /// - Parameter end: Ends the stream.
    /// - Throws: 429 when the owner has the most streams allowed, 503 when all owners together
    ///   have.
    func place(
        for owner: Owner, session: ConsoleSessions.Label? = nil,
        end: @escaping @Sendable () -> Void = {}
    ) throws(APIProblem) -> Place {
        let number = try state.withLock { state throws(APIProblem) in
            let count = state.streams.values.count { $0.owner.isSame(as: owner) }
            guard count < owner.countMax else { throw owner.problem }
            guard state.streams.count < ConsoleLimits.streamCountMax else {
                throw APIProblem(
                    .serviceUnavailable, "busy",
                    "event streams: the limit of \(ConsoleLimits.streamCountMax) at a time is "
                        + "reached")
            }
            state.lastNumber += 1
            state.streams[state.lastNumber] = Stream(owner: owner, session: session, end: end)
            return state.lastNumber
        }
        return Place(self, number)
    }

    var count: Int { state.withLock(\.streams.count) }

    /// Ends the streams of a sign-in.
    func end(_ session: ConsoleSessions.Label) {
        let streams = state.withLock { $0.streams.values.filter { $0.session == session } }
        for stream in streams { stream.end() }
    }
}
