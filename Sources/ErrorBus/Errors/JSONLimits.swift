/// How much JSON a peer may make us hold. Reading stops at the first limit passed.
public struct JSONLimits: Hashable, Sendable {
    /// The deepest nesting any limits may allow: the parser recurses, and this many levels take
    /// less than 384 KiB of stack even in a debug build.
    public static let depthCeiling = 128

    /// The longest text, in bytes.
    public var byteCount: Int
    /// The most arrays and objects inside one another; 1 is a flat object.
    /// Never above ``depthCeiling``.
    public var depth: Int {
        didSet { depth = min(depth, Self.depthCeiling) }
    }
    /// The most values in all, containers included, keys not.
    public var valueCount: Int
    /// The longest key, in bytes as written.
    public var keyByteCount: Int
    /// The most combining marks in a row, in a key or a string. Comparing and hashing a text put
    /// such a row into canonical order, in quadratic time: 60,000 marks cost a second each time.
    /// Unicode's Stream-Safe Text Format (UAX #15) gets by with 30.
    public var markRunCount: Int

    public init(
        byteCount: Int, depth: Int, valueCount: Int, keyByteCount: Int = 1024,
        markRunCount: Int = 128
    ) {
        self.byteCount = byteCount
        self.depth = min(depth, Self.depthCeiling)
        self.valueCount = valueCount
        self.keyByteCount = keyByteCount
        self.markRunCount = markRunCount
    }

    /// What a report or an answer's extras may be: 256 KiB, 32 levels, 20,000 values, keys of
    /// 1 KiB, 128 marks in a row.
    public static let report = JSONLimits(byteCount: 256 * 1024, depth: 32, valueCount: 20_000)
}
