import ErrorBus
import ErrorBusTesting
import Testing

@testable import BusNodeKit

/// How long people are signed in, and how many.
struct SignInSessionsTests {
    private let time = ManualTime()
    private var now: ContinuousClock.Instant { time.now.instant }

    private func session(_ name: String) -> SignInSessions.Session {
        SignInSessions.Session(name: name, identity: name, permissions: nil, token: nil)
    }

    @Test("A session needs its label and its key, and ends after its time or when it is ended")
    func ends() {
        var sessions = SignInSessions()
        sessions.began(session("anna"), "label", key: "key", for: .seconds(60), at: now)
        sessions.began(session("bob"), "other", key: "another", for: .seconds(60), at: now)
        #expect(sessions.session("label", key: "key", at: now)?.name == "anna")
        #expect(sessions.session("label", key: "another", at: now) == nil)
        #expect(sessions.session("label", key: "", at: now) == nil)
        #expect(sessions.session("none", key: "key", at: now) == nil)
        #expect(sessions.ended("other")?.name == "bob")
        #expect(sessions.ended("other") == nil)
        #expect(sessions.session("other", key: "another", at: now) == nil)
        time.advance(by: .seconds(60))
        #expect(sessions.session("label", key: "key", at: now) == nil)
        #expect(sessions.session("label", at: now) == nil)
    }

    @Test("A person's latest session is found by the name while it goes on")
    func ofPerson() {
        var sessions = SignInSessions()
        sessions.began(session("anna"), "first", key: "key", for: .seconds(60), at: now)
        time.advance(by: .seconds(30))
        sessions.began(
            .init(name: "anna", identity: "anna", permissions: [.answer], token: nil), "second",
            key: "key", for: .seconds(60), at: now)
        #expect(sessions.session(of: "anna", at: now)?.permissions == [.answer])
        #expect(sessions.session(of: "bob", at: now) == nil)
        _ = sessions.ended("second")
        #expect(sessions.session(of: "anna", at: now)?.permissions == nil)
        #expect(sessions.session(of: "anna", at: now) != nil)
        time.advance(by: .seconds(30))
        #expect(sessions.session(of: "anna", at: now) == nil)
    }

    @Test("Above the limit the oldest session ends, of one user that user's own")
    func many() {
        var sessions = SignInSessions()
        sessions.began(session("anna"), "anna", key: "key", for: .seconds(60), at: now)
        for number in 0...SignInSessions.countMaxPerUser {
            // Another name at the provider makes no other user.
            let bob = SignInSessions.Session(
                name: "bob\(number)", identity: "bob", permissions: nil, token: nil)
            sessions.began(bob, "bob \(number)", key: "k", for: .seconds(60), at: now)
        }
        #expect(sessions.session("anna", at: now) != nil)
        #expect(sessions.session("bob 0", at: now) == nil)
        #expect(sessions.session("bob 1", at: now) != nil)
        for number in 0..<SignInSessions.countMax {
            sessions.began(
                session("\(number)"), "\(number)", key: "k", for: .seconds(60), at: now)
        }
        #expect(sessions.session("anna", at: now) == nil)
        #expect(sessions.session("0", at: now) != nil)
    }
}
