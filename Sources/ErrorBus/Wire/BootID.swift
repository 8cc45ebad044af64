/// One life of a process: 64 random bits, made anew at every start, written as 16 hexadecimal
/// digits. A peer whose boot id changed has lost what it held in memory.
public struct BootID: Hashable, Sendable, CustomStringConvertible {
    let number: UInt64

    /// A new one from the system's generator.
    public static func make() -> BootID {
        BootID(number: .random(in: 1...UInt64.max))
    }

    init(number: UInt64) { self.number = number }

    /// Reads 16 hexadecimal digits in either case; nil for anything else.
    init?(_ text: String) {
        guard text.utf8.count == 16, text.utf8.first != UInt8(ascii: "+"),
            text.utf8.first != UInt8(ascii: "-"), let number = UInt64(text, radix: 16)
        else { return nil }
        self.number = number
    }

    public var description: String { number.paddedHex }
}
