import ErrorBus
import ErrorBusTesting
import Testing

@testable import BusNodeKit

/// Sign-ins that wait for their person to return.
struct PendingSignInsTests {
    private let time = ManualTime()
    private var now: ContinuousClock.Instant { time.now.instant }

    @Test("A sign-in is completed by its browser, with its state, once")
    func once() {
        var pending = PendingSignIns()
        let own = PendingSignIns.Secrets.generated()
        let other = PendingSignIns.Secrets.generated()
        pending.began(own, from: "10.0.0.1", at: now)
        pending.began(other, from: "10.0.0.1", at: now)
        #expect(pending.returned("", by: [own.browser], at: now) == nil)
        #expect(pending.returned(own.state + "x", by: [own.browser], at: now) == nil)
        #expect(pending.returned(own.state, by: [], at: now) == nil)
        #expect(pending.returned(own.state, by: [other.browser], at: now) == nil)
        #expect(pending.returned(own.state, by: ["", own.browser], at: now) == own)
        #expect(pending.returned(own.state, by: [own.browser], at: now) == nil)
        #expect(pending.returned(other.state, by: [other.browser], at: now) == other)
    }

    @Test("A browser that begins in two tabs completes both, with one cookie")
    func tabs() {
        var pending = PendingSignIns()
        #expect(pending.known(["made-up", ""], at: now) == nil)
        let first = PendingSignIns.Secrets.generated()
        pending.began(first, from: "10.0.0.1", at: now)
        let known = pending.known(["made-up", first.browser], at: now)
        #expect(known == first.browser)
        let second = PendingSignIns.Secrets.generated(for: known)
        pending.began(second, from: "10.0.0.1", at: now)
        #expect(second.state != first.state && second.verifier != first.verifier)
        #expect(pending.returned(first.state, by: [second.browser], at: now) == first)
        #expect(pending.known([second.browser], at: now) == second.browser)
        #expect(pending.returned(second.state, by: [second.browser], at: now) == second)
        #expect(pending.known([second.browser], at: now) == nil)
    }

    @Test("Secrets differ, and are too long to guess")
    func secrets() {
        let secrets = PendingSignIns.Secrets.generated()
        let texts = [secrets.state, secrets.nonce, secrets.verifier, secrets.browser]
        #expect(Set(texts).count == 4)
        // The least and the most of a verifier (RFC 7636).
        #expect(texts.allSatisfy { $0.wholeMatch(of: /[A-Za-z0-9_-]{43,128}/) != nil })
        #expect(PendingSignIns.Secrets.generated() != secrets)
    }

    @Test("A sign-in ends after its time")
    func late() {
        var pending = PendingSignIns()
        let secrets = PendingSignIns.Secrets.generated()
        pending.began(secrets, from: "10.0.0.1", at: now)
        time.advance(by: PendingSignIns.time - .milliseconds(1))
        var early = pending
        #expect(early.returned(secrets.state, by: [secrets.browser], at: now) == secrets)
        time.advance(by: .milliseconds(1))
        #expect(pending.returned(secrets.state, by: [secrets.browser], at: now) == nil)
        #expect(pending.count == 0)
    }

    @Test("Of a browser's sessions the latest is known, as long as a sign-in may take")
    func meanwhile() {
        var pending = PendingSignIns(countMax: 3)
        #expect(pending.signedIn("one", by: "browser", at: now) == nil)
        let two = pending.signedIn("two", of: "anna", by: "browser", at: now)
        #expect(two == PendingSignIns.Former(label: "one", user: nil))
        let again = pending.signedIn("again", by: "browser", at: now)
        #expect(again == PendingSignIns.Former(label: "two", user: "anna"))
        #expect(pending.signedIn("other", by: "another", at: now) == nil)
        time.advance(by: PendingSignIns.time)
        #expect(pending.signedIn("three", by: "browser", at: now) == nil)
        for number in 0..<3 { _ = pending.signedIn("x", by: "\(number)", at: now) }
        #expect(pending.signedIn("four", by: "browser", at: now) == nil)
    }

    @Test("A stranger with a few addresses pushes out no person elsewhere")
    func fair() {
        var pending = PendingSignIns(countMax: 20, countMaxPerAddress: 10)
        let person = PendingSignIns.Secrets.generated()
        pending.began(person, from: "10.0.0.1", at: now)
        for number in 0..<100 {
            // Of IPv6 one host has a whole network.
            pending.began(.generated(), from: "10.0.1.\(number % 3)", at: now)
            pending.began(.generated(), from: "2001:db8::\(number)", at: now)
        }
        #expect(pending.count == 20)
        #expect(pending.returned(person.state, by: [person.browser], at: now) == person)
        // What is over counts no longer.
        time.advance(by: PendingSignIns.time)
        for _ in 0..<15 { pending.began(.generated(), from: "10.0.0.1", at: now) }
        #expect(pending.count == 10)
    }

    @Test("Above the limit the oldest goes, of one address that address's own")
    func many() {
        var pending = PendingSignIns(countMax: 20, countMaxPerAddress: 5)
        let first = PendingSignIns.Secrets.generated()
        pending.began(first, from: "10.0.0.1", at: now)
        for _ in 0..<pending.countMaxPerAddress + 10 {
            pending.began(.generated(), from: "10.0.0.2", at: now)
        }
        #expect(pending.count == pending.countMaxPerAddress + 1)
        var others = pending
        #expect(others.returned(first.state, by: [first.browser], at: now) == first)
        for number in 0..<pending.countMax * 2 {
            pending.began(.generated(), from: "10.0.1.\(number)", at: now)
        }
        #expect(pending.count == pending.countMax)
        #expect(pending.returned(first.state, by: [first.browser], at: now) == nil)
    }
}
