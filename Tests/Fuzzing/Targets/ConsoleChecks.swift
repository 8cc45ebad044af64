import Foundation

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// What a console reads of requests and of those who sign in, apart from sockets and files.
enum ConsoleChecks {
    private static let host = "127.0.0.1:8080"
    private static let issuer = "https://id.example"
    private static let token = ConsoleToken.generated()
    private static let now = Date(timeIntervalSince1970: 1_790_000_000)

    /// So many lines, and all after them.
    private static func lines(_ input: [UInt8], _ count: Int) -> [[UInt8]] {
        let lines = input.split(
            separator: UInt8(ascii: "\n"), maxSplits: count, omittingEmptySubsequences: false)
        return (0...count).map { $0 < lines.count ? Array(lines[$0]) : [] }
    }

    /// What is read; nil for a refusal, which has a message.
    private static func read<Value>(
        _ body: () throws(APIProblem) -> Value
    ) throws(FuzzFinding) -> Value? {
        do throws(APIProblem) { return try body() } catch {
            try hold(!error.message.isEmpty, "a refusal without a message")
            return nil
        }
    }

    /// A query, and a body in the lines after it: what is accepted is within its limits.
    static func request(_ input: [UInt8]) throws(FuzzFinding) {
        let lines = lines(input, 1)
        let query = String(decoding: lines[0], as: UTF8.self)
        if let fields = try read({ () throws(APIProblem) in try QueryFields(query) }) {
            let limit = try read { () throws(APIProblem) in
                try fields.number("limit", in: 1...100)
            }
            try hold((limit ?? nil).map { (1...100).contains($0) } ?? true, "a limit of \(query)")
            let filter = try read { () throws(APIProblem) in try fields.filter() }
            if let filter, let since = filter.since, filter.until.map({ since < $0 }) ?? true {
                try hold(filter.includes(since), "\(since) is not in its own range")
            }
        }
        guard let body = try? JSONValue.parse(lines[1]) else { return }
        let names = ["by", "ids", "minutes", "share", "all", "values"]
        guard
            let fields = try read({ () throws(APIProblem) in
                try BodyFields(body, of: "body", allowing: names)
            })
        else { return }
        if let name = try read({ () throws(APIProblem) in try fields.name("by") }) {
            try hold(
                !name.unicodeScalars.contains { $0.properties.generalCategory == .control }
                    && name.unicodeScalars.count <= ConsoleLimits.nameScalarMax, "by \(name)")
        }
        let ids = try read { () throws(APIProblem) in try fields.chosen() }
        try hold(
            (ids ?? nil).map { (1...ConsoleLimits.chosenCountMax).contains($0.count) } ?? true,
            "chosen ids")
        let minutes = try read { () throws(APIProblem) in
            try fields.integer("minutes", in: 1...60)
        }
        try hold((minutes ?? nil).map { (1...60).contains($0) } ?? true, "minutes")
        let share = try read { () throws(APIProblem) in try fields.number("share", in: 0...1) }
        try hold((share ?? nil).map { (0...1).contains($0) } ?? true, "share")
        _ = try read { () throws(APIProblem) in try fields.bool("all") }
        _ = try read { () throws(APIProblem) in try fields.values(confirming: false) }
    }

    /// A cookie, a token of a provider, its claims as JSON, a line each, and a file of users.
    static func identity(_ input: [UInt8]) throws(FuzzFinding) {
        let lines = lines(input, 3)
        try checkCookie(String(decoding: lines[0], as: UTF8.self))
        _ = try? IDToken(String(decoding: lines[1], as: UTF8.self))
        if let claims = IDTokenClaims(lines[2]) { try check(claims) }
        try checkUsers(String(decoding: lines[3], as: UTF8.self))
    }

