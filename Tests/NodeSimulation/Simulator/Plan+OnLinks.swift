import ErrorBus

/// Worlds for what the two sides of a link owe each other, and those without one.
extension Plan {
    /// By the seed modulo 512; scenes of one place take turns.
    static let onLinks: [UInt64: [Scene]] = [
        5: [.farGrace], 6: [.played(.withdrawnUnsettled)], 14: [.noisyOrigin], 25: [.lateHello],
        29: [.refusedAcross], 30: [.wayRegained], 33: [.wayBack], 38: [.stoppedWaiting],
        46: [.lateAccepted], 57: [.crowdedOut], 62: [.played(.otherDeadline)],
        94: [.farGrace, .noisyOrigin], 97: [.played(.otherDeadline), .stoppedWaiting],
        110: [.wayRegained], 121: [.crowdedOut, .noisyOrigin], 126: [.lateHello, .lateAccepted],
        246: [.refusedAcross], 8: [.lostBehind], 56: [.lostBehind],
        72: [.lostBehind], 120: [.lostBehind], 200: [.lostBehind],
        152: [.longLost], 376: [.longLost], 504: [.longLost],
    ]

    mutating func stageOnLinks(_ scene: Scene, using random: inout SeededGenerator) {
        switch scene {
        case .noisyOrigin: stageNoisyOrigin(using: &random)
        case .crowdedOut: stageCrowdedOut(using: &random)
        case .farGrace: stageFarGrace(using: &random)
        case .wayRegained: stageWayRegained(using: &random)
        case .wayBack: stageWayRegained(using: &random)
        case .lateHello: stageLateHello(using: &random)
        case .lateAccepted: stageLateAccepted(using: &random)
        case .longLost: stageLongLost(using: &random)
        case .lostBehind: stageLostBehind(using: &random)
        case .refusedAcross: stageRefusedAcross(using: &random)
        default: stageStoppedWaiting(using: &random)
        }
    }
}
