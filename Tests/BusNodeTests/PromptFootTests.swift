import Testing

@testable import BusNodeKit

/// What stays visible of a prompt below the lines that are said meanwhile.
struct PromptFootTests {
    private static let content = PromptFoot.Content(
        reminder: "Boom\n[r] Retry", status: "2 more waiting")

    private static func foot(
        canRewrite: Bool = true, _ content: PromptFoot.Content = content
    ) -> PromptFoot {
        var foot = PromptFoot(canRewrite: canRewrite)
        _ = foot.asked("Boom\nreason\n[r] Retry", content)
        return foot
    }

    private func isInPlace(_ text: String?) -> Bool { text?.hasPrefix("\u{1B}7") == true }

    @Test("A prompt ends with the line about the others, and the sign")
    func asked() {
        var foot = PromptFoot(canRewrite: true)
        #expect(foot.said("log") == "log\n")
        #expect(foot.asked("Boom", Self.content) == "Boom\n2 more waiting\n> ")
        #expect(foot.asked("remark", nil) == "remark\n2 more waiting\n> ")
        #expect(foot.stopped() == true)
        #expect(foot.stopped() == false)
        #expect(foot.said("log") == "log\n")
        #expect(foot.asked("Boom", PromptFoot.Content()) == "Boom\n> ")
    }

    @Test("Lines that are said are followed by the sign, and after some by what is asked")
    func said() {
        var foot = Self.foot()
        for _ in 1...4 { #expect(foot.said("log") == "\nlog\n2 more waiting\n> ") }
        #expect(foot.said("log") == "\nlog\nBoom\n[r] Retry\n2 more waiting\n> ")
        #expect(foot.said("log") == "\nlog\n2 more waiting\n> ")
        let long = String(repeating: "line\n", count: 20)
        let text = foot.said(long)
        #expect(text.hasSuffix("\nBoom\n[r] Retry\n2 more waiting\n> "))
    }

    @Test("Remarks count as lines that are said, after which what is asked follows")
    func remarks() {
        var foot = Self.foot()
        for _ in 1...8 { #expect(foot.asked("remark", nil) == "remark\n2 more waiting\n> ") }
        #expect(foot.said("log") == "\nlog\nBoom\n[r] Retry\n2 more waiting\n> ")
        for _ in 1...7 { _ = foot.asked("remark", nil) }
        #expect(foot.said("log") == "\nlog\n2 more waiting\n> ")
    }

    @Test("A changed status is written in place, so that what is typed stays")
    func changed() {
        var foot = Self.foot()
        #expect(foot.changed(status: "2 more waiting") == nil)
        #expect(
            foot.changed(status: "3 more waiting")
                == "\u{1B}7\u{1B}[1A\r\u{1B}[2K3 more waiting\u{1B}8")
        #expect(foot.end == "3 more waiting\n> ")
        // The line stays the place of the next status.
        #expect(foot.changed(status: "") == "\u{1B}7\u{1B}[1A\r\u{1B}[2K\u{1B}8")
        #expect(isInPlace(foot.changed(status: "1 more waiting")))
        _ = foot.stopped()
        #expect(foot.changed(status: "4 more waiting") == nil)
    }

    @Test("The first status gets a line of its own")
    func first() {
        var foot = Self.foot(PromptFoot.Content(reminder: "Boom"))
        #expect(foot.changed(status: "1 more waiting") == "\n1 more waiting\n> ")
        #expect(isInPlace(foot.changed(status: "2 more waiting")))
    }

    @Test("Where the cursor cannot be moved, a later status waits for the next lines")
    func plain() {
        var foot = Self.foot(canRewrite: false, PromptFoot.Content(reminder: "Boom"))
        #expect(foot.changed(status: "1 more waiting") == "\n1 more waiting\n> ")
        #expect(foot.changed(status: "2 more waiting") == nil)
        #expect(foot.said("log") == "\nlog\n2 more waiting\n> ")
    }

    @Test("After the output of another program the status gets a new line")
    func passed() {
        var foot = Self.foot()
        foot.passed()
        #expect(foot.changed(status: "3 more waiting") == "\n3 more waiting\n> ")
        #expect(isInPlace(foot.changed(status: "4 more waiting")))
    }
}
