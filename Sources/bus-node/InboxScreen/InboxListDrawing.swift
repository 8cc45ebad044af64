import ErrorBus

/// The list: as many rows as fit.
struct InboxListDrawing {
    private let screen: InboxScreen
    private let now: Moment
    private let width: Int
    private let originWidth: Int
    private let whoWidth: Int

    init(_ screen: InboxScreen, at now: Moment, width: Int) {
        self.screen = screen
        self.now = now
        self.width = width
        originWidth = width < 50 ? 0 : min(20, max(8, width / 7))
        whoWidth = width < 64 ? 0 : min(20, max(10, width / 8))
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

    /// `> ▸ ✕ ×12  5m  description   origin   who`
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
            case .member: "·"
            }
        line.add(sign, at: 1, width: 1, base)
        let mark = SeverityLook.mark(entry.severity)
        line.add(mark, at: 3, width: 1, base.union(SeverityLook.style(entry.severity)))
        if row.count > 1 { line.addRight("×\(row.count)", before: 10, width: 6, base.union(.bold)) }
        let age = InboxRows.age(
            screen.view == .open ? entry.openedAt : entry.changedAt, now.date)
        line.addRight(age, before: 15, width: 4, base)
        let start = 17 + (row.kind == .member ? 2 : 0)
        let whoStart = width - whoWidth
        let originStart = whoStart - (originWidth > 0 ? originWidth + 1 : 0)
        // Later fields begin at their own columns, whatever a terminal makes of this one.
        line.add(
            entry.description.shown(), at: start, width: originStart - 1 - start,
            isChosen ? [.reversed, .bold] : [])
        line.add(entry.origin.shown(), at: originStart, width: originWidth, base)
        let who = who(entry)
        line.add(who.text, at: whoStart, width: whoWidth - 1, base.union(who.style))
        return line
    }

    /// Who has it, or what came of it.
    private func who(_ entry: InboxEntry) -> (text: String, style: TextStyle) {
        switch entry.stage {
        case .open: return ("", [])
        case .claimed:
            guard let holder = entry.claimant(at: now.date) else { return ("", []) }
            return (holder == screen.person ? "yours" : "@\(holder.shown())", .cyan)
        case .leaving, .answered: return ("→ \(entry.answerTitle)", [])
        case .settled:
            let result = entry.json.text("result")
            return (result.shown(), result == "recovered" ? .green : .yellow)
        case .closed: return (entry.json.text("reason").shown(), [])
        }
    }
}
