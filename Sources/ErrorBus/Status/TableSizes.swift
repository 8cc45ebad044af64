/// How many entries each table of a node holds. All but ``children`` are 0 when nothing is open
/// and what was remembered is forgotten: a table that stays above is a leak.
public struct TableSizes: Hashable, Sendable {
    /// Children known by name, reachable or not.
    public var children = 0
    /// Presentations of children that are not settled.
    public var openBelow = 0
    /// Results and withdrawals kept for children that ask again.
    public var rememberedBelow = 0
    /// Answers sent down whose result is awaited here.
    public var attempts = 0
    /// Presentations of children that this node's chain works on.
    public var offered = 0
    /// Presentations asked of the parent that are not settled.
    public var openAbove = 0
    /// Results and withdrawals kept for a parent that has not heard them.
    public var rememberedAbove = 0
    /// Presentations whose answer from above something in this process waits for.
    public var waiting = 0

    public init() {}

    /// All entries of all tables together, children aside.
    public var entryCount: Int { rows.reduce(-children) { $0 + $1.count } }

    /// With the names they have as data.
    public var rows: [(name: String, count: Int)] {
        Self.fields.map { ($0, self[keyPath: $1]) }
    }

    /// Reads what ``rows`` says; names that are missing or unknown count nothing.
    init(_ counts: [String: Int]) {
        for (name, field) in Self.fields { self[keyPath: field] = counts[name] ?? 0 }
    }

    private static var fields: [(String, WritableKeyPath<TableSizes, Int>)] {
        [
            ("children", \.children), ("openBelow", \.openBelow),
            ("rememberedBelow", \.rememberedBelow), ("attempts", \.attempts),
            ("offered", \.offered), ("openAbove", \.openAbove),
            ("rememberedAbove", \.rememberedAbove), ("waiting", \.waiting),
        ]
    }
}
