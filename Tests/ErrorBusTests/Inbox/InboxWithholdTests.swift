import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// What is withheld at the moment of another end, which the inbox does not know yet.
struct InboxWithholdTests {
    private let inbox = Inbox("console")
    private let prompt = Prompt(SampleError(), in: PresentationContext(id: .make()))

    /// The task that shows the prompt, once it does.
    private func shown() async -> Task<Answer?, any Error> {
        let presenting = Task { [inbox, prompt] in try await inbox.present(prompt) }
        for await _ in inbox.changes() where inbox.openCount == 1 { break }
        return presenting
    }

    private func withhold() throws(InboxRefusal) {
        try inbox.withhold(prompt.id, by: "silence 1 (ann)")
    }

    @Test("What was answered elsewhere a moment before is answered, and not withheld")
    func answered() async throws {
        let presenting = await shown()
        let answer = try prompt.answer("ok", by: "bob", via: .person)
        #expect(throws: InboxRefusal.self) { try withhold() }
        presenting.cancel()
        #expect(try await presenting.value == answer)
        #expect(try inbox.item(prompt.id).stage == .answered(answer))
    }

    @Test("What expired a moment before is shown as expired")
    func expired() async throws {
        let presenting = await shown()
        prompt.close(.expired)
        #expect(throws: InboxRefusal.self) { try withhold() }
        presenting.cancel()
        #expect(try await presenting.value == nil)
        #expect(try inbox.item(prompt.id).stage == .closed(.expired))
    }

    @Test("What is withheld closes its prompt, and names who withheld it")
    func withheld() async throws {
        let presenting = await shown()
        try withhold()
        #expect(prompt.closeReason == .withheld && prompt.closedBy == "silence 1 (ann)")
        presenting.cancel()
        #expect(try await presenting.value == nil)
        #expect(try inbox.item(prompt.id).stage == .closed(.withheld))
    }
}
