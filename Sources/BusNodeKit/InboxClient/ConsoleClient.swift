package import ErrorBus
import Foundation
import NIOHTTP1

/// A client of a console's HTTP interface.
package struct ConsoleClient: Sendable {
    static let limits = JSONLimits(
        byteCount: HTTPExchange.bodyByteMax, depth: 64, valueCount: 4_000_000)

    let address: ConsoleAddress
    /// The limit of one request.
    var timeLimit: Duration = .seconds(15)
    /// The way to take a claim over here, for refusals.
    package var takeOver = "take it over first, with bus-node inbox claim ID --take-over"
    /// The ways to confirm and to decline a proposal here, for refusals; empty if the screen has
    /// them.
    package var confirm = ": --confirm confirms it, bus-node inbox decline ID declines it"
    /// The file of the authorities that the client trusts in place of the system's; nil: the
    /// system's.
    private let trusted: (file: String, authorities: Authorities)?

    /// - Parameter authorities: A file of the certificates of authorities, to trust instead of the
    ///   system's.
    package init(_ address: ConsoleAddress, trusting authorities: String? = nil) throws(Failure) {
        self.address = address
        do throws(FileRefusal) {
            trusted = try authorities.map { file throws(FileRefusal) in
                (file, try Authorities(reading: file))
            }
        } catch {
            throw Failure(
                error.status, "authorities \(authorities?.shown() ?? ""): \(error.text)")
        }
    }

    package func get(_ path: String) async throws -> JSONValue {
        try await ask(exchange(.GET, path))
    }

    package func post(_ path: String, _ body: JSONValue) async throws -> JSONValue {
        try await ask(exchange(.POST, path, body: body.encoded()))
    }

    func exchange(
        _ method: HTTPMethod, _ path: String, body: [UInt8]? = nil, lastEvent: String? = nil
    ) -> HTTPExchange {
        var exchange = HTTPExchange(method, "\(shownAddress)/api/v1\(path)", body: body)
        if let token = address.token { exchange.add("Authorization", "Bearer \(token)") }
        if let trusted, address.isSecure { exchange.trust(trusted.authorities) }
        if let lastEvent { exchange.add("Last-Event-ID", lastEvent) }
        return exchange
    }

    private func ask(_ exchange: HTTPExchange) async throws -> JSONValue {
        let reply: HTTPExchange.Reply
        do {
            reply = try await exchange.reply(within: timeLimit)
        } catch {
            throw unreachable(error)
        }
        guard let json = try? JSONValue.parse(reply.body, limits: Self.limits) else {
            throw Failure(
                .unavailable,
                "\(shownAddress): status \(reply.status) without JSON: is that a console?")
        }
        guard reply.status == 200 else { throw failure(reply.status, json) }
        return json
    }

    func unreachable(_ error: any Error) -> Failure {
        Failure(
            .unavailable,
            "\(shownAddress): cannot be reached: \(HTTPExchange.reason(error))\(remedy(error))")
    }

    /// The remedy for a failure; empty if the reason has it.
    private func remedy(_ error: any Error) -> String {
        switch HTTPExchange.TLSProblem(error) {
        case .untrusted:
            if let trusted {
                "; expected a valid one, signed by an authority of \(trusted.file.shown())"
            } else {
                "; give the file of a private authority with --ca FILE or BUS_NODE_CONSOLE_CA"
            }
        case .anotherHost: "; give --to with a name that is in the certificate"
        case .absent: ""
        case nil where HTTPExchange.isRefused(error):
            "; run the node that has this console, or give another address"
        case nil:
            address.isSecure || !HTTPExchange.isNoHTTP(error)
                ? "" : "; a console with TLS needs https:// in its address"
        }
    }

    /// The address without the token.
    var shownAddress: String {
        let host = address.host.contains(":") ? "[\(address.host)]" : address.host
        return "\(address.isSecure ? "https" : "http")://\(host):\(address.port)"
    }

    private var tokenHint: String {
        let found = address.token == nil ? "no token" : "the token is not one of this console's"
        return "\(found): set BUS_NODE_CONSOLE='the address that the node printed', or give "
            + "--token-file FILE (your own token where the console has users, else the file of its "
            + "token: file:PATH), or that token in BUS_NODE_CONSOLE_TOKEN"
    }

    /// The exit status of a refusal: 1 for an expected "no".
    func failure(_ status: Int, _ json: JSONValue) -> Failure {
        let text = json.refusal(takeOver: takeOver) ?? "status \(status)"
        let more = json["error"]?.stringValue == "proposed" ? confirm : ""
        let exit: ExitStatus =
            switch status {
            case 401, 403: .notPermitted
            case 404, 409: .declined
            case 400, 422: .usage
            // 502 and 504 are a proxy's, while the console restarts.
            case 429, 502, 503, 504: .temporaryFailure
            // Such an answer is sent once the journal can be written.
            case 500 where json["error"]?.stringValue == "notStored": .temporaryFailure
            default: .software
            }
        // The console's text addresses browsers and scripts; this hint addresses a shell.
        return Failure(exit, status == 401 ? tokenHint : text + more)
    }

    /// The name for the record: the console's for this token, else the given one, else the user's
    /// on this machine.
    ///
    /// - Throws: When the console's name and the given one differ: the console would refuse each
    ///   act.
    package func person(_ given: String?) async throws -> String {
        let me = try await get("/me")["name"]?.stringValue
        if let me, let given, given != me {
            throw Failure(
                .notPermitted,
                "--by: found \"\(given.shown())\", but this token is that of "
                    + "\"\(me.shown())\"; leave --by out")
        }
        return me ?? given ?? AccountName.current()
    }

    // MARK: Presentations

    /// Answers one presentation. Sent again if the reply was lost: under the same id it counts
    /// once.
    ///
    /// - Parameters:
    ///   - proposal: The proposal that the answer confirms.
    ///   - values: The values of the option's fields.
    ///   - comment: The person's reason for the answer.
    func answer(
        _ id: String, option: String, confirms proposal: String?, by person: String, undo: Duration,
        values: [String: JSONValue] = [:], comment: String? = nil
    ) async throws -> JSONValue {
        let path = "/presentations/\(id)/answer"
        var fields: [String: JSONValue] = [
            "option": .string(option), "by": .string(person),
            "undoMilliseconds": .milliseconds(undo),
        ]
        fields["confirms"] = proposal.map { .string($0) }
        fields["values"] = values.isEmpty ? nil : .object(values)
        fields["comment"] = comment.map { .string($0) }
        return try await postTwice(path, fields, naming: "answer")
    }

    /// Writes a note. Sent again if the reply was lost: under the same id it counts once.
    func note(_ id: String, text: String, by person: String) async throws -> JSONValue {
        try await postTwice(
            "/presentations/\(id)/note", ["text": .string(text), "by": .string(person)],
            naming: "note")
    }

    /// Undoes answers of a group, in as many requests as their number needs. Returns the undone
    /// answers.
    ///
    /// - Throws: When none was.
    func undo(
        _ answers: [String], ofGroup number: Int64, by person: String
    ) async throws -> JSONValue {
        var undone: [String] = []
        var refusal: Failure?
        var rest = answers[...]
        while !rest.isEmpty {
            let part = rest.prefix(ConsoleLimits.chosenCountMax)
            rest = rest.dropFirst(part.count)
            do {
                let body: JSONValue = ["by": .string(person), "answers": Array(part).json]
                undone += try await post("/groups/\(number)/undo", body).texts("undone")
            } catch let failure as Failure where failure.status == .declined {
                refusal = failure  // Of these; the others may still be held.
            }
        }
        if undone.isEmpty, let refusal { throw refusal }
        return ["undone": undone.json]
    }

    /// Sends a body with a new id under this name, and once more if the reply was lost.
    fileprivate func postTwice(
        _ path: String, _ fields: [String: JSONValue], naming name: String
    ) async throws -> JSONValue {
        let id = JSONValue.string(PresentationID.make().value.description)
        let body = JSONValue.object(fields.merging([name: id]) { $1 })
        do {
            return try await post(path, body)
        } catch let failure as Failure where failure.status == .unavailable {
            return try await post(path, body)
        }
    }

    /// The reply with presentations in a stage, or in `all`, oldest change first.
    ///
    /// - Parameters:
    ///   - sort: Another order, of presentations in the stage `open`.
    ///   - conditions: The conditions of a search, by their names in a query.
    package func list(
        stage: String, limit: Int, sort: InboxSort? = nil,
        matching conditions: [String: String] = [:]
    ) async throws -> JSONValue {
        let order = sort.map { [("sort", $0.rawValue)] } ?? []
        let fields = [("stage", stage), ("limit", "\(limit)")] + order
        let rest = conditions.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        return try await get("/inbox?" + HTTPExchange.form(fields + rest))
    }

    /// Every presentation in a stage, or in `all`, and the revision of that list.
    package func items(
        in stage: String = "open"
    ) async throws -> (items: [JSONValue], revision: Int64) {
        let limit = 10_000
        var items: [String: JSONValue] = [:]
        var revision: Int64 = 0
        var begun = ""
        while true {
            let list = try await get(
                "/inbox?stage=\(stage)&limit=\(limit)&after=\(revision)\(begun)")
            let page = list["items"]?.arrayValue ?? []
            if list["isReset"]?.boolValue == true {
                items = [:]
                begun = list["latest"]?.integerValue.map { "&begun=\($0)" } ?? ""
            }
            for item in page { items[item.text("id")] = item }
            let latest = max(revision, list["revision"]?.integerValue ?? 0)
            guard page.count == limit, latest > revision else {
                return (Array(items.values), latest)
            }
            revision = latest
        }
    }

    /// A presentation that can be answered, or could.
    ///
    /// - Throws: Also when only the journal has it.
    package func presentation(_ id: String) async throws -> JSONValue {
        let item = try await get("/presentations/\(id)")
        guard item["archived"] == nil else {
            throw Failure(.declined, "no presentation \(id) in the inbox: it ended before")
        }
        return item
    }

    /// The whole id for a beginning, an end or a whole id.
    package func id(_ text: String) async throws -> String {
        if let id = PresentationID(text) { return id.description }
        let ids = try await items(in: "all").items.compactMap { $0["id"]?.stringValue }
            .filter(PartialID(text).matches)
        guard let id = ids.first else {
            throw Failure(.declined, PartialID.unknown(text, in: "the inbox"))
        }
        guard ids.count == 1 else {
            throw Failure(.usage, PartialID.ambiguity(text, ids))
        }
        return id
    }
}

