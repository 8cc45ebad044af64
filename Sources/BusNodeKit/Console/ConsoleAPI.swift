import ErrorBus
import Hummingbird
import Logging
import NIOHTTP1

/// The console's HTTP interface for the page and for scripts.
struct ConsoleAPI: Sendable {
    let console: Console
    let feed: EventFeed
    let page = ConsolePage()
    /// The clock of the limits of searches and of the node's response.
    let clock: any Clock<Duration>

    init(_ console: Console, clock: any Clock<Duration> = ContinuousClock()) {
        self.console = console
        self.clock = clock
        feed = EventFeed(console, clock: clock)
    }

    var inbox: Inbox { console.inbox }

    static let healthPath = "/healthz"
    static let readyPath = "/readyz"

    var routes: ConsoleRoutes {
        var routes = ConsoleRoutes()
        routes.get("/", needs: .nothing) { _, _ in page.html }
        routes.get(ConsoleSignIn.startPath, needs: .nothing, beginSignIn)
        routes.get(ConsoleSignIn.returnPath, needs: .nothing, completeSignIn)
        routes.get(AnswerLinks.path, needs: .nothing, showLink)
        routes.post(AnswerLinks.actPath, needs: .nothing, answerByLink)
        routes.get("/page/{version}/{name}", needs: .nothing) { _, context in
            try page.part(
                context.parameters.get("name") ?? "",
                of: context.parameters.get("version") ?? "")
        }
        routes.get(Self.healthPath, needs: .nothing) { _, _ in
            Response(try await health { await console.tables })
        }
        routes.get(Self.readyPath, needs: .nothing) { _, _ in
            Response(try await readiness { await console.tables })
        }
        routes.get("/metrics", needs: .admission) { request, _ in
            _ = try QueryFields(request.uri.query).allowing()
            return try await metrics { await console.nodeStatus }
        }
        routes.get("/api/v1/openapi.yaml", needs: .admission) { _, _ in page.interface }
        routes.get("/api/v1/inbox", needs: .admission) { request, _ in try await list(request) }
        routes.get("/api/v1/presentations/{id}", needs: .admission) { request, context in
            _ = try QueryFields(request.uri.query).allowing()
            return Response(try await presentation(try id(context)))
        }
        routes.get("/api/v1/presentations/{id}/rule", needs: .admission) { request, context in
            _ = try QueryFields(request.uri.query).allowing()
            return Response(try await rule(from: try id(context)).json)
        }
        routes.post("/api/v1/rules/trial", needs: .admission) { request, context in
            Response(try await trial(try await body(request, context)).json)
        }
        let verbs: [(String, isStored: Bool, Act)] = [
            ("answer", false, answer), ("undo", true, undo), ("claim", true, claim),
            ("release", true, release), ("decline", true, decline),
            ("note", true, addNote),
        ]
        for (verb, isStored, act) in verbs {
            routes.post(
                "/api/v1/presentations/{id}/\(verb)", needs: .permission(.answer),
                person(act, isStored: isStored))
        }
        routes.get("/api/v1/groups/{number}", needs: .admission) { request, context in
            _ = try QueryFields(request.uri.query).allowing()
            return Response(try group(try number(context)))
        }
        routes.post("/api/v1/groups/{number}/answer", needs: .permission(.answer)) {
            request, context in
            let result = try answerGroup(
                try number(context), try await body(request, context), try context.admitted)
            // Proposals are kept as claims are.
            if result["proposed"]?.arrayValue?.isEmpty == false {
                await console.kept?.keeper.write()
            }
            return Response(try await recorded(result))
        }
        let groupVerbs: [(String, GroupAct)] = [
            ("undo", undoGroup), ("claim", claimGroup), ("release", releaseGroup),
        ]
        for (verb, act) in groupVerbs {
            routes.post("/api/v1/groups/{number}/\(verb)", needs: .permission(.answer)) {
                request, context in
                let result = try act(
                    try number(context), try await body(request, context), try context.admitted)
                await console.kept?.keeper.write()
                return Response(result)
            }
        }
        routes.get("/api/v1/silences", needs: .admission) { request, _ in
            _ = try QueryFields(request.uri.query).allowing()
            return Response(silenceList)
        }
        routes.post("/api/v1/silences", needs: .permission(.silence)) { request, context in
            try await addSilence(try await body(request, context), try context.admitted)
        }
        routes.post("/api/v1/silences/preview", needs: .permission(.silence)) { request, context in
            try await previewSilence(try await body(request, context), try context.admitted)
        }
        routes.post("/api/v1/silences/{number}/end", needs: .permission(.silence)) {
            request, context in
            try await endSilence(
                context.parameters.get("number") ?? "", try await body(request, context),
                try context.admitted)
        }
        routes.get("/api/v1/notify", needs: .admission) { request, _ in
            _ = try QueryFields(request.uri.query).allowing()
            return Response(hookList)
        }
        routes.post("/api/v1/notify/dead/{number}/retry", needs: .permission(.administer)) {
            request, context in
            try retryLetter(
                context.parameters.get("number") ?? "", try await body(request, context),
                try context.admitted)
        }
        routes.get("/api/v1/views", needs: .admission) { request, context in
            _ = try QueryFields(request.uri.query).allowing()
            return Response(try await viewList(try context.admitted))
        }
        routes.post("/api/v1/views", needs: .admission) { request, context in
            try await saveView(try await body(request, context), try context.admitted)
        }
        routes.post("/api/v1/views/remove", needs: .admission) { request, context in
            try await removeView(try await body(request, context), try context.admitted)
        }
        routes.get("/api/v1/me", needs: .admission) { request, context in
            _ = try QueryFields(request.uri.query).allowing()
            return Response(try context.admitted.json(signOut: console.proxy?.settings.signOut))
        }
        routes.post("/api/v1/me/leave", needs: .admission) { request, context in
            let visitor = try context.admitted
            var provider: String?
            if let session = visitor.session {
                provider = await endSession(session, of: visitor.user?.name)
            }
            let signOut = visitor.isProxied ? console.proxy?.settings.signOut : provider
            var response = Response(["left": true, "signOut": .text(signOut)])
            let cookie = ConsoleCookie(at: request.head.authority, of: console.settings)
            response.headers[.setCookie] = cookie.removing
            return response
        }
        routes.get("/api/v1/events", needs: .admission) { request, context in
            try feed.response(to: request, try context.admitted, at: context.peerHost)
        }
        routes.get("/api/v1/history", needs: .admission) { request, _ in
            try await pastPresentations(request)
        }
        routes.get("/api/v1/audit", needs: .admission) { request, _ in try await audit(request) }
        routes.get("/api/v1/chart", needs: .admission) { request, _ in
            let query = try QueryFields(request.uri.query).allowing(["span"])
            let span = try query.word("span", among: ChartSpan.allCases.map(\.rawValue))
            return Response(
                try await chart(span.flatMap { ChartSpan(rawValue: $0) } ?? .hour).json)
        }
        routes.get("/api/v1/status", needs: .admission) { request, _ in
            _ = try QueryFields(request.uri.query).allowing()
            return Response(await status)
        }
        return routes
    }

