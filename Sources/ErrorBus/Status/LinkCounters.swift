/// What a node has done since it started. They only grow.
public struct LinkCounters: Hashable, Sendable {
    /// Presentations that children asked; asked again after it was given up counts once more.
    public var presentedBelow = 0
    /// Those that were decided.
    public var answeredBelow = 0
    /// Those of which the child said what came of them.
    public var settledBelow = 0
    /// Refusals said to children.
    public var refusedBelow = 0
    /// Presentations asked of the parent.
    public var presentedAbove = 0
    /// Those that the parent answered.
    public var answeredAbove = 0
    /// Those that the parent refused for good.
    public var refusedAbove = 0

    public init() {}

    /// With the names they have as data.
    public var rows: [(name: String, count: Int)] {
        Self.fields.map { ($0, self[keyPath: $1]) }
    }

    /// Reads what ``rows`` says; names that are missing or unknown count nothing.
    init(_ counts: [String: Int]) {
        for (name, field) in Self.fields { self[keyPath: field] = counts[name] ?? 0 }
    }

    private static var fields: [(String, WritableKeyPath<LinkCounters, Int>)] {
        [
            ("presentedBelow", \.presentedBelow), ("answeredBelow", \.answeredBelow),
            ("settledBelow", \.settledBelow), ("refusedBelow", \.refusedBelow),
            ("presentedAbove", \.presentedAbove), ("answeredAbove", \.answeredAbove),
            ("refusedAbove", \.refusedAbove),
        ]
    }
}
