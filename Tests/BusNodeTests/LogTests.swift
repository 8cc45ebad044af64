import ArgumentParser
import Testing

@testable import bus_node

struct LogTests {
    @Test("A grace goes with what is presented again, and with nothing else")
    func grace() throws {
        let log = try Log.parse(["--topology", "t.yaml", "--reoffer", "0192", "--grace", "3s"])
        #expect(log.grace == "3s")
        #expect(throws: (any Error).self) { try Log.parse(["--topology", "t", "--grace", "3s"]) }
    }
}
