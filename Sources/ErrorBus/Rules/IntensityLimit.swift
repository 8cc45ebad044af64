/// So many times in so long, written `3 per 1m`.
public struct IntensityLimit: Hashable, Sendable, CustomStringConvertible {
    /// The largest count: every use within the window is remembered.
    public static let countMax = 1000

    public let count: Int
    public let window: Duration

    public init(_ count: Int, per window: Duration) {
        precondition((1...Self.countMax).contains(count) && window > .zero)
        self.count = count
        self.window = window
    }

    public var description: String { "\(count) per \(window)" }
}
