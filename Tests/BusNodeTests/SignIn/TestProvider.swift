import Crypto
import ErrorBus
import ErrorBusTesting
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Synchronization

@testable import BusNodeKit

/// An identity provider on this machine, which says what a test has it say.
final class TestProvider: Sendable {
    static let clientID = "error bus"
    static let secret = "s%cret:0123"
    static let paths = ["/.well-known/openid-configuration", "/keys", "/token", "/userinfo"]

    struct Words: Sendable {
        var key = TestKey.es256()
        /// The keys that it shows; nil: that with which it signs.
        var shown: [TestKey]?
        /// Beside those that each token needs, or in their place.
        var claims: [String: JSONValue] = [
            "sub": "1", "email": "anna@x.example", "email_verified": true,
        ]
        var userinfo: [String: JSONValue] = ["sub": "1"]
        /// Of its document; null takes one away.
        var document: [String: JSONValue] = [:]
        /// Whether requests for tokens wait to be released.
        var holdsTokens = false
        /// By path, in place of its own replies.
        var replies: [String: (status: HTTPResponse.Status, body: String)] = [:]
    }

    private struct Code {
        let nonce: String
        let challenge: String
        let redirect: String
    }

    private let state = Mutex<(words: Words, codes: [String: Code])>((Words(), [:]))
    /// The paths of all requests.
    let asked = Recorder<String>()
    /// Requests for tokens that wait, and those that may go on.
    let held = Recorder<Void>()
    let release = Recorder<Void>()
    let time: ManualTime
    let issuer: String

    private init(_ issuer: String, time: ManualTime) {
        self.issuer = issuer
        self.time = time
    }

    func says(_ change: (inout Words) -> Void) { state.withLock { change(&$0.words) } }

    private var words: Words { state.withLock { $0.words } }

    /// Serves while the body runs.
    static func run(
        time: ManualTime = ManualTime(), _ body: (TestProvider) async throws -> Void
    ) async throws {
        let ports = Recorder<Int>()
        let found = Recorder<TestProvider>()
        let router = Router()
        for path in paths {
            router.on(RouterPath(path), method: path == "/token" ? .post : .get) { request, _ in
                guard let provider = found.elements.first else {
                    return Response(status: .serviceUnavailable)
                }
                return try await provider.response(to: request)
            }
        }
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { ports.record($0.localAddress?.port ?? 0) }, logger: .silent)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await application.run() }
            let provider = TestProvider("http://127.0.0.1:\(try await ports.next())", time: time)
            found.record(provider)
            try await body(provider)
            group.cancelAll()
        }
    }

    /// Signs the person in: the query with which the browser goes back to the console.
    func signIn(at location: String) throws -> String {
        let query = try QueryFields(String(location.split(separator: "?", maxSplits: 1)[1]))
        func text(_ name: String) -> String { query.text(name) ?? "none" }
        let isRight =
            location.hasPrefix("\(issuer)/authorize?") && text("response_type") == "code"
            && text("client_id") == Self.clientID && text("code_challenge_method") == "S256"
            && text("scope") == "openid email profile"
        guard isRight else { throw Failure(.software, "not a request of a code: \(location)") }
        let code = ConsoleToken.generated().text
        state.withLock {
            $0.codes[code] = Code(
                nonce: text("nonce"), challenge: text("code_challenge"),
                redirect: text("redirect_uri"))
        }
        return "code=\(code)&state=\(text("state"))&session_state=x"
    }

    private func response(to request: Request) async throws -> Response {
        let path = request.uri.path
        asked.record(path)
        let words = words
        if let reply = words.replies[path] { return Self.reply(reply.status, reply.body) }
        switch path {
        case "/token":
            let body = try await request.body.collect(upTo: 65_536)
            if words.holdsTokens {
                held.record(())
                try await release.next()
            }
            return try token(request, String(buffer: body), words)
        case "/keys":
            let keys = (words.shown ?? [words.key]).map { JSONValue.object($0.json) }
            return Self.reply(["keys": .array(keys)])
        case "/userinfo":
            guard request.headers[.authorization] == "Bearer access" else {
                return Self.reply(.unauthorized, "")
            }
            return Self.reply(.object(words.userinfo))
        default: return Self.reply(.object(document(words)))
        }
    }

    private func document(_ words: Words) -> [String: JSONValue] {
        let fields: [String: JSONValue] = [
            "issuer": .string(issuer), "authorization_endpoint": .string("\(issuer)/authorize"),
            "token_endpoint": .string("\(issuer)/token"), "jwks_uri": .string("\(issuer)/keys"),
            "userinfo_endpoint": .string("\(issuer)/userinfo"),
            "end_session_endpoint": .string("\(issuer)/leave?a=b"),
        ]
        return fields.merging(words.document) { $1 }.filter { !$0.value.isNull }
    }

    private func token(_ request: Request, _ body: String, _ words: Words) throws -> Response {
        let form = try QueryFields(body)
        let pair = Data("error%20bus:s%25cret%3A0123".utf8).base64EncodedString()
        let isClient =
            request.headers[.authorization] == "Basic \(pair)"
            || (form.text("client_id"), form.text("client_secret"))
                == (Self.clientID, Self.secret)
        guard isClient else { return Self.reply(.unauthorized, #"{"error": "invalid_client"}"#) }
        let code = state.withLock { $0.codes.removeValue(forKey: form.text("code") ?? "") }
        let verifier = Data((form.text("code_verifier") ?? "").utf8)
        guard let code, form.text("redirect_uri") == code.redirect,
            Data(SHA256.hash(data: verifier)).base64URL == code.challenge,
            form.text("grant_type") == "authorization_code"
        else { return Self.reply(.badRequest, #"{"error": "invalid_grant"}"#) }
        let now = Int64(time.now.date.timeIntervalSince1970)
        let claims: [String: JSONValue] = [
            "iss": .string(issuer), "aud": .string(Self.clientID), "nonce": .string(code.nonce),
            "iat": .integer(now), "exp": .integer(now + 300),
        ]
        let token = try words.key.token(
            claims.merging(words.claims) { $1 }.filter { !$0.value.isNull })
        return Self.reply([
            "id_token": .string(token), "access_token": "access", "token_type": "Bearer",
        ])
    }

    private static func reply(_ json: JSONValue) -> Response {
        reply(.ok, String(decoding: json.encoded(), as: UTF8.self))
    }

    private static func reply(_ status: HTTPResponse.Status, _ body: String) -> Response {
        var headers: HTTPFields = [.contentType: "application/json"]
        if status == .found { headers[.location] = body }
        return Response(
            status: status, headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(string: body)))
    }
}
