import ErrorBus
import Testing

@testable import BusNodeKit

/// Who a person is, by what the provider says.
struct IDTokenClaimsTests {
    private func claims(_ values: [String: JSONValue]) throws -> IDTokenClaims {
        try #require(IDTokenClaims(JSONValue.object(values).encoded()))
    }

    private func name(_ claim: String, _ values: [String: JSONValue]) throws -> String {
        let claims = try claims(values)
        do throws(SignInRefusal) { return try claims.name(by: claim) } catch { return "\(error)" }
    }

    @Test("An address counts only when the provider has verified it, and nothing in its place")
    func email() throws {
        let anna: [String: JSONValue] = ["email": "anna@x.example"]
        let unverified = #"unverified("anna@x.example")"#
        for value in [true, "true"] as [JSONValue] {
            let found = try name("email", anna.merging(["email_verified": value]) { $1 })
            #expect(found == "anna@x.example")
        }
        #expect(try name("email", anna) == unverified)
        for value in [false, "false", "yes", 1, nil, ["true"]] as [JSONValue] {
            #expect(try name("email", anna.merging(["email_verified": value]) { $1 }) == unverified)
        }
        #expect(
            try name("email", ["preferred_username": "anna", "sub": "anna"])
                == #"noClaim("email")"#)
    }

    @Test("Another claim gives the name as it is, if it can be one")
    func other() throws {
        #expect(try name("sub", ["sub": "248289761001"]) == "248289761001")
        #expect(try name("sub", ["sub": "a|b"]) == #"noName("sub", "a|b")"#)
        #expect(try name("sub", ["sub": ""]) == #"noClaim("sub")"#)
        #expect(try name("sub", ["sub": ["anna"]]) == #"noClaim("sub")"#)
        // The sign of kelvin is no K.
        #expect(try name("sub", ["sub": "\u{212A}ate"]).hasPrefix("noName"))
        let long = String(repeating: "a", count: 65)
        #expect(try name("sub", ["sub": .string(long)]).hasPrefix("noName"))
    }

    @Test("Groups are a list of texts, or one, and have to be the very same")
    func groups() throws {
        let claims = try claims(["groups": ["a", 1, "\u{212A}8s"], "role": "c", "none": [:]])
        #expect(claims.isInGroup("a", by: "groups") && claims.isInGroup("c", by: "role"))
        #expect(!claims.isInGroup("b", by: "groups") && !claims.isInGroup("1", by: "groups"))
        #expect(!claims.isInGroup("A", by: "groups"))
        // The sign of kelvin, equal to a K among strings, names another group.
        #expect(!claims.isInGroup("K8s", by: "groups"))
        #expect(!claims.isInGroup("a", by: "none") && !claims.isInGroup("a", by: "missing"))
    }

    @Test("What userinfo says is added for the same person only, and replaces nothing signed")
    func adding() throws {
        var own = try claims(["sub": "1", "email": "anna@x.example"])
        #expect(!own.add(try claims(["sub": "2", "groups": ["a"]])))
        #expect(!own.add(try claims(["groups": ["a"]])))
        #expect(own.values.count == 2)
        #expect(
            own.add(
                try claims(["sub": "1", "email": "eve@x.example", "email_verified": true])))
        // The other address is verified, not this one.
        #expect(throws: SignInRefusal.unverified("anna@x.example")) { try own.name(by: "email") }
        #expect(
            own.add(
                try claims([
                    "sub": "1", "email": "anna@x.example", "email_verified": true,
                    "groups": ["a"],
                ])))
        #expect(try own.name(by: "email") == "anna@x.example")
        #expect(own.isInGroup("a", by: "groups"))
    }

    @Test("What a token says of an address that it does not have is not said of another one")
    func otherAddress() throws {
        for verified in [[:], ["email_verified": false]] as [[String: JSONValue]] {
            var own = try claims(["sub": "1", "email_verified": true])
            let added = verified.merging(["sub": "1", "email": "eve@x.example"]) { $1 }
            #expect(own.add(try claims(added)))
            #expect(throws: SignInRefusal.unverified("eve@x.example")) {
                try own.name(by: "email")
            }
        }
        var own = try claims(["sub": "1", "email_verified": false])
        #expect(
            own.add(
                try claims(["sub": "1", "email": "anna@x.example", "email_verified": true])))
        #expect(try own.name(by: "email") == "anna@x.example")
    }

    @Test("Claims are one JSON object, with each key once")
    func objects() {
        for text in ["", "[]", "1", #"{"sub": "1", "sub": "2"}"#] {
            #expect(IDTokenClaims(Array(text.utf8)) == nil)
        }
    }
}
