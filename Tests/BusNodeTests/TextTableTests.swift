import Foundation
import Testing

@testable import BusNodeKit

struct TextTableTests {
    @Test("Without a terminal only cells above their maximum are cut")
    func whole() {
        let lines = TextTable.lines([["a", "one two"]], ["X", "TEXT"], widthMax: [4, 64])
        #expect(lines == ["X  TEXT", "a  one two"])
    }

    @Test("At a terminal the widest flexible columns are cut")
    func fits() {
        let rows = [
            [String(repeating: "i", count: 20), String(repeating: "w", count: 40), "short"]
        ]
        let lines = TextTable.lines(
            rows, ["ID", "WIDE", "TEXT"], widthMax: [36, 64, 64], flexible: [1, 2], columns: 50)
        #expect(lines[1] == rows[0][0] + "  " + String(repeating: "w", count: 20) + "…  short")
    }

    @Test("Wide characters count as the columns that they take")
    func wide() {
        let lines = TextTable.lines(
            [["\u{4F1A}\u{8B70}\u{5BA4}", "x"], ["abc", "y"]], ["A", "B"], widthMax: [9, 9])
        #expect(lines[1] == "\u{4F1A}\u{8B70}\u{5BA4}  x")
        #expect(lines[2] == "abc     y")
    }

    @Test("On a very narrow terminal each column keeps its minimum", arguments: [0, 1, 20])
    func narrow(columns: Int) {
        let cell = String(repeating: "x", count: 30)
        let lines = TextTable.lines(
            [[cell, cell]], ["A", "B"], widthMax: [36, 36], flexible: [0, 1], columns: columns)
        #expect(lines[1].count >= 12)
        #expect(lines[1].count <= max(12, columns))
    }

    @Test(
        "A time has its date unless that is today's",
        arguments: [
            ("2026-11-21T10:00:00.123Z", "10:00:00.123"),
            ("2026-11-20T10:00:00.123Z", "2026-11-20 10:00:00.123"), ("", ""), ("soon", "soon"),
        ])
    func time(text: String, expected: String) throws {
        let now = try Date("2026-11-21T23:59:59Z", strategy: .iso8601)
        #expect(TimeText.text(text, now: now) == expected)
        let short = TimeText.text(text, now: now, hasFraction: false)
        #expect(short == expected.replacing(".123", with: ""))
    }

    @Test(
        "An id is found by its beginning, or by at least four characters of its end",
        arguments: [
            ("0192", true), ("abcd", true), ("0000ABCD", true), ("bcd", false), ("8000", false),
            ("01920000-0000-7000-8000-00000000abcd", true), ("", false),
        ])
    func partialID(text: String, isFound: Bool) {
        #expect(PartialID(text).matches("01920000-0000-7000-8000-00000000abcd") == isFound)
    }

    @Test("A text that matches no id is refused, with what is too short in it")
    func unknownID() {
        #expect(
            PartialID.unknown("\u{1B}bcd", in: "the logs")
                == "no presentation \\u{1B}bcd in the logs")
        #expect(
            PartialID.unknown("bcd", in: "the logs")
                == "no presentation bcd in the logs; give the beginning of an id, or its last 4 "
                + "characters or more")
    }

    @Test("Of the ids that a text matches the latest five are named, by what they differ in")
    func ambiguity() {
        let ids = (1...7).map { "01920000-0000-7000-8000-00000000000\($0)" }
        #expect(
            PartialID.ambiguity("01\u{1B}92", [ids[0], ids[1], ids[0]])
                == "01\\u{1B}92: 2 presentations begin or end so: 00000002, 00000001; "
                + "give more of it, or one of these")
        #expect(
            PartialID.ambiguity("0192", ids)
                == "0192: more than 5 presentations begin or end so, as 00000007, 00000006, "
                + "00000005, 00000004, 00000003; give more of it, or one of these")
        let alike = [ids[0], "11920000-0000-7000-8000-000000000001"]
        #expect(PartialID.ambiguity("0001", alike).contains(": \(alike[1]), \(alike[0]); give"))
    }
}
