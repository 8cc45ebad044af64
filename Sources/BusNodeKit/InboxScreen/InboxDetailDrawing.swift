import ErrorBus

/// The chosen presentation: its text, why it failed and its suggestion, its options, then all other
/// facts.
struct InboxDetailDrawing {
    private static let titleLineMax = 3
    private static let textLineMax = 60
    private static let factWidth = 9
    /// The lines of the reason and the suggestion for which the results of options make room.
    private static let reasonLineMin = 3
    /// The facts above the options, which a person reads before choosing, in this order.
    private static let reasonNames = ErrorReport.texts.filter(\.isBody).map(\.label)
    /// The facts below the options, in this order.
    private static let factNames =
        ErrorReport.texts.filter { !$0.isBody }.map(\.label) + [
            "because", "earlier", "info", "path", "changed", "error", "retry of", "retries",
            "origin", "before", "opened", "id",
        ]

    private let screen: InboxScreen
    private let now: Moment
    private let width: Int

    init(_ screen: InboxScreen, at now: Moment, width: Int) {
        self.screen = screen
        self.now = now
        self.width = width
    }

    /// The lines that fit, from the scroll position.
    func lines(height: Int) -> [ScreenLine] {
        let all = all
        let top = min(screen.detailTop, max(0, all.count - height))
        let drawn = screen.detailTop == 0 ? fitted(height) ?? all : all
        var lines = Array(drawn.dropFirst(top).prefix(height))
        guard all.count > top + lines.count, !lines.isEmpty else { return lines }
        if lines.count == height { lines.removeLast() }
        let left = all.count - top - lines.count
        let word = left == 1 ? "line" : "lines"
        lines.append(ScreenLine("> \(left) more \(word)", width: width, .dim))
        return lines
    }

    /// All lines.
    var all: [ScreenLine] {
        guard let entry = screen.chosen, let row = screen.chosenRow else { return [] }
        let known = known(entry)
        return title(entry, row) + reasons(known) + decision(entry, row) + texts(entry)
            + facts(entry, known)
    }

    /// All lines, without the results of options and with a cut reason and title; nil if the
    /// options are visible without that: a key chooses only an option that has been visible.
    private func fitted(_ height: Int) -> [ScreenLine]? {
        guard let entry = screen.chosen, let row = screen.chosenRow else { return nil }
        let known = known(entry)
        let title = title(entry, row)
        let reasons = reasons(known)
        var decision = decision(entry, row)
        // The last line of the screen has the number of those below, that of a decision is empty.
        var room = height - title.count - decision.count
        guard reasons.count > room else { return nil }
        if room < min(reasons.count, Self.reasonLineMin) {
            decision = self.decision(entry, row, hasResults: false)
            room = height - title.count - decision.count
        }
        // The first line of a decision is empty.
        if room < 0 {
            decision.removeFirst()
            room += 1
        }
        let cutTitle = Array(title.dropLast(min(max(0, -room), title.count - 1)))
        return cutTitle + cut(reasons, to: room) + decision + texts(entry) + facts(entry, known)
    }

    /// The beginning of the reason and the suggestion, with a mark where they are cut; without the
    /// empty line above them when it takes the place of one of theirs.
    private func cut(_ reasons: [ScreenLine], to room: Int) -> [ScreenLine] {
        guard reasons.count > room else { return reasons }
        let lines = reasons.dropFirst()
        guard lines.count > room, room > 1 else { return Array(lines.prefix(max(0, room))) }
        let mark = ScreenLine("…", at: 2 + Self.factWidth, width: 1, .dim)
        return Array(lines.prefix(room - 1)) + [mark]
    }

    private func title(_ entry: InboxEntry, _ row: InboxRow) -> [ScreenLine] {
        let style = SeverityLook.style(row.severity)
        let pieces = TextWidth.pieces(entry.description.shown(), columns: width - 4)
        var lines = pieces.prefix(Self.titleLineMax).map {
            ScreenLine($0, at: 2, width: width - 2, .bold)
        }
        var first = ScreenLine(SeverityLook.mark(row.severity), width: 1, style)
        first.overlay(lines[0])
        lines[0] = first
        var words = ["\(entry.severity)", "from \(entry.origin.shown())"]
        if row.isGroup {
            let gravest = row.severity == entry.severity ? "" : ", the gravest \(row.severity)"
            let left = row.leftCount == 0 ? "" : ", \(row.leftCount) left out"
            words.append("the first of \(row.count)\(gravest)\(left)")
        }
        words.append(
            entry.isLive
                ? "waits \(AgeText.short(since: entry.openedAt, at: now.date))"
                : "ended \(AgeText.short(since: entry.changedAt, at: now.date)) ago")
        if let deadline = entry.deadline, entry.isOpen {
            let seconds = max(0, now.instant.duration(to: deadline).components.seconds)
            let left = AgeText.short(seconds: Int(seconds))
            let then = entry.expiryTitle.map { ", then \($0) is applied" } ?? ""
            words.append("answer within \(left)\(then)")
        }
        return lines + paragraph(words.joined(separator: " · "), .dim)
    }

