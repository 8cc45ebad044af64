/// What travels along one direction of a connection.
enum ToxicItem: Hashable, Sendable {
    case bytes([UInt8])
    /// The sender has nothing more to say (FIN).
    case end
    /// The sender is gone without saying goodbye.
    case reset
    /// A toxic cuts the connection here.
    case cut

    var byteCount: Int {
        if case .bytes(let bytes) = self { bytes.count } else { 0 }
    }
}
