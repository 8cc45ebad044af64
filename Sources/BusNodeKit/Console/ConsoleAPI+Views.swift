import ErrorBus
import Hummingbird

// Saved views: a filter of the list with its order, by name, for a user or for everyone.
extension ConsoleAPI {
    private static let sorts = InboxSort.allCases.map(\.rawValue)
    private static let shows = ["open", "ended"]

    func viewList(_ visitor: ConsoleVisitor) async throws -> JSONValue {
        guard let views = console.kept?.views else {
            return ["isKept": false, "teamIsKept": false, "own": [], "team": []]
        }
        let owner = visitor.viewOwner
        let rows: [ViewRow]
        do {
            rows = try await views.views(of: [JournalViews.team, owner].compactMap(\.self))
        } catch {
            throw APIProblem(
                .internalServerError, "notRead",
                "the journal cannot be read, and saved views are in it: "
                    + ErrorReport(describing: error).description)
        }
        func list(_ owner: String?) -> JSONValue {
            .array(rows.filter { $0.owner == owner }.map(\.json))
        }
        return [
            "isKept": .bool(owner != nil), "teamIsKept": true, "own": list(owner),
            "team": list(JournalViews.team),
        ]
    }

    func saveView(_ body: [UInt8], _ visitor: ConsoleVisitor) async throws -> Response {
        let fields = try BodyFields(
            body, allowing: "name", "filter", "sort", "show", "isForTeam", "by")
        let (views, owner, by) = try place(fields, visitor)
        let name = try fields.text("name", upTo: ConsoleLimits.viewNameScalarMax)
        let filter = try fields.string("filter") ?? ""
        let filterMax = ConsoleLimits.viewFilterScalarMax
        let filterCount = filter.unicodeScalars.count
        guard filterCount <= filterMax else {
            throw APIProblem.badRequest(
                "filter: found \(filterCount) characters; allowed: a text of at most "
                    + "\(filterMax) characters")
        }
        let row = ViewRow(
            console: views.console, owner: owner, name: name, filter: filter,
            sort: try fields.word("sort", among: Self.sorts) ?? Self.sorts[0],
            show: try fields.word("show", among: Self.shows) ?? Self.shows[0])
        switch try await stored({ try await views.save(row) }) {
        case .added where owner == JournalViews.team: console.note(.saveView(row), by: by)
        case .replaced where owner == JournalViews.team: console.note(.replaceView(row), by: by)
        case .added, .replaced: break
        case .full:
            throw APIProblem(
                .conflict, "tooMany",
                "saved views: the limit of \(ConsoleLimits.viewCountMaxPerUser) of one user, or "
                    + "for everyone, is reached; remove one first")
        }
        return Response(try await viewList(visitor))
    }

    func removeView(_ body: [UInt8], _ visitor: ConsoleVisitor) async throws -> Response {
        let fields = try BodyFields(body, allowing: "name", "isForTeam", "by")
        let (views, owner, by) = try place(fields, visitor)
        let name = try fields.text("name", upTo: ConsoleLimits.viewNameScalarMax)
        guard try await stored({ try await views.remove(name, of: owner) }) else {
            throw APIProblem(.notFound, "unknownView", "no view \(name.shown()) here")
        }
        if owner == JournalViews.team { console.note(.removeView(name), by: by) }
        return Response(try await viewList(visitor))
    }

    /// The result of a write to the journal.
    private func stored<Value: Sendable>(
        _ write: @Sendable () async throws -> Value
    ) async throws(APIProblem) -> Value {
        do {
            return try await write()
        } catch {
            throw APIProblem(
                .internalServerError, "notStored",
                "the journal cannot be written: \(ErrorReport(describing: error).description)")
        }
    }

    /// The place of a request's view, the owner of the view, and the sender.
    private func place(
        _ fields: BodyFields, _ visitor: ConsoleVisitor
    ) throws(APIProblem) -> (JournalViews, owner: String, by: String) {
        let isForTeam = try fields.bool("isForTeam") ?? false
        if isForTeam { try visitor.require(.administer) }
        guard let views = console.kept?.views else {
            throw APIProblem(.notFound, "notKept", "no saved views: the node has no journal")
        }
        guard let owner = isForTeam ? JournalViews.team : visitor.viewOwner else {
            throw APIProblem(
                .conflict, "noUser",
                "isForTeam: found false at a console whose token all share, where no view is one "
                    + "user's; allowed: true")
        }
        return (views, owner, try visitor.name(in: fields))
    }
}

extension ConsoleVisitor {
    /// The owner of the visitor's saved views; nil if all share one token.
    var viewOwner: String? {
        guard let user else { return nil }
        return identity.map { "identity \($0)" } ?? "user \(user.name)"
    }
}

extension ViewRow {
    var json: JSONValue {
        [
            "name": .string(name), "filter": .string(filter), "sort": .string(sort),
            "show": .string(show),
        ]
    }
}
