import Synchronization

/// The presenter that keeps a node's open and recently ended presentations for any number of
/// consoles and terminals.
///
/// The first answer counts, wherever it was given; everyone else sees its author. The inbox must
/// also be the node's audit log, from which it learns each result.
///
/// Grouping is HRS's coalescing queue without its two faults: each origin runs its own attempter,
/// and equal errors need not be adjacent (A26, A27).
package final class Inbox: Presenter {
    package let presenterName: String

    struct State {
        var machine: InboxMachine
        var waiting: [PresentationID: Waiting] = [:]
        /// The records of answers given here, until they are written or given up.
        var records: [PresentationID: AnswerRecord] = [:]
        var observers: [Int: AsyncStream<UInt64>.Continuation] = [:]
        var lastObserver = 0
        var watcher: (@Sendable (InboxChange) -> Void)?
    }

    /// A presenter's task that waits for the end of a presentation.
    struct Waiting {
        let prompt: Prompt
        let ended: FirstValue<Void>
    }

    let state: Mutex<State>
    private let limits: InboxLimits
    /// The waits for the ends of claims, each until the presentation ends here.
    private let claimEnds = Mutex<[PresentationID: Task<Void, Never>]>([:])

    package init(_ name: String = "inbox", limits: InboxLimits = InboxLimits()) {
        presenterName = name
        self.limits = limits
        state = Mutex(State(machine: InboxMachine(limits: limits)))
    }

    /// Restores the presentations of an earlier life; once, before the first one arrives.
    package func restore(_ records: [InboxRecord]) {
        change { $0.machine.restored(records, at: .now) }
    }

    /// The changes up to this revision are stored. The inbox forgets only stored ones from now on.
    package func kept(upTo revision: UInt64) {
        state.withLock { $0.machine.kept(upTo: revision) }
    }

    /// Holds the presentation until it is answered here or elsewhere. Declines when the inbox is
    /// full, and when no person answered or claimed it within `escalateAfter`.
    package func present(_ prompt: Prompt) async throws -> Answer? {
        let ended = FirstValue<Void>()
        let isHeld = change { state in
            let item = state.machine.opened(InboxPresentation(prompt), at: .now)
            guard let item else { return false }
            state.waiting[prompt.id] = Waiting(prompt: prompt, ended: ended)
            report(item, to: prompt)
            return true
        }
        guard isHeld else { return nil }
        watchContact(of: prompt)
        let escalation = limits.escalateAfter.map { after in
            Task { await escalate(prompt.id, ended, after: after) }
        }
        await withTaskCancellationHandler {
            await ended.value
        } onCancel: {
            ended.offer(())
        }
        escalation?.cancel()
        conclude(prompt, ended)
        watchRecord(of: prompt)
        return prompt.answer
    }

    private func watchContact(of prompt: Prompt) {
        guard let contact = prompt.contact else { return }
        // The prompt keeps the contact, which keeps the closure.
        let look: @Sendable () -> Void = { [weak self, weak contact, id = prompt.id] in
            self?.change { $0.machine.look(at: contact, of: id) }
        }
        contact.onChange { _ in look() }
        look()
    }

    /// Waits until a presentation was neither answered nor claimed for `limit`, and closes its item
    /// in the same step: an answer comes before that or is refused.
    private func escalate(
        _ id: PresentationID, _ ended: FirstValue<Void>, after limit: Duration
    ) async {
        while true {
            let neglect = change { state in
                guard state.waiting[id]?.ended === ended else { return InboxNeglect.over }
                return state.machine.declineNeglected(id, after: limit, at: .now)
            }
            switch neglect {
            case .over: return
            case .neglected:
                ended.offer(())
                return
            case .lookAgain(let time):
                do { try await ContinuousClock().sleepInSteps(until: time) } catch { return }
            }
        }
    }

    private func conclude(_ prompt: Prompt, _ ended: FirstValue<Void>) {
        change { state in
            // Presented again meanwhile: the entry in the table belongs to the later call.
            guard state.waiting[prompt.id]?.ended === ended else { return }
            state.waiting[prompt.id] = nil
            claimEnds.withLock { $0.removeValue(forKey: prompt.id) }?.cancel()
            switch prompt.ending {
            case .answered(let answer):
                switch state.machine.items[prompt.id]?.stage {
                // Answered here; or another answer was on record, which the item already shows.
                case .answered, .settled: break
                case .open, .claimed, .leaving, .closed, nil:
                    state.machine.decided(prompt.id, answer, at: .now)
                }
            case .closed(let reason): state.machine.closed(prompt.id, reason, at: .now)
            // Nothing changes where it was declined.
            case nil: state.machine.closed(prompt.id, .withdrawn, at: .now)
            }
        }
    }

    // MARK: What people do

    /// Answers one presentation.
    ///
    /// - Parameters:
    ///   - by: The author, for the record and for everyone who sees the presentation.
    ///   - identity: The author's identity (``SignedInPerson``); also for other acts.
    ///   - id: Names this answer; the same author's same answer again is acknowledged and changes
    ///     nothing, another one with this id is refused.
    ///   - undo: How long the answer is held so that it can be undone; at most until the deadline.
    ///   - values: The values of the option's fields, by name, those of secrets among them.
    ///   - comment: The author's reason for the answer.
    @discardableResult
    package func answer(
        _ presentation: PresentationID, option: String, by: String, of identity: String? = nil,
        via: Answer.Via = .person, id: UniqueID? = nil, undo: Duration = .zero,
        values: [String: JSONValue] = [:], comment: String? = nil
    ) throws(InboxRefusal) -> Answer {
        let answer = Answer(
            id: id ?? PresentationID.make().value, option: option, by: by, via: via,
            comment: comment)
        return try decide(presentation) { machine, now throws(InboxRefusal) in
            try machine.refuseReuse(of: id, for: presentation)
            return try machine.answer(
                presentation, with: answer, values, of: identity, undo: undo, at: now)
        }
    }

    /// Performs the machine's decision about an answer.
    func decide(
        _ presentation: PresentationID,
        _ body: (inout InboxMachine, Moment) throws(InboxRefusal) -> InboxDecision
    ) throws(InboxRefusal) -> Answer {
        let decision = try attempt { state throws(InboxRefusal) in
            let decision = try body(&state.machine, .now)
            if case .hold(let answer, _) = decision {
                state.waiting[presentation]?.prompt.hold(answer)
            }
            return decision
        }
        switch decision {
        case .send(let answer): return try send(answer, to: presentation)
        case .hold(let answer, let until):
            Task { await leave(presentation, answer, at: until) }
            return answer
        case .acknowledged(let answer): return answer
        }
    }

    /// An act of a person that decides nothing.
    func act<Value: Sendable>(
        _ body: (inout InboxMachine, Moment) throws(InboxRefusal) -> Value
    ) throws(InboxRefusal) -> Value {
        try attempt { state throws(InboxRefusal) in try body(&state.machine, .now) }
    }

    /// Performs an act on the claims of a group, and reports the claims on the changed members.
    func actOnClaims(
        _ body: (inout InboxMachine, Moment) throws(InboxRefusal) -> GroupClaim
    ) throws(InboxRefusal) -> GroupClaim {
        try attempt { state throws(InboxRefusal) in
            let result = try body(&state.machine, .now)
            for id in result.changed {
                report(state.machine.items[id], to: state.waiting[id]?.prompt)
            }
            return result
        }
    }

    /// Ends an open presentation without a prompt: the origin completes with `withheld`. A
    /// presentation that a person has claimed stays open.
    package func withhold(_ id: PresentationID, by decider: String) throws(InboxRefusal) {
        try attempt { state throws(InboxRefusal) in
            let prompt = state.waiting[id]?.prompt
            try state.machine.withheld(id, by: decider, at: .now) { () throws(InboxRefusal) in
                guard let prompt, !prompt.close(.withheld, by: decider) else { return }
                // It ended a moment before, which this inbox shows next.
                let end = prompt.answer.map { AnswerRefusal.alreadyAnswered($0) }
                throw InboxRefusal(end ?? .closed(prompt.closeReason ?? .withdrawn), at: .now)
            }
        }
    }

    /// Undoes an answer that is still held, with `only` no other one; its author then holds the
    /// claim for a minute.
    package func undo(_ id: PresentationID, only meant: UniqueID? = nil) throws(InboxRefusal) {
        try undoing { machine, drop throws(InboxRefusal) in
            try machine.undo(id, only: meant, at: .now, dropped: drop)
        }
    }

    /// Undoes held answers, but none that counts already since its deadline has passed.
    func undoing<Value: Sendable>(
        _ body: (inout InboxMachine, _ drop: (PresentationID, UniqueID) -> Bool)
            throws(InboxRefusal) -> Value
    ) throws(InboxRefusal) -> Value {
        try attempt { state throws(InboxRefusal) in
            let waiting = state.waiting
            return try body(&state.machine) { drop($1, of: waiting[$0]?.prompt) }
        }
    }

    /// Claims a presentation for a time, for `receiver` if there is one: no one else can answer it.
    ///
    /// - Parameter takesOver: Whether to replace another person's claim.
    /// - Returns: The end of the claim.
    @discardableResult
    package func claim(
        _ id: PresentationID, by person: String, of identity: String? = nil,
        for time: Duration = .seconds(300), takesOver: Bool = false, to receiver: String? = nil
    ) throws(InboxRefusal) -> Moment {
        try attempt { state throws(InboxRefusal) in
            let until = try state.machine.claim(
                id, by: person, of: identity, for: time, takesOver: takesOver, to: receiver,
                at: .now)
            report(state.machine.items[id], to: state.waiting[id]?.prompt)
            return until
        }
    }

    /// Releases a claim.
    ///
    /// - Returns: Whether there was a claim.
    @discardableResult
    package func release(
        _ id: PresentationID, by person: String, of identity: String? = nil
    ) throws(InboxRefusal) -> Bool {
        try attempt { state throws(InboxRefusal) in
            let wasClaimed = try state.machine.release(id, by: person, of: identity, at: .now)
            // The end of a claim that ran out is reported at that time.
            if wasClaimed { report(state.machine.items[id], to: state.waiting[id]?.prompt) }
            return wasClaimed
        }
    }

    /// Reports a claim to the waiting side of a prompt, and its end once its time is over. A later
    /// claim ends the wait for it, so that a person who renews a claim often takes no memory.
    func reportClaim(by person: String, until time: Moment, to prompt: Prompt) {
        let claim = prompt.claimed(by: person, until: time, in: self)
        let wait = Task { [weak prompt] in
            do { try await ContinuousClock().sleepInSteps(until: time.instant) } catch { return }
            prompt?.ranOut(claim, by: presenterName, in: self)
        }
        claimEnds.withLock { $0.updateValue(wait, forKey: prompt.id) }?.cancel()
    }

    private func leave(_ id: PresentationID, _ answer: Answer, at time: Moment) async {
        try? await ContinuousClock().sleep(until: time.instant)
        let leaving = change { $0.machine.left(id, answer.id, at: .now) }
        // A refusal here has ended the presentation, which the item then shows.
        if let leaving { _ = try? send(leaving, to: id) }
    }

    func send(_ answer: Answer, to id: PresentationID) throws(InboxRefusal) -> Answer {
        let waiting = state.withLock { $0.waiting[id] }
        guard let waiting else { throw lost(id, answer, .closed(.withdrawn)) }
        follow(waiting.prompt.record, of: id)
        do throws(AnswerRefusal) {
            let counted = try waiting.prompt.take(answer)
            waiting.ended.offer(())
            return counted
        } catch {
            forget(waiting.prompt.record, of: id)
            throw lost(id, answer, error)
        }
    }

    /// Closes an item that ended at the moment of its answer; returns the refusal.
    private func lost(
        _ id: PresentationID, _ answer: Answer, _ refusal: AnswerRefusal
    ) -> InboxRefusal {
        change { state in
            switch refusal {
            case .alreadyAnswered(let winner): state.machine.decided(id, winner, at: .now)
            case .closed(let reason):
                state.machine.answerLost(id, answer.id, reason, at: .now)
            case .notOffered, .cannotSign, .needsTwoPeople, .badValue: break
            }
            return InboxRefusal(refusal, at: .now)
        }
    }

    // MARK: Looking at it

    /// The number of the latest change.
    package var revision: UInt64 { state.withLock { $0.machine.revision } }
    /// The latest forgotten change: a reader that has seen less may lack an end.
    package var forgottenRevision: UInt64 { state.withLock { $0.machine.forgottenRevision } }
    /// The number of presentations that wait for an answer.
    package var openCount: Int { state.withLock { $0.machine.openCount } }

    /// The items changed after revision `seen`, oldest change first; from 0: all.
    package func items(changedAfter seen: UInt64 = 0) -> [InboxItem] {
        state.withLock { $0.machine.items(changedAfter: seen, at: .now) }
    }

    package func item(_ id: PresentationID) throws(InboxRefusal) -> InboxItem {
        try state.withLock { state throws(InboxRefusal) in try state.machine.item(id, at: .now) }
    }

    func read<T: Sendable>(_ body: (InboxMachine) -> T) -> T { state.withLock { body($0.machine) } }

    /// The revision after each change; a slow reader gets only the latest. Ends with the task that
    /// reads it.
    package func changes() -> AsyncStream<UInt64> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: UInt64.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.lastObserver += 1
            state.observers[state.lastObserver] = continuation
            continuation.yield(state.machine.revision)
            return state.lastObserver
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.observers.removeValue(forKey: number) }
        }
        return stream
    }

    /// Calls `watcher` for each change from now on, in order. Answers wait for it: it may only take
    /// note. So may the closures that get the states of prompts, which are called in order too.
    package func watch(_ watcher: @escaping @Sendable (InboxChange) -> Void) {
        state.withLock {
            $0.watcher = watcher
            $0.machine.changes = []
        }
    }

    func change<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
        let (value, observers, revision) = state.withLock { state in
            let before = state.machine.revision
            let value = body(&state)
            for change in state.machine.takeChanges() { state.watcher?(change) }
            let after = state.machine.revision
            return (value, after == before ? [] : Array(state.observers.values), after)
        }
        for observer in observers { observer.yield(revision) }
        return value
    }

    private func attempt<Value: Sendable>(
        _ body: (inout State) throws(InboxRefusal) -> Value
    ) throws(InboxRefusal) -> Value {
        let result = change { state in
            Result { () throws(InboxRefusal) in try body(&state) }
        }
        return try result.get()
    }
}

extension Inbox: AuditLog {
    /// Reads each decision, wherever it was made, and each result; other events are known here.
    package func record(_ event: PresentationEvent) {
        switch event.what {
        case .decided(let answer, _):
            change { $0.machine.decided(event.id, answer.plain, at: .now) }
        case .settled(let result, let answer):
            change { $0.machine.settled(event.id, answer.id, result, at: .now) }
        case .reported, .presented, .ended, .completed: return
        }
    }
}
