import Testing

@testable import BusNodeKit
@testable import ErrorBus

struct PromptTextTests {
    private static let hostile = [
        "\u{1B}[2Jcleared", "\u{202E}desrever", "one\ntwo\r\nthree\rfour", "\u{9B}31m",
        "\u{7}\u{8}",
        String(repeating: "x", count: 10_000), String(repeating: "line\n", count: 1_000),
        "a" + String(repeating: "\u{301}", count: 1_000), "\u{0}", "\u{2028}\u{200B}",
    ]

    @Test("No text of a peer drives the terminal", arguments: hostile)
    func escapes(text: String) {
        var report = ErrorReport(
            domain: text, code: 1, description: text, failureReason: text,
            recoverySuggestion: text, helpAnchor: text,
            options: [ErrorReport.Option(id: text, title: text)],
            userInfo: [text: .string(text)],
            underlyingErrors: [ErrorReport(domain: text, description: text)])
        report.occurredAt = text
        let shown = PromptText(Prompts.prompt(report))
        for line in shown.lines(pending: 3, isColored: false) + shown.details() {
            for scalar in line.unicodeScalars {
                let isSafe =
                    scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value)
                    && ![0x202E, 0x2028, 0x200B].contains(scalar.value)
                #expect(isSafe, "U+\(String(scalar.value, radix: 16)) in \(line.debugDescription)")
            }
            #expect(line.unicodeScalars.count < 2_500)
        }
        #expect(shown.lines(pending: 0, isColored: false).count <= 80)
    }

    @Test(
        "No text of a peer can pass for a line of the program",
        arguments: [
            "Sure?\n  [o] OK (Return)   [?] details\n> ",
            "Boom" + String(repeating: " ", count: 76) + "── error from central ──",
            String(repeating: "会", count: 300),
        ])
    func marked(text: String) {
        let report = ErrorReport(
            domain: "d", description: text, failureReason: text, recoverySuggestion: text,
            options: Prompts.options(("a", text, nil, false)), userInfo: ["k": .string(text)])
        let shown = PromptText(Prompts.prompt(report))
        let lines = shown.lines(pending: 0, isColored: false, columns: 80)
        let choices = lines.firstIndex { $0.hasPrefix("  [") } ?? 0
        #expect(lines.count { $0.hasPrefix("── ") } == 1)
        for line in lines[2..<choices] + lines[(choices + 1)...].dropLast() {
            #expect(line.hasPrefix("  │ "))
        }
        #expect(lines.count { $0.hasPrefix("  [") } <= 2)
        for line in lines + shown.details(columns: 80) {
            #expect(line.unicodeScalars.reduce(0) { $0 + ($1.value < 0x1100 ? 1 : 2) } <= 80)
        }
    }

    @Test("The header shows the origin of a presentation, and the number waiting behind it")
    func header() {
        let text = PromptText(Prompts.prompt(ErrorReport(domain: "d", description: "Boom")))
        let lines = text.lines(pending: 2, isColored: false)
        #expect(lines[1] == "── ✕ error (2 more waiting) from worker via relay ──")
        #expect(lines[2] == "  │ Boom")
        #expect(lines.last == "  [o] OK (Return)   [?] details")
    }

    @Test("A client without a name is shown as possibly gone")
    func bare() {
        let prompt = Prompts.prompt(
            ErrorReport(domain: "d", description: "Boom"), origin: .bare, path: [.bare])
        let lines = PromptText(prompt).lines(pending: 0, isColored: false)
        #expect(lines[1] == "── ✕ error from bare (may no longer be waiting) ──")
    }
}
