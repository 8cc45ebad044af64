import ErrorBus
import Foundation

// The effect of keys.
extension InboxScreen {
    /// Keys with a fixed meaning, never given to an option. The keys of confirmations (y, o) are
    /// among them, so that an option's key pressed twice confirms nothing.
    static let reserved: Set<String> = ["j", "k", "c", "u", "n", "x", "q", "y", "o"]
    private static let filterMax = 200

    static func keys(for entry: InboxEntry) -> PromptKeys {
        PromptKeys(entry.options, reserved: reserved, areSingle: true)
    }

    mutating func pressed(_ key: ScreenKey, at now: Moment) -> [Action] {
        switch key {
        case .control("c"): return [.quit]
        case .control("l"): return [.redraw]
        case .control("z"): return [.suspend]
        default: break
        }
        isPlaced = true
        // The rows may be older than the entries.
        arrange()
        switch mode {
        case .list: return pressedInList(key, at: now)
        case .help:
            if scrolled(key, at: now) { return [] }
            stopAsking()
            return key == .character("q") ? [.quit] : []
        case .filter(let before):
            typed(key, before: before, at: now)
            return []
        case .scope(let question):
            return scrolled(key, at: now) ? [] : scoped(question, key, at: now)
        case .values(let form): return typed(form, key, at: now)
        case .note(let draft): return typed(draft, key, at: now)
        case .confirm(let question):
            return scrolled(key, at: now) ? [] : confirmed(question, key, at: now)
        }
    }

    private mutating func pressedInList(_ key: ScreenKey, at now: Moment) -> [Action] {
        if moved(key, at: now) { return [] }
        switch key {
        case .character("q"): return [.quit]
        case .character("?"): ask(.help)
        case .character("/"): mode = .filter(before: filter)
        case .character("c"): return claim(takeOver: false, at: now)
        case .character("C"): return claim(takeOver: true, at: now)
        case .character("o"): beginHandOver(at: now)
        case .character("u"): return undo(at: now)
        case .character("n"): beginNote(at: now)
        case .character("N"): beginComment(at: now)
        case .character("x"): toggleMember(at: now)
        case .character(let character): return choose(character, at: now)
        case .enter: open()
        case .right: if case .group(isOpened: false) = chosenRow?.kind { open() }
        case .left: close()
        case .escape: leave()
        case .tab, .backTab:
            view = view == .open ? .ended : .open
            (cursor, cursorKey, top, isZoomed) = (0, nil, 0, false)
            areRowsOld = true
        case .paste: say("pasted text is ignored", .yellow, at: now.instant)
        default: break
        }
        return []
    }

    /// Moves the cursor; returns whether the key does so.
    private mutating func moved(_ key: ScreenKey, at now: Moment) -> Bool {
        if scrolled(key, at: now) { return true }
        let page = max(1, InboxScreenLayout(size, isZoomed: isZoomed).listHeight - 1)
        switch key {
        case .up, .character("k"): move(to: cursor - 1)
        case .down, .character("j"): move(to: cursor + 1)
        case .pageUp: move(to: cursor - page)
        case .pageDown: move(to: cursor + page)
        case .home: move(to: 0)
        case .end: move(to: rows.count - 1)
        default: return false
        }
        return true
    }

    /// Scrolls the detail, the members being confirmed, or help that does not fit; returns whether
    /// the key does so.
    private mutating func scrolled(_ key: ScreenKey, at now: Moment) -> Bool {
        let step: Int
        let drawing = InboxScreenDrawing(self, at: now)
        let most = drawing.detailTopMax
        let isHelp = mode == .help
        guard !isHelp || most > 0 else { return false }
        // When there is only text, the keys that move further scroll further.
        let isText = isHelp || isZoomed || asked != nil
        let page = max(1, drawing.textHeight - 2)
        // The last line may have the number of those below: no line is skipped.
        let few = max(1, min(3, drawing.textHeight - 1))
        switch key {
        case .character(">"), .character(" "): step = few
        case .character("<"): step = -few
        case .down where isHelp, .character("j") where isHelp: step = 1
        case .up where isHelp, .character("k") where isHelp: step = -1
        case .pageDown where isText: step = page
        case .pageUp where isText: step = -page
        case .home where isText: step = -most
        case .end where isText: step = most
        default: return false
        }
        detailTop = max(0, min(min(detailTop, most) + step, most))
        return true
    }

    /// Opens or closes a group; for a single presentation, shows all of it or the list again.
    private mutating func open() {
        guard let row = chosenRow, let group = entries[row.id]?.group else { return }
        guard row.isGroup else {
            isZoomed.toggle()
            return
        }
        if opened.remove(group) == nil { opened.insert(group) }
        areRowsOld = true
    }

