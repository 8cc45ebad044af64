@testable import ErrorBus

/// Reads the event log of one run and says what was broken.
struct Checker {
    private struct Asking: Hashable {
        let id: PresentationID
        let node: NodeName
        let life: Int
    }

    private struct Recorded {
        let answer: UniqueID
        let option: String
        let offered: [String]
        let presenter: NodeName
        let time: UInt64
    }

    private let plan: Plan
    private(set) var violations: [Violation] = []
    private var asked: [Asking: (time: UInt64, deadline: UInt64?, isLink: Bool)] = [:]
    private var order: [Asking] = []
    private var completions: [Asking: Int] = [:]
    private var stoppedWaiting: [Asking: UInt64] = [:]
    private var attempts: Set<String> = []
    private var recovered: Set<PresentationID> = []
    private var recoveredAnswers: Set<UniqueID> = []
    private var recorded: [PresentationID: [Recorded]] = [:]
    private var prompts: [Asking: Int] = [:]
    private var takenBack: [Asking: UInt64] = [:]
    private var lives: [NodeName: Int] = [:]
    private var lastResult: [UniqueID: RecoveryResult] = [:]
    private var carriedOut: [(PresentationID, UniqueID)] = []

    init(_ plan: Plan) { self.plan = plan }

    mutating func read(_ lines: [Ledger.Line]) {
        for line in lines { read(line) }
        for asking in order
        where lives[asking.node] == asking.life && completions[asking, default: 0] == 0 {
            fail(.c1ExactlyOneCompletion, "\(asking.id.short) of \(asking.node) never completed")
        }
        checkToldInTheEnd()
    }

    mutating func fail(_ checker: Violation.Checker, _ text: String) {
        violations.append(Violation(checker: checker, text: text))
    }

    private mutating func read(_ line: Ledger.Line) {
        switch line.fact {
        case .started(let node, let life): lives[node] = life
        case .died: break
        case .presented(let id, let node, let life, let deadline, let isLink):
            let asking = Asking(id: id, node: node, life: life)
            asked[asking] = (line.time, deadline, isLink)
            order.append(asking)
        case .stoppedWaiting(let id, let node, let life):
            stopped(Asking(id: id, node: node, life: life), line.time)
        case .promptSays, .wayChanged: break  // WayChecker's.
        case .completed(let id, let node, let life, let ending, let didRecover):
            completed(Asking(id: id, node: node, life: life), ending, didRecover, line.time)
        case .endedTwice(let id, let node):
            fail(.c1ExactlyOneCompletion, "\(id.short) ended twice at \(node)")
        case .attempted(let id, let answer, let option, let node, let life):
            attempted(id, answer, option, node, life)
        case .attemptEnded(let id, let answer, let didRecover):
            if didRecover {
                recovered.insert(id)
                recoveredAnswers.insert(answer)
            }
        case .alienOption(let id, let option, let node):
            // Asked by a second path, an origin may get what the first path's relay had added.
            if plan.nodes.contains(where: { $0.parents.count > 1 }), option.hasSuffix(".own") {
                return
            }
            fail(.c4NoMisroute, "\(node) got option \(option) for \(id.short), not its own")
        case .promptOpened(let id, let node, let life): promptOpened(id, node, life)
        case .promptClosed, .takenBack: readClosing(line)
        case .staleVerdict(let id, let node):
            fail(.c3AnswerIsTheRecorded, "\(id.short): an earlier asking's word counted at \(node)")
        case .recorded, .released, .settled: readAnswer(line)
        case .spinning(let node): fail(.c8Bounds, "a machine of \(node) is due at once for ever")
        case .miscounted(let node, let text): fail(.c8Bounds, "\(node): \(text)")
        case .codecBroken(let text): fail(.c3AnswerIsTheRecorded, "codec: \(text)")
        }
    }

    private mutating func completed(
        _ asking: Asking, _ ending: Fact.Ending, _ didRecover: Bool, _ time: UInt64
    ) {
        guard let (_, deadline, isLink) = asked[asking] else {
            return fail(.c4NoMisroute, "\(asking.id.short) completed at \(asking.node), unasked")
        }
        completions[asking, default: 0] += 1
        if completions[asking] != 1 {
            fail(.c1ExactlyOneCompletion, "\(asking.id.short) completed twice at \(asking.node)")
        }
        switch ending {
        case .answered(let answer, let option):
            checkDelivered(asking.id, answer, option)
            if isLink { carriedOut.append((asking.id, answer)) }
        case .decidedAbove(let answer, let option?, _): checkDelivered(asking.id, answer, option)
        case .refused(.notYours), .refused(.conflict), .refused(.gone), .refused(.malformed):
            fail(.c7Liveness, "\(asking.id.short) of \(asking.node) was refused: \(ending)")
        case .decidedAbove, .refused, .expired, .unreachable, .shutDown: break
        }
        if didRecover, !recovered.contains(asking.id) {
            fail(.c6Truth, "\(asking.id.short) completed as recovered; no attempt did")
        }
        guard deadline != nil, let stopped = stoppedWaiting[asking] else { return }
        // A step to the attempt and one from it.
        let most = plan.profile.attemptMax + 2 * SimulatedNode.hopMax + frozen(asking.node)
        if time > stopped + most {
            fail(
                .c7Liveness,
                "\(asking.id.short) completed \(time - stopped) ms after its wait was over")
        }
    }

