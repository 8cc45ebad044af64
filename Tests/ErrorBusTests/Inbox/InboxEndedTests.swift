import Testing

@testable import ErrorBusCore

@Suite("The list of ended presentations")
struct InboxEndedTests {
    private func list(_ numbers: ClosedRange<UInt64>) -> InboxEnded {
        var list = InboxEnded()
        for number in numbers { list.append(PresentationID(number)) }
        return list
    }

    // Lists are equal only if their removed parts, which are kept for a while, are equal too.
    @Test("What was removed is cut off before it is longer than the rest")
    func cutOff() {
        var ended = list(1...100)
        for _ in 1...51 { ended.removeOldest() }
        #expect(ended.count == 49)
        #expect(ended.oldest == PresentationID(52))
        #expect(ended == list(52...100))
    }

    @Test("A list from which all was removed is like a new one")
    func emptied() {
        var ended = list(1...100)
        for _ in 1...100 { ended.removeOldest() }
        #expect(ended.oldest == nil)
        #expect(ended == InboxEnded())
    }
}
