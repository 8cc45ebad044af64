import Testing

@testable import BusNodeKit

struct RawArgumentsTests {
    @Test(
        "Only the first word of a command is parsed, everything else whole",
        arguments: [
            ("bus-node exec --to x -- a b c", "exec --to x -- a"),
            ("bus-node exec -- a -- b", "exec -- a"), ("bus-node exec --", "exec --"),
            ("bus-node exec a b", "exec a b"), ("bus-node present -- a b", "present -- a b"),
            ("bus-node", ""),
        ])
    func toParse(line: String, parsed: String) {
        let words = line.split(separator: " ").map(String.init)
        #expect(RawArguments.toParse(words).joined(separator: " ") == parsed)
    }
}