    // MARK: Options and result

    private func decision(
        _ entry: InboxEntry, _ row: InboxRow, hasResults: Bool = true
    ) -> [ScreenLine] {
        var lines: [ScreenLine] = [ScreenLine()]
        switch entry.stage {
        case .open, .claimed:
            if row.kind == .member, row.leftCount > 0 {
                lines += paragraph("left out of an answer for its group: x takes it in", .yellow)
            }
            if let holder = entry.claimant(at: now.date) {
                let until = entry.claimedUntil ?? now.date
                let left = "for \(AgeText.short(since: now.date, at: until))"
                lines += paragraph(
                    holder == screen.person
                        ? "claimed by you \(left)" : "claimed by \(holder.shown()) \(left)", .cyan)
            }
            lines += proposal(entry) + options(entry, hasResults ? results(entry) : [:])
        case .leaving:
            lines += paragraph("\(answer(entry)): not sent yet, u takes it back", .bold)
        case .answered, .settled, .closed:
            lines += paragraph(entry.outcome, .bold)
            if !entry.answeredBy.isEmpty { lines += paragraph(answer(entry)) }
        }
        return lines + [ScreenLine()]
    }

    /// An answer in words: its option, the beginning of its values, and who gave it.
    private func answer(_ entry: InboxEntry) -> String {
        let values = entry.view.answer?.valueText.shown() ?? ""
        return "\(entry.answerTitle)\(values) by \(entry.answeredBy.shown())"
    }

    /// The proposal of one person, and the acts that are open to the others.
    private func proposal(_ entry: InboxEntry) -> [ScreenLine] {
        guard let proposal = entry.proposal(at: now.date),
            let until = TimeText.date(proposal.until)
        else { return [] }
        let title = entry.title(of: proposal.option) + proposal.valueText.shown()
        let left = "for \(AgeText.short(since: now.date, at: until))"
        return paragraph(
            proposal.by == screen.person
                ? "you propose \(title) \(left): another person has to confirm it, u withdraws it"
                : "\(proposal.by.shown()) proposes \(title) \(left): its key confirms it, u "
                    + "declines it", .cyan)
    }

    /// The number of times that each option helped with the same error; empty until that is read.
    private func results(_ entry: InboxEntry) -> [String: String] {
        guard let detail = screen.detail, detail.text("id") == entry.id else { return [:] }
        return EarlierView(json: detail["earlier"] ?? .null)?.results ?? [:]
    }

    /// The options with their results, as many in a line as fit.
    private func options(_ entry: InboxEntry, _ results: [String: String]) -> [ScreenLine] {
        guard !entry.options.isEmpty else {
            return paragraph("no options: it closes when its origin withdraws it")
        }
        let keys = InboxScreen.keys(for: entry)
        var lines = [ScreenLine()]
        var column = 2
        for key in keys.keys {
            let text = keys.text(of: key, default: "default")
            let result = results[key.option.id].map { ", \($0)" } ?? ""
            let columns = TextWidth.columns(of: text + result)
            if column > 2, column + columns > width {
                lines.append(ScreenLine())
                column = 2
            }
            let style: TextStyle = key.option.role == .destructive ? [.bold, .red] : .bold
            lines[lines.count - 1].add(text, at: column, width: width - column, style)
            lines[lines.count - 1].options.append(key.option.id)
            let end = column + TextWidth.columns(of: text)
            lines[lines.count - 1].add(result, at: end, width: width - end, .dim)
            column += columns + 3
        }
        return lines
    }

    // MARK: Notes and facts

