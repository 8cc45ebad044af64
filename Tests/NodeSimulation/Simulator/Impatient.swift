import ErrorBus

/// A process that is through with what it has got after some time, whatever people do.
struct Impatient: Responder {
    let following: any Responder
    let patience: Duration

    var next: (any Responder)? { get async { following } }

    func presentError(_ error: any Error, in context: PresentationContext) async -> Outcome {
        await withTaskGroup(of: Outcome?.self) { group in
            group.addTask { await following.presentError(error, in: context) }
            group.addTask {
                try? await ContinuousClock().sleep(until: .now + patience)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
                ?? Outcome(didRecover: false, reason: .expired, decidedBy: responderName)
        }
    }
}

/// A caller that asks once more where no parent was there.
struct TryingTwice: Responder {
    let following: any Responder

    var next: (any Responder)? { get async { following } }

    func presentError(_ error: any Error, in context: PresentationContext) async -> Outcome {
        let first = await forwardError(error, in: context)
        guard first.reason == .unreachable else { return first }
        return await forwardError(error, in: context)
    }
}

/// A presenter that passes on what it is asked, and answers it in the same moment.
struct SecondThoughts: Presenter {
    let world: World
    let life: Life

    var presenterName: String { "second thoughts" }

    func present(_ prompt: Prompt) async throws -> Answer? {
        world.scheduler.after(0) { [world, life] in
            guard !life.isOver else { return }
            world.ledger.offered[prompt.id] = Set(prompt.report.options.map(\.id))
            let answer = try? prompt.answer("skip", by: "ann", via: .person)
            if let answer { world.ledger.acknowledged.append((prompt.id, answer.id)) }
        }
        return nil
    }
}

/// Carries out what a policy has added, for the presentation that it was last chosen for.
struct OwnCommands: CommandRunner {
    let world: World
    let life: Life

    func run(
        _ command: [String], environment: [String: String], input: [UInt8], timeLimit: Duration
    ) async throws -> CommandResult {
        let option = environment["ERRORBUS_OPTION"] ?? ""
        let chosen = world.ledger.decisions.last { decision in
            decision.answer.option == option
                && !world.ledger.attempts.contains { $0.id == decision.id }
        }
        if let id = chosen?.id {
            _ = await world.attempt(option, of: id, in: life, for: 100, doesRecover: true)
        }
        return CommandResult(status: .exited(0), standardOutput: [], standardErrorTail: "")
    }
}

extension RuleBook {
    /// Passes one trouble on by another way.
    init(routing trouble: Int) {
        let match = RuleMatch(code: [.exact("\(trouble)")])
        self.init(
            [Rule(match: match, actions: [.route("route")], position: 1)], mode: .everyMatch)
    }
}
