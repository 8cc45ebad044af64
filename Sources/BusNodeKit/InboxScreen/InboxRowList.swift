import ErrorBus

/// The arrangement of presentations in rows.
enum InboxRowList {
    /// Groups and single presentations, most severe first, then oldest.
    static func open(
        _ entries: some Sequence<InboxEntry>, opened: Set<Int64>, leftOut: Set<String>
    ) -> [InboxRow] {
        let groups = Dictionary(grouping: entries) { $0.group }.values.map(Group.init)
        return groups.sorted(by: Group.comesFirst).flatMap {
            $0.rows(opened: opened, leftOut: leftOut)
        }
    }

    /// The ended presentations, latest end first.
    static func ended(_ entries: some Sequence<InboxEntry>) -> [InboxRow] {
        entries.sorted { $0.revision > $1.revision }.map {
            InboxRow($0, kind: .single)
        }
    }

    static func key(ofGroup group: Int64) -> String { "g\(group)" }

    private struct Group {
        let members: [InboxEntry]
        let first: InboxEntry
        let severity: Severity

        init(_ members: [InboxEntry]) {
            self.members = members
            var first = members[0]
            var severity = first.severity
            for member in members.dropFirst() {
                if member.comesBefore(first) { first = member }
                severity = max(severity, member.severity)
            }
            self.first = first
            self.severity = severity
        }

        static func comesFirst(_ left: Group, _ right: Group) -> Bool {
            if left.severity != right.severity { return left.severity > right.severity }
            return left.first.comesBefore(right.first)
        }

        func rows(opened: Set<Int64>, leftOut: Set<String>) -> [InboxRow] {
            guard members.count > 1 else {
                return [InboxRow(first, kind: .single)]
            }
            let isOpened = opened.contains(first.group)
            let head = InboxRow(
                key: InboxRowList.key(ofGroup: first.group), id: first.id,
                kind: .group(isOpened: isOpened), count: members.count,
                leftCount: leftOut.isEmpty ? 0 : members.count { leftOut.contains($0.id) },
                noteCount: members.reduce(0) { $0 + $1.noteCount }, severity: severity)
            guard isOpened else { return [head] }
            return [head]
                + members.sorted { $0.comesBefore($1) }.map {
                    InboxRow($0, kind: .member, isLeftOut: leftOut.contains($0.id))
                }
        }
    }
}

/// A row of the list: one presentation, or a group of equal ones.
struct InboxRow: Hashable {
    enum Kind: Hashable {
        case single
        case group(isOpened: Bool)
        /// A member of the group above it.
        case member
    }

    /// The key of the row, which stays the same while its content changes.
    let key: String
    /// The id of the presentation, or of the oldest member of the group.
    let id: String
    let kind: Kind
    let count: Int
    /// The number of these that an answer for the group leaves open.
    let leftCount: Int
    /// The number of their notes.
    let noteCount: Int
    /// The highest severity in the row.
    let severity: Severity

    var isGroup: Bool { kind != .single && kind != .member }
}

extension InboxRow {
    /// A row for one presentation.
    init(_ entry: InboxEntry, kind: Kind, isLeftOut: Bool = false) {
        self.init(
            key: entry.id, id: entry.id, kind: kind, count: 1, leftCount: isLeftOut ? 1 : 0,
            noteCount: entry.noteCount, severity: entry.severity)
    }
}
