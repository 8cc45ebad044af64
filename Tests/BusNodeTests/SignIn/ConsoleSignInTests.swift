import ErrorBus
import ErrorBusTesting
import Foundation
import HTTPTypes
import Logging
import Testing

@testable import BusNodeKit

/// Signing in at an identity provider, as a console does it.
struct ConsoleSignInTests {
    private let folder: TemporaryFolder
    private let file: UserFile
    private let users: ConsoleUsers

    init() throws {
        folder = try TemporaryFolder()
        file = UserFile("\(folder.path)/users.txt")
        try file.addProxied("anna@x.example", [.answer])
        users = try ConsoleUsers(file.path, logger: .silent)
        try PrivateFile.create("\(folder.path)/secret", TestProvider.secret + "\n", mode: 0o600)
    }

    private func signIn(
        _ provider: TestProvider, _ change: (inout ConsoleOIDCSettings) -> Void = { _ in }
    ) throws -> ConsoleSignIn {
        var settings = ConsoleOIDCSettings(
            issuer: try #require(ProviderAddress(provider.issuer)),
            clientID: TestProvider.clientID, clientSecretFile: "\(folder.path)/secret")
        settings.label = "Example"
        change(&settings)
        let time = provider.time
        return try ConsoleSignIn(
            settings, for: "https://console.example", users, logger: .silent,
            requestTime: .seconds(600), now: { time.now })
    }

    private func complete(
        _ signIn: ConsoleSignIn, _ provider: TestProvider, from address: String = "10.0.0.1"
    ) async throws -> ConsoleSignIn.Completed {
        let begun = try await signIn.begin(from: address)
        let query = try QueryFields(try provider.signIn(at: begun.location))
        return try await signIn.complete(query, from: address, by: [begun.browser])
    }

    /// The visitor's name and permissions, or the refusal.
    private func result(
        _ signIn: ConsoleSignIn, _ provider: TestProvider, from address: String = "10.0.0.1"
    ) async throws -> String {
        do {
            let completed = try await complete(signIn, provider, from: address)
            let visitor = try signIn.visitor(showing: completed.key, completed.label)
            let user = try #require(visitor?.user)
            return "\(user.name): \(user.permissionText)"
        } catch let problem as APIProblem {
            return "\(problem.status.code) \(problem.word): \(problem.message)"
        }
    }

    @Test("A person whom the provider signs in has what the file of users says")
    func signedIn() async throws {
        try await TestProvider.run { provider in
            let signIn = try signIn(provider)
            #expect(try await result(signIn, provider) == "anna@x.example: answer")
            #expect(Set(provider.asked.elements) == Set(TestProvider.paths.dropLast()))
            #expect(provider.asked.elements.count == 3)
            // What is known is not asked for again.
            #expect(try await result(signIn, provider) == "anna@x.example: answer")
            #expect(provider.asked.elements.filter { $0 != "/token" }.count == 2)
            let ways = "token_endpoint_auth_methods_supported"
            provider.says { $0.document[ways] = ["client_secret_post"] }
            provider.time.advance(by: ProviderMemory.age)
            #expect(try await result(signIn, provider) == "anna@x.example: answer")
        }
    }

    @Test("A sign-in is completed once, with its state, in its browser")
    func state() async throws {
        try await TestProvider.run { provider in
            let signIn = try signIn(provider)
            let begun = try await signIn.begin(from: "10.0.0.1")
            let query = try provider.signIn(at: begun.location)
            let other = try await signIn.begin(from: "10.0.0.1")
            func refusal(_ query: String, _ browsers: [String]) async -> String? {
                do throws(APIProblem) {
                    _ = try await signIn.complete(
                        try QueryFields(query), from: "10.0.0.1", by: browsers)
                    return nil
                } catch { return error.word }
            }
            // An attacker's code in the browser of another person, and the reverse.
            #expect(await refusal(query, [other.browser]) == "notBegun")
            #expect(await refusal(query, []) == "notBegun")
            let code = query.split(separator: "&")[0]
            #expect(await refusal("\(code)&state=x", [begun.browser]) == "notBegun")
            #expect(await refusal("\(code)", [begun.browser]) == "notBegun")
            #expect(await refusal("error=access_denied", [begun.browser]) == "notBegun")
            #expect(!provider.asked.elements.contains("/token"))
            #expect(await refusal(query, [begun.browser]) == nil)
            #expect(await refusal(query, [begun.browser]) == "notBegun")
            // A code of another sign-in, which that began with another verifier and nonce.
            let state = try #require(other.location.firstMatch(of: /state=([^&]+)/)?.1)
            let third = try await signIn.begin(from: "10.0.0.1")
            let stolen = try provider.signIn(at: third.location).split(separator: "&")[0]
            #expect(await refusal("\(stolen)&state=\(state)", [other.browser]) == "provider")
        }
    }

