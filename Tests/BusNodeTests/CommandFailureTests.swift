import Testing

@testable import ErrorBus
@testable import bus_node

struct CommandFailureTests {
    private func report(_ command: [String]) -> ErrorReport {
        CommandFailure(
            command: command,
            ending: CommandEnding(status: .exited(4), errorTail: "", duration: .zero)
        ).report
    }

    @Test("As many words as allowed are in the report, one more is cut and said to be")
    func arguments() {
        let words = (0...CommandFailure.argumentMax).map { "\($0)" }
        let whole = report(Array(words.dropLast()))
        #expect(whole.userInfo["arguments"] == .array(words.dropLast().map { .string($0) }))
        #expect(whole.userInfo["argumentsAreCut"] == nil)
        let cut = report(words)
        #expect(cut.userInfo["arguments"] == .array(words.dropLast().map { .string($0) }))
        #expect(cut.userInfo["argumentsAreCut"] == true)
        #expect(cut.description.hasSuffix("… failed with exit code 4."))
    }

    @Test("A long command is cut in the description", arguments: [200, 201])
    func long(count: Int) {
        let text = report([String(repeating: "x", count: count)]).description
        #expect(text.contains("…") == (count > 200))
    }
}
