import ErrorBus

// Changes and replies from the console.
extension InboxScreen {
    /// The most ended presentations kept; more than a console keeps.
    private static let endedMax = 2_500
    private static let endedKept = 2_000

    /// The whole list: replaces the entries.
    mutating func listed(_ list: JSONValue, at now: Moment) {
        begin(list.text("startedAt"))
        entries = [:]
        isListed = true
        areRowsOld = true
        node = list.text("node")
        revision = 0
        link = .live
        changed(list, at: now, areNew: false)
        leftOut = leftOut.filter { entries[$0] != nil }
    }

    mutating func greeted(_ hello: JSONValue) {
        node = hello.text("node")
        link = .live
        begin(hello.text("startedAt"))
        // Another life of the node: its list follows.
        if hello["isReset"]?.boolValue == true {
            entries = [:]
            revision = 0
            areRowsOld = true
        }
    }

    /// Begins another life of the console, which has none of the answers that were held in the
    /// last.
    private mutating func begin(_ life: String) {
        guard life != startedAt else { return }
        startedAt = life
        undos = []
        lostAnswers = Set(
            entries.values.lazy.filter { [person] in
                $0.stage == .leaving && $0.isAnswered(by: person)
            }.map(\.id))
    }

    mutating func changed(_ change: JSONValue, at now: Moment, areNew: Bool = true) {
        link = .live
        revision = max(revision, change["revision"]?.integerValue ?? 0)
        for item in change["items"]?.arrayValue ?? [] { keep(item, at: now, isNew: areNew) }
        dropOldestEnded()
    }

    mutating func lost(_ reason: String, at now: ContinuousClock.Instant) {
        // The latest reason, with the time of the first.
        if case .lost(_, let since) = link {
            link = .lost(reason: reason, since: since)
        } else {
            link = .lost(reason: reason, since: now)
        }
    }

    private mutating func keep(_ item: JSONValue, at now: Moment, isNew: Bool) {
        guard var entry = InboxEntry(item, at: now) else { return }
        let before = entries[entry.id]
        guard entry.revision >= before?.revision ?? 0 else { return }
        entry.arrivedAt = before.flatMap { $0.isLive ? $0.arrivedAt : nil } ?? revision
        entries[entry.id] = entry
        if !entry.isLive { leftOut.remove(entry.id) }
        areRowsOld = true
        if lostAnswers.remove(entry.id) != nil, entry.isOpen { sayLost(entry, at: now) }
        guard let before, isNew else { return }
        showEnd(entry, before, at: now.instant)
    }

    private mutating func sayLost(_ entry: InboxEntry, at now: Moment) {
        let claim = entry.claimant(at: now.date) == person ? ", your claim stays" : ""
        let title = entry.description.shown()
        say("the console restarted; your answer is lost\(claim): \(title)", .red, at: now.instant)
    }

    /// Shows the end of a presentation that this person answered or has open.
    private mutating func showEnd(
        _ entry: InboxEntry, _ before: InboxEntry, at now: ContinuousClock.Instant
    ) {
        let title = entry.description.shown()
        if entry.stage == .settled, before.stage != .settled, entry.isAnswered(by: person) {
            tellResult(of: entry, title, at: now)
        } else if before.isOpen, !entry.isOpen, shown?.id == entry.id,
            !entry.isAnswered(by: person)
        {
            let ending =
                entry.answeredBy.isEmpty
                ? entry.outcome : "\(entry.answerTitle) by \(entry.answeredBy.shown())"
            say("\(ending): \(title)", .yellow, at: now)
        }
    }

    /// Shows the result of one presentation as a sentence, or the count for a group that ends in
    /// steps.
    private mutating func tellResult(
        of entry: InboxEntry, _ title: String, at now: ContinuousClock.Instant
    ) {
        var results = Results(group: entry.group, until: now)
        if let last = self.results, last.group == entry.group, last.until > now { results = last }
        results.counts[entry.view.endingShown, default: 0] += 1
        results.until = now + Self.messageTime
        self.results = results
        let isGood = results.counts.keys.allSatisfy { $0 == RecoveryResult.recovered.words }
        let words = results.counts.sorted { $0.key > $1.key }.map { "\($1) \($0.shown())" }
        let isOne = results.counts.values.reduce(0, +) == 1
        let text = isOne ? entry.outcome : words.joined(separator: ", ")
        say("\(text): \(title)", isGood ? .green : .yellow, at: now)
    }

    private mutating func dropOldestEnded() {
        guard entries.count > Self.endedMax else { return }
        let ended = entries.values.filter { !$0.isLive }
        guard ended.count > Self.endedMax else { return }
        for entry in ended.sorted(by: { $0.revision > $1.revision }).dropFirst(Self.endedKept) {
            entries[entry.id] = nil
        }
        areRowsOld = true
    }

