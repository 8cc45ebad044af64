/// The routing frames in front of a message, up to and including the first empty one (RFC 28).
/// Put in front of every reply, they lead it back, whatever proxies are in between.
struct Envelope: Hashable, Sendable {
    let frames: [Frame]

    /// Takes the envelope off; what remains are the message's own frames.
    ///
    /// - Throws: With the envelope to answer to, as far as there is one.
    static func split(
        _ frames: [Frame]
    ) -> (envelope: Envelope, body: ArraySlice<Frame>, error: WireError?) {
        let searched = frames.prefix(WireLimits.envelopeFrameCountMax + 1)
        guard let delimiter = searched.firstIndex(where: \.isEmpty) else {
            // Undelimited: the first frame, put there by the ROUTER, is all there is to go by.
            let envelope = Envelope(frames: Array(frames.prefix(1)) + [[]])
            return (
                envelope, [],
                WireError(
                    .malformed,
                    "no empty frame among the first \(WireLimits.envelopeFrameCountMax + 1)")
            )
        }
        let envelope = Envelope(frames: Array(frames[...delimiter]))
        if let long = envelope.frames.first(where: {
            $0.count > WireLimits.envelopeFrameByteCountMax
        }) {
            return (
                envelope, [],
                WireError(
                    .malformed,
                    "envelope frame of \(long.count) bytes; at most "
                        + "\(WireLimits.envelopeFrameByteCountMax)")
            )
        }
        return (envelope, frames[(delimiter + 1)...], nil)
    }
}
