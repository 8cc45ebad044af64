import ErrorBusTesting
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// The pauses that receivers ask for.
struct NotifyPauseTests {
    /// The time until the next try, after a first one that failed with this pause.
    private func wait(after pause: Duration?) throws -> Duration {
        var rig = NotifyRig([NotifyRig.hook(digest: .zero)])
        rig.open()
        let now = rig.time.now
        #expect(rig.machine.step(at: now).count == 1)
        rig.machine.tried(0, "status 429", pause: pause, at: now)
        // Of the digest, which is over.
        #expect(rig.machine.step(at: now).isEmpty)
        return now.instant.duration(to: try #require(rig.machine.nextStep))
    }

    @Test("A receiver that asks for a pause gets the next try after it, and never sooner than else")
    func pauses() throws {
        let limits = NotifyLimits()
        #expect(try wait(after: nil) == limits.retryTime)
        #expect(try wait(after: .zero) == limits.retryTime)
        #expect(try wait(after: .seconds(30)) == .seconds(30))
        #expect(try wait(after: limits.pauseMax + .seconds(1)) == limits.pauseMax)
    }

    @Test("The pause after the last try of a message holds for the next message")
    func lastTry() throws {
        var rig = NotifyRig([NotifyRig.hook(digest: .zero) { $0.tries = 1 }])
        for number in 0..<2 { rig.open(NotifyRig.report("\(number)")) }
        let now = rig.time.now
        #expect(rig.machine.step(at: now).count == 1)
        rig.machine.tried(0, "status 429", pause: .seconds(30), at: now)
        #expect(rig.machine.dead.count == 1)
        #expect(rig.pass(.seconds(29)).isEmpty)
        #expect(rig.pass(.seconds(1)).map(\.outline) == ["opened 1 1"])
    }
}
