/// The routing frames in front of a message, up to and including the first empty one (RFC 28). In
/// front of a reply they route it back through any proxies between.
package struct Envelope: Hashable, Sendable {
    package let frames: [Frame]

    /// Splits the envelope off a message from a ROUTER.
    ///
    /// - Returns: The envelope, and the message's own frames.
    /// - Throws: ``WireError`` when there is no empty frame among the first
    ///   ``WireLimits/envelopeFrameCountMax``, or a longer frame than is allowed before it. A reply
    ///   can then only use ``nearest(to:)``.
    package static func split(
        _ frames: [Frame]
    ) throws(WireError) -> (envelope: Envelope, body: ArraySlice<Frame>) {
        let searched = frames.prefix(WireLimits.envelopeFrameCountMax)
        guard let delimiter = searched.firstIndex(where: { $0.isEmpty }) else {
            throw WireError(
                .malformed,
                "no empty frame among the first \(WireLimits.envelopeFrameCountMax) of "
                    + "\(frames.count)")
        }
        let envelope = frames[...delimiter]
        if let long = envelope.first(where: { $0.count > WireLimits.envelopeFrameByteCountMax }) {
            throw WireError(
                .malformed,
                "envelope frame of \(long.count) bytes; at most "
                    + "\(WireLimits.envelopeFrameByteCountMax)")
        }
        return (Envelope(frames: Array(envelope)), frames[(delimiter + 1)...])
    }

    /// The envelope for refusing a message without a valid envelope: the connection of the message,
    /// which the ROUTER put in front. Nil if the connection is unreadable too.
    package static func nearest(to frames: [Frame]) -> Envelope? {
        guard let connection = frames.first, !connection.isEmpty,
            connection.count <= WireLimits.envelopeFrameByteCountMax
        else { return nil }
        return Envelope(frames: [connection, []])
    }
}
