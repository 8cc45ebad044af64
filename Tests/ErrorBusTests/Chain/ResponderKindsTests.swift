import ErrorBusTesting
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite("Any kind of type can be a responder")
struct ResponderKindsTests {
    @Test("Classes, actors, structs and main actor types follow the rules, by the public checks")
    func conformance() async {
        let kinds: [ResponderConformance.MakeResponder] = [
            { StructResponder(following: $0) },
            { ClassResponder(following: $0) },
            { ActorResponder(next: $0) },
            { await MainActorResponder(next: $0) },
            { ClosureResponder("closure", next: $0) },
            { CoalescingResponder("coalescing", next: $0) },
            { PresentingResponder("none", presenters: [], next: $0, logger: .silent) },
        ]
        for make in kinds {
            let violations = await ResponderConformance(clock: ManualClock(), makeResponder: make)
                .violations()
            let name = await make(nil).responderName
            #expect(violations == [], "\(name)")
        }
    }

    @Test("The public checks detect broken rules", arguments: Broken.allCases)
    func violations(kind: Broken) async {
        let clock = ManualClock()
        let made = Recorder<Void>()
        let checks = ResponderConformance(clock: clock) { next in
            made.record(())
            return BrokenResponder(kind: kind, following: next)
        }
        let passing = Task {
            guard kind == .swallows else { return }
            // The fourth check waits for next to be asked, which never comes: its time is over.
            for _ in 0..<4 { try await made.next() }
            while clock.sleeperCount == 0 { await Task.yield() }
            clock.advance(by: .seconds(5))
        }
        let violations = await checks.violations()
        passing.cancel()
        #expect(Set(violations.map(\.rule)) == kind.rules)
    }

    @Test("A main actor responder's hooks run on the main actor")
    func isolation() async {
        let responder = await MainActorResponder(next: nil)
        #expect(await responder.presentError(SampleError()).reason == .detached)
        #expect(await responder.hookCount == 1)
    }
}

private struct StructResponder: Responder {
    let following: (any Responder)?
    var next: (any Responder)? { get async { following } }
}

private final class ClassResponder: Responder {
    private let following: (any Responder)?
    init(following: (any Responder)?) { self.following = following }
    var next: (any Responder)? { get async { following } }

    func presentError(_ error: any Error, in context: PresentationContext) async -> Outcome {
        if error.causing(SampleError.self)?.isFatal == true {
            return Outcome(didRecover: false, reason: .handled, decidedBy: responderName)
        }
        return await forwardError(error, in: context)
    }
}

private actor ActorResponder: Responder {
    let next: (any Responder)?
    init(next: (any Responder)?) { self.next = next }
}

@MainActor
private final class MainActorResponder: Responder {
    let next: (any Responder)?
    private(set) var hookCount = 0

    init(next: (any Responder)?) { self.next = next }

    func willPresentError(
        _ error: any Error, in context: PresentationContext
    ) async throws -> (any Error)? {
        MainActor.assertIsolated()
        hookCount += 1
        return error
    }
}

enum Broken: String, CaseIterable, Sendable {
    case swallows, asksTwice, losesAttempter, claimsRecovery

    /// The rules it breaks.
    var rules: Set<String> {
        let passesOn = "an error that is not handled reaches next once, as the same presentation"
        let keepsAttempter = "an option keeps its id and its attempter on the way"
        let cancels = "cancelling the caller completes it, and withdraws the error from next"
        return switch self {
        case .swallows: [passesOn, keepsAttempter, cancels]
        case .asksTwice: [passesOn]
        case .losesAttempter: [keepsAttempter]
        case .claimsRecovery: [cancels]
        }
    }
}

private struct BrokenResponder: Responder {
    let kind: Broken
    let following: (any Responder)?
    var next: (any Responder)? { get async { following } }

    func willPresentError(
        _ error: any Error, in context: PresentationContext
    ) async throws -> (any Error)? {
        switch kind {
        case .swallows: nil
        case .losesAttempter: SampleError().recoverable(by: OptionAttempter([.cancel]))
        default: error
        }
    }

    func presentError(_ error: any Error, in context: PresentationContext) async -> Outcome {
        let outcome = await forwardError(error, in: context)
        switch kind {
        case .asksTwice:
            _ = await forwardError(error, in: context)
            return outcome
        case .claimsRecovery:
            return Outcome(
                didRecover: true, reason: outcome.reason, decidedBy: outcome.decidedBy,
                answer: outcome.answer)
        default:
            return outcome
        }
    }
}
