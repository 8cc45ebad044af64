import ErrorBus
import Foundation
import Testing

@testable import BusNodeKit

/// Queries, bodies and revisions: what a client writes, read strictly.
@Suite struct ConsoleFieldsTests {
    private func problem(_ body: () throws(APIProblem) -> Void) -> String? {
        do throws(APIProblem) {
            try body()
            return nil
        } catch {
            return error.message
        }
    }

    @Test("A part of an id, as lists show it, is refused with what to give")
    func partOfID() {
        let problem = APIProblem.noID("dead\u{1B}beef")
        #expect(problem.word == "unknown")
        #expect(
            problem.message
                == "no presentation dead\\u{1B}beef here: give the whole id, of 36 characters")
    }

    @Test("A query is split, its escapes decoded")
    func query() throws {
        let query = try QueryFields("q=a+b%2Bc&limit=7&empty=&bare")
        #expect(query.text("q") == "a b+c")
        #expect(try query.number("limit", in: 1...10) == 7)
        #expect(query.text("empty") == "")
        #expect(query.text("bare") == "")
        #expect(try QueryFields(nil).text("q") == nil)
    }

    @Test(
        "An invalid query is refused with the found and the allowed",
        arguments: [
            ("after=x", "after: found x; allowed: 0 to 9"), ("after=10", "allowed: 0 to 9"),
            ("after=-1", "allowed: 0 to 9"), ("stage=shut", "allowed: open, ended"),
            ("other=1", "found other; allowed: after, stage"), ("after=1&after=2", "twice"),
            ("after=%zz", "percent"),
        ])
    func badQuery(text: String, expected: String) {
        let problem = problem { () throws(APIProblem) in
            let query = try QueryFields(text).allowing(["after", "stage"])
            _ = try query.number("after", in: 0...9)
            _ = try query.word("stage", among: ["open", "ended"])
        }
        #expect(problem?.contains(expected) == true, "\(problem ?? "taken")")
    }

    @Test(
        "An invalid body is refused with the found and the allowed",
        arguments: [
            ("", "body"), ("[]", "a JSON object"), ("{", "body"), (#"{"x":1}"#, "found x"),
            (#"{"by":1}"#, "by: found 1; allowed: a text of 1 to 200 characters"),
            (#"{"by":""}"#, #"by: found ""; allowed: a text"#),
            (#"{}"#, "by: found nothing; allowed: a text"),
            ("[]", "body: found an array; allowed: a JSON object"),
            (#"{"by":"a","answer":"1"}"#, "a UUID"), (#"{"by":"a","n":1.5}"#, "a whole number"),
            (#"{"by":"a","n":11}"#, "from 0 to 10"), (#"{"by":"a","n":"1"}"#, "a whole number"),
            (#"{"by":"a","flag":1}"#, "true or false"), (#"{"by":"a","by":"b"}"#, "body"),
        ])
    func badBody(text: String, expected: String) {
        let problem = problem { () throws(APIProblem) in
            let fields = try BodyFields(
                Array(text.utf8), allowing: "by", "answer", "n", "flag")
            _ = try fields.text("by")
            _ = try fields.id("answer")
            _ = try fields.integer("n", in: 0...10)
            _ = try fields.bool("flag")
        }
        #expect(problem?.contains(expected) == true, "\(problem ?? "taken")")
    }

    @Test(
        "A name of invisible characters is refused",
        arguments: ["  ", "\u{200B}", "\u{202E}\u{FEFF}", "\u{0}\u{1B}"])
    func invisibleName(name: String) {
        let body = JSONValue.object(["by": .string(name)]).encoded()
        let problem = problem { () throws(APIProblem) in
            _ = try BodyFields(Array(body), allowing: "by").text("by")
        }
        #expect(problem?.hasPrefix("by: found ") == true, "\(problem ?? "taken")")
        #expect(problem?.hasSuffix("; allowed: a text of 1 to 200 characters") == true)
    }

    @Test(
        "A name is one line without reordering characters",
        arguments: ["a\u{7}", "a\nb", "a\u{202E}b", "a\u{2066}b", "a\u{9B}b", "a\u{2028}b"])
    func trickyName(name: String) {
        let body = JSONValue.object(["by": .string(name)]).encoded()
        let problem = problem { () throws(APIProblem) in
            _ = try BodyFields(Array(body), allowing: "by").name("by")
        }
        #expect(problem?.hasPrefix("by: found a") == true, "\(problem ?? "taken")")
    }

    @Test("Names in every language are accepted", arguments: ["Zoë", "عمر", "नेहा", "👩‍🚀", "O'Neil"])
    func anyName(name: String) throws {
        let body = JSONValue.object(["by": .string(name)]).encoded()
        #expect(try BodyFields(Array(body), allowing: "by").name("by") == name)
    }

    @Test("A name has a limit")
    func longName() {
        let name = String(repeating: "x", count: ConsoleLimits.nameScalarMax + 1)
        let problem = problem { () throws(APIProblem) in
            _ = try BodyFields(Array(#"{"by":"\#(name)"}"#.utf8), allowing: "by").text("by")
        }
        #expect(problem == "by: found 201 characters; allowed: a text of 1 to 200 characters")
    }

    @Test("Revisions of one life are invalid in the next")
    func revisions() {
        let first = Revisions(startedAt: Date(timeIntervalSince1970: 1_000_000))
        let second = Revisions(startedAt: Date(timeIntervalSince1970: 1_000_060))
        #expect(first.own(first.shown(7), upTo: 9) == 7)
        #expect(first.own(first.shown(10), upTo: 9) == nil)
        #expect(first.own(0, upTo: 9) == nil)
        #expect(first.own(-1, upTo: 9) == nil)
        #expect(second.own(first.shown(9), upTo: 100_000) == nil)
        #expect(second.shown(1) > first.shown(50_000))
    }
}
