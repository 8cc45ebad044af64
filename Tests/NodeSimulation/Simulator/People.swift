import ErrorBus

/// An inbox, and the people in front of it: they answer after a while, claim first, take answers
/// back, and answer groups.
// Unchecked: see Scheduler.
final class People: Presenter, @unchecked Sendable {
    let presenterName: String
    let inbox: Inbox
    let world: World
    let limits: InboxLimits
    private let life: Life
    /// What a console has that reads the inbox.
    var reader: Reader
    /// What is in front of them, by the number of the prompt; and where the ledger has it.
    private var open: [Int: (id: PresentationID, place: Int)] = [:]
    private var promptCount = 0
    /// Until when something is or was claimed, and by whom.
    var claims: [PresentationID: Claim] = [:]
    /// Who made the latest proposal.
    var proposers: [PresentationID: Proposer] = [:]
    /// What ended here without an answer.
    private var closed: Set<PresentationID> = []
    /// Proposals that another person has confirmed.
    var confirmed: [PresentationID: [InboxProposal]] = [:]
    /// What each group is of.
    var kinds: [Int: String] = [:]
    /// Who is asked before them.
    private let before: People?

    init(
        _ name: String, _ life: Life, _ world: World, limits: InboxLimits, after before: People?
    ) {
        self.before = before
        self.limits = limits
        presenterName = name
        inbox = Inbox(name, limits: limits)
        self.life = life
        self.world = world
        let lot = world.plan.calls.reduce(UInt64(life.number)) { $0 &+ $1.time }
        reader = Reader(lot: lot)
    }

    func present(_ prompt: Prompt) async throws -> Answer? {
        promptCount += 1
        let number = promptCount
        guard !life.isOver else { return nil }
        show(prompt, number)
        prompt.onRecord { [weak self, weak prompt] isRecorded in
            if let prompt { self?.learned(isRecorded, prompt) }
        }
        let answer = try await inbox.present(prompt)
        hide(number)
        if case .closed = (try? inbox.item(prompt.id))?.stage { closed.insert(prompt.id) }
        if !life.isOver, world.plan.manner == .late { answerElsewhere(prompt.id) }
        if !life.isOver, (try? inbox.item(prompt.id))?.isOpen == true,
            !open.values.contains(where: { $0.id == prompt.id })
        {
            world.ledger.leftStanding.append(prompt.id)
        }
        return answer
    }

    private func show(_ prompt: Prompt, _ number: Int) {
        let now = world.scheduler.now
        world.scheduler.note("shown \(prompt.id) to \(presenterName) \(number)")
        if open.values.contains(where: { $0.id == prompt.id }) {
            world.ledger.doublePrompts.append((prompt.id, presenterName))
        }
        if presenterName != Plan.desk, world.ledger.decision(of: prompt.id) != nil {
            world.ledger.shownDecided.append(prompt.id)
        }
        // A claim ends with it, and outlasts only that it is asked by another way.
        if closed.remove(prompt.id) != nil { claims[prompt.id] = nil }
        if world.plan.manner == .signedIn { keepClaim(of: prompt.id) }
        // What was taken back before it returned counts as little as before.
        if let given = world.ledger.given.last(where: {
            $0.id == prompt.id && isKnownUndone($0)
        }) {
            repeatTakenBack(given, option: "skip")
        }
        let isProposed =
            before != nil && world.plan.needsTwoPeople
            && now + 50 < world.ledger.proposedUntil[prompt.id] ?? 0
        if before?.claimant(of: prompt.id) != nil || isProposed {
            world.ledger.passedOver.append(prompt.id)
        }
        open[number] = (prompt.id, world.ledger.shown.count)
        defer {
            let shown = world.ledger.shown[world.ledger.shown.count - 1]
            world.lookAtRoom(of: shown)
            world.lookAtWay(of: shown)
        }
        world.ledger.standing.append(world.ledger.shown.count)
        world.ledger.shown.append(
            Ledger.Shown(
                id: prompt.id, presenter: presenterName, time: now,
                origin: prompt.origin?.description, path: prompt.path.map(\.description),
                life: life.number, isMarked: prompt.wasShownBefore,
                retryOf: prompt.report.retryOf, retryCount: prompt.retryCount,
                options: prompt.report.options.map(\.id), onExpiry: prompt.report.onExpiry,
                hasSecret: prompt.report.userInfo["secret"] != nil,
                deadline: prompt.deadline.map { deadline in
                    let left = ContinuousClock.now.duration(to: deadline) / .milliseconds(1)
                    return UInt64(max(0, Double(now) + left))
                }))
        world.ledger.offered[prompt.id, default: []].formUnion(prompt.report.options.map(\.id))
        world.ledger.prompts[prompt.id, default: 0] += 1
        think(about: prompt.id)
    }

    /// People read whether the answer is on record.
    private func learned(_ isRecorded: Bool, _ prompt: Prompt) {
        guard !life.isOver else { return }
        if presenterName == Plan.desk {
            // There is no disk: given is recorded.
            if isRecorded, let answer = prompt.answer {
                world.ledger.deskAnswers.append(
                    Ledger.Decision(id: prompt.id, answer: answer, time: world.scheduler.now))
            }
            return
        }
        let onDisk = world.ledger.decision(of: prompt.id)?.answer.id
        let isOnDisk = prompt.answer.map { $0.id == onDisk } ?? false
        world.ledger.records.append((prompt.id, prompt.answer?.id, isRecorded, isOnDisk))
    }