    // MARK: Parts of a request

    private typealias Act =
        @Sendable (PresentationID, [UInt8], ConsoleVisitor) throws -> Void
    private typealias GroupAct = @Sendable (Int, [UInt8], ConsoleVisitor) throws -> JSONValue

    /// - Parameter isStored: Whether the response waits until the console has stored the change. An
    ///   answer waits until the journal has recorded it.
    private func person(_ act: @escaping Act, isStored: Bool) -> ConsoleRoutes.Handler {
        { request, context in
            _ = try QueryFields(request.uri.query).allowing()
            let id = try id(context)
            let body = try await body(request, context)
            do {
                try act(id, body, try context.admitted)
                let item = try inbox.item(id)
                // A proposal is kept as a claim is.
                if isStored || item.proposal != nil { await console.kept?.keeper.write() }
                if !isStored { try await requireRecord(of: id) }
                return Response(PresentationView(item, console).json)
            } catch let refusal as InboxRefusal {
                throw APIProblem(refusal)
            }
        }
    }

    /// The body of a request whose visitor is still admitted: it may come long after the head.
    private func body(_ request: Request, _ context: ConsoleContext) async throws -> [UInt8] {
        let bytes = try await bytes(of: request)
        guard console.admits(try context.admitted) else { throw ConsoleGate.unauthorized }
        return bytes
    }

