@testable import ErrorBus

/// What a live way from an origin to a presenter promises: what the origin asks is in front of the
/// person, who reads that it can be reached, and what is answered gets there.
///
/// The gaps are stated here. A way that has just come up shows what is asked within the time in
/// which every node notices that the former way is gone, and `settlingMax`. From then on nothing
/// but a decision takes it away, for longer than `gapMax`.
struct WayChecker {
    private struct Asked {
        let id: PresentationID
        let origin: NodeName
        let life: Int
        /// No caller waits for an answer any more, or it is known.
        var isOver = false
        /// On the way there is now it has been in front of the person.
        var wasShown = false
        /// Since when it should be shown and is not.
        var missingSince: UInt64?
    }

    private struct Shown: Hashable {
        let id: PresentationID
        let presenter: NodeName
        let life: Int
    }

    private struct Awaited {
        let answer: UniqueID
        let asked: Int
        let since: UInt64
        let due: UInt64
    }

    /// A link that is refused to a child while its former one may be live: 2 s to 3 s.
    private static let gapMax: UInt64 = 4_000
    private static let settlingMax: UInt64 = 5_000
    /// From the journal to the origin, beside the time under way.
    private static let answerMax: UInt64 = 1_000

    private let profile: Profile
    private(set) var violations: [Violation] = []
    private var asked: [Asked] = []
    private var ways: [NodeName: (way: Way, since: UInt64)] = [:]
    private var reachable: [Shown: Bool] = [:]
    private var decided: [PresentationID: String] = [:]
    private var awaited: [Awaited] = []

    init(_ plan: Plan) { profile = plan.profile }

    mutating func read(_ lines: [Ledger.Line]) {
        for line in lines {
            checkAwaited(at: line.time)
            read(line.fact, line.time)
        }
        guard let end = lines.last?.time else { return }
        for index in asked.indices { endGap(index, at: end) }
    }

    private mutating func read(_ fact: Fact, _ time: UInt64) {
        switch fact {
        case .presented(let id, let origin, let life, _, isLink: true):
            asked.append(Asked(id: id, origin: origin, life: life))
            look(at: [asked.count - 1], time)
        case .wayChanged(let origin, let way): wayChanged(origin, way, time)
        case .promptOpened(let id, let node, let life):
            reachable[Shown(id: id, presenter: node, life: life)] = true
            look(at: indices(of: id), time)
        case .promptSays(let id, let isReachable, let node, let life):
            let shown = Shown(id: id, presenter: node, life: life)
            if reachable[shown] != nil { reachable[shown] = isReachable }
            look(at: indices(of: id), time)
        case .promptClosed(let id, let node, let life):
            reachable[Shown(id: id, presenter: node, life: life)] = nil
            look(at: indices(of: id), time)
        case .recorded(let id, _, let option, _, _):
            decided[id] = option
            look(at: indices(of: id), time)
        case .released(let id, let answer, let node): released(id, answer, node, time)
        case .stoppedWaiting(let id, let node, let life):
            for index in indices(of: id)
            where asked[index].origin == node && asked[index].life == life {
                asked[index].isOver = true
                awaited.removeAll { $0.asked == index }
                look(at: [index], time)
            }
        case .died(let node, let life):
            for index in asked.indices
            where asked[index].origin == node && asked[index].life == life {
                asked[index].isOver = true
                awaited.removeAll { $0.asked == index }
                look(at: [index], time)
            }
        default: break
        }
    }

    private func indices(of id: PresentationID) -> [Int] {
        asked.indices.filter { asked[$0].id == id }
    }

    private mutating func wayChanged(_ origin: NodeName, _ way: Way?, _ time: UInt64) {
        let indices = asked.indices.filter { asked[$0].origin == origin && !asked[$0].isOver }
        for index in indices {
            endGap(index, at: time)
            asked[index].wasShown = false
            awaited.removeAll { $0.asked == index }
        }
        ways[origin] = way.map { ($0, time) }
        look(at: indices, time)
    }

    private mutating func look(at indices: [Int], _ time: UInt64) {
        for index in indices {
            let asked = asked[index]
            let isDue = !asked.isOver && decided[asked.id] == nil && ways[asked.origin] != nil
            if isDue, !isShown(asked) {
                self.asked[index].missingSince = asked.missingSince ?? time
            } else {
                endGap(index, at: time)
                if isDue { self.asked[index].wasShown = true }
            }
        }
    }

    private func isShown(_ asked: Asked) -> Bool {
        guard let way = ways[asked.origin]?.way else { return false }
        let shown = Shown(id: asked.id, presenter: way.presenter, life: way.presenterLife)
        return reachable[shown] == true
    }

    private mutating func endGap(_ index: Int, at time: UInt64) {
        let asked = asked[index]
        self.asked[index].missingSince = nil
        guard let since = asked.missingSince, let (way, wayUp) = ways[asked.origin] else { return }
        let travel = profile.travelMax(hops: way.hops.count)
        let settled = wayUp + noticedMax
        let gap = time - since
        guard gap > Self.gapMax + travel, time > settled + travel else { return }
        guard asked.wasShown || time - max(since, wayUp) > noticedMax + travel else { return }
        fail(
            .c9InFront,
            "\(asked.id.short) of \(asked.origin) was not in front of \(way.presenter), or said to "
                + "be out of reach, for \(gap) ms; its way had been live for \(since - wayUp) ms")
    }

    /// After so long every node knows which links are dead.
    private var noticedMax: UInt64 { profile.times.silenceMax + Self.settlingMax }

    private mutating func released(
        _ id: PresentationID, _ answer: UniqueID, _ node: NodeName, _ time: UInt64
    ) {
        guard let option = decided[id] else { return }
        for index in indices(of: id) where !asked[index].isOver {
            let origin = asked[index].origin
            guard option.hasPrefix("\(origin)."), asked[index].wasShown,
                let (way, since) = ways[origin], way.presenter == node,
                time - since > noticedMax + profile.travelMax(hops: way.hops.count)
            else { continue }
            let due = time + Self.answerMax + profile.travelMax(hops: way.hops.count)
            awaited.append(Awaited(answer: answer, asked: index, since: time, due: due))
        }
    }

    private mutating func checkAwaited(at time: UInt64) {
        for late in awaited where time > late.due {
            let asked = asked[late.asked]
            fail(
                .c10AnswerArrives,
                "\(late.answer.short) for \(asked.id.short) was sent at \(late.since), and is not "
                    + "at \(asked.origin) \(time - late.since) ms later, by a live way")
        }
        awaited.removeAll { time > $0.due }
    }

    private mutating func fail(_ checker: Violation.Checker, _ text: String) {
        violations.append(Violation(checker: checker, text: text))
    }
}
