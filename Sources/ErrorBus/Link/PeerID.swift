/// The sender of a message: the listening socket it came in by, and the envelope that leads back.
/// An address, never an identity.
struct PeerID: Hashable, Sendable {
    let socket: Int
    let envelope: Envelope
}
