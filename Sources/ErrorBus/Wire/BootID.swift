/// One life of a process, a new one at every start. A peer whose boot id changed has lost what it
/// held in memory. Ours are 64 random bits in hexadecimal; a peer's may be any short token.
public struct BootID: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// A new one from the system's generator.
    public static func make() -> BootID {
        BootID(number: .random(in: 1...UInt64.max))
    }

    init(number: UInt64) { description = number.paddedHex }

    /// Reads 1 to 64 printable ASCII characters; nil for anything else.
    init?(_ text: String) {
        guard (1...64).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        description = text
    }
}
