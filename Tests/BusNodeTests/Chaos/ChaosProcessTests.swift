import Testing

@testable import bus_node

struct ChaosProcessTests {
    @Test("A life that was killed did not go by itself, also when its end is noticed late")
    func noticedLate() {
        var state = ChaosProcess.State(pid: 10)
        state.killed(10)
        // Revived before anybody waited for the end of the process.
        state.isKilled = false
        #expect(state.ended(.signaled(9)))
        #expect(state.marks.map(\.kind) == [.killed])
    }

    @Test("The life after a killed one that goes by itself is a crash")
    func laterLife() {
        var state = ChaosProcess.State(pid: 10)
        state.killed(10)
        #expect(state.ended(.signaled(9)))
        state.isKilled = false
        state.pid = 11
        #expect(!state.ended(.signaled(9)))
        #expect(state.marks.map(\.kind) == [.killed, .crashed])
    }
}
