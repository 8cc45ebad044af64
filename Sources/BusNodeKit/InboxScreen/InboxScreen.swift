import ErrorBus

/// What a person at a full-screen inbox sees and does, without terminal and without network: keys,
/// changes and replies come in, requests go out.
struct InboxScreen {
    enum Action: Hashable {
        case send(InboxRequest)
        /// Everything is written again.
        case redraw
        case suspend
        case quit
    }

    enum View: Hashable {
        case open, ended
    }

    /// What keys mean.
    enum Mode: Hashable {
        case list
        case help
        /// The filter is typed; Esc brings the earlier one back.
        case filter(before: String)
        /// All of the group, or only this?
        case scope(Question)
        /// Something that cannot be had back: sure?
        case confirm(Question)
    }

    /// An option that was chosen, and what is asked about it.
    struct Question: Hashable {
        let id: String
        let option: ErrorReport.Option
        let group: Int64
        /// All that were open when the option was chosen, whatever the filter shows of them; of
        /// one that stands alone, it.
        let members: [String]
        /// What was on the screen when the option was chosen.
        let seen: Int64
        var isWhole: Bool
        var count: Int { members.count }
        /// When the question came to the screen.
        var shownAt: ContinuousClock.Instant?
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

    /// What came of this person's answers to one group, as it comes in.
    struct Results: Hashable {
        let group: Int64
        var counts: [String: Int] = [:]
        var until: ContinuousClock.Instant
    }

    /// Answers that can be taken back for a while.
    struct Undo: Hashable {
        let request: InboxRequest
        let ids: Set<String>
        let text: String
        let until: ContinuousClock.Instant
    }

    /// The presentation whose options are on the screen, and since when.
    struct Shown: Hashable {
        let id: String
        let options: [ErrorReport.Option]
        let since: ContinuousClock.Instant
    }

    /// What has been on the screen for less was not read: no key answers it.
    static let readingTime: Duration = .milliseconds(400)
    static let messageTime: Duration = .seconds(8)

    let person: String
    var size: ScreenSize

    // What is known.
    var node = ""
    /// Whether the list has come: before, nothing is known, not even that nothing waits.
    var isListed = false
    var revision: Int64 = 0
    var entries: [String: InboxEntry] = [:]
    var link = Link.live
    /// The chosen one whole, as it was last read.
    var detail: JSONValue?
    var reading: String?
    /// What could not be read, and when it is tried again: at its next change.
    var unreadable: String?

    // Where the person is.
    var view = View.open
    var mode = Mode.list
    var filter = ""
    var opened: Set<Int64> = []
    var isZoomed = false
    var cursor = 0
    /// The cursor stays on what it is on: a key was pressed, or what it is on could be read. Until
    /// then it is on the gravest.
    var isPlaced = false
    var cursorKey: String?
    var top = 0
    var detailTop = 0
    var rows: [InboxRow] = []
    var areRowsOld = true

    // What goes on.
    var isBusy = false
    var message: Message?
    var undos: [Undo] = []
    var results: Results?
    var shown: Shown?
    var shownRevision: Int64 = 0

    init(person: String, size: ScreenSize) {
        self.person = person
        self.size = size
    }

    var chosenRow: InboxRow? { rows.indices.contains(cursor) ? rows[cursor] : nil }

    /// The presentation that the cursor is on.
    var chosen: InboxEntry? { chosenRow.flatMap { entries[$0.id] } }

    /// What the question on the screen is about, where that is a group.
    var asked: InboxMembers? {
        switch mode {
        case .scope(let question): members(of: question)
        case .confirm(let question): question.isWhole ? members(of: question) : nil
        case .list, .help, .filter: nil
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

    /// What is over is taken away.
    mutating func passed(to now: ContinuousClock.Instant) {
        if let message, message.until <= now { self.message = nil }
        undos.removeAll { $0.until <= now }
    }

    /// What goes on without the person who quits now, in lines for the terminal.
    func farewell(at now: Moment) -> [String] {
        let sent = undos.filter { $0.until > now.instant }.map { undo in
            let left = InboxScreenDrawing.seconds(now.instant, undo.until + .milliseconds(999))
            let id = undo.ids.count == 1 ? undo.ids.first ?? "ID" : "ID"
            return "sent in \(left) unless bus-node inbox undo \(id) takes it back: \(undo.text)"
        }
        return isBusy ? sent + ["the last request was on its way: it may not have arrived"] : sent
    }

    // MARK: Rows

    /// Before each drawing: the rows as they are now, the cursor on what it was on.
    mutating func arrange() {
        if areRowsOld {
            areRowsOld = false
            let words = filter.split(separator: " ").map { InboxEntry.searchable(String($0)) }
            let found = entries.values.lazy.filter { [view] entry in
                entry.isLive == (view == .open) && entry.contains(words)
            }
            rows =
                view == .open
                ? InboxRowList.open(found, opened: opened) : InboxRowList.ended(found)
            cursor = isPlaced ? cursorKey.flatMap(index) ?? cursor : 0
            dropQuestionWithoutSubject()
        }
        move(to: cursor)
        let height = max(1, InboxScreenLayout(size, isZoomed: isZoomed).listHeight)
        top = min(max(top, cursor - height + 1), cursor, max(0, rows.count - height))
        top = max(0, top)
    }

    /// Where a row is; where it went into a group, the group.
    private func index(of key: String) -> Int? {
        if let index = rows.firstIndex(where: { $0.key == key }) { return index }
        if let group = entries[key].map({ InboxRowList.key(ofGroup: $0.group) }) {
            return rows.firstIndex { $0.key == group }
        }
        // A group of which one is left.
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
        case .list, .help, .filter: break
        }
    }

    // MARK: On the screen

    /// The screen as it is to be now.
    mutating func frame(at now: Moment) -> [ScreenLine] {
        passed(to: now.instant)
        if let shown, now.instant - shown.since >= Self.readingTime { isPlaced = true }
        arrange()
        return InboxScreenDrawing(self, at: now).lines
    }

    /// What was arranged is on the screen. Returns what has to be read for it.
    mutating func drawn(at now: ContinuousClock.Instant) -> [Action] {
        shownRevision = revision
        if let chosen, mode != .help, size.isEnough {
            if shown?.id != chosen.id || shown?.options != chosen.options {
                shown = Shown(id: chosen.id, options: chosen.options, since: now)
            }
        } else {
            shown = nil
            // Nothing is there that could be read.
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

    /// One at a time; the next when that one has come.
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

/// Where things are: a line for where one is, the list, the chosen one, a line for what happens,
/// and a line of keys. Wide screens have the chosen one beside the list, others below it.
struct InboxScreenLayout: Hashable {
    private static let columnsBesideMin = 130

    let isBeside: Bool
    let listHeight: Int
    let listWidth: Int
    let detailHeight: Int
    let detailWidth: Int
    /// Between the two, from the top: a line of its own, or none beside the list.
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
