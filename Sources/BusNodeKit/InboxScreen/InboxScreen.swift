import ErrorBus

/// The state of a full-screen inbox, without terminal and network: keys, changes and replies come
/// in, requests go out.
struct InboxScreen {
    enum Action: Hashable {
        case send(InboxRequest)
        /// Writes the whole screen again.
        case redraw
        case suspend
        case quit
    }

    enum View: Hashable {
        case open, ended
    }

    /// The meaning of keys.
    enum Mode: Hashable {
        case list
        case help
        /// The filter is being typed; Esc restores the earlier one.
        case filter(before: String)
        /// The scope of an answer is asked: the whole group, or only this presentation.
        case scope(Question)
        /// The values of the option's fields are typed, one after another.
        case values(ValueForm)
        /// A note, a comment, or the name of the person to whom a claim is handed, is typed.
        case note(NoteDraft)
        /// A confirmation is asked, for a destructive option.
        case confirm(Question)
    }

    /// A chosen option, with the scope or confirmation that is asked for it.
    struct Question: Hashable {
        let id: String
        let option: ErrorReport.Option
        let group: Int64
        /// The members to answer: all members that were open and on the screen when the option was
        /// chosen, whatever the filter shows, and that are not left out; for a single presentation,
        /// only itself.
        let members: [String]
        /// The number of members left out.
        let leftCount: Int
        /// The revision on the screen when the option was chosen.
        let seen: Int64
        /// The person whose proposals the answer confirms; nil if it confirms none.
        let proposer: String?
        /// The proposals that the answer confirms, by their members.
        let confirms: [String: String]
        var isWhole: Bool
        /// The values of the option's fields; nil while they are not given.
        var values: [String: JSONValue]?
        /// The time at which the confirmation came to the screen.
        var shownAt: ContinuousClock.Instant?

        var count: Int { members.count }
        /// The members to answer, in words.
        var scope: String {
            leftCount == 0 ? "all \(count)" : "\(count) of \(count + leftCount)"
        }
        /// Whether the first member alone may be answered: not if it is left out.
        var offersFirst: Bool { members.contains(id) }
    }

    enum Link: Hashable {
        case live
        case lost(reason: String, since: ContinuousClock.Instant)
    }

    struct Message: Hashable {
        let text: String
        let style: TextStyle
        let until: ContinuousClock.Instant
    }

    /// The results of this person's answers to one group, as they come in.
    struct Results: Hashable {
        let group: Int64
        var counts: [String: Int] = [:]
        var until: ContinuousClock.Instant
    }

    /// Answers that can still be undone.
    struct Undo: Hashable {
        let request: InboxRequest
        let ids: Set<String>
        let text: String
        let until: ContinuousClock.Instant
    }

    /// The presentation whose options are on the screen, and the time since when.
    struct Shown: Hashable {
        let id: String
        let options: [ErrorReport.Option]
        let proposal: String?
        let since: ContinuousClock.Instant
        /// The ids of the options that have been on the screen since then.
        var seen: Set<String> = []

        init(_ entry: InboxEntry, since: ContinuousClock.Instant) {
            id = entry.id
            options = entry.options
            proposal = entry.view.proposal?.id
            self.since = since
        }

        /// Whether the keys of the entry have the same meaning as on the screen.
        func isLike(_ entry: InboxEntry) -> Bool {
            id == entry.id && options == entry.options && proposal == entry.view.proposal?.id
        }
    }

    /// The time that a presentation must be on the screen before a key answers it.
    static let readingTime: Duration = .milliseconds(400)
    /// The longest delay of a key to undo after the end of its time.
    static let justSentTime: Duration = .seconds(2)
    static let messageTime: Duration = .seconds(8)

    let person: String
    var size: ScreenSize

    // Presentations.
    var node = ""
    /// The time at which the console started.
    var startedAt = ""
    /// Whether the list has arrived; before that even an empty screen means nothing.
    var isListed = false
    var revision: Int64 = 0
    var entries: [String: InboxEntry] = [:]
    var link = Link.live
    /// The details of the chosen presentation, as they were last read.
    var detail: JSONValue?
    var reading: String?
    /// A presentation that could not be read; the next change of it causes another try.
    var unreadable: String?

