import ErrorBusTesting
import Foundation
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

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
        for line in shown.lines(isColored: false) + shown.details() {
            for scalar in line.unicodeScalars {
                let isSafe =
                    scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value)
                    && ![0x202E, 0x2028, 0x200B].contains(scalar.value)
                #expect(isSafe, "U+\(String(scalar.value, radix: 16)) in \(line.debugDescription)")
            }
            #expect(line.unicodeScalars.count < 2_500)
        }
        #expect(shown.lines(isColored: false).count <= 80)
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
        let lines = shown.lines(isColored: false, columns: 80)
        let choices = lines.firstIndex { $0.hasPrefix("  [") } ?? 0
        #expect(lines.count { $0.hasPrefix("── ") } == 1)
        let own = "more lines: [?] shows all)"
        for line in lines[2..<choices] + lines[(choices + 1)...].dropLast() {
            #expect(line.hasPrefix("  │ ") || (line.hasPrefix("  (") && line.hasSuffix(own)))
        }
        #expect(lines.count { $0.hasSuffix(own) } <= 1)
        #expect(lines.count { $0.hasPrefix("  [") } <= 2)
        for line in lines + shown.details(columns: 80) {
            #expect(line.unicodeScalars.reduce(0) { $0 + ($1.value < 0x1100 ? 1 : 2) } <= 80)
        }
    }

    @Test("The header shows the origin of a presentation, and its time limit in few units")
    func header() {
        let report = ErrorReport(domain: "d", description: "Boom")
        let lines = PromptText(Prompts.prompt(report)).lines(isColored: false)
        #expect(lines[1] == "── ✕ error from worker via relay ──")
        #expect(lines[2] == "  │ Boom")
        #expect(lines.last == "  [o] OK (Return)   [?] details")
        let now = ManualTime().now.instant
        let limited = PromptText(Prompts.prompt(report, deadline: now + .seconds(1_375)))
        #expect(limited.lines(isColored: false, at: now)[1].hasSuffix(" answer within 22 min ──"))
    }

    @Test("The header shows how long a presentation waits, once that is a minute")
    func waits() {
        let text = PromptText(
            Prompts.prompt(ErrorReport(domain: "d", description: "Boom"), path: ["worker"]))
        let now = ManualTime().now.instant
        func header(_ seconds: Int) -> String {
            text.lines(isColored: false, since: now - .seconds(seconds), at: now)[1]
        }
        #expect(header(59) == "── ✕ error from worker ──")
        #expect(header(60) == "── ✕ error from worker · waits 60 s ──")
        #expect(header(7_260) == "── ✕ error from worker · waits 2 h 1 min ──")
    }

    @Test("A prompt with a deadline has the option that is applied without an answer")
    func expiry() {
        var report = ErrorReport(
            domain: "d", description: "Boom",
            options: Prompts.options(("retry", "Retry", nil, true), ("skip", "Skip", nil, false)))
        report.onExpiry = "skip"
        let unlimited = PromptText(Prompts.prompt(report))
        #expect(unlimited.lines(isColored: false).dropLast().last == "  │ Boom")
        #expect(!unlimited.details().contains { $0.contains("without an answer") })
        let now = ManualTime().now.instant
        let text = PromptText(Prompts.prompt(report, deadline: now + .seconds(45)))
        let lines = text.lines(isColored: false, since: now - .seconds(60), at: now)
        #expect(lines[1].hasSuffix(" via relay · waits 60 s · answer within 45 s ──"))
        #expect(lines.dropLast().last == "  without an answer: Skip")
        #expect(text.details().contains("  expires  without an answer: skip"))
    }

    @Test("The details have the values that an option asks for")
    func fields() {
        var options = Prompts.options(("move", "Move", nil, false))
        options[0].fields = [.text("path", label: "Folder", pattern: "/*")]
        let details = PromptText(
            Prompts.prompt(ErrorReport(domain: "d", description: "Boom", options: options))
        ).details(columns: 200)
        let line = "  value    move asks for path: Folder (1 to 4096 characters in one line that "
        #expect(details.contains("\(line)match /*)"))
    }

    @Test("A runbook is above the options if it is an address of the web")
    func runbook() {
        func lines(_ anchor: String) -> [String] {
            var report = ErrorReport(domain: "d", description: "Boom")
            report.helpAnchor = anchor
            return PromptText(Prompts.prompt(report)).lines(isColored: false)
        }
        let address = "https://wiki.example/disk"
        #expect(lines(address).dropLast().last == "  runbook  \(address)")
        for other in ["disk", "javascript:x", "https://wiki.example/a b"] {
            #expect(lines(other).dropLast().last == "  │ Boom")
        }
    }

    @Test("The details have the context whole: a log in its lines, a structure as JSON")
    func context() {
        var report = ErrorReport(domain: "d", description: "Boom")
        let log = (1...12).map { "line \($0) " + String(repeating: "x", count: 40) }
        report.userInfo = [
            "log": .string(log.joined(separator: "\n")), "limits": ["open": 3],
        ]
        let details = PromptText(Prompts.prompt(report)).details()
        #expect(details.contains("  info     limits = {\"open\":3}"))
        #expect(details.contains("  info     log = \(log[0])"))
        for line in log.dropFirst() { #expect(details.contains("  │ \(line)")) }
    }

    @Test("A long reason is cut in the prompt, where the title stays, and whole in the details")
    func cut() {
        let reason = (1...40).map { "line \($0)" }.joined(separator: "\n")
        let text = PromptText(
            Prompts.prompt(
                ErrorReport(
                    domain: "d", description: "Boom", failureReason: reason,
                    recoverySuggestion: "Free some space.")))
        let lines = text.lines(isColored: false)
        #expect(lines.contains("  │ line 6") && !lines.contains("  │ line 7"))
        #expect(lines.contains("  │ Free some space."))
        #expect(lines.contains("  (34 more lines: [?] shows all)"))
        #expect(lines.count == 12)
        let details = text.details()
        #expect(details.contains("  why      line 1") && details.contains("  │ line 40"))
        #expect(details.contains("  try      Free some space."))
        #expect(details.contains("  from     worker"))
        #expect(details.contains("  path     worker > relay"))
    }

    @Test("A claim at a console is a line of the prompt, and in the details with its end")
    func claimed() {
        let prompt = Prompts.prompt(ErrorReport(domain: "d", description: "Boom"))
        let until = ManualTime().now + .seconds(86_400)
        prompt.claimed(by: "b\u{1B}ob", until: until, in: Inbox("console"))
        let text = PromptText(prompt)
        let asked = text.asked(isColored: false, columns: 80, status: "", comment: nil)
        #expect(asked.text.split(separator: "\n").contains("  claimed by b\\u{1B}ob"))
        #expect(
            text.details(columns: 100).contains(
                "  claimed  by b\\u{1B}ob until \(until.date.ISO8601Format())"))
        #expect(text.claimLines(of: "b\u{1B}ob") == ["  (claimed by b\\u{1B}ob)"])
        #expect(text.claimLines(of: nil) == ["  (no longer claimed)"])
    }

    @Test(
        "The end of a prompt without an answer has its reason",
        arguments: [
            (.withdrawn, Outcome.Reason.withdrawn.words),
            (.withheld, Outcome.Reason.withheld.words),
            (.declined, Outcome.Reason.declined.words),
            (.expired, Outcome.Reason.expired.words(applying: "wait")),
        ] as [(Outcome.Reason, String)])
    func ended(reason: Outcome.Reason, words: String) {
        var report = ErrorReport(
            domain: "d", description: "Boom",
            options: Prompts.options(("wait", "Wait", nil, false)))
        report.onExpiry = "wait"
        let prompt = Prompts.prompt(report)
        prompt.close(reason)
        let text = PromptText(prompt)
        #expect(text.goneLines().first?.contains("(\(words), no answer needed:)") == true)
        #expect(text.lateLines().joined().contains("ignored: Boom (\(words)); no other prompt"))
    }

    @Test("An option that no single person can choose here has a mark, and is refused by itself")
    func forTwo() {
        var options = Prompts.options(
            ("drop", "Drop it", .destructive, false), ("keep", "Keep", .cancel, false))
        options[0].needsTwoPeople = true
        let prompt = Prompts.prompt(
            ErrorReport(domain: "d", description: "Boom", options: options))
        #expect(
            PromptText(prompt).lines(isColored: false).last
                == "  [d] Drop it (destructive, two people: at a console)   [k] Keep   [?] details")
        #expect(prompt.refusal(ofOnePersons: "drop") == .needsTwoPeople(option: "drop"))
        #expect(prompt.refusal(ofOnePersons: "keep") == nil)
    }

    @Test("The reminder has the beginning of the title, and the options")
    func reminder() {
        let report = ErrorReport(
            domain: "d", description: String(repeating: "word ", count: 40), failureReason: "Why")
        let lines = PromptText(Prompts.prompt(report)).reminder(isColored: false)
            .split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines[0].hasPrefix("  │ word word"))
        #expect(lines[1] == "  [o] OK (Return)   [?] details")
    }

    @Test("An option has its results with the same error, each option on a line of its own")
    func results() {
        let report = ErrorReport(
            domain: "d", description: "Boom",
            options: Prompts.options(("retry", "Retry", nil, true), ("skip", "Skip", nil, false)))
        var earlier = EarlierView()
        earlier.count = 1
        var option = EarlierOptionView()
        (option.option, option.answered, option.recovered) = ("retry", 14, 12)
        earlier.options = [option]
        let text = PromptText(Prompts.prompt(report), earlier: earlier)
        #expect(
            text.lines(isColored: false).suffix(3)
                == [
                    "  [r] Retry (Return), recovered 12 of 14 in 7 days", "  [s] Skip",
                    "  [?] details",
                ])
        #expect(text.details().contains("  earlier  the same once in 7 days"))
    }

    @Test("An earlier answer has its values as far as they fit in a line, and secrets by name")
    func earlierValues() {
        let report = ErrorReport(domain: "d", description: "Boom")
        var past = HistoryEntry()
        (past.openedAt, past.option, past.by) = ("2026-11-20T10:00:00.000Z", "retry", "ada")
        (past.values, past.secrets) = (["path": "/b"], ["pin"])
        past.ending = "recovered"
        var earlier = EarlierView()
        (earlier.count, earlier.latest) = (1, [past])
        let details = PromptText(Prompts.prompt(report), earlier: earlier).details(columns: 200)
        let line = #"\#(past.openedAt) retry with path "/b", pin (secret) by ada: recovered"#
        #expect(details.contains("  earlier  \(line)"))
        earlier.latest[0].values = ["path": .string(String(repeating: "a", count: 500))]
        let cut = earlier.lines[1]
        #expect(cut.hasPrefix(#"\#(past.openedAt) retry with path "aaa"#))
        #expect(cut.hasSuffix("aaa… by ada: recovered") && cut.count < 250)
    }

    @Test("The comment on the answer stands below the options, and stays with them")
    func comment() {
        let text = PromptText(Prompts.prompt(ErrorReport(domain: "d", description: "Boom")))
        let asked = text.asked(
            isColored: false, columns: 80, status: "", comment: "It \u{1B}[2J is full")
        let line = #"  comment: It \u{1B}[2J is full"#
        #expect(asked.text.hasSuffix("\n  [o] OK (Return)   [?] details\n\(line)"))
        #expect(asked.foot.reminder.hasSuffix("details\n\(line)"))
    }

    @Test("The prompt has the number of its notes, the details have them with author and time")
    func notes() {
        let text = PromptText(Prompts.prompt(ErrorReport(domain: "d", description: "Boom")))
        let note = InboxNote(
            id: UniqueID(high: 1, low: 1), by: "ann", text: "It \u{1B}[2J is full",
            at: Moment(instant: ManualTime().now.instant, date: Date(timeIntervalSince1970: 0)))
        let line = #"  note     1970-01-01T00:00:00Z ann: It \u{1B}[2J is full"#
        #expect(text.details(notes: [note]).contains(line))
        let asked = text.asked(
            isColored: false, columns: 80, status: "", comment: "Why", noteCount: 2)
        #expect(asked.text.hasSuffix("details\n  2 notes: see [?]\n  comment: Why"))
        #expect(asked.foot.reminder.hasSuffix("details\n  2 notes: see [?]\n  comment: Why"))
    }

    @Test("The list has the prompts that wait with their numbers, each in one line")
    func list() {
        var queue = PromptQueue()
        for severity in [Severity.info, .critical] { _ = queue.arrived(severity, "\(severity)") }
        _ = queue.screenFreed()
        let text = PromptText(
            Prompts.prompt(
                ErrorReport(domain: "d", description: String(repeating: "x\n", count: 99))))
        let lines = PromptText.list(queue.ordered, shown: queue.shown, columns: 40) { _ in text }
        #expect(lines.count == 3)
        #expect(lines[0].hasPrefix("* #2 ‼ critical worker │ x\\nx"))
        #expect(lines[1].hasPrefix("  #1 i info worker │ x\\nx"))
        #expect(lines.allSatisfy { $0.count < 70 } && lines.prefix(2).allSatisfy { $0.count < 40 })
        for index in 1...30 { _ = queue.arrived(.info, "\(index)") }
        let many = PromptText.list(queue.ordered, shown: queue.shown) { _ in text }
        #expect(many.count == 22 && many[20] == "  and 12 more")
        _ = queue.arrived(.critical, "critical")
        let grouped = PromptText.list(queue.ordered, shown: queue.shown) { _ in text }
        #expect(grouped.count == 22 && grouped[0].hasPrefix("* #2 ‼ critical ×2 worker │ x"))
    }

    @Test("The line about the others has their number and the highest severity, and fits")
    func others() {
        #expect(PromptText.waiting(nil).isEmpty)
        let others = PromptQueue.Others(count: 3, severity: .critical)
        #expect(
            PromptText.waiting(others)
                == "  3 more waiting, most severe: critical   [+] next   [#] list")
        #expect(PromptText.waiting(others, columns: 30).count == 29)
        #expect(PromptText.waiting(nil, groupCount: 3) == "  3 like this   [*] one by one")
        let both =
            "  3 like this [*], 3 more waiting, most severe: critical   [+] next   [#] list"
        #expect(PromptText.waiting(others, groupCount: 3) == both)
    }

    @Test("A client without a name is shown as possibly gone")
    func bare() {
        let prompt = Prompts.prompt(
            ErrorReport(domain: "d", description: "Boom"), origin: .bare, path: [.bare])
        let lines = PromptText(prompt).lines(isColored: false)
        let who = NodeName.bare.words
        #expect(lines[1] == "── ✕ error from \(who) (may no longer be waiting) ──")
    }
}
