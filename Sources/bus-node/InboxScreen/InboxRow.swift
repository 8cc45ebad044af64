import ErrorBus

/// A row of the list: one presentation, or a group of equal ones.
struct InboxRow: Hashable {
    enum Kind: Hashable {
        case single
        case group(isOpened: Bool)
        /// One of the group above it.
        case member
    }

    /// Stays the same while what it shows changes.
    let key: String
    /// The presentation, or the oldest of the group.
    let id: String
    let kind: Kind
    let count: Int
    /// The gravest of what it stands for.
    let severity: Severity

    var isGroup: Bool { kind != .single && kind != .member }
}

extension InboxRow {
    /// One presentation.
    init(_ entry: InboxEntry, kind: Kind) {
        self.init(key: entry.id, id: entry.id, kind: kind, count: 1, severity: entry.severity)
    }
}
