/// Something that went wrong at a node, kept for those that ask how it is.
public struct NotedFault: Hashable, Sendable {
    public enum Source: String, Sendable, CaseIterable {
        /// The node logged it as an error.
        case logged
        /// It refused something.
        case sent
        /// Its parent refused something.
        case got
    }

    public var source: Source
    public var text: String
    /// How often the same was said.
    public var count: Int
    /// How long ago it was last.
    public var agoMilliseconds: UInt64

    public init(source: Source, text: String, count: Int, agoMilliseconds: UInt64) {
        self.source = source
        self.text = text
        self.count = count
        self.agoMilliseconds = agoMilliseconds
    }
}
