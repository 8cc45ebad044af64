extension ErrorReport {
    private static let changesKey = "changes"
    /// As many as there may be hops.
    private static let changeCountMax = 16

    /// What nodes on the way changed, the first of them first. Carried under the key `changes`.
    public internal(set) var changes: [ReportChange] {
        get {
            guard case .array(let changes)? = unknownKeys[Self.changesKey] else { return [] }
            return changes.prefix(Self.changeCountMax).compactMap { ReportChange($0) }
        }
        set {
            let changes = newValue.prefix(Self.changeCountMax).map(\.json)
            unknownKeys[Self.changesKey] = changes.isEmpty ? nil : .array(changes)
        }
    }

    /// Notes what `node` made of `before`, unless that is nothing.
    mutating func noteChanges(from before: ErrorReport, by node: NodeName) {
        let change = ReportChange(ReportDifference(before, self), by: node.description)
        if !change.isEmpty { changes.append(change) }
    }
}