    private func hide(_ number: Int) {
        guard let (id, place) = open.removeValue(forKey: number) else { return }
        world.scheduler.note("hidden \(id) from \(presenterName) \(number)")
        world.ledger.shown[place].hidden = world.scheduler.now
        world.ledger.standing.removeAll { $0 == place }
        world.ledger.prompts[id, default: 1] -= 1
    }

    /// The process goes down in order.
    func stopped() {
        for (_, place) in open.values { world.ledger.shown[place].isCutOff = true }
    }

    /// The process is gone, and its screens with it.
    func died() {
        stopped()
        for number in open.keys.sorted() { hide(number) }
    }

    var lifeNumber: Int { life.number }
    var isOver: Bool { life.isOver }

    /// What is in front of them.
    var openIDs: [PresentationID] { open.values.map(\.id) }

    var items: [Ledger.Item] {
        inbox.items().map { item in
            var result: RecoveryResult?
            if case .settled(_, let known) = item.stage { result = known }
            var closed: Outcome.Reason?
            if case .closed(let reason) = item.stage { closed = reason }
            return Ledger.Item(
                id: item.id, presenter: presenterName, answer: item.answer?.id, result: result,
                closed: closed, isReachable: item.isReachable,
                hasSecret: item.answer?.given.secrets.isEmpty == false, life: life.number,
                openedAt: time(of: item.openedAt), notes: item.notes.map(\.text))
        }
    }

    /// By the scheduler's clock.
    private func time(of moment: Moment) -> UInt64 {
        let past = moment.instant.duration(to: .now) / .milliseconds(1)
        return UInt64(max(0, (Double(world.scheduler.now) - past).rounded()))
    }

    /// Until it has ended: what is held back may be taken back.
    private func think(about id: PresentationID) {
        if presenterName == Plan.desk, world.plan.isDeskIdle { return }
        let scheduler = world.scheduler
        let most = isRestless || isToBeClaimed(id) ? 1_500 : world.thinkingMax
        scheduler.after(scheduler.random.number(100...most)) { [self] in
            guard !life.isOver, let item = try? inbox.item(id) else { return }
            lookAtGroup(of: item)
            switch item.stage {
            case .open, .claimed: act(on: item)
            case .leaving: break
            case .answered, .settled, .closed: return
            }
            think(about: id)
        }
    }

    // What is refused has ended, or is another person's: it is looked at again either way.
    private func act(on item: InboxItem) {
        let scheduler = world.scheduler
        let option = scheduler.random.pick(item.report.options.map(\.id))
        let person = scheduler.random.pick(["ann", "bob"])
        trespass(on: item, by: person)
        write(on: item, by: person)
        if world.plan.manner == .signedIn { return actSignedIn(on: item, option) }
        if world.plan.manner == .sharing, scheduler.random.happens(0.6) {
            return share(item, option, by: person)
        }
        if isRestless || isToBeClaimed(item.id) { return claimOrRelease(item, by: person) }
        switch world.plan.manner == .hesitant ? 2 : scheduler.random.index(below: 10) {
        case 0: break
        case 1:
            guard claim(item.id, by: person), scheduler.random.happens(0.3) else { return }
            scheduler.after(scheduler.random.number(0...10_000)) { [self] in
                if !life.isOver { release(item.id, by: person) }
            }
        case 2:
            guard answer(item.id, option, by: person, undo: 5_000) else { return }
            world.ledger.caredFor[item.id] = scheduler.now + 5_000
            attempt("to take another answer back than the one to \(item.id)") {
                try inbox.undo(item.id, only: item.id.value)
            }
            if world.plan.undoesAtDeadline { return undoAtDeadline(of: item.id) }
            guard scheduler.random.happens(0.5) else { return }
            scheduler.after(scheduler.random.number(0...6_000)) { [self] in undo(item.id) }
        case 3:
            answerGroup(of: item, option, by: person)
        default:
            guard answer(item.id, option, by: person, undo: 0) else { return }
            if world.plan.asksBoth { answerElsewhere(item.id) }
            guard scheduler.random.happens(0.2) else { return }
            if answer(item.id, scheduler.random.pick(["retry", "skip"]), by: "bob", undo: 0) {
                world.ledger.secondAnswers.append(item.id)
            }
        }
    }

    /// All of a group, some of it, or what was there some time ago.
    private func answerGroup(of item: InboxItem, _ option: String, by person: String) {
        let kind = world.scheduler.now % 3
        let members = inbox.items().filter { $0.group == item.group }
        let older = members.filter { $0.joinedRevision <= item.joinedRevision }.map(\.id)
        let chosen = kind == 1 ? Set(older) : nil
        let seen = kind == 2 ? item.joinedRevision : nil
        let answered = try? inbox.answerGroup(
            item.group, only: chosen, option: option, by: person, seen: seen
        ).answered
        for id in answered ?? []
        where world.ledger.trouble(of: id) != world.ledger.trouble(of: item.id)
            || kind != 0 && !older.contains(id)
        {
            world.ledger.misgrouped.append(id)
        }
    }

