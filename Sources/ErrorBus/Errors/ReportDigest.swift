/// FNV-1a 64 of a report's bytes as the origin sent them: tells "asked again" from "same id,
/// another question" without comparing payloads (docs/wire.md, rule 1). Not a cryptographic hash.
public struct ReportDigest: Hashable, Sendable, CustomStringConvertible {
    public let value: UInt64

    public init(of payload: some Sequence<UInt8>) {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in payload {
            hash ^= UInt64(byte)
            hash &*= 0x0000_0100_0000_01B3
        }
        value = hash
    }

    /// Reads 16 hexadecimal digits; nil for anything else.
    public init?(_ text: some StringProtocol) {
        guard text.utf8.count == 16, text.utf8.first != UInt8(ascii: "+"),
            text.utf8.first != UInt8(ascii: "-"), let value = UInt64(text, radix: 16)
        else { return nil }
        self.value = value
    }

    public var description: String { value.paddedHex }
}
