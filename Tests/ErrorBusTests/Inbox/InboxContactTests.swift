import ErrorBusTesting
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// What an inbox shows of the contact with an origin.
struct InboxContactTests {
    private struct Failure: ReportableError {
        let report = ErrorReport(domain: "d", description: "broken")
    }

    private let inbox = Inbox("console")

    private func received(_ id: PresentationID) -> ReceivedPresentation {
        ReceivedPresentation(
            Message.Present(id: id, origin: "worker", path: ["worker"], payload: []))
    }

    @Test("An item shows the latest contact, also when a change overtakes the one before")
    func overtaken() async throws {
        let id = PresentationID.make()
        let received = received(id)
        let contact = received.contact
        contact.set(false)
        // Comes before the inbox's own observer: that one gets the later change first.
        contact.onChange { [weak contact] isReachable in
            if isReachable { contact?.set(false) }
        }
        let prompt = Prompt(Failure(), in: PresentationContext(id: id, received: received))
        let asking = Task { _ = try await inbox.present(prompt) }
        for await _ in inbox.changes() {
            if let item = inbox.items().first, !item.isReachable { break }
        }
        contact.set(true)
        #expect(!contact.isReachable)
        #expect(try !inbox.item(id).isReachable)
        asking.cancel()
    }

    /// A prompt that others may keep.
    private struct Seen {
        weak var prompt: Prompt?
    }

    private func present() async throws -> Seen {
        let id = PresentationID.make()
        let prompt = Prompt(Failure(), in: PresentationContext(id: id, received: received(id)))
        _ = try await inbox.present(prompt)
        return Seen(prompt: prompt)
    }

    @Test("The inbox keeps no prompt of a presentation that is over")
    func released() async throws {
        let isKept = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await present().prompt != nil
        }
        #expect(try await !isKept.value)
    }
}
