import Testing

@testable import BusNodeKit

struct ConfigurationLocationTests {
    @Test("Messages follow the lines of the topology's file, then those of each other file")
    func order() {
        let places = [("p", 2), ("q", 1), ("p", 1), ("t", 9), ("q", 3), ("t", 2)]
            .map { ConfigurationLocation(file: $0.0, line: $0.1, column: 1) }
        let sorted = places.sorted { $0.precedes($1, startingWith: "t") }
        #expect(
            sorted.map { "\($0.file):\($0.line)" } == ["t:2", "t:9", "p:1", "p:2", "q:1", "q:3"])
    }
}
