import ErrorBus
import Foundation

/// The drawing of an inbox: its state as lines of a screen of this size. Text from a peer is
/// escaped here.
struct InboxScreenDrawing {
    let screen: InboxScreen
    let now: Moment
    let layout: InboxScreenLayout

    init(_ screen: InboxScreen, at now: Moment) {
        self.screen = screen
        self.now = now
        layout = InboxScreenLayout(screen.size, isZoomed: screen.isZoomed)
    }

    var width: Int { screen.size.columns }

    /// The lines from the top, at most as many as the screen has.
    var lines: [ScreenLine] {
        guard screen.size.isEnough else { return tooSmall }
        let body = screen.mode == .help ? helpLines : bodyLines
        let height = screen.size.rows - 3
        let filled = body + Array(repeating: ScreenLine(), count: max(0, height - body.count))
        return [head] + filled.prefix(height) + [status, footer]
    }

    /// The height of the text that can be scrolled.
    var textHeight: Int {
        screen.mode == .help ? screen.size.rows - 3 : layout.detailHeight
    }

    /// The last line to which the text can be scrolled.
    var detailTopMax: Int {
        guard screen.mode != .help else { return max(0, help.count - textHeight) }
        let count =
            screen.asked.map { InboxMembersDrawing($0, at: now, width: layout.detailWidth).count }
            ?? InboxDetailDrawing(screen, at: now, width: layout.detailWidth).all.count
        return max(0, count - textHeight)
    }

    /// The chosen presentation, or the members that a confirmation covers.
    private var detailLines: [ScreenLine] {
        guard let asked = screen.asked else {
            return InboxDetailDrawing(screen, at: now, width: layout.detailWidth)
                .lines(height: layout.detailHeight)
        }
        return InboxMembersDrawing(asked, at: now, width: layout.detailWidth)
            .lines(from: screen.detailTop, height: layout.detailHeight)
    }

    private var tooSmall: [ScreenLine] {
        let least = "\(ScreenSize.least.columns)x\(ScreenSize.least.rows)"
        return ["Too small:", "\(width)x\(screen.size.rows), needs \(least)"]
            .prefix(screen.size.rows).map { ScreenLine($0, width: width) }
    }

    private var bodyLines: [ScreenLine] {
        let detail = detailLines
        guard !screen.isZoomed else { return detail }
        let list = InboxListDrawing(screen, at: now, width: layout.listWidth)
            .lines(height: layout.listHeight)
        guard layout.isBeside else {
            return list + [divider] + detail
        }
        return list.indices.map { index in
            var line = list[index]
            line.add("│", at: layout.listWidth + 1, width: 1, .dim)
            if detail.indices.contains(index) {
                line.overlay(detail[index].shifted(by: layout.listWidth + 3))
            }
            return line
        }
    }

    private var divider: ScreenLine {
        ScreenLine(String(repeating: "─", count: width), width: width, .dim)
    }

    // MARK: Head

    private var head: ScreenLine {
        var line = ScreenLine()
        line.fill(0..<width, .reversed)
        let open = screen.openCount
        let tabs = [
            (InboxScreen.View.open, "Open \(open)"),
            (.ended, "Ended \(screen.entries.count - open)"),
        ]
        var column = 1
        let node = TextWidth.clipped(screen.node.shown(), to: max(8, width / 4))
        line.add(node, at: column, width: width / 4, [.reversed, .bold])
        column += TextWidth.columns(of: node) + 2
        for (view, text) in tabs {
            let isChosen = view == screen.view
            let text = isChosen ? "[\(text)]" : " \(text) "
            line.add(
                text, at: column, width: width - column, isChosen ? [.reversed, .bold] : .reversed)
            column += text.count + 1
        }
        let position = position(fitting: width - column - 20)
        if !position.isEmpty {
            line.add(position, at: column + 1, width: width - column, .reversed)
            column += position.count + 2
        }
        let state = link
        let end = width - 1
        let room = end - column - state.text.count - 3
        if !screen.filter.isEmpty, room > 8 {
            line.add("filter: \(screen.filter.shown())", at: column + 1, width: room, .reversed)
        }
        line.addRight(state.text, before: end, width: end - column, state.style.union(.reversed))
        return line
    }

