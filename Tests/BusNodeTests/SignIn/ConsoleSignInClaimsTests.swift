import ErrorBus
import ErrorBusTesting
import Foundation
import Testing

@testable import BusNodeKit

/// What a sign-in takes from the token, what it asks the provider for, and what it keeps.
struct ConsoleSignInClaimsTests {
    private static let anna = "anna@x.example"

    private let folder: TemporaryFolder
    private let file: UserFile
    private let users: ConsoleUsers

    init() throws {
        folder = try TemporaryFolder()
        file = UserFile("\(folder.path)/users.txt")
        try file.addProxied(Self.anna, [.answer])
        users = try ConsoleUsers(file.path, logger: .silent)
        try PrivateFile.create("\(folder.path)/secret", TestProvider.secret + "\n", mode: 0o600)
    }

    private func signIn(
        _ provider: TestProvider, _ change: (inout ConsoleOIDCSettings) -> Void = { _ in }
    ) throws -> ConsoleSignIn {
        var settings = ConsoleOIDCSettings(
            issuer: try #require(ProviderAddress(provider.issuer)),
            clientID: TestProvider.clientID, clientSecretFile: "\(folder.path)/secret")
        change(&settings)
        let time = provider.time
        return try ConsoleSignIn(
            settings, for: "https://console.example", users, logger: .silent,
            requestTime: .seconds(600), now: { time.now })
    }

    private func complete(
        _ signIn: ConsoleSignIn, _ provider: TestProvider
    ) async throws -> ConsoleSignIn.Completed {
        let begun = try await signIn.begin(from: "10.0.0.1")
        let query = try QueryFields(try provider.signIn(at: begun.location))
        return try await signIn.complete(query, from: "10.0.0.1", by: [begun.browser])
    }

    /// The visitor's name and permissions.
    private func visitor(
        _ signIn: ConsoleSignIn, _ provider: TestProvider
    ) async throws -> String {
        let completed = try await complete(signIn, provider)
        let visitor = try signIn.visitor(showing: completed.key, completed.label)
        let user = try #require(visitor?.user)
        return "\(user.name): \(user.permissionText)"
    }

    @Test("The session that a browser began meanwhile ends as one of its user, and of no other")
    func meanwhile() async throws {
        try await TestProvider.run { provider in
            let signIn = try signIn(provider)
            let begun = try await signIn.begin(from: "10.0.0.1")
            signIn.signedIn("one", of: "board", by: [begun.browser])
            let completed = try await signIn.complete(
                QueryFields(try provider.signIn(at: begun.location)), from: "10.0.0.1",
                by: [begun.browser])
            #expect(completed.former == PendingSignIns.Former(label: "one", user: "board"))
        }
    }

    @Test("A person whom a group admits can be shut out, at once and for good")
    func shutOut() async throws {
        try await TestProvider.run { provider in
            let signIn = try signIn(provider) {
                $0.nameClaim = "sub"
                $0.groups = ["oncall": [.answer]]
            }
            provider.says { $0.claims = ["sub": "zoe", "groups": ["oncall"]] }
            let open = try await complete(signIn, provider)
            let zoe = try #require(try signIn.visitor(showing: open.key, open.label))
            #expect(signIn.admits(zoe) && zoe.may(.answer))
            try file.shutOut("zoe")
            #expect(!signIn.admits(zoe))
            #expect(try signIn.visitor(showing: open.key, open.label) == nil)
            #expect(try signIn.user(named: "zoe") == nil)
            let refusal = await #expect(throws: APIProblem.self) {
                try await complete(signIn, provider)
            }
            #expect(refusal?.word == "unknownUser")
            #expect(refusal?.message.hasSuffix("shuts out; ask its administrator") == true)
            try file.remove("zoe")
            #expect(signIn.admits(zoe))
        }
    }

    @Test("Groups that only the userinfo has give permissions")
    func groupsOfUserinfo() async throws {
        try await TestProvider.run { provider in
            let signIn = try signIn(provider) {
                $0.nameClaim = "sub"
                $0.groups = ["oncall": [.answer]]
            }
            provider.says {
                $0.claims = ["sub": "zoe"]
                $0.userinfo = ["sub": "zoe", "groups": ["oncall"]]
            }
            #expect(try await visitor(signIn, provider) == "zoe: answer")
        }
    }

    @Test("Another key of the provider under the former one's id is found within a minute")
    func keyOfSameID() async throws {
        try await TestProvider.run { provider in
            let signIn = try signIn(provider)
            #expect(try await visitor(signIn, provider) == "\(Self.anna): answer")
            provider.says { $0.key = .es256() }
            let problem = await #expect(throws: APIProblem.self) {
                try await visitor(signIn, provider)
            }
            #expect(problem?.message.contains("its signature is wrong") == true)
            #expect(provider.asked.elements.count { $0 == "/keys" } == 1)
            provider.time.advance(by: ProviderMemory.keysAge)
            #expect(try await visitor(signIn, provider) == "\(Self.anna): answer")
            #expect(provider.asked.elements.count { $0 == "/keys" } == 2)
        }
    }

    @Test("That an address is verified may stand in the userinfo alone")
    func verifiedByUserinfo() async throws {
        try await TestProvider.run { provider in
            let signIn = try signIn(provider)
            provider.says {
                $0.claims = ["sub": "1", "email": .string(Self.anna)]
                $0.userinfo = [
                    "sub": "1", "email": .string(Self.anna), "email_verified": true,
                ]
            }
            #expect(try await visitor(signIn, provider) == "\(Self.anna): answer")
        }
    }

    @Test("A token too long for an address is not in that of the sign-out")
    func longToken() async throws {
        try await TestProvider.run { provider in
            let signIn = try signIn(provider)
            func hint() async throws -> String? {
                let completed = try await complete(signIn, provider)
                let address = try #require(signIn.end(completed.label))
                return try QueryFields(String(address.split(separator: "?")[1]))
                    .text("id_token_hint")
            }
            #expect(try await hint() != nil)
            provider.says { $0.claims["note"] = .string(String(repeating: "x", count: 5_000)) }
            #expect(try await hint() == nil)
        }
    }
}
