import DequeModule
import ErrorBus
import OrderedCollections

/// The machine of one hook, which decides the messages and their times: it collects events of a
/// group into one message, limits the rate, and repeats failed tries. Does no I/O.
struct HookMachine: Sendable {
    let settings: HookSettings
    private let limits: NotifyLimits
    /// The text in front of the numbers of its messages.
    private let prefix: String
    private var lastNumber = 0

    private struct DigestKey: Hashable {
        let event: HookSettings.Event
        let group: CoalescingKey
    }

    /// Events that are collected until their message is made.
    private struct Digest {
        var notice: Notice?
        /// The presentations in the notice.
        var ids: Set<PresentationID> = []
        var due: ContinuousClock.Instant
        /// The time to collect, doubled after each message: a group that goes on sends ever fewer.
        var window: Duration
        /// The highest severity of the group so far: a higher one does not wait for that time.
        var severity: Severity
    }

    private struct Open {
        let item: InboxItem
        /// The revision of the presentation's entry in ``aging``, and its time; nil once the
        /// message was made.
        var revision: UInt64
        var agesAt: ContinuousClock.Instant?
    }

    private struct Aging {
        let id: PresentationID
        let revision: UInt64
        let due: ContinuousClock.Instant
    }

    private var digests: OrderedDictionary<DigestKey, Digest> = [:]
    /// The matching presentations that wait for an answer.
    private var open: [PresentationID: Open] = [:]
    private var openCounts: [CoalescingKey: Int] = [:]
    /// The presentations by the times at which they count as aging.
    private var aging: Deque<Aging> = []
    /// The times at which the messages of the last minute were made.
    private var made: Deque<ContinuousClock.Instant> = []
    /// Those of urgent messages above the rate, which have as much room again: the rest is summed
    /// up meanwhile, and its summary does not wait for them.
    private var madeUrgent: Deque<ContinuousClock.Instant> = []
    private(set) var summary: NoticeSummary?
    private(set) var waiting: Deque<NotifyMessage> = []
    /// The waiting dead letters that do not count in ``made`` yet.
    private var uncounted: Set<String> = []
    private(set) var isSending = false
    /// The number of tries of the first waiting message.
    private var tries = 0
    private var retryAt: ContinuousClock.Instant?
    private var isHurried = false
    private(set) var failure: HookFailure?
    private(set) var sentCount = 0
    /// The notes for the log, the oldest first.
    private(set) var notes: [NotifyNote] = []

    init(_ settings: HookSettings, limits: NotifyLimits, prefix: String) {
        self.settings = settings
        self.limits = limits
        self.prefix = prefix
    }

    // MARK: What happens

    mutating func changed(_ change: InboxChange, at now: Moment) {
        let item = change.item
        let isMatch = settings.match.matches(item.report, origin: item.origin)
        let group = isMatch ? CoalescingKey(item.report) : nil
        leaveGroup(item, for: group, at: now)
        guard let group else { return }
        // Presented and not counted here: also one that came before with a report of another group,
        // or with one that this hook does not get.
        let isNew = open[item.id] == nil && item.openedRevision == item.revision
        follow(item, in: group, at: now)
        let event: HookSettings.Event? = isNew ? .opened : HookSettings.Event(change)
        if let event { collect(event, item, in: group, at: now) }
    }

    /// Takes a presentation out of its group if it was presented again with a report of another
    /// group, as over another relay, or with one that this hook does not get.
    private mutating func leaveGroup(
        _ item: InboxItem, for group: CoalescingKey?, at now: Moment
    ) {
        guard let former = open[item.id]?.item, former.openedRevision != item.openedRevision,
            case let left = CoalescingKey(former.report), left != group
        else { return }
        forget(item.id, in: left)
        collect(.ended, former, in: left, at: now)
    }

    /// Changes were lost: begins again with the presentations that are open now. What was sent as
    /// aging is not sent again.
    mutating func restart(with items: [InboxItem], missed: Int) {
        let former = open
        var entries: [Aging] = []
        open = [:]
        openCounts = [:]
        for item in items where !item.hasEnded {
            guard settings.match.matches(item.report, origin: item.origin) else { continue }
            openCounts[CoalescingKey(item.report), default: 0] += 1
            let wasMade = former[item.id].map { $0.agesAt == nil } ?? false
            let due = wasMade ? nil : settings.after.map { Self.neglectStart(of: item) + $0 }
            open[item.id] = Open(item: item, revision: item.revision, agesAt: due)
            if let due { entries.append(Aging(id: item.id, revision: item.revision, due: due)) }
        }
        aging = Deque(entries.sorted { $0.due < $1.due })
        if missed > 0 {
            if summary == nil { summary = NoticeSummary() }
            summary?.miss(missed)
        }
    }