    /// The position of the cursor, in a list longer than the screen; short where room is scarce.
    private func position(fitting room: Int) -> String {
        let count = screen.rows.count
        guard !screen.isZoomed, count > layout.listHeight else { return "" }
        let above = screen.top > 0 ? ", \(screen.top) above" : ""
        let forms = [
            "row \(screen.cursor + 1) of \(count)\(above)", "\(screen.cursor + 1)/\(count)",
        ]
        return forms.first { $0.count < room } ?? ""
    }

    private var link: (text: String, style: TextStyle) {
        guard case .lost(_, let since) = screen.link else { return ("live", []) }
        return ("no link for \(Self.seconds(since, now.instant))", .bold)
    }

    static func seconds(_ from: ContinuousClock.Instant, _ to: ContinuousClock.Instant) -> String {
        "\(max(0, from.duration(to: to).components.seconds)) s"
    }

    // MARK: Status

    /// The most urgent message.
    private var status: ScreenLine {
        switch screen.mode {
        case .scope(let question):
            let (count, all) = (question.count, question.count + question.leftCount)
            let whole = count == all ? "all \(all) of this" : "\(count) of the \(all) in this"
            let first = question.offersFirst ? ", or only the first of them" : ""
            let title = PromptKeys.shownTitle(of: question.option)
            return ScreenLine("\(title): \(whole) group\(first)?", width: width, .bold)
        case .confirm(let question): return confirmation(question)
        case .values(let form):
            let count = form.fields.count > 1 ? "\(form.index + 1)/\(form.fields.count) " : ""
            if form.isOver {
                return ScreenLine(
                    "It has ended: what you have typed is dropped.", width: width, .yellow)
            }
            let said = screen.message?.text ?? form.field.request.shown()
            return input(form.shownText, after: "\(count)\(said)")
        case .note(let draft):
            return input(
                draft.text.escapedForTerminal(scalarLimit: .max),
                after: screen.message?.text ?? draft.label)
        case .filter: return input(screen.filter.shown(), after: "Filter")
        case .list, .help: return said
        }
    }

    /// The line that a person types, after its label or the message about an earlier try. A short
    /// line leaves its room to these words, of which the end says what is expected.
    private func input(_ typed: String, after words: String) -> ScreenLine {
        let text = typed + "▏"
        let free = width - 2 - max(12, TextWidth.columns(of: text))
        let label = TextWidth.clipped(words, to: max(6, width * 2 / 3 - 2, free)) + ": "
        let start = TextWidth.columns(of: label)
        var line = ScreenLine(label, width: width, screen.message?.style ?? .bold)
        let room = width - start
        // The end of a long text, where it is typed.
        let end = TextWidth.columns(of: text) <= room ? text : String(text.suffix(room / 2))
        line.add(end, at: start, width: room)
        return line
    }

    private func confirmation(_ question: InboxScreen.Question) -> ScreenLine {
        let members = screen.members(of: question)
        var text = PromptKeys.shownTitle(of: question.option)
        if question.isWhole { text += " for \(question.scope)" }
        text += question.proposer.map { ", as \($0.shown()) proposes?" } ?? "?"
        if question.isWhole, let difference = members.difference {
            text += " They have \(difference)."
        }
        let isDestructive = members.isDestructive(question.option.id)
        if isDestructive { text += " This cannot be undone." }
        return ScreenLine(text, width: width, isDestructive ? [.bold, .red] : [.bold, .yellow])
    }

