import ErrorBus
import Hummingbird
import Logging
import NIOHTTP1

// Lists and details.
extension ConsoleAPI {
    func list(_ request: Request) async throws -> Response {
        let query = try QueryFields(request.uri.query).allowing(
            ["stage", "after", "begun", "limit", "order", "sort", "groups", "groupKey"]
                + HistoryFilter.names)
        let stage = try query.word("stage", among: ["open", "ended", "all"]) ?? "all"
        let limit = try query.limit(else: ConsoleLimits.itemCountMax)
        let after = try query.number("after", in: 0...Int(Revisions.max)) ?? 0
        let isNewestFirst = try query.word("order", among: ["changed", "newest"]) == "newest"
        let sort = try query.sort(in: stage)
        let filter = try query.filter()
        let groupKey = try query.groupKey
        let begun = try query.number("begun", in: 0...Int(Revisions.max)).map(Int64.init)
        let reached = console.reached(Int64(after), begun: begun)
        // All of one moment: an answer with `latest` as seen leaves no member out that the groups
        // count. Before the search, during which the inbox may forget ends that this reader lacks.
        let update = inbox.update(
            after: reached ?? 0, try query.wantsGroups ? .all : .none, upTo: .max)
        let latest = update.latest
        var changed = try await searched {
            try await update.items.selected { item in
                (stage == "all" || item.stage.isUnderWay == (stage == "open"))
                    && groupKey.map { $0 == item.report.groupKey } ?? true
                    && filter.matches(item)
            }
        }
        if let sort {
            changed = sort.sorted(changed)
        } else if isNewestFirst {
            changed = changed.newestFirst
        }
        let items = changed.prefix(limit)
        let isLast = items.count == changed.count
        // When the list was cut, the next request continues from here.
        let isByChange = sort == nil && !isNewestFirst
        let revision = isLast || !isByChange ? latest : items.last?.revision ?? latest
        var object: [String: JSONValue] = [
            "node": .string(console.node.description),
            "revision": .integer(console.revisions.shown(revision)),
            "openCount": .count(update.openCount),
            "items": items.map { PresentationView($0, console) }.json,
            "isLast": .bool(isLast), "startedAt": .time(console.startedAt),
            "isReset": .bool(reached == nil),
            "latest": .integer(console.revisions.shown(latest)),
            "next": .text(isNewestFirst && !isLast ? items.last?.timeKey : nil),
        ]
        if try query.wantsGroups {
            object.merge(feed.fields(update.groups, of: update.groupCount)) { $1 }
        }
        return Response(.object(object))
    }

    func detail(_ id: PresentationID) async throws(APIProblem) -> JSONValue {
        let item: InboxItem
        do throws(InboxRefusal) { item = try inbox.item(id) } catch { throw APIProblem(error) }
        var object = PresentationView(item, console).json.objectValue ?? [:]
        object["report"] = item.report.json
        object["texts"] = .array(
            item.report.filledTexts.map { text, words in
                ["heading": text.heading.json, "text": words.json, "isBody": text.isBody.json]
            })
        object["changes"] = .array(item.report.changes.map(\.jsonWithWords))
        object["history"] = await events(of: id).json
        object["notes"] = item.notes.map(NoteView.init).json
        object["earlier"] = await console.earlier(than: item.id, of: item.report).json
        return .object(object)
    }

    var status: JSONValue {
        get async {
            let live = await console.live.current
            let names = console.topology.namesOfEndpoints
            let nodes = console.topology.settings.map { node -> JSONValue in
                let parents = node.next.map { $0.destination(among: names).description }
                let fields: [String: JSONValue] = [
                    "name": node.name.json, "next": parents.json,
                    "listen": node.listen.map(\.description).json,
                ]
                return .object(fields.merging(live.nodes[node.name]?.fields ?? [:]) { $1 })
            }
            return [
                "node": .string(console.node.description),
                "version": .string(NodeAssembly.version),
                "startedAt": .time(console.startedAt),
                "tables": await console.tables.json,
                "topology": [
                    "nodes": .array(nodes), "links": .array(live.links.map(\.json)),
                ],
            ]
        }
    }
}

extension ReportChange {
    /// The answer as a report carries it, and in words for people. Not escaped.
    fileprivate var jsonWithWords: JSONValue {
        let words = [
            ("changed the severity from", [severityBefore?.rawValue ?? ""]),
            ("rewrote the", rewritten), ("added the option", addedOptions),
            ("took away the option", removedOptions), ("redacted", redacted),
        ].filter { !$0.1.joined().isEmpty }.map { "\($0) \($1.joined(separator: ", "))" }
        return .object((json.objectValue ?? [:]).merging(["words": words.json]) { $1 })
    }
}