    /// Method, path, Host, Origin, Sec-Fetch-Site, Sec-Fetch-Mode and -Dest, Content-Type, and
    /// another cookie, a line each, of a browser that is signed in: what other sites can have it
    /// send enters nowhere.
    static func gate(_ input: [UInt8]) throws(FuzzFinding) {
        let texts = lines(input, 7).map { String(decoding: $0, as: UTF8.self) }
        guard let listen = try? Endpoint("tcp://\(Self.host)") else { return }
        let gate = ConsoleGate(
            hosts: ConsoleHosts(ConsoleSettings(listen: listen), port: 8080),
            admission: .token(Self.token))
        var facts = ConsoleGate.Facts()
        (facts.method, facts.path) = (texts[0], texts[1])
        facts.host = texts[2]
        facts.origins = texts[3].isEmpty ? [] : [texts[3]]
        facts.fetchSite = texts[4].isEmpty ? nil : texts[4]
        let mode = texts[5].split(separator: " ", maxSplits: 1).map { String($0) }
        (facts.fetchMode, facts.fetchDestination) = (mode.first, mode.dropFirst().first)
        facts.contentType = texts[6].isEmpty ? nil : texts[6]
        facts.cookies = ["errorbus-8080=\(Self.token.text):label", texts[7]]
        let verdict = try read { () throws(APIProblem) in try gate.verdict(on: facts) }
        guard let verdict, case .enter = verdict else { return }
        let host = texts[2].lowercased()
        try hold([Self.host, "localhost:8080"].contains(host), "the host \(host)")
        try hold(
            texts[3].isEmpty || texts[3].lowercased() == "http://\(host)", "from \(texts[3])")
        let isPage =
            ["/", AnswerLinks.path].contains(facts.path) && facts.method == "GET"
            && mode == ["navigate", "document"]
        try hold(["", "same-origin", "none"].contains(texts[4]) || isPage, "site \(texts[4])")
        // Not as a parameter of a type that a form may have.
        let type = texts[6].lowercased().split(separator: ";").first ?? ""
        try hold(
            ["GET", "HEAD"].contains(facts.method)
                || type.filter { $0 != " " } == "application/json",
            "\(facts.method) with \(texts[6])")
    }

    /// A link, a provider's document and its keys, a line each, and a key file.
    static func credentials(_ input: [UInt8]) throws(FuzzFinding) {
        let lines = lines(input, 3)
        let link = AnswerLink(String(decoding: lines[0], as: UTF8.self), signedWith: "the key")
        try hold(link == nil, "a link that was not signed")
        _ = try? ProviderKeys(lines[2])
        if let issuer = ProviderAddress(Self.issuer),
            let document = try? ProviderDocument(lines[1], of: issuer)
        {
            let addresses = [document.authorization, document.token, document.keys]
            let others = [document.userinfo, document.endSession].compactMap(\.self)
            try hold((addresses + others).allSatisfy(\.isSecure), "an address without TLS")
        }
        let text = String(decoding: lines[3], as: UTF8.self)
        guard let certificate = try? KeyCertificate(text: text) else { return }
        let again = try? KeyCertificate(text: certificate.publicText)
        try hold(
            again?.publicKey == certificate.publicKey
                && again?.formerKey == certificate.formerKey
                && again?.signerKey == certificate.signerKey, "read again as another")
    }

    private static func checkCookie(_ text: String) throws(FuzzFinding) {
        guard let listen = try? Endpoint("tcp://\(host)") else { return }
        let cookie = ConsoleCookie(at: host, of: ConsoleSettings(listen: listen))
        let admission = ConsoleAdmission.token(Self.token)
        for (token, session) in cookie.values(in: [text]) {
            let opened = try read { () throws(APIProblem) in
                try admission.token(in: token, of: session)
            }
            try hold([token, nil].contains(opened ?? nil), "\(token) is opened")
            // By scalars: U+037E is equal to a semicolon.
            let scalars = token.unicodeScalars
            try hold(!scalars.isEmpty && !scalars.contains(";"), "the token \(token)")
            guard let session else { continue }
            try hold(!scalars.contains(":"), "the token \(token) of \(session)")
        }
    }

    /// A person is named by what is signed, and only by a name that a user may have.
    private static func check(_ claims: IDTokenClaims) throws(FuzzFinding) {
        for name in ["sub", "email", "preferred_username"] {
            guard let found = try? claims.name(by: name) else { continue }
            try hold(ConsoleUser.isName(found), "the name \(found)")
            try hold(claims.values[name]?.stringValue == found, "\(found) is not \(name)")
        }
        _ = claims.isInGroup("operators", by: "groups")
        if claims.fault(expecting: issuer, for: "errorbus", nonce: "n", at: now) == nil {
            try hold(claims.subject != nil, "right, and of no person")
            try hold(claims.values["iss"] == .string(issuer), "right, and of another issuer")
            try hold(claims.values["nonce"] == .string("n"), "right, and of another sign-in")
        }
        var both = claims
        if both.add(claims) { try hold(both == claims, "what is signed was changed") }
    }

    /// Users are read again as they are written.
    private static func checkUsers(_ text: String) throws(FuzzFinding) {
        guard let users = (try? ConsoleUsers.list(text))?.users else { return }
        try hold(Set(users.map(\.name)).count == users.count, "a name twice")
        try hold(users.allSatisfy { ConsoleUser.isName($0.name) }, "a name that is none")
        let written = users.map(ConsoleUsers.line).joined(separator: "\n")
        let again = (try? ConsoleUsers.list(written))?.users
        try hold(again == users, "read again as \(written)")
    }
}
