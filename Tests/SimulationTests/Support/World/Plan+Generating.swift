@testable import ErrorBus

extension Plan {
    init(seed: UInt64) {
        self.init(seed: seed, profile: Profile())
        var random = SeededGenerator(seed: seed &* 0x2545_F491_4F6C_DD1D &+ 1)
        profile = Profile(using: &random)
        makeNodes(using: &random)
        makePresentations(using: &random)
        if !random.happens(0.05) { makeFaults(using: &random) }
        if seed % 8 == 4 { makeFailOver(using: &random) }
    }

    private mutating func makeNodes(using random: inout SeededGenerator) {
        let presenters = random.happens(0.25) ? 2 : 1
        for number in 0..<presenters {
            nodes.append(Node(name: Self.name("P", number), role: .presenter, parents: []))
        }
        for number in 0..<Int(random.number(in: 0...random.pick([2, 5]))) {
            nodes.append(
                Node(
                    name: Self.name("R", number), role: .relay, parents: parents(using: &random)))
        }
        let parents = (0..<4).map { _ in self.parents(using: &random) }
        for number in 0..<Int(random.number(in: 1...3)) {
            nodes.append(
                Node(name: Self.name("O", number), role: .origin, parents: parents[number]))
        }
        for (prefix, role) in [("Q", Role.requester), ("B", .bare)] where random.happens(0.3) {
            nodes.append(
                Node(name: Self.name(prefix, 0), role: role, parents: [parents[3][0]]))
        }
    }

    private static func name(_ prefix: String, _ number: Int) -> NodeName {
        NodeName("\(prefix)\(number)") ?? "X"
    }

    /// Of what there is already, so there is no loop.
    private func parents(using random: inout SeededGenerator) -> [NodeName] {
        let first = random.pick(nodes).name
        let second = random.pick(nodes).name
        return random.happens(0.35) && first != second ? [first, second] : [first]
    }

    mutating func makePresentations(using random: inout SeededGenerator) {
        let origins = nodes.filter { $0.role != .presenter && $0.role != .relay }.map(\.name)
        for _ in 0..<Int(random.number(in: 2...random.pick([6, 16, 30]))) {
            presentations.append(
                Presentation(
                    time: random.number(in: 0...profile.chaosLasts + 5_000),
                    origin: random.pick(origins),
                    deadline: random.happens(0.3) ? random.number(in: 500...60_000) : nil,
                    grace: random.happens(0.1) ? random.number(in: 0...20_000) : nil,
                    isKept: random.happens(0.5)))
        }
    }

    mutating func makeFaults(using random: inout SeededGenerator) {
        let count = random.number(in: 1...random.pick([4, 12, 30]))
        for _ in 0..<count {
            faults.append(
                Fault(
                    time: random.number(in: 0...profile.chaosLasts),
                    kind: faultKind(using: &random)))
        }
    }

    private func faultKind(using random: inout SeededGenerator) -> Fault.Kind {
        let node = random.pick(nodes).name
        let inner = random.pick(nodes.filter { $0.role == .presenter || $0.role == .relay }).name
        let lasts = random.number(in: 10...random.pick([500, 10_000, 90_000]))
        let link = random.index(below: links.count)
        switch random.index(below: 20) {
        case 0..<4: return .crash(node, actions: random.index(below: 6), downFor: lasts)
        case 4..<6: return .crash(inner, actions: random.index(below: 6), downFor: lasts)
        case 6: return .shutDown(node, downFor: lasts)
        case 7, 8: return .freeze(node, lasts: lasts)
        case 9..<13:
            return .cut(
                link: link, random.pick(SimulatedNetwork.Cut.allCases), lasts: lasts)
        case 13, 14: return .reset(link: link)
        case 15: return .clog(link: link, random.pick([.up, .down]), lasts: lasts)
        case 16:
            return .wallClockJump(node, by: random.pick([-3_600_000, 3_600_000, -5, 1 << 40]))
        case 17: return .flood(node, count: Int(random.number(in: 5...30)))
        default: return .forge(inner, random.pick(Fault.Forgery.allCases), random.next())
        }
    }
}
