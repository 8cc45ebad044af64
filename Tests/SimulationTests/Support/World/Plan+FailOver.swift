@testable import ErrorBus

extension Plan {
    /// Every eighth world is one in which children with two parents lose one of them: that link is
    /// cut and nothing else about it. The network is calm, people are slow, so that what is asked
    /// stands while its origin goes there and back.
    mutating func makeFailOver(using random: inout SeededGenerator) {
        profile.loss = 0
        profile.replay = 0
        profile.withheld = 0
        profile.queueMax = 1_000
        profile.limits = LinkLimits()
        profile.delayMean = random.pick([1, 5, 50])
        profile.thinkingMean = random.pick([5_000, 30_000, 60_000])
        profile.chaosLasts = 120_000
        nodes = [Node(name: "P0", role: .presenter, parents: [])]
        for name in ["R0", "R1"] as [NodeName] {
            nodes.append(Node(name: name, role: .relay, parents: ["P0"]))
        }
        var below: [NodeName] = ["R0", "R1"]
        if random.happens(0.3) {
            nodes.append(Node(name: "R2", role: .relay, parents: below))
            below = random.pick([["R2", "R1"], ["R0", "R2"]])
        } else if random.happens(0.2) {
            below = random.pick([["P0", "R1"], ["R0", "P0"]])
        }
        nodes.append(Node(name: "O0", role: .origin, parents: below))
        if random.happens(0.5) {
            nodes.append(Node(name: "O1", role: .origin, parents: below.reversed()))
        }
        presentations = []
        faults = []
        makePresentations(using: &random)
        for (index, link) in links.enumerated() {
            let isOneOfTwo = nodes.contains { $0.name == link.child && $0.parents.count > 1 }
            for _ in 0..<Int(random.number(in: 0...2)) where isOneOfTwo {
                faults.append(
                    Fault(
                        time: random.number(in: 1_000...100_000),
                        kind: .cut(
                            link: index, random.pick(SimulatedNetwork.Cut.allCases),
                            lasts: random.number(in: 5_000...90_000))))
            }
        }
        if random.happens(0.3) { makeFaults(using: &random) }
    }
}