    private mutating func close() {
        if isZoomed {
            isZoomed = false
        } else if let row = chosenRow, row.kind != .single, let group = entries[row.id]?.group,
            opened.remove(group) != nil
        {
            cursorKey = InboxRowList.key(ofGroup: group)
            areRowsOld = true
        }
    }

    /// Reverts the last narrowing, for Esc.
    private mutating func leave() {
        if isZoomed {
            isZoomed = false
        } else if !filter.isEmpty {
            filter = ""
            areRowsOld = true
        } else {
            message = nil
        }
    }

    private mutating func typed(_ key: ScreenKey, before: String, at now: Moment) {
        switch key {
        case .enter: mode = .list
        case .escape:
            filter = before
            mode = .list
        case .backspace: filter = String(filter.dropLast())
        case .control("u"): filter = ""
        case .character(let character): filter.append(character)
        case .paste(let text): filter += text.prefix { !$0.isNewline }
        case .up, .down, .pageUp, .pageDown: _ = moved(key, at: now)
        default: break
        }
        filter = String(filter.prefix(Self.filterMax))
        areRowsOld = true
    }

    // MARK: Answering

    private mutating func choose(_ character: Character, at now: Moment) -> [Action] {
        guard let row = chosenRow, let entry = entries[row.id] else { return [] }
        let keys = Self.keys(for: entry).keys
        let number = character.wholeNumberValue.map { $0 - 1 } ?? -1
        let key = keys.first { $0.key == String(character).lowercased() }
        guard
            let option = key?.option ?? (keys.indices.contains(number) ? keys[number].option : nil)
        else {
            let shown = String(character).shown()
            if entry.isOpen { say("\"\(shown)\" is not an option (? for help)", at: now.instant) }
            return []
        }
        let proposal = option.needsTwoPeople ? entry.proposal(at: now.date) : nil
        let obstacle =
            obstacle(entry, isGroup: row.isGroup, confirming: proposal?.id, at: now)
            ?? unseen(option) ?? obstacle(to: option, of: entry, at: now)
        if let obstacle {
            say(obstacle, .yellow, at: now.instant)
            return []
        }
        let question = question(
            option, for: entry, confirming: proposal, isGroup: row.isGroup, at: now)
        guard row.isGroup else { return decide(question) }
        if let obstacle = Self.obstacle(toGroup: question) {
            say(obstacle, .yellow, at: now.instant)
        } else {
            ask(.scope(question))
        }
        return []
    }

    /// Asks for the scope or a confirmation, with the members from the first one.
    mutating func ask(_ question: Mode) {
        mode = question
        detailTop = 0
    }

    /// Returns to the list; the confirmation is closed.
    mutating func stopAsking() {
        mode = .list
        detailTop = 0
    }

    /// The reason why no answer may be given now; nil if one may.
    ///
    /// - Parameter proposal: The proposal that the answer would confirm; a claim of its author does
    ///   not prevent the answer.
    func obstacle(
        _ entry: InboxEntry, isGroup: Bool, confirming proposal: String?, at now: Moment
    ) -> String? {
        if case .lost = link { return "no link to the console: nothing can be sent now" }
        if isBusy { return "one moment: the last request is on its way" }
        guard entry.isOpen else { return "no longer open" }
        let proposer = entry.view.proposal.flatMap { $0.id == proposal ? $0.by : nil }
        if !isGroup, let holder = entry.claimant(at: now.date),
            ![person, proposer].contains(holder)
        {
            return "claimed by \(holder.shown()): \(Self.takeOver)"
        }
        return unread(entry, at: now.instant)
    }

    /// The reason why a key cannot be meant for the entry at the cursor; nil if it can.
    private func unread(_ entry: InboxEntry, at now: ContinuousClock.Instant) -> String? {
        guard let shown, shown.isLike(entry), now - shown.since >= Self.readingTime else {
            return "this just appeared: read it, then press the key again"
        }
        return nil
    }

    /// The reason why a key cannot be meant for an option; nil if it can.
    private func unseen(_ option: ErrorReport.Option) -> String? {
        shown?.seen.contains(option.id) == true
            ? nil : "scroll with > first: that option has not been on the screen"
    }

    /// The reason why this person cannot choose an option that needs two people; nil if they can.
    private func obstacle(
        to option: ErrorReport.Option, of entry: InboxEntry, at now: Moment
    ) -> String? {
        guard option.needsTwoPeople else { return nil }
        if entry.lacksPeople(for: option.id) {
            return "this needs two people who have signed in: give the console users"
        }
        guard let proposal = entry.proposal(at: now.date) else { return nil }
        guard proposal.option == option.id else {
            return "\(entry.title(of: proposal.option)) is proposed: u drops that"
        }
        return proposal.by == person
            ? "you proposed it: another person has to confirm it, u withdraws it" : nil
    }

