@testable import ErrorBus

/// The end of the chain: a person who takes their time, and a journal that has each answer before
/// it goes out. What is in the journal is never asked again.
final class PresenterNode: SimulatedNode, DownlinkOwner {
    private struct Record {
        let answer: Answer
        let offered: [String]
        var isDurable = false
        var result: RecoveryResult?
        var isResultDurable = false
    }

    private final class Run {
        let offer: DownlinkOffer
        var isPrompting = false
        var isReachable: Bool
        init(_ offer: DownlinkOffer) {
            self.offer = offer
            isReachable = offer.present.isOriginReachable
        }
        var id: PresentationID { offer.present.id }
    }

    private var journal: [PresentationID: Record] = [:]
    private var running: [PresentationID: Run] = [:]
    private var ownAttempts: Set<PresentationID> = []
    private var promptCount = 0

    override func began() { downlink = DownlinkDriver(self, owner: self) }

    /// The process dies; the disk keeps what was safe, and perhaps more.
    override func lostMemory() {
        running = [:]
        ownAttempts = []
        promptCount = 0
        for id in journal.keys.sorted(by: { $0.value.isBefore($1.value) }) {
            guard var record = journal[id] else { continue }
            let isLost = world.plan.profile.losesUnsyncedTail && world.random.happens(0.5)
            if !record.isDurable {
                if isLost {
                    journal[id] = nil
                    continue
                }
                recorded(id, &record)
            }
            if !record.isResultDurable, isLost { record.result = nil }
            journal[id] = record
        }
        if world.mutation == .journalLost { journal = [:] }
    }

    private func recorded(_ id: PresentationID, _ record: inout Record) {
        guard !record.isDurable else { return }
        record.isDurable = true
        world.ledger.note(
            .recorded(
                id, answer: record.answer.id, option: record.answer.option,
                offered: record.offered, name))
    }

    // MARK: DownlinkOwner

    func offered(_ offer: DownlinkOffer) {
        let run = Run(offer)
        if let former = running[run.id] { close(former) }
        running[run.id] = run
        hop { [self] in begin(run) }
    }

    func cancelled(_ id: PresentationID, generation: Int, reason: DownlinkAction.Outcome) {
        if world.mutation == .promptsStayOpen { return }
        guard let run = running[id], run.offer.generation == generation else { return }
        close(run)
        running[id] = nil
    }

    func settledLater(_ id: PresentationID, answer: UniqueID, _ result: RecoveryResult) {
        settled(id, answer, result)
    }

    func passOn(_ settled: Message.Settled) {
        guard journal[settled.id]?.answer.id == settled.answer else { return }
        self.settled(settled.id, settled.answer, settled.result)
    }

    func passOnWithdrawal(of id: PresentationID, _ asked: Message.Asked) {
        guard let record = journal[id], record.result == nil else { return }
        settled(id, record.answer.id, .withdrawn)
    }

    func withdrawnForGood(_ id: PresentationID) {}

    private func settled(_ id: PresentationID, _ answer: UniqueID, _ result: RecoveryResult) {
        world.ledger.note(.settled(id, answer: answer, result, name))
        guard var record = journal[id], record.answer.id == answer, result != .unknown else {
            return
        }
        record.result = result
        record.isResultDurable = false
        journal[id] = record
        after(world.random.number(in: 0...world.plan.profile.syncMax)) { [self] in
            if journal[id]?.result == result { journal[id]?.isResultDurable = true }
        }
    }

    func reachable(_ id: PresentationID, _ isReachable: Bool) {
        running[id]?.isReachable = isReachable
        world.ledger.note(.promptSays(id, isReachable: isReachable, by: name, life: life))
    }

    // MARK: The person

    private func begin(_ run: Run) {
        guard running[run.id] === run else { return }
        if let record = journal[run.id], world.mutation != .presenterForgetsAnswers {
            // One that is not safe yet goes out when it is.
            if record.isDurable { release(record, run) }
            return
        }
        run.isPrompting = true
        promptCount += 1
        world.ledger.note(.promptOpened(run.id, by: name, life: life))
        reachable(run.id, run.isReachable)
        if let deadline = run.offer.deadline {
            after(deadline.since(world.time)) { [self] in expire(run) }
        }
        downlink?.move(
            run.id, generation: run.offer.generation, to: .presented, by: name.description)
        after(world.random.waiting(mean: world.plan.profile.thinkingMean) + 1) { [self] in
            answer(run)
        }
    }

    private func close(_ run: Run) {
        guard run.isPrompting else { return }
        run.isPrompting = false
        promptCount -= 1
        world.ledger.note(.promptClosed(run.id, by: name, life: life))
    }

    /// Later answers are not taken any more.
    private func expire(_ run: Run) {
        guard run.isPrompting else { return }
        close(run)
        hop { [self] in
            downlink?.complete(
                run.id, generation: run.offer.generation,
                .decided(
                    Message.Decision(
                        id: run.id, answer: world.makeID(), by: name.description, via: .expiry,
                        didRecover: false, reason: "expired")))
            if running[run.id] === run { running[run.id] = nil }
        }
    }

    private func answer(_ run: Run) {
        guard run.isPrompting else { return }
        var options = OptionList(run.offer.present.payload).options
        if decides(world.plan.profile.ownOption, run.id, 3) { options.append("\(name).own") }
        guard !options.isEmpty else { return }
        let answer = Answer(
            id: world.makeID(), option: world.random.pick(options), by: "person", via: .person)
        close(run)
        journal[run.id] = Record(answer: answer, offered: options)
        if world.mutation == .answersBeforeJournal, let record = journal[run.id] {
            release(record, run)
        }
        let id = run.id
        after(world.random.number(in: 0...world.plan.profile.syncMax)) { [self] in
            guard var record = journal[id], record.answer == answer else { return }
            recorded(id, &record)
            journal[id] = record
            if world.mutation == .answersBeforeJournal { return }
            // Asked again meanwhile, it is the later asking's.
            release(record, running[id] ?? run)
        }
    }

    /// The recorded answer goes to its owner.
    private func release(_ record: Record, _ run: Run) {
        let answer = record.answer
        world.ledger.note(.released(run.id, answer: answer.id, name))
        if let result = record.result {
            return finish(run, answer, result)
        }
        if answer.option == "\(name).own" {
            guard ownAttempts.insert(run.id).inserted else { return }
            return attempt(run.id, (answer.id, answer.option)) { [self] result in
                ownAttempts.remove(run.id)
                settled(run.id, answer.id, result)
                finish(running[run.id] ?? run, answer, result)
            }
        }
        downlink?.attempt(answer, of: run.id, generation: run.offer.generation) {
            [unowned self] result in
            settled(run.id, answer.id, result)
            finish(run, answer, result)
        }
    }

    private func finish(_ run: Run, _ answer: Answer, _ result: RecoveryResult) {
        hop { [self] in
            downlink?.complete(
                run.id, generation: run.offer.generation,
                .decided(
                    Message.Decision(
                        id: run.id, answer: answer.id, by: answer.by, via: answer.via,
                        option: answer.option, didRecover: result == .recovered,
                        reason: "answered")))
            if running[run.id] === run { running[run.id] = nil }
        }
    }

    override var isQuiet: Bool { super.isQuiet && running.isEmpty && promptCount == 0 }
    override var openText: String {
        "\(downlink?.openText ?? "") | prompts \(promptCount), running "
            + running.values.map { "\($0.id.short) gen \($0.offer.generation)" }.sorted()
            .joined(separator: ", ")
    }
}
