import ErrorBus
import GRDB

/// The saved views of one console's users in its node's journal.
struct JournalViews: Sendable {
    /// The owner of views for everyone.
    static let team = ""

    let journal: SQLiteJournal
    /// The console's number in its node.
    let console: Int

    /// The effect of keeping a view.
    enum Effect: Sendable {
        case added, replaced
        /// The owner already has the most views allowed: this view is not kept.
        case full
    }

    /// The views of all these owners, by name.
    func views(of owners: [String]) async throws -> [ViewRow] {
        try await journal.access { [journal, console] database in
            let named = ViewRow.filter(
                Column("console") == console && owners.contains(Column("owner"))
            ).order(Column("name"))
            return try journal.readable(named, in: database) { $0 }
        }
    }

    /// Keeps a view, in place of the owner's view of the same name. Durable when this returns.
    func save(_ view: ViewRow) async throws -> Effect {
        try await journal.access { database -> Effect in
            let isNew = try !ViewRow.exists(database, key: view.key)
            if isNew {
                let own = ViewRow.filter(
                    Column("console") == view.console && Column("owner") == view.owner)
                guard try own.fetchCount(database) < ConsoleLimits.viewCountMaxPerUser,
                    try ViewRow.fetchCount(database) < ConsoleLimits.viewCountMax
                else { return .full }
            }
            try view.upsert(database)
            return isNew ? .added : .replaced
        }
    }

    /// - Returns: Whether the owner had a view of this name.
    func remove(_ name: String, of owner: String) async throws -> Bool {
        try await journal.access { [console] database in
            try ViewRow.deleteOne(
                database, key: ["console": console, "owner": owner, "name": name])
        }
    }
}

/// One saved view in the journal.
struct ViewRow: WholeTextRow, Hashable {
    static let databaseTableName = "savedView"

    /// The number of the console in its node.
    var console: Int
    /// The owner of the view: ``ConsoleVisitor/viewOwner``, or ``JournalViews/team``.
    var owner: String
    var name: String
    var filter: String
    var sort: String
    var show: String

    fileprivate var key: [String: (any DatabaseValueConvertible)?] {
        ["console": console, "owner": owner, "name": name]
    }
}