    private mutating func scoped(
        _ question: Question, _ key: ScreenKey, at now: Moment
    ) -> [Action] {
        guard isRead(question, at: now.instant) else { return [] }
        var question = question
        question.shownAt = nil
        stopAsking()
        switch key {
        case .character("y"), .character("Y"): question.isWhole = true
        case .character("o") where question.offersFirst,
            .character("O") where question.offersFirst:
            question.isWhole = false
        default: return []
        }
        if !question.isWhole, let entry = entries[question.id],
            let obstacle = obstacle(
                entry, isGroup: false, confirming: question.confirms[question.id], at: now)
        {
            say(obstacle, .yellow, at: now.instant)
            return []
        }
        return decide(question)
    }

    /// Sends the answer. A destructive option, members that differ, and the proposal of another
    /// person need a confirmation first; an option with fields needs its values.
    mutating func decide(_ question: Question) -> [Action] {
        // The values of a proposal are confirmed with it.
        if !question.option.fields.isEmpty, question.values == nil, question.proposer == nil {
            ask(.values(ValueForm(question: question)))
            return []
        }
        let members = members(of: question)
        let isDestructive = members.isDestructive(question.option.id)
        let isDifferent = question.isWhole && members.difference != nil
        guard !isDestructive, question.proposer == nil, !isDifferent else {
            ask(.confirm(question))
            return []
        }
        return answer(question)
    }

    private mutating func confirmed(
        _ question: Question, _ key: ScreenKey, at now: Moment
    ) -> [Action] {
        guard isRead(question, at: now.instant) else { return [] }
        stopAsking()
        guard key == .character("y") || key == .character("Y") else { return [] }
        guard let entry = entries[question.id] else { return [] }
        let obstacle = obstacle(
            entry, isGroup: question.isWhole, confirming: question.confirms[question.id], at: now)
        if let obstacle {
            say(obstacle, .yellow, at: now.instant)
            return []
        }
        return answer(question)
    }

    /// Whether the confirmation was visible long enough before the key.
    private func isRead(_ question: Question, at now: ContinuousClock.Instant) -> Bool {
        question.shownAt.map { now - $0 >= Self.readingTime } ?? false
    }

    private mutating func answer(_ question: Question) -> [Action] {
        isBusy = true
        message = nil
        let option = question.option.id
        // With a proposal its own comment is confirmed.
        let comment = question.proposer == nil ? typedComment(on: question.id) : nil
        return [
            .send(
                question.isWhole
                    ? .answerGroup(
                        question.group, option: option, seen: question.seen,
                        confirms: question.members.compactMap { question.confirms[$0] },
                        values: question.values ?? [:], comment: comment,
                        ids: question.leftCount == 0 ? nil : question.members)
                    : .answer(
                        id: question.id, option: option, confirms: question.confirms[question.id],
                        values: question.values ?? [:], comment: comment))
        ]
    }

    // MARK: Claiming and undoing

    mutating func claim(
        takeOver: Bool, to receiver: String? = nil, at now: Moment
    ) -> [Action] {
        guard let row = chosenRow, let entry = chosen else { return [] }
        if case .lost = link {
            say("no link to the console: nothing can be sent now", .yellow, at: now.instant)
            return []
        }
        guard entry.isOpen, !isBusy else { return [] }
        if let obstacle = unread(entry, at: now.instant) {
            say(obstacle, .yellow, at: now.instant)
            return []
        }
        return claim(row, takeOver: takeOver, to: receiver, at: now)
    }

    /// Undoes this person's last answer, else the answer at the cursor, or drops the proposal
    /// there.
    private mutating func undo(at moment: Moment) -> [Action] {
        let now = moment.instant
        passed(to: now)
        guard !isBusy else { return [] }
        if let last = undos.last {
            isBusy = true
            return [.send(last.request)]
        }
        // The key was for that answer, and not for what is at the cursor.
        if let undoEndedAt, now - undoEndedAt < Self.justSentTime {
            say("too late to take back: the answer has been sent", .yellow, at: now)
            return []
        }
        guard let entry = chosen, case let proposal = entry.proposal(at: moment.date),
            proposal != nil || entry.stage == .leaving
        else {
            say("nothing to take back", .yellow, at: now)
            return []
        }
        if let obstacle = unread(entry, at: now) {
            say(obstacle, .yellow, at: now)
            return []
        }
        isBusy = true
        guard let proposal else { return [.send(.undo(id: entry.id, answer: entry.answer?.id))] }
        return [.send(.decline(id: entry.id, proposal: proposal.id))]
    }
}
