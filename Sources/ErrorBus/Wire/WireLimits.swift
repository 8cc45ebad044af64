/// The sizes EB1 allows. Checked before anything is parsed or kept.
public struct WireLimits: Hashable, Sendable {
    /// The major version is in the magic; these are the names HELLO and WELCOME use.
    static let version = "EB1"
    static let magic: Frame = Array("EB1".utf8)

    /// Frames of an envelope, the empty delimiter included.
    static let envelopeFrameCountMax = 8
    static let envelopeFrameByteCountMax = 255
    static let headerFieldCountMax = 64
    static let fieldNameByteCountMax = 64
    /// Hops in `path`.
    static let hopCountMax = 16
    /// Free text in a header field (`reason`, `by`).
    static let textScalarCountMax = 256
    /// Numbers in header fields; more cannot be read exactly by every JSON and JavaScript peer.
    static let numberMax: UInt64 = 1 << 53
    /// The longest a peer that gets one reply per request may let its request wait.
    static let waitMillisecondsMax: UInt64 = 20_000
    /// The longest deadline of a bare client, a day: it says nothing while it waits, so its prompt
    /// stays until then when it is gone.
    static let bareDeadlineMillisecondsMax: UInt64 = 86_400_000

    public var headerByteCountMax: Int
    public var payloadByteCountMax: Int

    /// 8 KiB of header, 256 KiB of payload.
    public static let standard = WireLimits(
        headerByteCountMax: 8 * 1024, payloadByteCountMax: 256 * 1024)
}
