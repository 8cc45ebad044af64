import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

struct PromptKeysTests {
    private let plain = PromptKeys(
        Prompts.options(
            ("retry", "Retry", nil, false), ("rename", "Rename", nil, false),
            ("cancel", "Cancel", .cancel, false)))

    @Test(
        "A line names an option by key, id, title or number",
        arguments: [
            ("r", "retry"), ("R", "retry"), (" retry ", "retry"), ("Rename", "rename"),
            ("e", "rename"), ("c", "cancel"), ("\u{1B}", "cancel"), ("2", "rename"),
            ("", "retry"), ("  ", "retry"),
        ])
    func choices(line: String, option: String) {
        #expect(plain.choice(line) == .option(option))
    }

    @Test(
        "Any other text is not an option",
        arguments: ["x", "0", "4", "-1", "retryy", "99999999999999999999", "rc", "\u{1B}[A"])
    func unknown(line: String) throws {
        guard case .unknown(let reason) = plain.choice(line) else {
            Issue.record("\(line) was taken")
            return
        }
        #expect(!reason.contains("\u{1B}"))
    }

    @Test("Where a key acts at once, each has one character, and what is beyond them none")
    func single() {
        let options = (1...60).map { ErrorReport.Option(id: "o\($0)", title: "Retry \($0)") }
        let keys = PromptKeys(options, reserved: ["j", "k"], areSingle: true).keys.map(\.key)
        #expect(Array(keys.prefix(8)) == ["r", "e", "t", "y", "5", "6", "7", "8"])
        #expect(keys.allSatisfy { $0.count <= 1 && !["j", "k"].contains($0) })
        let given = keys.filter { !$0.isEmpty }
        #expect(Set(given).count == given.count && given.count == 26 - 2 + 19)
        #expect(PromptKeys(options).keys.last?.key == "60")
    }

    @Test("A21 Help is not an answer")
    func help() { #expect(plain.choice("?") == .help) }

    @Test("A20 Bare Return never chooses an undeclared destructive option")
    func destructive() {
        let keys = PromptKeys(
            Prompts.options(
                ("wipe", "Overwrite", .destructive, false), ("cancel", "Cancel", .cancel, false)))
        #expect(keys.choice("") == .unknown("there is no default: name an option"))
        #expect(!keys.line.contains("(Return)"))
        #expect(keys.choice("o") == .option("wipe"))
    }

    @Test("A20 A destructive option declared as default is the default, and the line shows it")
    func declared() {
        let keys = PromptKeys(
            Prompts.options(
                ("wipe", "Overwrite", .destructive, true), ("cancel", "Cancel", .cancel, false)))
        #expect(keys.choice("") == .option("wipe"))
        #expect(keys.line.contains("[o] Overwrite (destructive) (Return)"))
    }

    @Test(
        "A title that could mean several options is quoted; an empty one is replaced by the id",
        arguments: [
            ("Retry (Return)   [x] \"Go\"", "[r] \"Retry (Return)   [x] 'Go'\" (Return)"),
            ("", "[1] o (Return)"), ("  ", "[1] o (Return)"), ("Go on", "[g] Go on (Return)"),
        ])
    func title(title: String, shown: String) {
        let keys = PromptKeys(Prompts.options(("o", title, .default, true)))
        #expect(keys.line == "\(shown)   [?] details")
    }

    @Test("An option without letters of its own gets its number; no two keys are equal")
    func numbers() {
        let titles =
            ["Ja", "Ja", "Ja", "はい", "\u{1B}[2J", ""] + Array(repeating: "Retry", count: 26)
        let keys = PromptKeys(
            titles.enumerated().map { ErrorReport.Option(id: "o\($0)", title: $1) })
        #expect(Set(keys.keys.map(\.key)).count == titles.count)
        for key in keys.keys { #expect(keys.choice(key.key) == .option(key.option.id)) }
        #expect(!keys.line.contains("\u{1B}"))
    }
}
