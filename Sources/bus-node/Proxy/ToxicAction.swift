/// What the driver of a connection has to do for one direction.
enum ToxicAction: Hashable, Sendable {
    /// Write to the receiving side.
    case forward([UInt8])
    /// Say to the receiving side that nothing more comes (FIN).
    case finish
    /// Close both sides.
    case close
    /// Close both sides with RST.
    case reset
}
