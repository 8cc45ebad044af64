import ErrorBus

/// Worlds for what the two sides of a link owe each other, and those without one.
extension Plan {
    /// By the seed modulo 256; those of a place take turns.
    static let onLinks: [UInt64: [Scene]] = [
        14: [.noisyOrigin], 57: [.crowdedOut], 94: [.noisyOrigin],
        121: [.crowdedOut, .noisyOrigin],
    ]

    mutating func stageOnLinks(_ scene: Scene, using random: inout SeededGenerator) {
        switch scene {
        case .noisyOrigin: stageNoisyOrigin(using: &random)
        default: stageCrowdedOut(using: &random)
        }
    }
}