    /// The body of a request that may come from a stranger.
    func bytes(of request: Request) async throws -> [UInt8] {
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
            throw APIProblem.noID(text)
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

    // MARK: Answers and claims

    static let undoRange = Int64(0)...60_000
    static let claimRange = Int64(1)...3_600_000

    @Sendable func answer(
        _ id: PresentationID, _ body: [UInt8], _ visitor: ConsoleVisitor
    ) throws {
        let fields = try BodyFields(
            body, allowing: "option", "by", "answer", "confirms", "undoMilliseconds", "values",
            "comment")
        let (option, by) = (try fields.text("option"), try visitor.name(in: fields))
        let undo = try fields.integer("undoMilliseconds", in: Self.undoRange) ?? 0
        let item = try inbox.item(id)
        if item.isDestructive(option) { try visitor.require(.destructive) }
        let (answer, confirmed) = (try fields.id("answer"), try fields.id("confirms"))
        let values = try fields.values(confirming: confirmed != nil)
        let comment = try fields.comment(confirming: confirmed != nil)
        if item.needsTwoPeople(option) {
            let person = try visitor.person(choosing: option)
            guard let confirmed else {
                return try propose(option, values, comment, for: item, by: person, id: answer)
            }
            try confirm(
                confirmed, option, for: item, by: person, id: answer, undo: .milliseconds(undo))
        } else {
            guard confirmed == nil else { throw InboxRefusal.noProposal }
            try inbox.answer(
                id, option: option, by: by, of: visitor.identity, id: answer,
                undo: .milliseconds(undo), values: values, comment: comment)
        }
        if undo > 0, !item.hasAnswer(answer) { note(.leaving(option: option), id, by: by) }
    }

    @Sendable func undo(
        _ id: PresentationID, _ body: [UInt8], _ visitor: ConsoleVisitor
    ) throws {
        let fields = try BodyFields(body, allowing: "by", "answer")
        let by = try visitor.name(in: fields)
        try inbox.undo(id, only: try fields.id("answer"))
        note(.undo, id, by: by)
    }

    @Sendable func claim(
        _ id: PresentationID, _ body: [UInt8], _ visitor: ConsoleVisitor
    ) throws {
        let fields = try BodyFields(body, allowing: "by", "forMilliseconds", "takeOver", "to")
        let by = try visitor.name(in: fields)
        let time = try fields.integer("forMilliseconds", in: Self.claimRange) ?? 300_000
        let receiver = try receiver(in: fields, from: by)
        let until = try inbox.claim(
            id, by: by, of: visitor.identity, for: .milliseconds(time),
            takesOver: try fields.bool("takeOver") ?? false, to: receiver)
        note(.claiming(until: until, for: receiver), id, by: by)
    }

    @Sendable private func release(
        _ id: PresentationID, _ body: [UInt8], _ visitor: ConsoleVisitor
    ) throws {
        let by = try visitor.name(in: try BodyFields(body, allowing: "by"))
        if try inbox.release(id, by: by, of: visitor.identity) { note(.release, id, by: by) }
    }

    /// Writes a note, also on a presentation that has ended.
    @Sendable func addNote(
        _ id: PresentationID, _ body: [UInt8], _ visitor: ConsoleVisitor
    ) throws {
        let fields = try BodyFields(body, allowing: "text", "by", "note")
        let text = try fields.text("text", upTo: ConsoleLimits.noteScalarMax)
        let by = try visitor.name(in: fields)
        try console.addNote(text, to: id, by: by, id: try fields.id("note"))
    }

    func note(_ act: PersonalAct, _ id: PresentationID, by person: String) {
        console.note(act, id, by: person)
    }
}

extension InboxItem {
    func isDestructive(_ option: String) -> Bool {
        report.options.first { $0.id == option }?.role == .destructive
    }
}
