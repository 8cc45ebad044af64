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
}
