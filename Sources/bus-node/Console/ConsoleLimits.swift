import NIOCore

/// What one console gives to those that talk to it. A limit reached is a refusal, or the end of
/// the connection.
enum ConsoleLimits {
    static let bodyByteMax = 64 * 1024
    /// Of one header; all of them together may be four times as long.
    static let headerByteMax = 8 * 1024
    static let headerCountMax = 100
    /// Connections at a time; another one waits.
    static let connectionCountMax = 128
    /// Of these, such as have not shown the token; the oldest of them makes room.
    static let strangerCountMax = 64
    static let strangerCountMaxPerHost = 32
    /// What a connection has to end after a request that was no HTTP.
    static let malformedTime = TimeAmount.seconds(1)
    /// Refusals of one kind come into the log once in that time, and then how many more there were.
    static let refusalInterval: Duration = .seconds(10)
    /// Event streams at a time; another one is refused (503).
    static let streamCountMax = 48
    /// From the connection to the end of its first request.
    static let requestTime = TimeAmount.seconds(10)
    /// From an answer to the end of the next request.
    static let idleTime = TimeAmount.seconds(60)
    /// How long a client may take nothing of what is sent to it.
    static let stallTime = TimeAmount.seconds(10)
    /// What requests under way have to end when the node stops.
    static let shutdownTime: Duration = .milliseconds(300)

    /// How long the other nodes have to say how they are.
    static let statusTime: Duration = .seconds(1)

    static let itemCountMax = 500
    static let groupCountMax = 200
    static let idCountMax = 100
    static let auditEventMax = 5_000
    static let auditFieldScalarMax = 1_000
    static let nameScalarMax = 200
    static let commentScalarMax = 1_000
    /// Of a description in a list; the whole of it is in the report.
    static let descriptionScalarMax = 1_000
    static let messageInterval: Duration = .milliseconds(100)
    static let pingInterval: Duration = .seconds(15)
}
