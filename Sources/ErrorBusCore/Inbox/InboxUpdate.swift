/// The news of an inbox for a reader that has seen its changes up to a revision.
package struct InboxUpdate: Hashable, Sendable {
    /// The groups in the update.
    package enum Groups: Hashable, Sendable {
        case none
        /// All open groups.
        case all
        /// The groups that changed after this revision, up to which the reader has seen the groups.
        case changed(after: UInt64)
    }

    /// The changed items, oldest change first.
    package let items: [InboxItem]
    /// The revision of the reader after the update.
    package let revision: UInt64
    /// Whether the reader lacks nothing after the update.
    package let isLast: Bool
    /// The inbox's revision when the update was made.
    package let latest: UInt64
    package let openCount: Int
    /// The revision up to which the reader has seen the groups after the update.
    package let groupRevision: UInt64
    /// The number of the open groups.
    package let groupCount: Int
    /// All open groups, most severe first, or the changed groups, oldest change first.
    package var groups: [InboxGroup] = []
    /// The groups that have lost their last open member since; nil if ``groups`` has all open
    /// groups.
    package var goneGroups: [Int]?
}

extension InboxMachine {
    /// The changes after `seen`.
    ///
    /// - Parameters:
    ///   - asked: A request for changed groups gets all open groups if ends of groups since then
    ///     are forgotten.
    ///   - limit: The most items, and nearly the most changed groups; the rest follows.
    package func update(
        after seen: UInt64, _ asked: InboxUpdate.Groups, upTo limit: Int, at now: Moment
    ) -> InboxUpdate {
        let changed = items(changedAfter: seen, at: now)
        var end = changed.count > limit ? changed[limit - 1].revision : UInt64.max
        // Groups that are all show each change that the items have not reached yet.
        var (known, revised, gone) = (revision, [InboxGroups.Change](), [InboxGroups.Change]())
        var hasAll = true
        if case .changed(let after) = asked, after >= groups.forgottenRevision {
            (known, hasAll) = (after, false)
            (revised, gone) = (groups.changed(after: after), groups.gone(after: after))
            if revised.count > limit { end = min(end, revised[limit - 1].revision) }
        }
        let items = Array(changed.prefix { $0.revision <= end })
        let reached = end == .max ? items.last?.revision ?? seen : end
        var update = InboxUpdate(
            items: items, revision: reached, isLast: end == .max, latest: revision,
            openCount: openCount, groupRevision: max(known, reached), groupCount: groups.count)
        if !hasAll {
            update.groups = revised.prefix { $0.revision <= end }
                .compactMap { openGroup($0.number, at: now) }
            update.goneGroups = gone.prefix { $0.revision <= end }.map(\.number)
        } else if asked != .none {
            update.groups = openGroups(at: now)
        }
        return update
    }
}