    // The cursor.
    var view = View.open
    var mode = Mode.list
    var filter = ""
    var opened: Set<Int64> = []
    /// The members that an answer for their group leaves open.
    var leftOut: Set<String> = []
    var isZoomed = false
    var cursor = 0
    /// Whether the cursor stays on its row: a key was pressed, or the row was visible long enough.
    /// Until then it is on the most severe row.
    var isPlaced = false
    var cursorKey: String?
    var top = 0
    var detailTop = 0
    var rows: [InboxRow] = []
    var areRowsOld = true

    // Requests.
    var isBusy = false
    var message: Message?
    var undos: [Undo] = []
    /// The presentations whose held answers of this person were lost with the console's last life,
    /// until the presentations are here again.
    var lostAnswers: Set<String> = []
    /// The latest end of the time to undo an answer of this person.
    var undoEndedAt: ContinuousClock.Instant?
    var results: Results?
    /// A note that is on its way, or was refused.
    var draft: NoteDraft?
    /// The comment that goes with this person's next answer to its presentation.
    var comment: NoteDraft?
    var shown: Shown?
    /// The ids of the options in the last frame.
    private var framed: [String] = []
    var shownRevision: Int64 = 0

    init(person: String, size: ScreenSize) {
        self.person = person
        self.size = size
    }

    var chosenRow: InboxRow? { rows.indices.contains(cursor) ? rows[cursor] : nil }

    /// The presentation at the cursor.
    var chosen: InboxEntry? { chosenRow.flatMap { entries[$0.id] } }

    /// The members that a scope or confirmation on the screen covers.
    var asked: InboxMembers? {
        switch mode {
        case .scope(let question): members(of: question)
        case .confirm(let question): question.isWhole ? members(of: question) : nil
        case .list, .help, .filter, .values, .note: nil
        }
    }

    func members(of question: Question) -> InboxMembers {
        InboxMembers(question.members.compactMap { entries[$0] })
    }

    var openCount: Int { entries.values.count { $0.isLive } }

    mutating func say(
        _ text: String, _ style: TextStyle = [], at now: ContinuousClock.Instant
    ) {
        message = Message(text: text, style: style, until: now + Self.messageTime)
    }

    mutating func resized(to size: ScreenSize) { self.size = size }

    /// Removes messages and undos whose time is over.
    mutating func passed(to now: ContinuousClock.Instant) {
        if let message, message.until <= now { self.message = nil }
        let ended = undos.map(\.until).filter { $0 <= now }.max()
        undoEndedAt = ended ?? undoEndedAt
        undos.removeAll { $0.until <= now }
    }

    /// The requests that continue after this person quits, in lines for the terminal.
    func farewell(at now: Moment) -> [String] {
        let sent = undos.filter { $0.until > now.instant }.map { undo in
            let left = InboxScreenDrawing.seconds(now.instant, undo.until + .milliseconds(999))
            let id = undo.ids.count == 1 ? undo.ids.first ?? "ID" : "ID"
            return "sent in \(left) unless bus-node inbox undo \(id) takes it back: \(undo.text)"
        }
        return isBusy ? sent + ["the last request was on its way: it may not have arrived"] : sent
    }

    // MARK: Rows

    /// Arranges the current rows before each drawing, with the cursor on its row.
    mutating func arrange() {
        if areRowsOld {
            areRowsOld = false
            let words = filter.split(separator: " ").map { TextSearch(String($0)) }
            let found = entries.values.lazy.filter { [view] entry in
                entry.isLive == (view == .open) && entry.contains(words)
            }
            rows =
                view == .open
                ? InboxRowList.open(found, opened: opened, leftOut: leftOut)
                : InboxRowList.ended(found)
            cursor = isPlaced ? cursorKey.flatMap(index) ?? cursor : 0
            dropQuestionWithoutSubject()
        }
        move(to: cursor)
        let height = max(1, InboxScreenLayout(size, isZoomed: isZoomed).listHeight)
        top = min(max(top, cursor - height + 1), cursor, max(0, rows.count - height))
        top = max(0, top)
    }

