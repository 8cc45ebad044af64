/// What a toxic does to one direction of a connection.
enum ToxicEffect: Hashable, Sendable {
    /// Every byte comes later by `latency`, give or take `jitter`.
    case latency(Duration, jitter: Duration)
    /// At most this many kilobytes (1000 bytes) a second.
    case bandwidth(kilobytesPerSecond: Int)
    /// The end of the stream comes later by this.
    case slowClose(delay: Duration)
    /// Nothing gets through, and after this the connection is closed; zero: only when the toxic
    /// is taken away.
    case timeout(Duration)
    /// Nothing gets through, and after this the connection is reset.
    case resetPeer(Duration)
    /// Data comes in pieces of about this many bytes, with a pause before each.
    case slicer(averageSize: Int, variation: Int, delay: Duration)
    /// After this many bytes the connection is closed.
    case limitData(bytes: Int)
    /// Bytes are changed: each with this probability, and the one at this offset of the stream.
    case corrupt(probability: Double, offset: Int?)
    /// Nothing gets through, as if every packet were dropped; what was sent meanwhile comes when
    /// the toxic is taken away, as TCP would send it again.
    case blackhole
    /// Whole ZeroMQ messages come twice with this probability. Only for streams without
    /// encryption; a stream that is no ZMTP 3 passes as it is.
    case duplicate(probability: Double)
}

extension ToxicEffect {
    /// The name in the API.
    var type: String {
        switch self {
        case .latency: "latency"
        case .bandwidth: "bandwidth"
        case .slowClose: "slow_close"
        case .timeout: "timeout"
        case .resetPeer: "reset_peer"
        case .slicer: "slicer"
        case .limitData: "limit_data"
        case .corrupt: "corrupt"
        case .blackhole: "blackhole"
        case .duplicate: "duplicate"
        }
    }
}
