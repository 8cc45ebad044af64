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
            // The latest: those above must not lose their word to those below.
            let changes = newValue.suffix(Self.changeCountMax).map(\.json)
            unknownKeys[Self.changesKey] = changes.isEmpty ? nil : .array(changes)
        }
    }

    /// Notes what `node` made of `before`, unless that is nothing.
    mutating func noteChanges(from before: ErrorReport, by node: NodeName) {
        let change = ReportChange(ReportDifference(before, self), by: node.description)
        if !change.isEmpty { changes.append(change) }
    }

    /// Drops what other nodes than these are said to have changed.
    mutating func dropChanges(notBy path: [NodeName]) {
        guard case .array(let entries)? = unknownKeys[Self.changesKey] else { return }
        let kept = entries.filter { entry in
            entry["by"]?.stringValue.flatMap { NodeName($0) }.map(path.contains) ?? false
        }
        guard kept.count != entries.count else { return }
        unknownKeys[Self.changesKey] = kept.isEmpty ? nil : .array(kept)
    }

    /// Whether a payload may have `changes`, so that it has to be read to know.
    static func mayHaveChanges(_ payload: [UInt8]) -> Bool {
        // Written with an escape, a letter of the key begins with these.
        let signs = [Array("\"\(changesKey)\"".utf8), Array("\\u00".utf8)]
        return payload.withUnsafeBufferPointer { bytes in
            signs.contains { sign in
                bytes.indices.contains {
                    bytes[$0] == sign[0] && bytes[$0...].starts(with: sign)
                }
            }
        }
    }
}
