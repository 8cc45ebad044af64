import Foundation

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// What a console reads of requests and of those who sign in, apart from sockets and files.
enum ConsoleChecks {
    private static let host = "127.0.0.1:8080"
    private static let issuer = "https://id.example"
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

    private static func checkCookie(_ text: String) throws(FuzzFinding) {
        guard let listen = try? Endpoint("tcp://\(host)") else { return }
        let cookie = ConsoleCookie(at: host, of: ConsoleSettings(listen: listen))
        for (token, session) in cookie.values(in: [text]) {
            try hold(!token.isEmpty && !token.contains(";"), "the token \(token)")
            guard let session else { continue }
            try hold(!token.contains(":"), "the token \(token) of \(session)")
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
        try hold(again?.map(\.name) == users.map(\.name), "read again as \(written)")
    }
}