    @Test("What the provider answers in place of a code is shown, also that of another provider")
    func declined() async throws {
        try await TestProvider.run { provider in
            let signIn = try signIn(provider)
            for (query, word) in [
                ("error=access_denied", "declined"), ("", "declined"),
                ("code=x&iss=https://evil.example", "idToken"),
            ] {
                let begun = try await signIn.begin(from: "10.0.0.1")
                let state = try #require(begun.location.firstMatch(of: /state=([^&]+)/)?.1)
                let problem = await #expect(throws: APIProblem.self) {
                    try await signIn.complete(
                        QueryFields("\(query)&state=\(state)"), from: "10.0.0.1",
                        by: [begun.browser])
                }
                #expect(problem?.word == word)
            }
            #expect(!provider.asked.elements.contains("/token"))
        }
    }

    @Test("A token that is not the one for this sign-in is refused, with the reason")
    func wrongToken() async throws {
        try await TestProvider.run { provider in
            let signIn = try signIn(provider)
            for (claim, value, reason) in [
                ("nonce", "x", "of another sign-in"), ("aud", "x", "it is for x"),
                ("iss", "x", "of the issuer x"), ("exp", 1, "expired at 1970-01-01T00:00:01Z"),
            ] as [(String, JSONValue, String)] {
                provider.says { $0.claims[claim] = value }
                let found = try await result(signIn, provider)
                #expect(found.hasPrefix("502 idToken: Example: its ID token is refused: "))
                #expect(found.contains(reason), "\(found)")
                provider.says { $0.claims[claim] = nil }
            }
            let own = TestKey.es256()
            provider.says { ($0.key, $0.shown) = (.unsigned(id: "es"), [own]) }
            #expect(try await result(signIn, provider).contains("signed by none, allowed: RS256"))
            provider.says { $0.key = .hs256(own.publicBytes, id: "es") }
            #expect(try await result(signIn, provider).contains("signed by HS256"))
        }
    }

    @Test("A new key of the provider is found, and an unknown one is looked for once a minute")
    func newKey() async throws {
        try await TestProvider.run { provider in
            let signIn = try signIn(provider)
            #expect(try await result(signIn, provider).hasPrefix("anna"))
            provider.says { ($0.key, $0.shown) = (.edDSA("new"), [.es256()]) }
            for _ in 0..<3 {
                let found = try await result(signIn, provider)
                #expect(found.contains("no fitting key of the provider has the id new"))
            }
            #expect(provider.asked.elements.count { $0 == "/keys" } == 1)
            provider.says { $0.shown = nil }
            provider.time.advance(by: ProviderMemory.keysAge)
            #expect(try await result(signIn, provider).hasPrefix("anna"))
            #expect(provider.asked.elements.count { $0 == "/keys" } == 2)
        }
    }

    @Test("What a provider says is limited in size, and a redirect is not followed")
    func oversized() async throws {
        try await TestProvider.run { provider in
            let long = String(repeating: " ", count: 300_000)
            for path in TestProvider.paths.dropLast() {
                let signIn = try signIn(provider)
                func found(_ status: HTTPResponse.Status, _ body: String) async throws -> String {
                    provider.says { $0.replies = [path: (status, body)] }
                    provider.time.advance(by: ProviderMemory.pause)
                    return try await result(signIn, provider)
                }
                #expect(try await found(.ok, long).contains("a reply of more than"), "\(path)")
                let other = "\(provider.issuer)/keys"
                #expect(try await found(.found, other).contains("status 302"), "\(path)")
                #expect(try await found(.ok, "[1]").hasPrefix("502 provider"), "\(path)")
                provider.says { $0.replies = [:] }
                provider.time.advance(by: ProviderMemory.pause)
                #expect(try await result(signIn, provider).hasPrefix("anna"), "\(path)")
            }
        }
    }

    @Test("A provider that is down is said to be, and asked again after a pause")
    func down() async throws {
        try await TestProvider.run { provider in
            let signIn = try signIn(provider)
            provider.says { $0.replies = [TestProvider.paths[0]: (.badGateway, "")] }
            for _ in 0..<3 {
                let found = try await result(signIn, provider)
                #expect(found.hasPrefix("502 provider: Example: its discovery document cannot be"))
                #expect(found.hasSuffix("or use a token of this console"))
            }
            #expect(provider.asked.elements.count == 1)
            provider.says { $0.replies = [:] }
            provider.time.advance(by: ProviderMemory.pause)
            #expect(try await result(signIn, provider).hasPrefix("anna"))
            let body = #"{"error": "invalid_client"}"#
            provider.says { $0.replies = ["/token": (.unauthorized, body)] }
            #expect(try await result(signIn, provider).contains("status 401 (invalid_client)"))
        }
        // No one listens at the port of one that has stopped.
        let issuer = try #require(ProviderAddress("http://127.0.0.1:1"))
        let settings = ConsoleOIDCSettings(
            issuer: issuer, clientID: "a", clientSecretFile: "\(folder.path)/secret")
        let down = try ConsoleSignIn(
            settings, for: "https://console.example", users, logger: .silent)
        let problem = await #expect(throws: APIProblem.self) {
            try await down.begin(from: "10.0.0.1")
        }
        #expect(problem?.message.contains("Connection refused") == true)
    }

    @Test("A person who is no user of the console, or whom the provider does not name, is refused")
    func refused() async throws {
        try await TestProvider.run { provider in
            let signIn = try signIn(provider)
            provider.says { $0.claims["email"] = "eve@x.example" }
            #expect(
                try await result(signIn, provider)
                    == "403 unknownUser: Example: you are signed in there as eve@x.example, who is "
                    + "not a user of this console; let its administrator run bus-node users add "
                    + "FILE eve@x.example --proxy")
            provider.says { $0.claims["email_verified"] = false }
            #expect(try await result(signIn, provider).hasPrefix("403 noName: Example: eve@x"))
            // Another claim is not taken in its place.
            provider.says {
                $0.claims = ["sub": "1", "preferred_username": "anna@x.example"]
            }
            #expect(
                try await result(signIn, provider)
                    .hasPrefix("403 noName: Example: found no claim email"))
        }
    }

    @Test("Groups give permissions to those who are not in the file, which counts first")
    func groups() async throws {
        try await TestProvider.run { provider in
            let signIn = try signIn(provider) {
                $0.nameClaim = "sub"
                $0.groups = ["oncall": [.answer], "lead": [.destructive], "board": []]
            }
            provider.says { ($0.claims, $0.userinfo) = (["sub": "zoe"], ["sub": "zoe"]) }
            #expect(try await result(signIn, provider).hasPrefix("403 unknownUser"))
            provider.says { $0.claims["groups"] = ["Oncall", "others"] }
            #expect(try await result(signIn, provider).hasPrefix("403 unknownUser"))
            provider.says { $0.claims["groups"] = ["board"] }
            #expect(try await result(signIn, provider) == "zoe: see")
            provider.says { $0.claims["groups"] = ["board", "oncall", "lead"] }
            #expect(try await result(signIn, provider) == "zoe: answer,destructive")
            #expect(try signIn.user(named: "zoe")?.permissionText == "answer,destructive")
            #expect(try signIn.user(named: "anna@x.example")?.permissionText == "answer")
            #expect(try signIn.user(named: "bob") == nil)
            try file.addProxied("zoe", [])
            #expect(try await result(signIn, provider) == "zoe: see")
        }
    }

    @Test("A person who takes another name at the provider is the same person still")
    func renamed() async throws {
        try file.addProxied("ann@x.example", [.answer])
        try await TestProvider.run { provider in
            let signIn = try signIn(provider)
            func person() async throws -> SignedInPerson {
                let completed = try await complete(signIn, provider)
                let visitor = try signIn.visitor(showing: completed.key, completed.label)
                return try #require(visitor?.person)
            }
            let former = try await person()
            provider.says { $0.claims["email"] = "ann@x.example" }
            let renamed = try await person()
            #expect(former.name == "anna@x.example" && renamed.name == "ann@x.example")
            #expect(renamed.isSame(as: former))
            provider.says { $0.claims["sub"] = "2" }
            #expect(!(try await person()).isSame(as: former))
        }
    }

    @Test("Who has taken the name of another person since is not that person")
    func sameName() async throws {
        let anna = "anna@x.example"
        try file.remove(anna)
        try await TestProvider.run { provider in
            let signIn = try signIn(provider) { $0.groups = ["staff": [.answer]] }
            provider.says { $0.claims["groups"] = ["staff"] }
            let isKnown = { (id: String?) in try signIn.user(of: .init(anna, identity: id)) != nil }
            let former = try await complete(signIn, provider)
            let identity = try signIn.visitor(showing: former.key, former.label)?.person?.identity
            provider.says { $0.claims["sub"] = "2" }
            _ = try await complete(signIn, provider)
            #expect(try identity != nil && isKnown(identity) && !isKnown(nil))
            _ = signIn.end(former.label)
            #expect(try !isKnown(identity) && !isKnown(nil) && signIn.user(named: anna) != nil)
        }
    }

    @Test("What the token lacks is asked for, and taken for the same person only")
    func userinfo() async throws {
        try await TestProvider.run { provider in
            let signIn = try signIn(provider)
            provider.says {
                $0.claims = ["sub": "1"]
                $0.userinfo = ["sub": "1", "email": "anna@x.example", "email_verified": true]
            }
            #expect(try await result(signIn, provider) == "anna@x.example: answer")
            provider.says { $0.userinfo["sub"] = "2" }
            #expect(try await result(signIn, provider).contains("of another person"))
            provider.says { $0.replies = ["/userinfo": (.ok, "e30.e30.e30")] }
            let found = try await result(signIn, provider)
            #expect(found.contains("its userinfo is not a JSON object"))
        }
    }

    @Test("A session ends after its time, when it is ended, and for a person who is removed")
    func ends() async throws {
        try await TestProvider.run { provider in
            let signIn = try signIn(provider) { $0.session = .seconds(60) }
            let first = try await complete(signIn, provider)
            let visitor = try #require(try signIn.visitor(showing: first.key, first.label))
            #expect(signIn.admits(visitor) && visitor.provider == "Example")
            provider.time.advance(by: .seconds(60))
            #expect(!signIn.admits(visitor))
            #expect(try signIn.visitor(showing: first.key, first.label) == nil)
            let second = try await complete(signIn, provider)
            let third = try await complete(signIn, provider)
            let address = try #require(signIn.end(second.label))
            let fields = try QueryFields(String(address.split(separator: "?")[1]))
            #expect(address.hasPrefix("\(provider.issuer)/leave?a=b&client_id=error%20bus&"))
            #expect(fields.text("post_logout_redirect_uri") == "https://console.example/")
            #expect(fields.text("id_token_hint")?.split(separator: ".").count == 3)
            #expect(signIn.end(second.label) == nil)
            #expect(try signIn.visitor(showing: second.key, second.label) == nil)
            let other = try #require(try signIn.visitor(showing: third.key, third.label))
            try file.addProxied("anna@x.example", [])
            #expect(!signIn.admits(other))
            try file.remove("anna@x.example")
            #expect(try signIn.visitor(showing: third.key, third.label) == nil)
        }
    }

    @Test("Only so many sign-ins are completed at a time, of one address fewer; others come again")
    func busy() async throws {
        try await TestProvider.run { provider in
            let signIn = try signIn(provider)
            #expect(try await result(signIn, provider).hasPrefix("anna"))
            provider.says { $0.holdsTokens = true }
            let (most, mostOfOne) = (
                ConsoleSignIn.completingMax, ConsoleSignIn.completingMaxPerAddress
            )
            let late = try await signIn.begin(from: "10.0.0.9")
            let lateQuery = try QueryFields(try provider.signIn(at: late.location))
            let results = try await withThrowingTaskGroup(of: String.self) { group in
                for number in 0..<most {
                    group.addTask {
                        try await result(signIn, provider, from: "10.0.0.\(number / mostOfOne)")
                    }
                    try await provider.held.next()
                    guard number + 1 == mostOfOne else { continue }
                    let other = try await result(signIn, provider, from: "10.0.0.0")
                    #expect(other.hasPrefix("503 busy"))
                }
                let busy = await #expect(throws: APIProblem.self) {
                    try await signIn.complete(lateQuery, from: "10.0.0.9", by: [late.browser])
                }
                #expect(busy?.word == "busy")
                provider.says { $0.holdsTokens = false }
                for _ in 0..<ConsoleSignIn.completingMax { provider.release.record(()) }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(results.allSatisfy { $0.hasPrefix("anna") })
            #expect(try await result(signIn, provider).hasPrefix("anna"))
            // The browser comes again with the same state.
            _ = try await signIn.complete(lateQuery, from: "10.0.0.9", by: [late.browser])
        }
    }

    @Test("A secret that others can read, or that is none, is refused")
    func secretFile() throws {
        let path = "\(folder.path)/secret"
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        let open = #expect(throws: FileRefusal.self) { try ConsoleSignIn.secret(reading: path) }
        #expect(open?.found == "mode 0644")
        for text in ["short", "with a space in it", ""] {
            try PrivateFile.replace(path, text, mode: 0o600)
            let failure = #expect(throws: FileRefusal.self) {
                try ConsoleSignIn.secret(reading: path)
            }
            #expect(failure?.found == "\(text.utf8.count) bytes")
        }
    }
}