/// A request of a person at an inbox.
package enum InboxRequest: Hashable, Sendable {
    case detail(id: String)
    /// Answers a presentation; with `confirms`, confirms that proposal of another person. `values`
    /// are the values of the option's fields, `comment` is the reason.
    case answer(
        id: String, option: String, confirms: String? = nil, values: [String: JSONValue] = [:],
        comment: String? = nil)
    /// Answers every open member of the group that had been seen at this revision, or only those of
    /// `ids`; with `confirms`, confirms these proposals of other people, and no others.
    case answerGroup(
        Int64, option: String, seen: Int64, confirms: [String] = [],
        values: [String: JSONValue] = [:], comment: String? = nil, ids: [String]? = nil)
    /// Claims a presentation; with `to`, hands the claim to that person.
    case claim(id: String, takeOver: Bool, to: String? = nil)
    case release(id: String)
    /// Claims every open member of the group that had been seen at this revision, or only those of
    /// `ids`.
    case claimGroup(Int64, takeOver: Bool, to: String? = nil, seen: Int64, ids: [String]? = nil)
    /// Releases this person's claims of these members.
    case releaseGroup(Int64, seen: Int64, ids: [String]? = nil)
    /// Withdraws or declines the proposal; with `proposal`, no other one.
    case decline(id: String, proposal: String? = nil)
    /// Writes a note on the presentation, open or ended.
    case note(id: String, text: String)
    /// Undoes the held answer; with `answer`, no other one.
    case undo(id: String, answer: String? = nil)
    /// Undoes these held answers of the group, and no others.
    case undoGroup(Int64, answers: [String])

    package static let undoTime: Duration = .seconds(5)
    package static let claimTime: Duration = .seconds(900)
    /// The time of a claim, for people.
    static let claimTimeShown = "\(claimTime.components.seconds / 60) min"

    /// The console's reply.
    ///
    /// - Parameters:
    ///   - undo: How long an answer can be undone.
    ///   - claim: How long a claim lasts.
    package func sent(
        to client: ConsoleClient, by person: String, undo: Duration = undoTime,
        claim: Duration = claimTime
    ) async throws -> JSONValue {
        let by = JSONValue.string(person)
        switch self {
        case .detail(let id): return try await client.get("/presentations/\(id)")
        case .answer(let id, let option, let proposal, let values, let comment):
            return try await client.answer(
                id, option: option, confirms: proposal, by: person, undo: undo, values: values,
                comment: comment)
        case .answerGroup(
            let number, let option, let seen, let confirms, let values, let comment, let ids):
            return try await client.postTwice(
                "/groups/\(number)/answer",
                [
                    "option": .string(option), "by": by, "seen": .integer(seen),
                    "confirms": confirms.isEmpty ? .null : confirms.json,
                    "undoMilliseconds": .milliseconds(undo),
                    "values": values.isEmpty ? .null : .object(values),
                    "comment": .text(comment),
                    "ids": ids.map(\.json) ?? .null,
                ], naming: "answer")
        case .claim(let id, let takeOver, let receiver):
            return try await client.post(
                "/presentations/\(id)/claim",
                [
                    "by": by, "forMilliseconds": .milliseconds(claim),
                    "takeOver": .bool(takeOver), "to": .text(receiver),
                ])
        case .release(let id):
            return try await client.post("/presentations/\(id)/release", ["by": by])
        case .claimGroup(let number, let takeOver, let receiver, let seen, let ids):
            return try await client.post(
                "/groups/\(number)/claim",
                [
                    "by": by, "forMilliseconds": .milliseconds(claim), "takeOver": .bool(takeOver),
                    "to": .text(receiver), "seen": .integer(seen),
                    "ids": ids.map(\.json) ?? .null,
                ])
        case .releaseGroup(let number, let seen, let ids):
            return try await client.post(
                "/groups/\(number)/release",
                ["by": by, "seen": .integer(seen), "ids": ids.map(\.json) ?? .null])
        case .decline(let id, let proposal):
            return try await client.post(
                "/presentations/\(id)/decline", ["by": by, "proposal": .text(proposal)])
        case .note(let id, let text):
            return try await client.note(id, text: text, by: person)
        case .undo(let id, let answer):
            return try await client.post(
                "/presentations/\(id)/undo", ["by": by, "answer": .text(answer)])
        case .undoGroup(let number, let answers):
            return try await client.undo(answers, ofGroup: number, by: person)
        }
    }
}