    private mutating func follow(_ item: InboxItem, in group: CoalescingKey, at now: Moment) {
        let former = open[item.id]
        // An answer that can be undone is none yet.
        guard !item.hasEnded else { return forget(item.id, in: group) }
        open[item.id] = Open(
            item: item, revision: former?.revision ?? item.revision, agesAt: former?.agesAt)
        if former == nil { openCounts[group, default: 0] += 1 }
        guard let after = settings.after else { return }
        if former == nil {
            age(item.id, item.revision, at: now.instant + after)
        } else if let due = former?.agesAt, Self.neglectStart(of: item) + after < due {
            // Released, or claimed for a shorter time.
            age(item.id, item.revision, at: Self.neglectStart(of: item) + after)
        }
        // Rarely, so that the mean cost is low: entries of what has ended meanwhile.
        if aging.count > 2 * open.count + limits.digestCountMax {
            aging.removeAll { open[$0.id]?.revision != $0.revision }
        }
    }

    private mutating func forget(_ id: PresentationID, in group: CoalescingKey) {
        guard open.removeValue(forKey: id) != nil else { return }
        let count = (openCounts[group] ?? 0) - 1
        openCounts[group] = count > 0 ? count : nil
    }

    private mutating func age(
        _ id: PresentationID, _ revision: UInt64, at due: ContinuousClock.Instant
    ) {
        open[id]?.revision = revision
        open[id]?.agesAt = due
        let place = aging.lastIndex { $0.due <= due }.map { $0 + 1 } ?? aging.startIndex
        aging.insert(Aging(id: id, revision: revision, due: due), at: place)
    }

    /// The time from which a presentation has neither an answer nor a claim: after the end of a
    /// claim, its release or an undo the time starts again.
    private static func neglectStart(of item: InboxItem) -> ContinuousClock.Instant {
        switch item.stage {
        case .claimed(_, let until), .leaving(_, let until): until.instant
        case .open, .answered, .settled, .closed: item.changedAt.instant
        }
    }

    private mutating func collect(
        _ event: HookSettings.Event, _ item: InboxItem, in group: CoalescingKey, at now: Moment
    ) {
        guard settings.events.contains(event) else { return }
        let key = DigestKey(event: event, group: group)
        if digests[key]?.notice != nil {
            let isKnown = digests[key]?.ids.insert(item.id).inserted == false
            digests[key]?.notice?.add(item, isKnown: isKnown)
        } else if digests[key] != nil {
            digests[key]?.notice = Notice(event, item)
            digests[key]?.ids = [item.id]
        } else if digests.count < limits.digestCountMax {
            digests[key] = Digest(
                notice: Notice(event, item), ids: [item.id], due: now.instant + settings.digest,
                window: settings.digest, severity: item.report.severity)
        } else if event.isUrgent(item.report.severity) {
            // Not collected, but sent now, as far as the rate allows.
            send(Notice(event, item), in: group, at: now)
        } else {
            sumUp(event, 1, of: item.report.severity, in: item.report.groupKey)
        }
        guard let digest = digests[key], digest.severity < item.report.severity else { return }
        let due = min(digest.due, now.instant + settings.digest)
        digests[key]?.severity = item.report.severity
        digests[key]?.due = due
    }

    // MARK: Time

    /// Does the due work. Returns the message to send now, if any; ``delivered()`` or
    /// ``failed(_:pause:at:)`` report its end.
    mutating func step(at now: Moment) -> NotifyMessage? {
        forgetMade(at: now)
        if let time = retryAt, time <= now.instant { retryAt = nil }
        // Before new messages, which would take each place that becomes free.
        countFirst(at: now)
        notice(aged: now)
        for (key, digest) in digests where digest.due <= now.instant {
            finish(key, digest, at: now)
        }
        sendSummary(at: now)
        countFirst(at: now)
        guard !isSending, retryAt == nil, let first = waiting.first,
            !uncounted.contains(first.id)
        else { return nil }
        isSending = true
        tries += 1
        return first
    }

    /// Counts a dead letter that is next, if the rate allows it.
    private mutating func countFirst(at now: Moment) {
        guard let first = waiting.first, uncounted.contains(first.id),
            made.count < settings.perMinute || isHurried
        else { return }
        made.append(now.instant)
        uncounted.remove(first.id)
    }

    /// The time of the next step; nil if only a change or the end of a try causes one.
    var nextStep: ContinuousClock.Instant? {
        var times = digests.values.map(\.due)
        if let due = aging.first?.due { times.append(due) }
        if summary != nil, let first = made.first, waiting.count < limits.waitingMax {
            times.append(first + limits.rateTime)
        }
        if !isSending, let next = waiting.first {
            if let retryAt {
                times.append(retryAt)
            } else if uncounted.contains(next.id), let first = made.first {
                times.append(first + limits.rateTime)
            }
        }
        return times.min()
    }

    private mutating func notice(aged now: Moment) {
        while let next = aging.first, next.due <= now.instant {
            aging.removeFirst()
            guard let open = open[next.id], open.revision == next.revision,
                let after = settings.after
            else { continue }
            let due = Self.neglectStart(of: open.item) + after
            if due > now.instant {
                age(next.id, next.revision, at: due)
            } else {
                self.open[next.id]?.agesAt = nil
                collect(.aging, open.item, in: CoalescingKey(open.item.report), at: now)
            }
        }
    }

