import Glibc
import Testing

@testable import BusLab
@testable import BusNodeKit

struct ChaosProcessTests {
    @Test("A killed life did not end by itself, even when its end is noticed late")
    func noticedLate() {
        var state = ChaosProcess.State(pid: 10)
        state.killed(10)
        // Revived before anything waited for the end of the process.
        state.isKilled = false
        let wasKilled = state.ended(.signaled(9))
        #expect(wasKilled)
        #expect(state.marks.map(\.kind) == [.killed])
    }

    @Test("A life that ends by itself after a killed one is a crash")
    func laterLife() {
        var state = ChaosProcess.State(pid: 10)
        state.killed(10)
        let wasKilled = state.ended(.signaled(9))
        #expect(wasKilled)
        state.isKilled = false
        state.pid = 11
        let wasKilledAgain = state.ended(.signaled(9))
        #expect(!wasKilledAgain)
        #expect(state.marks.map(\.kind) == [.killed, .crashed])
    }

    @Test(
        "At the shutdown only exit code 0 is in order, or the signal before it is handled",
        arguments: [
            (.exited(0), .ended), (.signaled(SIGTERM), .ended), (.exited(1), .failedToEnd),
            (.signaled(SIGABRT), .failedToEnd), (.signaled(SIGKILL), .failedToEnd),
        ] as [(CommandEnding.Status, ChaosProcess.Mark.Kind)])
    func shutdown(ending: CommandEnding.Status, kind: ChaosProcess.Mark.Kind) {
        var state = ChaosProcess.State(pid: 10, isEnding: true)
        let wasKilled = state.ended(ending)
        #expect(!wasKilled)
        #expect(state.marks.map(\.kind) == [kind])
        #expect((state.marks.first?.problem == nil) == (kind == .ended))
    }

    @Test("A process that is killed for good, as after an error, did nothing wrong")
    func endedNow() {
        var state = ChaosProcess.State(pid: 10, isEnding: true, isEndedNow: true)
        _ = state.ended(.signaled(SIGKILL))
        #expect(state.marks.map(\.kind) == [.ended])
    }
}
