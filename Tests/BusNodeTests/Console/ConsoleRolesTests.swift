import AsyncHTTPClient
import ErrorBus
import ErrorBusTesting
import Foundation
import Logging
import NIOHTTP1
import Testing

@testable import BusNodeKit

/// Every path of docs/openapi.yaml, asked by visitors of each role.
struct ConsoleRolesTests {
    /// Nil without a token.
    private static let roles: [(name: String, may: Set<ConsolePermission>?)] = [
        ("none", nil), ("see", []), ("answer", [.answer]),
        ("destructive", [.answer, .destructive]), ("silence", [.silence]),
        ("administer", [.administer]),
    ]

    private let folder: TemporaryFolder
    private let document: InterfaceDocument

    init() throws {
        folder = try TemporaryFolder()
        document = try InterfaceDocument()
        try PrivateFile.create("\(folder.path)/secret", TestProvider.secret + "\n", mode: 0o600)
    }

    private func expected(
        _ operation: InterfaceDocument.Operation, _ may: Set<ConsolePermission>?
    ) throws -> Set<Int> {
        let listed = document.statuses(of: operation)
        switch try #require(document.needs(of: operation).first) {
        case .nothing: return may == nil ? listed : listed.subtracting([401])
        case .admission: return may == nil ? [401] : listed
        case .permission(let permission):
            guard let may else { return [401] }
            return may.contains(permission) ? listed : [403]
        }
    }

    private func status(
        of operation: InterfaceDocument.Operation, at console: ServedConsole, _ token: String?
    ) async throws -> Int {
        let isPost = operation.method == "post"
        var exchange = HTTPExchange(
            isPost ? .POST : .GET, Self.url(of: operation, at: console),
            body: isPost ? Array("{}".utf8) : nil)
        if let token { exchange.add("Authorization", "Bearer \(token)") }
        return Int(try await exchange.response().status.code)
    }

    private static func url(
        of operation: InterfaceDocument.Operation, at console: ServedConsole
    ) -> String {
        let path = operation.path.replacing("{id}", with: UUID().uuidString)
            .replacing("{number}", with: "1").replacing("{name}", with: "none")
            .replacing("{version}", with: "none")
        return "http://\(console.address.host):\(console.address.port)\(path)"
    }

    @Test("Every path is open to the roles that the document names, and to no others")
    func everyPath() async throws {
        let users = UserFile("\(folder.path)/users.txt")
        var tokens: [String: String] = [:]
        for (name, may) in Self.roles {
            if let may { tokens[name] = try users.add(name, may) }
        }
        let issuer = try #require(ProviderAddress("http://127.0.0.1:1"))
        try await ServedConsole.run(
            { settings in
                settings.usersFile = users.path
                settings.url = "http://localhost:1"
                settings.oidc = ConsoleOIDCSettings(
                    issuer: issuer, clientID: TestProvider.clientID,
                    clientSecretFile: "\(folder.path)/secret")
            }, logger: .silent
        ) { console in
            #expect(document.operations.count > 25)
            for (name, may) in Self.roles {
                for operation in document.operations {
                    let found = try await status(of: operation, at: console, tokens[name])
                    #expect(
                        try expected(operation, may).contains(found),
                        "\(name): \(operation.method) \(operation.path): \(found)")
                }
            }
        }
    }

    @Test("Another site changes nothing at any path, with the cookie of a user who may do all")
    func otherSites() async throws {
        let users = UserFile("\(folder.path)/users.txt")
        let token = try users.add("ann", Set(ConsolePermission.allCases))
        try await ServedConsole.run({ $0.usersFile = users.path }, logger: .silent) { console in
            let own = "http://\(console.address.host):\(console.address.port)"
            let requests: [(type: String, header: String, value: String, refusal: Int?)] = [
                ("application/json", "Origin", own, nil),
                ("application/json", "Origin", "https://evil.example", 403),
                ("application/json", "Origin", "http://\(console.address.host):1", 403),
                ("application/json", "Origin", "null", 403),
                ("application/json", "Sec-Fetch-Site", "cross-site", 403),
                ("application/json", "Sec-Fetch-Site", "same-site", 403),
                ("text/plain", "Origin", own, 415),
                ("application/x-www-form-urlencoded", "Origin", own, 415),
                ("multipart/form-data; boundary=application/json", "Origin", own, 415),
            ]
            let changes = document.operations.filter { $0.method == "post" }
            #expect(changes.count > 15)
            for operation in changes {
                for request in requests {
                    var exchange = HTTPExchange(
                        .POST, Self.url(of: operation, at: console), body: Array("{}".utf8),
                        contentType: request.type)
                    exchange.add("Cookie", "errorbus-\(console.address.port)=\(token)")
                    exchange.add(request.header, request.value)
                    let found = Int(try await exchange.response().status.code)
                    let isExpected =
                        request.refusal.map { $0 == found } ?? ![401, 403, 415].contains(found)
                    #expect(isExpected, "\(operation.path), \(request): \(found)")
                }
            }
        }
    }
}
