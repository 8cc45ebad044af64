import ErrorBus

/// How many presentations are in a chain.
// Unchecked: see Scheduler.
final class ChainCount: @unchecked Sendable {
    var count = 0
}

/// A chain of its own that a relay has, which passes all on and counts it.
struct CountedChain: Responder {
    let inside: ChainCount
    let following: any Responder

    var next: (any Responder)? { get async { following } }

    func presentError(_ error: any Error, in context: PresentationContext) async -> Outcome {
        inside.count += 1
        let outcome = await following.presentError(error, in: context)
        inside.count -= 1
        return outcome
    }
}

extension Life {
    /// The parts, for a relay with a chain that is counted.
    func counted(_ parts: NodeParts, in world: World) -> NodeParts {
        guard world.plan.hasRelayChains, process.name.hasPrefix("relay") else { return parts }
        var parts = parts
        parts.chain = { [inside] in CountedChain(inside: inside, following: $0) }
        return parts
    }
}

extension World {
    /// A process has begun to stop in order two seconds ago: nothing that it was asked is in front
    /// of its people, or in its chain.
    func lookAtStopped(_ life: Life) {
        guard life.transport.frozenUntil + 500 < scheduler.now else { return }
        let name = life.process.name
        ledger.leftInChain += life.people.flatMap(\.openIDs).map {
            "\($0): in front of people of \(name), which has stopped"
        }.sorted()
        // What it carries out itself goes on.
        let isBusy = ledger.attempts.contains { $0.life == life.number && $0.result == nil }
        if life.inside.count > 0, !isBusy {
            ledger.leftInChain.append("\(life.inside.count) in the chain of \(name)")
        }
    }
}
