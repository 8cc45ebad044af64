/// A direction of a proxied connection, by Toxiproxy's names.
enum ToxicStream: String, CaseIterable, Hashable, Sendable {
    /// From the client to the server.
    case upstream
    /// From the server to the client.
    case downstream

    var opposite: ToxicStream { self == .upstream ? .downstream : .upstream }
}
