import ErrorBus
import Testing

@testable import BusNodeKit

@Suite struct YAMLConfigurationTests {
    private func read(_ text: String) throws -> ConfigurationNode {
        try YAMLConfiguration.read(Array(text.utf8), file: "t.yaml")
    }

    private func problem(_ text: String) -> String? {
        do {
            _ = try read(text)
            return nil
        } catch { return "\(error)" }
    }

    @Test("values keep their kind and their place")
    func places() throws {
        let root = try read("a: x\nb:\n  - 'y'\n")
        guard case .mapping(let entries) = root.value else {
            Issue.record("not a mapping")
            return
        }
        #expect(entries.map(\.key) == ["a", "b"])
        #expect(entries[0].value.value == .scalar("x", isQuoted: false))
        #expect(entries[1].keyLocation == ConfigurationLocation(file: "t.yaml", line: 2, column: 1))
        guard case .sequence(let elements) = entries[1].value.value else {
            Issue.record("not a list")
            return
        }
        #expect(elements[0].value == .scalar("y", isQuoted: true))
        #expect(elements[0].location == ConfigurationLocation(file: "t.yaml", line: 3, column: 5))
    }

    @Test("aliases stand for their value")
    func aliases() throws {
        let root = try read("a: &rules [x]\nb: *rules\nc: *rules")
        guard case .mapping(let entries) = root.value else {
            Issue.record("not a mapping")
            return
        }
        #expect(Set(entries.map(\.value.value)).count == 1)
    }

    @Test("F25 aliases of aliases are refused before they are built", .timeLimit(.minutes(10)))
    func aliasBomb() {
        var text = "a0: &a0 [x, x]\n"
        for level in 1...40 { text += "a\(level): &a\(level) [*a\(level - 1), *a\(level - 1)]\n" }
        #expect(problem(text)?.contains("aliases that could grow without measure") == true)
        #expect(problem("\(text)? *a40 : x")?.contains("aliases that could grow") == true)
        // The same name set again and again.
        var again = "x0: &a [x, x]\n"
        for level in 1...40 { again += "x\(level): &a [*a, *a]\n" }
        #expect(problem(again)?.contains("aliases that could grow") == true)
    }

    @Test("values and depth are limited")
    func limits() throws {
        let limit = YAMLConfiguration.valueCountMax
        func list(_ count: Int) -> String {
            "[" + Array(repeating: "x", count: count).joined(separator: ",") + "]"
        }
        _ = try read(list(limit - 1))
        #expect(
            problem(list(limit))
                == "t.yaml:1: found more than 20000 values, allowed: at most 20000, "
                + "aliases counted as what they stand for")
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        _ = try read(nested(YAMLConfiguration.depthMax + 1))
        let tooDeep = "t.yaml:1: found values more than 32 deep, allowed: at most 32 levels"
        #expect(problem(nested(YAMLConfiguration.depthMax + 2)) == tooDeep)
        #expect(problem(nested(900)) == tooDeep)
        #expect(problem(nested(100_000))?.contains("invalid YAML") == true)
    }

    @Test(
        "invalid YAML is reported with its place",
        arguments: [
            ("a: [", "found invalid YAML"), ("a:\n  - *", "t.yaml:2: "),
            ("---\na\n---\nb", "found another document"), ("a: \u{1}", "invalid YAML"),
            ("%YAML 9.9\n---\na", "invalid YAML"), ("a: b: c", "invalid YAML"),
            ("a: 1\n b: 2", "; look at the indentation, colons and quotes of this line and "),
            ("a:\n\tb: c", "t.yaml:2: "), ("\t- a", "; indent with spaces, not with tabs; "),
        ])
    func malformed(text: String, expected: String) {
        #expect(problem(text)?.contains(expected) == true)
    }

    @Test("bytes that are not UTF-8")
    func encoding() {
        #expect(throws: ConfigurationFailure.self) {
            try YAMLConfiguration.read([0x61, 0xFF, 0xFE], file: "t.yaml")
        }
    }
}
