import ErrorBus
import Hummingbird
import Logging
import NIOHTTP1

/// The console's HTTP interface: what a page and scripts read and do.
struct ConsoleAPI: Sendable {
    let console: Console
    let feed: EventFeed
    let page = ConsolePage()

    init(_ console: Console) {
        self.console = console
        feed = EventFeed(console)
    }

    var inbox: Inbox { console.inbox }

    var routes: ConsoleRoutes {
        var routes = ConsoleRoutes()
        routes.get("/") { _, _ in page.html }
        routes.get("/page/{name}") { _, context in
            try page.part(context.parameters.get("name") ?? "")
        }
        routes.get("/api/v1/inbox") { request, _ in try list(request) }
        routes.get("/api/v1/presentations/{id}") { request, context in
            _ = try QueryFields(request.uri.query).allowing()
            return Response(try detail(try id(context)))
        }
        routes.post("/api/v1/presentations/{id}/answer", person(answer))
        routes.post("/api/v1/presentations/{id}/undo", person(undo))
        routes.post("/api/v1/presentations/{id}/claim", person(claim))
        routes.post("/api/v1/presentations/{id}/release", person(release))
        routes.get("/api/v1/groups/{number}") { request, context in
            _ = try QueryFields(request.uri.query).allowing()
            return Response(try group(try number(context)))
        }
        routes.post("/api/v1/groups/{number}/answer") { request, context in
            try answerGroup(try number(context), try await body(request))
        }
        routes.post("/api/v1/groups/{number}/undo") { request, context in
            try undoGroup(try number(context), try await body(request))
        }
        routes.get("/api/v1/silences") { request, _ in
            _ = try QueryFields(request.uri.query).allowing()
            return Response(silenceList)
        }
        routes.post("/api/v1/silences") { request, _ in
            try await addSilence(try await body(request))
        }
        routes.post("/api/v1/silences/preview") { request, _ in
            try previewSilence(try await body(request))
        }
        routes.post("/api/v1/silences/{number}/end") { request, context in
            try await endSilence(
                context.parameters.get("number") ?? "", try await body(request))
        }
        routes.get("/api/v1/events") { request, _ in try feed.response(to: request) }
        routes.get("/api/v1/audit") { request, _ in try audit(request) }
        routes.get("/api/v1/chart") { request, _ in
            _ = try QueryFields(request.uri.query).allowing()
            return Response(chart)
        }
        routes.get("/api/v1/status") { request, _ in
            _ = try QueryFields(request.uri.query).allowing()
            return Response(await status)
        }
        return routes
    }

    // MARK: Parts of a request

    private func person(
        _ handle: @escaping @Sendable (PresentationID, [UInt8]) throws -> Void
    ) -> ConsoleRoutes.Handler {
        { request, context in
            _ = try QueryFields(request.uri.query).allowing()
            let id = try id(context)
            let body = try await body(request)
            do {
                try handle(id, body)
                return Response(JSONValue(try inbox.item(id), console.revisions))
            } catch let refusal as InboxRefusal {
                throw APIProblem(refusal)
            }
        }
    }

    private func body(_ request: Request) async throws -> [UInt8] {
        do {
            let buffer = try await request.body.collect(upTo: ConsoleLimits.bodyByteMax)
            return Array(buffer.readableBytesView)
        } catch let error as HTTPParserError {
            throw APIProblem.brokenBody(error)
        }
    }

    private func id(_ context: ConsoleContext) throws(APIProblem) -> PresentationID {
        let text = context.parameters.get("id") ?? ""
        guard let id = PresentationID(text) else {
            throw APIProblem(.notFound, "unknown", "no presentation \(text.shown()) here")
        }
        return id
    }

    private func number(_ context: ConsoleContext) throws(APIProblem) -> Int {
        let text = context.parameters.get("number") ?? ""
        guard let number = Int(text) else {
            throw APIProblem(.notFound, "unknownGroup", "no group \(text.shown()) is open")
        }
        return number
    }

    // MARK: What people do

    static let undoRange = Int64(0)...60_000
    private static let claimRange = Int64(1)...3_600_000

    private func answer(_ id: PresentationID, _ body: [UInt8]) throws {
        let fields = try BodyFields(
            body, allowing: "option", "by", "answer", "undoMilliseconds")
        let (option, by) = (try fields.text("option"), try fields.name("by"))
        let undo = try fields.integer("undoMilliseconds", in: Self.undoRange) ?? 0
        try inbox.answer(
            id, option: option, by: by, id: try fields.id("answer"), undo: .milliseconds(undo))
        if undo > 0 { note("leaving", id, ["by": by, "option": option]) }
    }

    private func undo(_ id: PresentationID, _ body: [UInt8]) throws {
        let by = try BodyFields(body, allowing: "by").name("by")
        try inbox.undo(id)
        note("undo", id, ["by": by])
    }

    private func claim(_ id: PresentationID, _ body: [UInt8]) throws {
        let fields = try BodyFields(body, allowing: "by", "forMilliseconds", "takeOver")
        let by = try fields.name("by")
        let time = try fields.integer("forMilliseconds", in: Self.claimRange) ?? 300_000
        try inbox.claim(
            id, by: by, for: .milliseconds(time), takesOver: try fields.bool("takeOver") ?? false)
        note("claim", id, ["by": by])
    }

    private func release(_ id: PresentationID, _ body: [UInt8]) throws {
        let by = try BodyFields(body, allowing: "by").name("by")
        try inbox.release(id, by: by)
        note("release", id, ["by": by])
    }

    func note(_ event: String, _ id: PresentationID, _ fields: [String: String]) {
        console.history.note(event, id, fields)
        console.logger.info(
            "console: \(event)",
            metadata: ["id": "\(id)"].merging(fields.mapValues { "\($0)" }) { $1 })
    }
}
