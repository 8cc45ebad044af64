import Logging
import Synchronization

/// The responder in front of a node's presenters: returns a recorded answer instead of asking a
/// presenter again.
final class JournalResponder: Responder {
    private let name: NodeName
    private let following: any Responder
    private let journal: any DecisionJournal
    private let decisions: Decisions
    private let asksAgain: Bool
    /// The presentations of this life of the node, with their counts: a presentation that returns
    /// while its former call ends was shown, but not before a restart.
    private let present = Mutex<[PresentationID: Int]>([:])

    /// - Parameter asksAgain: Whether a presentation that may have been shown before a restart is
    ///   shown again. Otherwise the node refuses it (410).
    init(
        _ name: NodeName, next: any Responder, journal: any DecisionJournal,
        audit: (any AuditLog)?, asksAgain: Bool, logger: Logger
    ) {
        self.name = name
        following = next
        self.journal = journal
        decisions = Decisions(
            by: name.description, journal: journal, audit: audit, logger: logger)
        self.asksAgain = asksAgain
    }

    var responderName: String { name.description }
    var next: (any Responder)? { get async { following } }

    func presentError(_ error: any Error, in context: PresentationContext) async -> Outcome {
        await carryOn(context) { context in
            let isHere = present.withLock { present in
                present[context.id, default: 0] += 1
                return present[context.id] != 1
            }
            defer {
                present.withLock { present in
                    let rest = (present[context.id] ?? 1) - 1
                    present[context.id] = rest > 0 ? rest : nil
                }
            }
            // Never a guess: a node that cannot read its decisions does not decide.
            let entry: DecisionRecord??
            do {
                entry = try await decisions.retried("cannot be read", in: context) {
                    try await journal.record(of: context.id)
                }
            } catch {
                return refusal(.gone, "the record of this id in the journal cannot be read")
            }
            guard let entry else { return await ended(error, in: context) }
            let outcome =
                if let record = entry { await answer(error, record, isHere, in: context) } else {
                    await following.presentError(error, in: context)
                }
            await noteEnd(outcome, in: context)
            return outcome
        }
    }

    private func answer(
        _ error: any Error, _ record: DecisionRecord, _ isHere: Bool,
        in context: PresentationContext
    ) async -> Outcome {
        let asked = context.received?.present
        guard record.origin == asked?.origin, record.digest == asked?.digest else {
            return refusal(.conflict, RejectCode.anotherReport)
        }
        // Another caller of this process has the answer with its secrets. A former call for what a
        // child asks has left it to this one, without them.
        let isHeld = isHere && context.received == nil
        switch record.state {
        case .decided(let answer, let result)
        where answer.lacksSecrets && !isHeld && (result == nil || result == .unknown):
            guard asksAgain || isHere else {
                if result == nil { await decisions.settled(context.id, answer, .unknown) }
                return refusal(
                    .gone,
                    "answered before a restart, with a secret that is not stored; it is not "
                        + "shown twice")
            }
            return await presentAgain(error, after: answer, in: context)
        case .decided(let answer, let result)
        where (result == nil || result == .unknown)
            && !ErrorReport(describing: error).offers(answer.option):
            // An option of a policy behind this. The policy adds it again, and whatever is decided
            // there then, the answer on record counts.
            guard asksAgain else {
                return refusal(
                    .gone, "answered before a restart, with an option that a rule added")
            }
            var context = context
            context.wasShownBefore = true
            return await following.presentError(error, in: context)
        case .decided(let answer, let result):
            return await decisions.restore(answer, result, error, in: context)
        case .shown where isHere, .ended(.declined) where isHere:
            return await following.presentError(error, in: context)
        case .ended(.declined) where !asksAgain:
            var context = context
            context.wasPassedOn = true
            return await following.presentError(error, in: context)
        case .shown where !asksAgain:
            return refusal(
                .gone, "taken in before a restart: it may have been shown, and is not shown twice")
        case .shown, .ended:
            var context = context
            context.wasShownBefore = true
            return await following.presentError(error, in: context)
        }
    }

    /// Presents the error once more: the answer on record had secrets, which are gone.
    private func presentAgain(
        _ error: any Error, after answer: Answer, in context: PresentationContext
    ) async -> Outcome {
        let isWritten: Void?
        do {
            isWritten = try await decisions.retried("cannot be written", in: context) {
                try await decisions.lost(answer, of: context.id)
            }
        } catch {
            return refusal(.gone, "the record of this id in the journal cannot be changed")
        }
        guard isWritten != nil else { return await ended(error, in: context) }
        var context = context
        context.wasShownBefore = true
        return await following.presentError(error, in: context)
    }

    /// The outcome of a presentation that ended while it waited for the journal.
    private func ended(_ error: any Error, in context: PresentationContext) async -> Outcome {
        guard !Task.isCancelled else {
            // An answer of an earlier life may be on record, and will not be delivered.
            if let asked = context.received, asked.withdrawal == .origin {
                await decisions.withdrawnBefore(
                    context.id, of: asked.origin, asked.present.digest)
            }
            return Outcome(
                didRecover: false, reason: .withdrawn, decidedBy: name.description,
                detail: "withdrawn before the journal could be used")
        }
        return await decisions.expire(error, in: context)
            ?? Outcome(didRecover: false, reason: .expired, decidedBy: name.description)
    }

    /// Records an end without an answer: withdrawn, expired or withheld. Records nothing when the
    /// node stops: then the origin presents again.
    private func noteEnd(_ outcome: Outcome, in context: PresentationContext) async {
        guard outcome.answer == nil, outcome.refusalCode == nil else { return }
        let isGivenUp = context.received?.withdrawal != nil
        switch outcome.reason {
        case .expired, .withheld: break
        case .withdrawn where isGivenUp: break
        default: return
        }
        await decisions.ended(context.id, outcome.reason)
    }

    private func refusal(_ code: RejectCode, _ detail: String) -> Outcome {
        .refused(code, detail, by: name.description)
    }
}
