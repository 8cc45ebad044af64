extension ErrorReport {
    private static let retryCountKey = "retryCount"

    /// How many presentations of the same operation came before this one: what tells a policy that
    /// its answer does not help. Carried under the key `retryCount`.
    public var retryCount: Int {
        get {
            guard case .integer(let count) = unknownKeys[Self.retryCountKey] else { return 0 }
            return Int(clamping: max(0, count))
        }
        set { unknownKeys[Self.retryCountKey] = newValue > 0 ? .integer(Int64(newValue)) : nil }
    }
}