    // MARK: Replies

    mutating func replied(
        to request: InboxRequest, _ result: Result<JSONValue, Failure>, at now: Moment
    ) {
        if case .detail(let id) = request { return read(id, result, at: now.instant) }
        isBusy = false
        switch result {
        case .failure(let failure):
            let isUnknown = failure.status == .unavailable
            let end = isUnknown ? " (it is not known whether that arrived)" : ""
            say(failure.text.shown() + end, .red, at: now.instant)
            detail = nil
            if case .note = request { noteFailed() }
        case .success(let reply): carriedOut(request, reply, at: now)
        }
    }

    private mutating func read(
        _ id: String, _ result: Result<JSONValue, Failure>, at now: ContinuousClock.Instant
    ) {
        let wanted = reading
        reading = nil
        switch result {
        case .success(let item) where item.text("id") == id && item["archived"] == nil:
            detail = item
            // A reply counts as a change, unless it is older than the entry.
            if (item["revision"]?.integerValue ?? 0) < entries[id]?.revision ?? 0 {
                unreadable = nil
            }
        case .success: unreadable = wanted
        case .failure(let failure):
            unreadable = wanted
            if chosen?.id == id { say(failure.text.shown(), .red, at: now) }
        }
    }

    private mutating func carriedOut(_ request: InboxRequest, _ reply: JSONValue, at now: Moment) {
        switch request {
        case .answer(let id, let option, _, _, let sent):
            if sent == comment?.text { comment = nil }
            keep(reply, at: now, isNew: false)
            guard PresentationView(json: reply)?.proposal == nil else {
                return sayProposed(title(of: option, for: id), at: now.instant)
            }
            // Another answer, given after an undo of this one, is not taken back.
            let answer = reply["answer"]?["id"]?.stringValue
            offerUndo(
                .undo(id: id, answer: answer), [id], title(of: option, for: id), at: now.instant)
        case .answerGroup(let group, let option, _, _, _, let sent, let ids):
            if sent == comment?.text { comment = nil }
            let answered = reply.texts("answered")
            let refused = reply["refused"]?.arrayValue ?? []
            if let first = refused.first {
                let reason = first.refusal(takeOver: Self.takeOver) ?? ""
                say("\(refused.count) not answered: \(reason.shown())", .yellow, at: now.instant)
            }
            guard let first = answered.first else {
                guard let first = reply.texts("proposed").first else { return }
                return sayProposed(title(of: option, for: first), at: now.instant)
            }
            let scope = ids == nil ? "all \(answered.count)" : "\(answered.count) of the group"
            // Only what this answer gave: an earlier one for other members has an undo of its own.
            offerUndo(
                .undoGroup(group, answers: reply.texts("answers")), Set(answered),
                "\(title(of: option, for: first)) (\(scope))", at: now.instant)
        case .undo(let id, _):
            keep(reply, at: now, isNew: false)
            takenBack([id], by: request, at: now.instant)
        case .undoGroup: takenBack(Set(reply.texts("undone")), by: request, at: now.instant)
        case .note:
            keep(reply, at: now, isNew: false)
            noteWritten(at: now.instant)
        case .claimGroup: sayClaimed("claimed", reply, at: now.instant)
        case .releaseGroup: sayClaimed("released", reply, at: now.instant)
        case .claim, .release, .decline, .detail: keep(reply, at: now, isNew: false)
        }
    }

    private mutating func sayProposed(_ what: String, at now: ContinuousClock.Instant) {
        say("proposed, for another person to confirm: \(what)", .green, at: now)
    }

    private func title(of option: String, for id: String) -> String {
        let offered = entries[id]?.options.first { $0.id == option }
        let title = offered.map(PromptKeys.shownTitle) ?? option.shown()
        return "\(title): \(entries[id]?.description.shown() ?? "")"
    }

    private mutating func offerUndo(
        _ request: InboxRequest, _ ids: Set<String>, _ text: String,
        at now: ContinuousClock.Instant
    ) {
        let until = now + InboxRequest.undoTime
        undos.append(Undo(request: request, ids: ids, text: text, until: until))
    }

    private mutating func takenBack(
        _ ids: Set<String>, by request: InboxRequest, at now: ContinuousClock.Instant
    ) {
        let left = undos.first { $0.request == request }?.ids.subtracting(ids).count ?? 0
        undos.removeAll { $0.request == request || $0.ids.isSubset(of: ids) }
        let late = left > 0 ? ", \(left) had left already" : ""
        say("\(ids.count) taken back\(late)", left > 0 ? .yellow : .green, at: now)
    }
}
