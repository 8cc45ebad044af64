/// What a topology says about a console.
public struct ConsoleSettings: Hashable, Sendable {
    /// Where it listens: a host of this machine and a port, never ipc.
    public var listen: Endpoint
    /// The file its token is in; nil: a token is made when it starts, for loopback only.
    public var tokenFile: String?
    /// What a request may name as its host besides the addresses that follow from ``listen``.
    public var hosts: [String] = []
    /// Unanswered and unclaimed for this long, the next presenter is asked; nil: never.
    public var escalateAfter: Duration?

    public init(listen: Endpoint) { self.listen = listen }

    /// Host and port as they are written in the topology.
    public var address: String { String(listen.description.dropFirst("tcp://".count)) }
}
