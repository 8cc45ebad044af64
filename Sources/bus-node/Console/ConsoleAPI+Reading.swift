import ArgumentParser
import ErrorBus
import Hummingbird

// What people look at.
extension ConsoleAPI {
    func list(_ request: Request) throws(APIProblem) -> Response {
        let query = try QueryFields(request.uri.query).allowing("stage", "after", "limit")
        let stage = try query.word("stage", among: ["open", "ended", "all"]) ?? "all"
        let limit = try query.number("limit", in: 1...10_000) ?? ConsoleLimits.itemCountMax
        let after = try query.number("after", in: 0...Int(Revisions.max)) ?? 0
        let latest = inbox.revision
        let seen = console.revisions.own(Int64(after), upTo: latest) ?? 0
        let changed = inbox.items(changedAfter: seen).filter { item in
            stage == "all" || item.stage.isUnderWay == (stage == "open")
        }
        let items = changed.prefix(limit)
        // Where the list was cut, the next one goes on.
        let revision = items.count == limit ? items.last?.revision ?? latest : latest
        let groups = inbox.groups
        return Response([
            "node": .string(console.node.description),
            "revision": .integer(console.revisions.shown(revision)),
            "openCount": .count(inbox.openCount),
            "items": .array(items.map { JSONValue($0, console.revisions) }),
            "groups": feed.json(groups), "groupCount": .count(groups.count),
            "isLast": .bool(items.count == changed.count),
            "startedAt": .time(console.startedAt),
        ])
    }

    func detail(_ id: PresentationID) throws(APIProblem) -> JSONValue {
        let item: InboxItem
        do throws(InboxRefusal) { item = try inbox.item(id) } catch { throw APIProblem(error) }
        var object = JSONValue(item, console.revisions).objectValue ?? [:]
        object["report"] = item.report.json
        object["changes"] = .array(item.report.changes.map(\.json))
        object["history"] = .array(console.history.events(of: id).map(\.json))
        return .object(object)
    }

    func audit(_ request: Request) throws(APIProblem) -> Response {
        let query = try QueryFields(request.uri.query).allowing("q", "limit")
        let limit = try query.number("limit", in: 1...ConsoleLimits.auditEventMax) ?? 200
        let events = console.history.events(containing: query.text("q"), limit: limit)
        return Response(["events": .array(events.map(\.json))])
    }

    var chart: JSONValue {
        let buckets = console.history.chart().map { at, bucket -> JSONValue in
            [
                "at": .time(at), "presented": .count(bucket.presented),
                "answered": .count(bucket.answered), "recovered": .count(bucket.recovered),
                "failed": .count(bucket.failed), "cancelled": .count(bucket.cancelled),
            ]
        }
        return ["stepMilliseconds": 60_000, "buckets": .array(buckets)]
    }

    var status: JSONValue {
        get async {
            let tables = await console.tables.rows.map { ($0.name, JSONValue.count($0.count)) }
            let live = await console.live.current
            let nodes = console.topology.settings.map { node -> JSONValue in
                let fields: [String: JSONValue] = [
                    "name": .string(node.name.description),
                    "next": .array(node.next.map { .string($0.description) }),
                    "listen": .array(node.listen.map { .string($0.description) }),
                ]
                return .object(fields.merging(live.nodes[node.name]?.fields ?? [:]) { $1 })
            }
            return [
                "node": .string(console.node.description),
                "version": .string(BusNode.configuration.version),
                "startedAt": .time(console.startedAt),
                "tables": .object(Dictionary(uniqueKeysWithValues: tables)),
                "topology": [
                    "nodes": .array(nodes), "links": .array(live.links.map(\.json)),
                ],
            ]
        }
    }
}
