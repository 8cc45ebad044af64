/// The last lines of a terminal's output while a person is asked: the prompt, below it the lines
/// that are said meanwhile, and at the end a line about the other prompts that wait, and the sign
/// where a person types.
///
/// Each function returns the text to write.
struct PromptFoot: Hashable {
    /// The content that stays visible below other lines.
    struct Content: Hashable {
        /// The prompt in few lines.
        var reminder = ""
        /// The status in one line that fits into the terminal's width; empty for none.
        var status = ""
    }

    /// A prompt, with the part of it that stays visible.
    struct Asked: Hashable {
        let text: String
        let foot: Content

        /// A short prompt, which stays as it is.
        init(_ lines: [String]) {
            text = lines.joined(separator: "\n")
            foot = Content(reminder: text)
        }

        init(_ lines: [String], foot: Content) {
            text = lines.joined(separator: "\n")
            self.foot = foot
        }
    }

    /// The beginning of the line that a person types.
    static let sign = "> "
    /// The number of lines after which the prompt may have left the screen, and the reminder is
    /// written.
    static let lineCountMax = 10

    /// Whether the terminal can move its cursor.
    let canRewrite: Bool
    private(set) var isAsking = false
    private var content = Content()
    /// The lines written since the prompt or its reminder.
    private var lineCount = 0
    /// Whether the line above the sign is a status, which may have become empty.
    private var hasStatusLine = false

    init(canRewrite: Bool) { self.canRewrite = canRewrite }

    /// The status, and the sign.
    var end: String { (content.status.isEmpty ? "" : content.status + "\n") + Self.sign }

    /// A prompt, or a remark about the current prompt.
    ///
    /// - Parameter content: The part of a prompt that stays visible; nil for a remark.
    mutating func asked(_ text: String, _ content: Content?) -> String {
        isAsking = true
        if let content {
            self.content = content
            lineCount = 0
        } else {
            lineCount += Self.lines(text)
        }
        hasStatusLine = !self.content.status.isEmpty
        return text + "\n" + end
    }

    /// Lines that are no prompt.
    mutating func said(_ text: String) -> String {
        guard isAsking else { return text + "\n" }
        hasStatusLine = !content.status.isEmpty
        // With the line of the sign.
        lineCount += Self.lines(text) + 1
        guard lineCount >= Self.lineCountMax, !content.reminder.isEmpty else {
            return "\n\(text)\n\(end)"
        }
        lineCount = 0
        return "\n\(text)\n\(content.reminder)\n\(end)"
    }

    /// Bytes of another program were written as they are: the cursor may be anywhere.
    mutating func passed() { hasStatusLine = false }

    /// The prompt has ended; returns whether the cursor is behind it.
    mutating func stopped() -> Bool {
        defer { isAsking = false }
        return isAsking
    }

    /// The status has changed. The new one is written in place, so that typed text stays; if the
    /// terminal cannot do that, only the first status is written at once. Nil: nothing to write.
    mutating func changed(status: String) -> String? {
        guard isAsking, status != content.status else { return nil }
        let isFirst = content.status.isEmpty
        content.status = status
        if hasStatusLine, canRewrite {
            return "\u{1B}7\u{1B}[1A\r\u{1B}[2K\(status)\u{1B}8"
        }
        guard !status.isEmpty, isFirst || canRewrite else { return nil }
        hasStatusLine = true
        lineCount += 2
        return "\n\(end)"
    }

    private static func lines(_ text: String) -> Int { 1 + text.count { $0.isNewline } }
}
