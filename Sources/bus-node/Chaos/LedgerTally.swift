/// Counts events into ``LedgerCounts``. Events of one process come in the order it wrote them;
/// between processes any order will do.
struct LedgerTally {
    private struct Place: Hashable {
        let id: String
        let node: String
    }

    private struct Prompting {
        var liveIn: LedgerEvent.Life?
        /// The lives in which it was answered.
        var answeredIn: Set<LedgerEvent.Life> = []
        /// A decision is on record.
        var isDecided = false
    }

    private struct Decision: Hashable {
        let id: String
        let answer: String
        let option: String
    }

    private var reporters: [String: LedgerEvent.Life] = [:]
    private var completions: [String: [LedgerEvent]] = [:]
    private var attempts: [String: [LedgerEvent.Life: Int]] = [:]
    private var prompting: [Place: Prompting] = [:]
    private var decisions: Set<Decision> = []
    private var counts = LedgerCounts()
    /// Presenters whose decisions outlive them: a prompt after one is a fault in any life.
    private let durableNodes: Set<String>

    init(durableNodes: Set<String> = []) { self.durableNodes = durableNodes }

    /// Presentations so far.
    var presentedCount: Int { reporters.count }

    mutating func add(_ event: LedgerEvent) {
        switch event.kind {
        case .report: reporters[event.id] = event.life
        case .complete: completions[event.id, default: []].append(event)
        case .attempt: attempts[event.id, default: [:]][event.life, default: 0] += 1
        case .prompt: prompted(event)
        case .gone: ended(event)
        case .decide:
            decisions.insert(Decision(id: event.id, answer: event.answer, option: event.option))
            let place = Place(id: event.id, node: event.life.node)
            prompting[place, default: Prompting()].answeredIn.insert(event.life)
            prompting[place]?.isDecided = true
        case .start, .present, .done, .change: break
        }
    }

    private mutating func prompted(_ event: LedgerEvent) {
        let place = Place(id: event.id, node: event.life.node)
        var prompt = prompting[place] ?? Prompting()
        let isDecided =
            prompt.answeredIn.contains(event.life)
            || (durableNodes.contains(place.node) && prompt.isDecided)
        // A prompt of an earlier life went with it.
        if prompt.liveIn == event.life || isDecided { counts.duplicatePrompts += 1 }
        prompt.liveIn = event.life
        prompting[place] = prompt
    }

    private mutating func ended(_ event: LedgerEvent) {
        let place = Place(id: event.id, node: event.life.node)
        guard prompting[place]?.liveIn == event.life else { return }
        prompting[place]?.liveIn = nil
        // Written by whoever answered; a life that ends before the decision is on record has
        // decided nothing, and the next one may ask again.
        if event.reason == "answered" { prompting[place]?.answeredIn.insert(event.life) }
    }

    /// The counts as of now.
    ///
    /// - Parameter dead: The lives that have ended before the run did.
    func counts(dead: Set<LedgerEvent.Life>) -> LedgerCounts {
        var counts = counts
        counts.presented = reporters.count
        counts.openAtEnd = prompting.values.count { $0.liveIn.map { !dead.contains($0) } ?? false }
        for (id, reporter) in reporters where completions[id] == nil {
            if dead.contains(reporter) { counts.originDied += 1 } else { counts.openAtEnd += 1 }
        }
        for (id, events) in completions {
            if reporters[id] != nil { counts.completed += 1 }
            counts.duplicateCompletions += events.count - 1
            counts.misrouted += events.count { $0.life != reporters[id] }
            if let first = events.first, !first.option.isEmpty { counts.answered += 1 }
            counts.disagreements += events.count { event in
                !event.option.isEmpty
                    && !decisions.contains(
                        Decision(id: id, answer: event.answer, option: event.option))
            }
        }
        for (id, lives) in attempts {
            counts.attemptsOverOne += lives.values.reduce(0) { $0 + max(0, $1 - 1) }
            counts.misrouted += lives.filter { $0.key != reporters[id] }.values.reduce(0, +)
        }
        return counts
    }
}