    private var said: ScreenLine {
        if let message = screen.message {
            return ScreenLine(message.text, width: width, message.style)
        }
        if case .lost(let reason, _) = screen.link {
            let text = "No link: \(reason.shown()). Trying again; nothing can be answered."
            return ScreenLine(text, width: width, .yellow)
        }
        if let undo = screen.undos.last {
            let left = Self.seconds(now.instant, undo.until + .milliseconds(999))
            var line = ScreenLine("u takes back", width: width, .bold)
            line.add("(\(left) left)", at: 13, width: width - 13)
            line.add(undo.text, at: 25, width: width - 25)
            return line
        }
        return screen.isBusy ? ScreenLine("Sending …", width: width) : ScreenLine()
    }

    // MARK: Keys

    private var keys: [(String, String)] {
        switch screen.mode {
        case .help where detailTopMax > 0:
            return [("↑↓ PgUp PgDn", "scroll"), ("any other key", "back")]
        case .help: return [("any key", "back")]
        case .filter: return [("Enter", "keep"), ("Esc", "as before"), ("Ctrl-U", "empty")]
        case .values(let form) where form.isOver: return [("Enter or Esc", "back")]
        case .values(let form):
            let isLast = form.index == form.fields.count - 1
            return [
                ("Enter", isLast ? PromptKeys.shownTitle(of: form.question.option) : "next"),
                ("Ctrl-U", "empty"), ("Esc", "back"),
            ]
        case .note(let draft):
            return [("Enter", draft.effect), ("Ctrl-U", "empty"), ("Esc", "back")]
        case .scope(let question):
            let first = question.offersFirst ? [("o", "only this")] : []
            return [("y", question.scope)] + first + [("Esc", "back")]
        case .confirm(let question):
            let title = TextWidth.clipped(PromptKeys.shownTitle(of: question.option), to: 24)
            return [("y", title), ("any other key", "no")]
        case .list: return listKeys
        }
    }

    private var listKeys: [(String, String)] {
        var keys = [("↑↓", "move")]
        switch screen.chosenRow?.kind {
        case .group(let isOpened): keys.append(("Enter", isOpened ? "close" : "open"))
        case .single, .member: keys.append(("Enter", screen.isZoomed ? "list" : "whole"))
        case nil: break
        }
        if let row = screen.chosenRow, let word = Self.toggle(row) { keys.append(("x", word)) }
        if let row = screen.chosenRow, screen.chosen?.isOpen == true {
            keys.append(("c", screen.isClaimed(row, at: now.date) ? "release" : "claim"))
        }
        if !screen.undos.isEmpty || screen.chosen?.stage == .leaving {
            keys.append(("u", "undo"))
        } else if let proposal = screen.chosen?.proposal(at: now.date) {
            keys.append(("u", proposal.by == screen.person ? "withdraw" : "decline"))
        }
        keys += [
            ("/", "filter"), ("Tab", screen.view == .open ? "ended" : "open"), ("?", "help"),
        ]
        if screen.chosen != nil { keys.append(("n", "note")) }
        return keys + [("q", "quit")]
    }

    /// The effect of x at a row; nil if there is none.
    private static func toggle(_ row: InboxRow) -> String? {
        switch row.kind {
        case .member: row.leftCount > 0 ? "take in" : "leave out"
        case .group: row.leftCount > 0 ? "take all in" : nil
        case .single: nil
        }
    }

    private var footer: ScreenLine {
        var line = ScreenLine()
        var column = 0
        guard let last = keys.last else { return line }
        // The last key leads out: it is shown however narrow the screen is.
        let room = width - Self.columns(of: last) - 2
        let fitting = keys.dropLast().prefix { key in
            column += Self.columns(of: key) + 2
            return column - 2 <= room
        }
        column = 0
        for (key, word) in fitting + [last] {
            line.add(key, at: column, width: width - column, [.bold, .cyan])
            let start = column + TextWidth.columns(of: key) + 1
            line.add(word, at: start, width: width - start)
            column += Self.columns(of: (key, word)) + 2
        }
        return line
    }

    private static func columns(of key: (String, String)) -> Int {
        TextWidth.columns(of: key.0) + 1 + TextWidth.columns(of: key.1)
    }

