@testable import ErrorBus

/// The options of a simulated report: a payload that is quick to read, "owner.option" by comma.
/// Bare clients send real JSON.
struct OptionList {
    var options: [String]

    init(_ options: [String]) { self.options = options }

    init(_ payload: Frame) {
        if payload.first == UInt8(ascii: "{") {
            options = (try? ErrorReport(payload: payload).options.map(\.id)) ?? []
        } else {
            options = String(decoding: payload, as: UTF8.self).split(separator: ",")
                .map(String.init)
        }
    }

    var payload: Frame { Array(options.joined(separator: ",").utf8) }

    static func of(_ origin: NodeName) -> OptionList {
        OptionList(["\(origin).retry", "\(origin).fails", "\(origin).cancel"])
    }
}

extension SimulatedNode {
    /// What a responder does with one error, the same whenever it is asked.
    func decides(_ probability: Double, _ id: PresentationID, _ salt: UInt64) -> Bool {
        var random = SeededGenerator(
            seed: id.value.low ^ salt ^ UInt64(name.description.utf8.count))
        for byte in name.description.utf8 {
            random = SeededGenerator(seed: random.next() ^ UInt64(byte))
        }
        return random.happens(probability)
    }

    /// Runs an option that this node owns: takes time, succeeds unless it is the one that fails.
    func attempt(
        _ id: PresentationID, _ decision: (answer: UniqueID, option: String),
        then: @escaping (RecoveryResult) -> Void
    ) {
        if decision.option.hasSuffix(".cancel") { return hop { then(.failed) } }
        world.ledger.note(
            .attempted(
                id, answer: decision.answer, option: decision.option, by: name, life: life))
        let didRecover = !decision.option.hasSuffix(".fails")
        after(world.random.number(in: 0...world.plan.profile.attemptMax)) { [self] in
            world.ledger.note(
                .attemptEnded(id, answer: decision.answer, didRecover: didRecover))
            then(didRecover ? .recovered : .failed)
        }
    }
}