    private var isRestless: Bool {
        world.plan.manner == .restless && world.scheduler.now < world.start + world.plan.chaosLasts
    }

    private func isToBeClaimed(_ id: PresentationID) -> Bool {
        world.plan.manner == .claiming && claims[id] == nil
    }

    private func claimOrRelease(_ item: InboxItem, by person: String) {
        if case .claimed(let holder, _) = item.stage {
            // Another person takes some over.
            if holder != person, world.scheduler.now.isMultiple(of: 2) {
                _ = claim(item.id, by: person, takesOver: true)
            } else {
                release(item.id, by: holder)
            }
        } else {
            _ = claim(item.id, by: person)
        }
    }

    private func claim(
        _ id: PresentationID, by person: String, takesOver: Bool = false
    ) -> Bool {
        let time = Duration.seconds(20)
        let account = account(of: person)
        let until = try? inbox.claim(
            id, by: person, of: account, for: time, takesOver: takesOver)
        guard until != nil else { return false }
        noteClaimed(id, by: person, of: account, for: 20_000)
        return true
    }

    private func release(_ id: PresentationID, by person: String) {
        let stage = (try? inbox.item(id))?.stage
        guard (try? inbox.release(id, by: person, of: account(of: person))) != nil else { return }
        // Where no one has claimed it, nothing changes.
        guard case .claimed = stage else { return }
        noteReleased(id, by: person)
    }

    /// At the same moment another person answers it at the other inbox.
    private func answerElsewhere(_ id: PresentationID) {
        let option = world.scheduler.random.pick(["retry", "skip"])
        for other in life.people where other !== self {
            if other.answer(id, option, by: "bob", undo: 0) {
                world.ledger.secondAnswers.append(id)
            }
        }
    }

    func claimant(of id: PresentationID) -> String? {
        claims[id].flatMap { world.scheduler.now < $0.until ? $0.person : nil }
    }

    /// Whether the inbox took it.
    private func answer(
        _ id: PresentationID, _ option: String, by person: String, undo: UInt64
    ) -> Bool {
        let now = world.scheduler.now
        let number = PresentationID.make().value
        let proposal = (try? inbox.item(id))?.proposal
        let values = values(for: option, of: id)
        let comment = comment(on: id)
        func give() -> Answer? {
            choose(
                id, option, by: person, as: number, confirming: proposal,
                undo: .milliseconds(undo), values: values, comment: comment)
        }
        guard let taken = give() else { return false }
        world.ledger.given.append(
            Ledger.Given(
                id: id, presenter: presenterName, answer: number, counted: give()?.id, by: taken.by,
                account: account(of: taken.by), second: taken.second, values: values,
                comment: taken.second == nil ? comment : proposal?.values.comment, time: now,
                undo: undo,
                claimant: claimant(of: id), life: life.number))
        claims[id] = nil
        return true
    }

    func undo(_ id: PresentationID) {
        guard !life.isOver, (try? inbox.undo(id)) != nil else { return }
        tookBack(id)
    }

    /// An answer was taken back.
    func tookBack(_ id: PresentationID) {
        guard
            let place = world.ledger.given.lastIndex(where: {
                $0.id == id && $0.presenter == presenterName && !$0.isUndone
            })
        else { return }
        world.ledger.given[place].isUndone = true
        world.ledger.proposedUntil[id] = nil
        if (try? inbox.item(id))?.proposal != nil {
            world.ledger.trespasses.append("\(presenterName): a proposal from before, of \(id)")
        }
        repeatTakenBack(world.ledger.given[place], option: "skip")
        repeatProposals(for: id)
        // Its author has a minute for another answer, and the caller learns that.
        let given = world.ledger.given[place]
        noteClaimed(id, by: given.by, of: given.account, for: 60_000)
    }

    /// At once, what is in front of them.
    func answerAll() {
        for id in open.sorted(by: { $0.key < $1.key }).map(\.value.id) {
            _ = answer(id, "skip", by: "ann", undo: 0)
        }
    }

    /// - Parameter account: Nil where only the name is known.
    func noteClaimed(
        _ id: PresentationID, by person: String, of account: String?, for time: UInt64
    ) {
        noteClaim(of: id, by: person, account, for: time)
        world.ledger.claims.append((id, world.scheduler.now, .claimed, person))
    }

    func noteReleased(_ id: PresentationID, by person: String) {
        noteClaim(of: id, by: person, nil, for: 0)
        world.ledger.claims.append((id, world.scheduler.now, .presented, person))
    }

    private func noteClaim(
        of id: PresentationID, by person: String, _ account: String?, for time: UInt64
    ) {
        claims[id] = Claim(
            person: person, account: account, until: world.scheduler.now + time)
        world.ledger.handled.append((id, world.scheduler.now))
        world.ledger.caredFor[id] = world.scheduler.now + time
        noteAtBoth(id, person, for: time)
    }
}
