/// The two sockets of a proxied connection.
enum ConnectionSide: Hashable {
    /// Connected to us.
    case client
    /// We connected to it.
    case server

    /// The direction that begins here.
    var outgoing: ToxicStream { self == .client ? .upstream : .downstream }

    var opposite: ConnectionSide { self == .client ? .server : .client }
}
