import Glibc

/// The id of one presentation, made by its origin: the same id again is the same presentation.
public struct PresentationID: Hashable, Sendable, CustomStringConvertible {
    public let value: UniqueID

    public init(_ value: UniqueID) { self.value = value }

    /// Reads the canonical UUID form; nil for anything else.
    public init?(_ text: some StringProtocol) {
        guard let value = UniqueID(text) else { return nil }
        self.value = value
    }

    /// A new id (UUID version 7) from the wall clock and the system's generator.
    public static func make() -> PresentationID {
        var generator = SystemRandomNumberGenerator()
        return make(using: &generator)
    }

    /// A new id whose random part comes from `generator`.
    static func make(using generator: inout some RandomNumberGenerator) -> PresentationID {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let milliseconds = UInt64(max(0, time.tv_sec)) * 1000 + UInt64(time.tv_nsec) / 1_000_000
        return PresentationID(UniqueID(milliseconds: milliseconds, using: &generator))
    }

    public var description: String { value.description }
}