    private mutating func finish(_ key: DigestKey, _ digest: Digest, at now: Moment) {
        guard let notice = digest.notice else {
            digests[key] = nil
            return
        }
        let window = min(digest.window * 2, max(digest.window, limits.digestMax))
        digests[key] = Digest(
            notice: nil, due: now.instant + window, window: window, severity: digest.severity)
        send(notice, in: key.group, at: now)
    }

    /// Makes a message of a notice if the rate allows it, and counts its events otherwise.
    private mutating func send(_ notice: Notice, in group: CoalescingKey, at now: Moment) {
        var notice = notice
        notice.openCount = openCounts[group] ?? 0
        forgetMade(at: now)
        let hasRoom = waiting.count < limits.waitingMax
        if hasRoom, summary == nil, made.count < settings.perMinute {
            enqueue(.notice(notice), at: now)
        } else if hasRoom, notice.isUrgent, madeUrgent.count < settings.perMinute {
            enqueue(.notice(notice), at: now, isUrgent: true)
        } else {
            sumUp(notice.event, notice.count, of: notice.severity, in: notice.first.group)
        }
    }

    private mutating func sendSummary(at now: Moment) {
        forgetMade(at: now)
        guard let summary, made.count < settings.perMinute, waiting.count < limits.waitingMax
        else { return }
        self.summary = nil
        enqueue(.summary(summary), at: now)
    }

    private mutating func enqueue(
        _ content: NotifyMessage.Content, at now: Moment, isUrgent: Bool = false
    ) {
        lastNumber += 1
        if isUrgent { madeUrgent.append(now.instant) } else { made.append(now.instant) }
        waiting.append(
            NotifyMessage(id: "\(prefix)-\(lastNumber)", content: content, madeAt: now))
    }

    private mutating func sumUp(
        _ event: HookSettings.Event, _ count: Int, of severity: Severity,
        in group: @autoclosure () -> String
    ) {
        if summary == nil {
            summary = NoticeSummary()
            notes.append(.summing(settings.name))
        }
        summary?.add(event, count, of: severity, in: group())
    }

    private mutating func forgetMade(at now: Moment) {
        let end = now.instant - limits.rateTime
        made.removeFirst(made.prefix { $0 <= end }.count)
        madeUrgent.removeFirst(madeUrgent.prefix { $0 <= end }.count)
    }

    // MARK: Tries

    mutating func delivered() {
        isSending = false
        guard waiting.popFirst() != nil else { return }
        tries = 0
        retryAt = nil
        sentCount += 1
        if let failure { notes.append(.worksAgain(settings.name, after: failure.tries)) }
        failure = nil
    }

    /// A try failed. Returns the message if that was its last try.
    ///
    /// - Parameter pause: The pause that the receiver asks for before the next try.
    mutating func failed(
        _ reason: String, pause: Duration?, at now: Moment
    ) -> DeadLetter.Failed? {
        isSending = false
        guard let message = waiting.first else { return nil }
        if failure == nil { notes.append(.fails(settings.name, reason)) }
        failure = HookFailure(
            reason: reason, since: failure?.since ?? now, tries: (failure?.tries ?? 0) + 1)
        let doubled = limits.retryTime * (1 << min(tries - 1, 16))
        let asked = min(pause ?? .zero, limits.pauseMax)
        retryAt = now.instant + max(min(doubled, limits.retryMax), asked)
        guard tries >= settings.tries || isHurried else { return nil }
        // While the node stops, each gets one more try, whatever became of the one before.
        if isHurried { retryAt = nil }
        waiting.removeFirst()
        defer { tries = 0 }
        return DeadLetter.Failed(message: message, tries: tries, reason: reason)
    }

    /// Sends a dead letter again, after the waiting messages, once the rate allows it.
    mutating func retry(_ message: NotifyMessage) {
        waiting.append(message)
        uncounted.insert(message.id)
    }

    /// Whether no message is left to send.
    var isDone: Bool { waiting.isEmpty }

    /// Makes messages of all collected events, for a node that shuts down. The first call also ends
    /// the wait for the next try.
    mutating func hurry(at now: Moment) {
        aging = []
        for (key, digest) in digests where digest.notice != nil { finish(key, digest, at: now) }
        digests = [:]
        if let summary { enqueue(.summary(summary), at: now) }
        summary = nil
        if !isHurried { retryAt = nil }
        isHurried = true
    }

    /// All waiting messages, as letters that were not sent.
    mutating func abandon() -> [DeadLetter.Failed] {
        defer {
            waiting = []
            uncounted = []
        }
        return waiting.enumerated().map { index, message in
            DeadLetter.Failed(
                message: message, tries: index == 0 ? tries : 0,
                reason: failure?.reason ?? "the node shut down")
        }
    }

    mutating func takeNotes() -> [NotifyNote] {
        defer { notes = [] }
        return notes
    }
}
