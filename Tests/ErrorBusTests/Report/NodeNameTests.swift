import Testing

@testable import ErrorBusCore

struct NodeNameTests {
    @Test("A client without a name has words of its own for people, a node its name")
    func words() {
        #expect(NodeName.bare.description == "bare")
        #expect(NodeName.bare.words == "a client without a name")
        #expect(NodeName("worker-1").words == "worker-1")
    }

    @Test("A text that is no name is shown as it is")
    func texts() {
        #expect(NodeName.words(of: "bare") == NodeName.bare.words)
        for text in ["worker-1", "no name", ""] { #expect(NodeName.words(of: text) == text) }
    }
}
