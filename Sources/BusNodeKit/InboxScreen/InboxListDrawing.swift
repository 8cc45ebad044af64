import ErrorBus

/// The rows of the list that fit.
struct InboxListDrawing {
    private let screen: InboxScreen
    private let now: Moment
    private let width: Int
    private let originWidth: Int
    private let dueWidth: Int
    private let whoWidth: Int
    /// The time left below which the list shows it.
    private static let dueTime: Duration = .seconds(300)
    /// The width that the error's text keeps before other columns get more than their minimum.
    private static let textWidth = 60

    init(_ screen: InboxScreen, at now: Moment, width: Int) {
        self.screen = screen
        self.now = now
        self.width = width
        // The columns that the visible rows need; the rest of the width is the error's.
        let rows = screen.rows.dropFirst(screen.top).prefix(screen.size.rows)
            .compactMap { row in screen.entries[row.id].map { (row, $0) } }
        func need(_ text: (InboxRow, InboxEntry) -> String) -> Int {
            rows.map { TextWidth.columns(of: text($0, $1)) }.max() ?? 0
        }
        let isShort = width < 64
        let due = need { Self.due($1, isShort: isShort, screen, now) }
        dueWidth = width < 30 || due == 0 ? 0 : min(due, max(6, width / 5)) + 1
        let who = need { Self.who($0, $1, screen, now).text }
        let whoMax = min(20, max(10, width / 8))
        whoWidth = width < 64 || who == 0 ? 0 : min(who, whoMax) + 1
        let origin = need { $1.origin.shown() }
        let most = max(20, width - 17 - Self.textWidth - dueWidth - whoWidth - 2)
        originWidth = width < 50 ? 0 : min(origin, most, max(8, width < 100 ? width / 7 : most))
    }

    func lines(height: Int) -> [ScreenLine] {
        guard !screen.rows.isEmpty else { return empty(height) }
        let last = min(screen.rows.count, screen.top + height)
        let rows = (screen.top..<max(screen.top, last)).map { line($0, screen.rows[$0]) }
        return rows + Array(repeating: ScreenLine(), count: max(0, height - rows.count))
    }

    private func empty(_ height: Int) -> [ScreenLine] {
        let text =
            !screen.isListed
            ? "Reading the inbox …"
            : !screen.filter.isEmpty
                ? "Nothing matches the filter (Esc removes it)"
                : screen.view == .open ? "Nothing waits for an answer" : "Nothing has ended yet"
        var lines = Array(repeating: ScreenLine(), count: height)
        lines[min(1, height - 1)] = ScreenLine(text, at: 2, width: width - 2)
        return lines
    }

    /// The line of a row: `> ▸ ✕ ×12  5m  description   origin   who`
    private func line(_ index: Int, _ row: InboxRow) -> ScreenLine {
        var line = ScreenLine()
        guard let entry = screen.entries[row.id] else { return line }
        let isChosen = index == screen.cursor
        let base: TextStyle = isChosen ? .reversed : []
        if isChosen { line.fill(0..<width, base) }
        line.add(isChosen ? ">" : " ", at: 0, width: 1, base)
        let sign =
            switch row.kind {
            case .single: " "
            case .group(let isOpened): isOpened ? "▾" : "▸"
            case .member: row.leftCount > 0 ? "○" : "·"
            }
        line.add(sign, at: 1, width: 1, base)
        let mark = SeverityLook.mark(row.severity)
        line.add(mark, at: 3, width: 1, base.union(SeverityLook.style(row.severity)))
        if row.count > 1 { line.addRight(Self.count(row), before: 10, width: 6, base.union(.bold)) }
        let age = AgeText.short(
            since: screen.view == .open ? entry.openedAt : entry.changedAt, at: now.date)
        line.addRight(age, before: 15, width: 4, base)
        let start = 17 + (row.kind == .member ? 2 : 0)
        let whoStart = width - whoWidth
        let dueStart = whoStart - dueWidth
        let originStart = dueStart - (originWidth > 0 ? originWidth + 1 : 0)
        // Later fields begin at fixed columns, however a terminal draws this one.
        let notes = row.noteCount > 0 ? "✎\(row.noteCount)" : ""
        let noteWidth = notes.isEmpty ? 0 : TextWidth.columns(of: notes) + 1
        line.add(
            entry.description.shown(), at: start, width: originStart - 1 - start - noteWidth,
            isChosen ? [.reversed, .bold] : row.kind == .member && row.leftCount > 0 ? .dim : [])
        line.addRight(notes, before: originStart - 1, width: noteWidth, base.union(.cyan))
        line.add(entry.origin.shown(), at: originStart, width: originWidth, base)
        let due = Self.due(entry, isShort: width < 64, screen, now)
        line.add(due, at: dueStart, width: dueWidth - 1, base.union(.yellow))
        let who = Self.who(row, entry, screen, now)
        line.add(who.text, at: whoStart, width: whoWidth - 1, base.union(who.style))
        return line
    }

    /// The number of a group's members; if some are left out, also the number of members to answer.
    private static func count(_ row: InboxRow) -> String {
        guard row.leftCount > 0 else { return "×\(row.count)" }
        let text = "\(row.count - row.leftCount)/\(row.count)"
        return text.count <= 6 ? text : "-\(row.leftCount)"
    }

    /// The time left for an answer, and the option applied after it; empty while the deadline is
    /// far off.
    private static func due(
        _ entry: InboxEntry, isShort: Bool, _ screen: InboxScreen, _ now: Moment
    ) -> String {
        guard entry.isOpen, let deadline = entry.deadline else { return "" }
        let left = now.instant.duration(to: deadline)
        guard left <= dueTime else { return "" }
        let time = AgeText.short(seconds: Int(max(0, left.components.seconds)))
        guard !isShort, let title = entry.expiryTitle else { return "\(time) left" }
        return "\(time) → \(title)"
    }

    /// The claimant, or the result.
    private static func who(
        _ row: InboxRow, _ entry: InboxEntry, _ screen: InboxScreen, _ now: Moment
    ) -> (text: String, style: TextStyle) {
        if entry.proposal(at: now.date) != nil { return ("proposed", .cyan) }
        switch entry.stage {
        case .open:
            return (row.kind == .member && row.leftCount > 0 ? "left out" : "", .dim)
        case .claimed:
            guard let holder = entry.claimant(at: now.date) else { return ("", []) }
            return (holder == screen.person ? "yours" : "@\(holder.shown())", .cyan)
        case .answered where entry.view.ending != nil:
            return (entry.view.endingShown.shown(), .yellow)
        case .leaving, .answered: return ("→ \(entry.answerTitle)", [])
        case .settled:
            let ending = entry.view.endingShown
            return (ending.shown(), ending == RecoveryResult.recovered.words ? .green : .yellow)
        case .closed: return (entry.view.endingShown.shown(), [])
        }
    }
}