    private var helpLines: [ScreenLine] {
        Array(help.dropFirst(min(screen.detailTop, detailTopMax)))
    }

    private var help: [ScreenLine] {
        let claimTime = InboxRequest.claimTimeShown
        let keys = [
            ("↑ ↓ k j", "move; PgUp PgDn Home End go further, or scroll a whole presentation"),
            ("Enter", "open or close a group; show a presentation whole, or the list again"),
            ("[r] or 1", "answer with the option that has this letter or number"),
            ("", "asks before a destructive one; for a group: all of it, or only this"),
            ("u", "undo the last answer, within 5 s; drop what is proposed"),
            ("c  C", "claim it or the group for \(claimTime), or release; take over, prolong"),
            ("o", "hand the claim to another person"),
            ("n  N", "write a note for everyone; a comment that goes with your answer"),
            ("x", "leave a member of an opened group out of its answer, or take it in"),
            ("< >", "scroll the detail"),
            ("/", "filter by words: error, origin, severity, id, person"),
            ("Esc", "back to the list; remove the filter"),
            ("Tab", "open or recently ended presentations"),
            ("Ctrl-L", "draw again"),
            ("Ctrl-Z", "suspend"),
            ("q Ctrl-C", "quit, which answers nothing"),
        ]
        return [ScreenLine("Keys", at: 1, width: width, .bold), ScreenLine()]
            + keys.map { key, text in
                var line = ScreenLine(key, at: 1, width: 10, [.bold, .cyan])
                line.add(text, at: 12, width: width - 12)
                return line
            } + [
                ScreenLine(),
                ScreenLine(
                    "A key never answers a presentation that appeared less than 0.4 s ago.",
                    at: 1, width: width - 1),
                ScreenLine(
                    "Answers and notes are by \(screen.person.shown()).", at: 1, width: width - 1),
            ]
    }
}

/// The members of a group in a confirmation: their differences, then a line for each.
struct InboxMembersDrawing {
    private let members: InboxMembers
    private let now: Moment
    private let width: Int

    init(_ members: InboxMembers, at now: Moment, width: Int) {
        self.members = members
        self.now = now
        self.width = width
    }

    /// The number of lines in all.
    var count: Int { head.count + members.count }

    /// The lines that fit; of ten thousand members only these are drawn.
    func lines(from top: Int, height: Int) -> [ScreenLine] {
        let head = head
        let top = max(0, min(top, count - height))
        var lines = (top..<min(top + height, count)).map { index in
            index < head.count ? head[index] : line(members.entries[index - head.count])
        }
        let left = count - top - height
        if left > 0, !lines.isEmpty {
            lines.removeLast()
            lines.append(ScreenLine("> \(left + 1) more", width: width, .dim))
        }
        return lines
    }

    private var head: [ScreenLine] {
        let facts = members.facts.map { $0.shown() }.joined(separator: " · ")
        let style: TextStyle = members.difference == nil ? .bold : [.bold, .yellow]
        return TextWidth.pieces(facts, columns: max(8, width - 3)).map {
            ScreenLine($0, at: 2, width: width - 2, style)
        } + [ScreenLine()]
    }

    /// The line of a member: `✕ description   origin @claimant`, with the reason in place of a
    /// description that all members have.
    private func line(_ entry: InboxEntry) -> ScreenLine {
        var line = ScreenLine(
            SeverityLook.mark(entry.severity), at: 2, width: 1, SeverityLook.style(entry.severity))
        let holder = entry.claimant(at: now.date).map { " @\($0.shown())" } ?? ""
        let end = TextWidth.clipped(entry.origin.shown() + holder, to: max(8, width / 3))
        let columns = TextWidth.columns(of: end)
        let isByReason = members.descriptionCount == 1 && members.reasonCount > 1
        let text = isByReason ? entry.failureReason ?? "no reason" : entry.description
        line.add(text.shown(), at: 4, width: width - 4 - columns - 2)
        line.addRight(end, before: width, width: columns, .dim)
        return line
    }
}