    /// What comes until the deadline and its slack counts, and nothing is waited for after that.
    private mutating func stopped(_ asking: Asking, _ time: UInt64) {
        stoppedWaiting[asking] = time
        guard let (since, limit, _) = asked[asking], let deadline = limit else { return }
        let most = deadline + plan.profile.times.deadlineSlack + frozen(asking.node)
        if time > since + most {
            fail(
                .c7Liveness,
                "\(asking.id.short) waited \(time - since) ms; its deadline was \(deadline)")
        }
    }

    private func frozen(_ node: NodeName) -> UInt64 {
        plan.faults.reduce(0) { sum, fault in
            if case .freeze(node, let lasts) = fault.kind { sum + lasts } else { sum }
        }
    }

    private mutating func checkDelivered(
        _ id: PresentationID, _ answer: UniqueID, _ option: String?
    ) {
        let isNamed = answer != UniqueID(high: 0, low: 0)
        let match = recorded[id]?.first {
            isNamed ? $0.answer == answer : $0.option == option
        }
        guard let match else {
            return fail(
                .c3AnswerIsTheRecorded,
                "\(id.short): \(answer.short) \(option ?? "-") was delivered, never recorded")
        }
        if match.option != option || !match.offered.contains(match.option) {
            fail(
                .c3AnswerIsTheRecorded,
                "\(id.short): \(option ?? "-") delivered, \(match.option) recorded of "
                    + "\(match.offered)")
        }
    }

    private mutating func attempted(
        _ id: PresentationID, _ answer: UniqueID, _ option: String, _ node: NodeName, _ life: Int
    ) {
        if !attempts.insert("\(id) \(node) \(life)").inserted {
            fail(.c2AttemptsAtMostOnce, "\(id.short) \(option) attempted twice at \(node)")
        }
        if !option.hasPrefix("\(node).") {
            fail(.c2AttemptsAtMostOnce, "\(id.short) \(option) attempted at \(node)")
        }
        checkDelivered(id, answer, option)
    }

    private mutating func promptOpened(_ id: PresentationID, _ node: NodeName, _ life: Int) {
        let asking = Asking(id: id, node: node, life: life)
        prompts[asking, default: 0] += 1
        if prompts[asking, default: 0] > 1 {
            fail(.c5OnePromptOneAnswer, "\(id.short) has two live prompts at \(node)")
        }
        if recorded[id]?.contains(where: { $0.presenter == node }) == true {
            fail(.c5OnePromptOneAnswer, "\(id.short) was answered at \(node) and is asked again")
        }
    }

    /// What nobody waits for leaves the screen at once.
    private mutating func readClosing(_ line: Ledger.Line) {
        switch line.fact {
        case .promptClosed(let id, let node, let life):
            let asking = Asking(id: id, node: node, life: life)
            prompts[asking, default: 0] -= 1
            if let since = takenBack.removeValue(forKey: asking), line.time > since {
                fail(
                    .c5OnePromptOneAnswer,
                    "\(id.short) stayed open at \(node) for \(line.time - since) ms after it was "
                        + "taken back")
            }
        case .takenBack(let id, let node, let life):
            let asking = Asking(id: id, node: node, life: life)
            if prompts[asking, default: 0] > 0 { takenBack[asking] = line.time }
        default: break
        }
    }

    private mutating func readAnswer(_ line: Ledger.Line) {
        switch line.fact {
        case .recorded(let id, let answer, let option, let offered, let node):
            if recorded[id]?.contains(where: { $0.presenter == node }) == true {
                fail(.c5OnePromptOneAnswer, "\(id.short) has two recorded answers at \(node)")
            }
            recorded[id, default: []].append(
                Recorded(
                    answer: answer, option: option, offered: offered, presenter: node,
                    time: line.time))
        case .released(let id, let answer, let node):
            if recorded[id]?.contains(where: { $0.answer == answer }) != true {
                fail(
                    .c3AnswerIsTheRecorded,
                    "\(id.short): \(answer.short) left \(node) before it was recorded")
            }
        case .settled(let id, let answer, let result, let node):
            lastResult[answer] = result
            let isBare = recorded[id]?.contains { $0.answer == answer } != true
            if result == .recovered, !isBare, !recoveredAnswers.contains(answer) {
                fail(.c6Truth, "\(node) was told \(id.short) recovered; no attempt did")
            }
        default: break
        }
    }

    /// Answers of the mended bus, carried out by the origin: the presenter knows how it went.
    private mutating func checkToldInTheEnd() {
        guard plan.nodes.allSatisfy({ $0.parents.count < 2 }) else { return }
        for (id, answer) in carriedOut {
            guard let record = recorded[id]?.first(where: { $0.answer == answer }),
                record.time > plan.profile.chaosLasts
            else { continue }
            switch lastResult[answer] {
            case .recovered, .failed: continue
            case let result:
                fail(
                    .c6Truth,
                    "\(id.short) was carried out; \(record.presenter) was told "
                        + "\(result?.rawValue ?? "nothing")")
            }
        }
    }
}