    /// The texts of people: values of which only the beginning is beside their option, the comment
    /// on an answer, then the notes.
    private func texts(_ entry: InboxEntry) -> [ScreenLine] {
        let (answer, proposal) = (entry.view.answer, entry.proposal(at: now.date))
        let given = [("values", answer?.valueText), ("proposed", proposal?.valueText)]
        let values = given.flatMap { name, text -> [ScreenLine] in
            guard let text, text.shownWhole() != text.shown() else { return [] }
            return fact(name, text.shownWhole())
        }
        let comment = answer?.comment ?? proposal?.comment
        let typed = entry.isOpen ? screen.typedComment(on: entry.id) : nil
        let comments: [ScreenLine] = [("comment", comment), ("yours", typed)].flatMap {
            name, text in text.map { fact(InboxDetail.Fact(name, $0)) } ?? []
        }
        let texts = values + comments
        return (texts.isEmpty ? [] : texts + [ScreenLine()]) + notes(entry)
    }

    /// The notes, oldest first, with their authors and times.
    private func notes(_ entry: InboxEntry) -> [ScreenLine] {
        guard let detail = screen.detail, detail.text("id") == entry.id else { return [] }
        let notes = detail.views("notes", of: NoteView.self)
        guard !notes.isEmpty else { return [] }
        return notes.flatMap { note in
            let time = TimeText.text(note.at, now: now.date, hasFraction: false)
            return fact(InboxDetail.Fact("note", "\(note.by), \(time) UTC: \(note.text)"))
        } + [ScreenLine()]
    }

    /// The facts by their names. Until the report is read, the reason is its end, as the list has
    /// it.
    private func known(_ entry: InboxEntry) -> [String: [InboxDetail.Fact]] {
        let isRead = screen.detail?.text("id") == entry.id
        let facts = InboxDetail(isRead ? screen.detail ?? .null : entry.view.json).facts
        var known = Dictionary(grouping: facts) { $0.name }
        if !isRead, let reason = entry.failureReason {
            known["why"] = [InboxDetail.Fact("why", reason)]
        }
        return known
    }

    /// Why it failed, and the suggestion.
    private func reasons(_ known: [String: [InboxDetail.Fact]]) -> [ScreenLine] {
        let lines = Self.reasonNames.flatMap { name in
            (known[name] ?? []).flatMap { fact($0) }
        }
        return lines.isEmpty ? [] : [ScreenLine()] + lines
    }

    private func facts(_ entry: InboxEntry, _ known: [String: [InboxDetail.Fact]]) -> [ScreenLine] {
        let isRead = screen.detail?.text("id") == entry.id
        let lines = Self.factNames.flatMap { name in
            (known[name] ?? []).flatMap { fact($0) }
        }
        let events = (screen.detail ?? .null).views("history", of: EventView.self)
        let history = events.map { event -> InboxDetail.Fact in
            let time = TimeText.text(event.time, now: now.date, hasFraction: false)
            let day = time.contains(" ") ? "\(time.prefix(10)) " : ""
            return InboxDetail.Fact(
                String(event.time.dropFirst(11).prefix(8)), day + event.sentence)
        }
        return isRead
            ? lines + history.flatMap { fact($0) }
            : lines + [ScreenLine("…", at: 2, width: 1, .dim)]
    }

    /// The name of a fact with its text beside it, keeping the text's lines.
    private func fact(_ fact: InboxDetail.Fact) -> [ScreenLine] {
        let text = fact.inLines.escapedForTerminal(
            keepingLines: Self.textLineMax, scalarLimit: 4_000)
        return Array(self.fact(fact.name, text).prefix(Self.textLineMax))
    }

    /// A name with all of an escaped text beside it.
    private func fact(_ name: String, _ text: String) -> [ScreenLine] {
        let start = 2 + Self.factWidth
        let pieces = text.split(separator: "\n", omittingEmptySubsequences: false).flatMap {
            TextWidth.pieces(String($0), columns: max(8, width - start - 1))
        }
        return pieces.enumerated().map { index, piece in
            var line = ScreenLine()
            if index == 0 { line.add(name.shown(), at: 2, width: Self.factWidth, .dim) }
            line.add(piece, at: start, width: width - start)
            return line
        }
    }

    private func paragraph(_ text: String, _ style: TextStyle = []) -> [ScreenLine] {
        TextWidth.pieces(text, columns: max(8, width - 3)).map {
            ScreenLine($0, at: 2, width: width - 2, style)
        }
    }
}
