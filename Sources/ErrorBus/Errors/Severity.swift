/// How bad an error is, for people and rules. Ordered: `debug < info < warning < error < critical`.
public enum Severity: String, Sendable, CaseIterable, Comparable {
    case debug, info, warning, error, critical

    public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