    /// The index of a row, or of the group that it joined.
    private func index(of key: String) -> Int? {
        if let index = rows.firstIndex(where: { $0.key == key }) { return index }
        if let group = entries[key].map({ InboxRowList.key(ofGroup: $0.group) }) {
            return rows.firstIndex { $0.key == group }
        }
        // A group with one member left.
        return rows.firstIndex {
            $0.kind == .single && InboxRowList.key(ofGroup: entries[$0.id]?.group ?? -1) == key
        }
    }

    mutating func move(to index: Int) {
        cursor = max(0, min(index, rows.count - 1))
        let key = chosenRow?.key
        if key != cursorKey { detailTop = 0 }
        cursorKey = key
    }

    private mutating func dropQuestionWithoutSubject() {
        switch mode {
        case .scope(let question), .confirm(let question):
            if entries[question.id]?.isOpen != true { mode = .list }
        case .values(var form):
            // The rest of what is being typed must not act on another presentation.
            guard entries[form.question.id]?.isOpen != true, !form.isOver else { return }
            form.isOver = true
            form.text = ""
            message = nil
            mode = .values(form)
        // A note may be written on what has ended, too.
        case .list, .help, .filter, .note: break
        }
    }

    // MARK: On the screen

    /// The current content of the screen.
    mutating func frame(at now: Moment) -> [ScreenLine] {
        passed(to: now.instant)
        if let shown, now.instant - shown.since >= Self.readingTime { isPlaced = true }
        arrange()
        let lines = InboxScreenDrawing(self, at: now).lines
        framed = lines.flatMap(\.options)
        return lines
    }

    /// Notes that the arranged rows are on the screen. Returns the presentation to read, if any.
    mutating func drawn(at now: ContinuousClock.Instant) -> [Action] {
        shownRevision = revision
        if let chosen, mode != .help, size.isEnough {
            if shown?.isLike(chosen) != true { shown = Shown(chosen, since: now) }
            shown?.seen.formUnion(framed)
        } else {
            shown = nil
            // There is no row to read.
            if rows.isEmpty { isPlaced = false }
        }
        switch mode {
        case .scope(var question) where question.shownAt == nil:
            question.shownAt = now
            mode = .scope(question)
        case .confirm(var question) where question.shownAt == nil:
            question.shownAt = now
            mode = .confirm(question)
        default: break
        }
        return read()
    }

    /// Reads one presentation at a time, and the next once that one has arrived.
    private mutating func read() -> [Action] {
        guard reading == nil, link == .live, let chosen else { return [] }
        let wanted = "\(chosen.id) \(chosen.revision)"
        let has = detail?.text("id") == chosen.id
        if has, (detail?["revision"]?.integerValue ?? 0) >= chosen.revision { return [] }
        guard unreadable != wanted else { return [] }
        reading = wanted
        return [.send(.detail(id: chosen.id))]
    }
}

/// The layout: a head line, the list, the chosen presentation, a status line and a line of keys.
/// Wide screens have the presentation beside the list, other screens below it.
struct InboxScreenLayout: Hashable {
    private static let columnsBesideMin = 130

    let isBeside: Bool
    let listHeight: Int
    let listWidth: Int
    let detailHeight: Int
    let detailWidth: Int
    /// The row between list and presentation, from the top; nil if they are side by side.
    let dividerRow: Int?

    init(_ size: ScreenSize, isZoomed: Bool) {
        let body = max(1, size.rows - 3)
        isBeside = !isZoomed && size.columns >= Self.columnsBesideMin
        if isZoomed {
            (listHeight, listWidth, dividerRow) = (0, size.columns, nil)
            (detailHeight, detailWidth) = (body, size.columns)
        } else if isBeside {
            listWidth = size.columns * 11 / 20
            (listHeight, detailHeight, dividerRow) = (body, body, nil)
            detailWidth = size.columns - listWidth - 3
        } else {
            listHeight = max(3, body * 2 / 5)
            (listWidth, detailWidth) = (size.columns, size.columns)
            detailHeight = max(0, body - listHeight - 1)
            dividerRow = 1 + listHeight
        }
    }
}
