import ErrorBus
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix

/// A console's HTTP interface, from the other side.
struct ConsoleClient: Sendable {
    /// How long one request may take.
    private static let timeLimit: Duration = .seconds(15)
    static let limits = JSONLimits(
        byteCount: HTTPExchange.bodyByteMax, depth: 64, valueCount: 4_000_000)

    let address: ConsoleAddress

    init(_ address: ConsoleAddress) { self.address = address }

    func get(_ path: String) async throws -> JSONValue {
        try await ask(exchange(.GET, path))
    }

    func post(_ path: String, _ body: JSONValue) async throws -> JSONValue {
        try await ask(exchange(.POST, path, body: body.encoded()))
    }

    func exchange(
        _ method: HTTPMethod, _ path: String, body: [UInt8]? = nil, lastEvent: String? = nil
    ) -> HTTPExchange {
        HTTPExchange(
            host: address.host, port: address.port, method: method, path: "/api/v1" + path,
            token: address.token, body: body, lastEvent: lastEvent)
    }

    private func ask(_ exchange: HTTPExchange) async throws -> JSONValue {
        let reply: HTTPExchange.Reply
        do {
            reply = try await exchange.reply(within: Self.timeLimit)
        } catch {
            throw unreachable(error)
        }
        guard let json = try? JSONValue.parse(reply.body, limits: Self.limits) else {
            throw Failure(
                .unavailable,
                "\(shownAddress): status \(reply.status) without JSON: is that a console?")
        }
        guard reply.status == 200 else { throw Self.failure(reply.status, json) }
        return json
    }

    func unreachable(_ error: any Error) -> Failure {
        let reason =
            switch error {
            case let error as NIOConnectionError:
                error.connectionErrors.first.map { Self.reason($0.error) } ?? "no such host"
            default: Self.reason(error)
            }
        return Failure(.unavailable, "\(shownAddress): cannot be reached: \(reason)")
    }

    private static func reason(_ error: any Error) -> String {
        (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(error)"
    }

    /// Without the token.
    var shownAddress: String { "http://\(address.host):\(address.port)" }

    private static let tokenHint =
        "no token, or not this console's: give --to 'the address that the node printed', "
        + "--token-file FILE, or set BUS_NODE_CONSOLE_TOKEN"

    /// What a refusal means for scripts: 1 is the console's own "no".
    static func failure(_ status: Int, _ json: JSONValue) -> Failure {
        let text = json["message"]?.stringValue ?? "status \(status)"
        let exit: ExitStatus =
            switch status {
            case 401, 403: .notPermitted
            case 404, 409: .declined
            case 400, 422: .usage
            case 429, 503: .temporaryFailure
            default: .software
            }
        // The console speaks to browsers and scripts; here one types.
        return Failure(exit, status == 401 ? tokenHint : text)
    }

    // MARK: Presentations

    /// Answers one. Sent once more when the reply was lost: under the same id it counts once.
    func answer(
        _ id: String, option: String, by person: String, undo: Duration = .zero
    ) async throws -> JSONValue {
        let path = "/presentations/\(id)/answer"
        let body: JSONValue = [
            "option": .string(option), "by": .string(person),
            "answer": .string(PresentationID.make().value.description),
            "undoMilliseconds": .integer(Int64(undo / .milliseconds(1))),
        ]
        do {
            return try await post(path, body)
        } catch let failure as Failure where failure.status == .unavailable {
            return try await post(path, body)
        }
    }

    /// Everything that is open, and the revision up to which that is so.
    func openItems() async throws -> (items: [JSONValue], revision: Int64) {
        let limit = 10_000
        var items: [String: JSONValue] = [:]
        var revision: Int64 = 0
        while true {
            let list = try await get("/inbox?stage=open&limit=\(limit)&after=\(revision)")
            let page = list["items"]?.arrayValue ?? []
            for item in page { items[item.text("id")] = item }
            let latest = max(revision, list["revision"]?.integerValue ?? 0)
            guard page.count == limit, latest > revision else {
                return (Array(items.values), latest)
            }
            revision = latest
        }
    }

    /// The whole id that a person gave, or gave the beginning or the end of.
    func id(_ text: String) async throws -> String {
        if let id = PresentationID(text) { return id.description }
        let list = try await get("/inbox?stage=all&limit=10000")
        let items = list["items"]?.arrayValue ?? []
        let ids = items.compactMap { $0["id"]?.stringValue }
            .filter(PartialID(text).matches)
        guard let id = ids.first else {
            throw Failure(.declined, "no presentation \(text) in the inbox")
        }
        guard ids.count == 1 else {
            throw Failure(
                .usage, "\(text): \(ids.count) presentations begin or end so; give more of it")
        }
        return id
    }
}
