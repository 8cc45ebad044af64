import ErrorBusTesting
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite("The claims on one prompt")
struct PromptClaimsTests {
    private final class Desk: Sendable {}

    private let states = Recorder<PresentationState>()
    private let here = Desk()
    private let there = Desk()

    private var prompt: Prompt {
        Prompt(
            SampleError(),
            in: PresentationContext(id: .make(), stateChanged: { [states] in states.record($0) }))
    }

    private var later: Moment { ManualTime().now + .seconds(86_400) }

    @Test("No state of another presenter hides a claim, until it is released")
    func hidden() {
        let prompt = prompt
        prompt.moved(to: .presented, by: "console")
        prompt.claimed(by: "bob", until: later, in: here)
        prompt.moved(to: .queued)
        prompt.moved(to: .presented, by: "root")
        #expect(prompt.claim?.person == "bob")
        prompt.released(by: "console", in: here)
        #expect(prompt.claim == nil)
        prompt.moved(to: .queued)
        #expect(
            states.elements == [
                PresentationState(.presented, by: "console"),
                PresentationState(.claimed, by: "bob"),
                PresentationState(.presented, by: "console"), PresentationState(.queued),
            ])
    }

    @Test("A release in one inbox leaves the claim in another, which is said again")
    func two() {
        let prompt = prompt
        prompt.claimed(by: "ann", until: later, in: there)
        prompt.claimed(by: "bob", until: later, in: here)
        prompt.released(by: "console", in: here)
        #expect(prompt.claim?.person == "ann")
        #expect(states.elements.map(\.by) == ["ann", "bob", "ann"])
    }

    @Test("The end of a claim that was replaced, which its timer may report late, ends no other")
    func replaced() {
        let now = ManualTime().now
        var claims = PromptClaims()
        let first = PromptClaims.Claim(person: "ann", until: now + .seconds(1))
        let second = PromptClaims.Claim(person: "bob", until: now + .seconds(30))
        for claim in [first, second] { claims.claimed(claim, in: ObjectIdentifier(here)) }
        let hasEnded = claims.ranOut(first, in: ObjectIdentifier(here))
        #expect(!hasEnded && claims.standing(at: now)?.person == "bob")
        _ = claims.ranOut(second, in: ObjectIdentifier(here))
        #expect(claims.standing(at: now) == nil)
    }

    @Test("A claim that ran out hides nothing; a new one replaces that of its inbox")
    func runOut() {
        let now = ManualTime().now
        var claims = PromptClaims()
        let shown = PresentationState(.presented, by: "root")
        claims.claimed(.init(person: "ann", until: now + .seconds(60)), in: ObjectIdentifier(here))
        claims.claimed(.init(person: "bob", until: now + .seconds(30)), in: ObjectIdentifier(here))
        #expect(claims.standing(at: now)?.person == "bob")
        #expect(claims.reported(shown, at: now + .seconds(29)) == nil)
        #expect(claims.reported(shown, at: now + .seconds(30)) == shown)
        #expect(claims.reported(PresentationState(.unreachable), at: now) != nil)
    }

    @Test("The claim that an undone answer leaves its author replaces the one before")
    func undone() async throws {
        let inbox = Inbox("console")
        let prompt = prompt
        let asking = Task { try await inbox.present(prompt) }
        for await _ in inbox.changes() where (try? inbox.item(prompt.id)) != nil { break }
        let until = try inbox.claim(prompt.id, by: "bob", for: .seconds(900))
        try inbox.answer(prompt.id, option: "ok", by: "bob", undo: .seconds(60))
        try inbox.undo(prompt.id)
        let claim = try #require(prompt.claim)
        #expect(claim.person == "bob" && claim.until < until)
        #expect(states.elements.last == PresentationState(.claimed, by: "bob"))
        asking.cancel()
        _ = try await asking.value
    }

    @Test("A claim in the inbox stands while a terminal beside it moves the prompt")
    func besideTerminal() async throws {
        let inbox = Inbox("console")
        let prompt = prompt
        let asking = Task { try await inbox.present(prompt) }
        for await _ in inbox.changes() where (try? inbox.item(prompt.id)) != nil { break }
        try inbox.claim(prompt.id, by: "bob")
        prompt.moved(to: .queued)
        prompt.moved(to: .presented, by: "root")
        let until = try #require(prompt.claim?.until)
        #expect(try inbox.item(prompt.id).stage == .claimed(by: "bob", until: until))
        #expect(states.elements.last == PresentationState(.claimed, by: "bob"))
        try inbox.release(prompt.id, by: "bob")
        #expect(prompt.claim == nil)
        #expect(states.elements.last == PresentationState(.presented, by: "console"))
        asking.cancel()
        _ = try await asking.value
    }
}
