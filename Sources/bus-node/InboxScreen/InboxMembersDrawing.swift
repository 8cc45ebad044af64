import ErrorBus

/// The members of a group that a question is about: what varies among them, then each in a line.
struct InboxMembersDrawing {
    private let members: InboxMembers
    private let now: Moment
    private let width: Int

    init(_ members: InboxMembers, at now: Moment, width: Int) {
        self.members = members
        self.now = now
        self.width = width
    }

    /// How many lines there are in all.
    var count: Int { head.count + members.count }

    /// As much as fits; of ten thousand only these are drawn.
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
        let style: TextStyle = members.differ ? [.bold, .yellow] : .bold
        return TextWidth.pieces(facts, columns: max(8, width - 3)).map {
            ScreenLine($0, at: 2, width: width - 2, style)
        } + [ScreenLine()]
    }

    /// `✕ description   origin @claimant`
    private func line(_ entry: InboxEntry) -> ScreenLine {
        var line = ScreenLine(
            SeverityLook.mark(entry.severity), at: 2, width: 1, SeverityLook.style(entry.severity))
        let holder = entry.claimant(at: now.date).map { " @\($0.shown())" } ?? ""
        let end = TextWidth.clipped(entry.origin.shown() + holder, to: max(8, width / 3))
        let columns = TextWidth.columns(of: end)
        line.add(entry.description.shown(), at: 4, width: width - 4 - columns - 2)
        line.addRight(end, before: width, width: columns, .dim)
        return line
    }
}
