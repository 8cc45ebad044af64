import ErrorBus
import HTTPTypes
import Synchronization
import Testing

@testable import BusNodeKit

/// The bounds of a console's event streams.
struct EventStreamsTests {
    private let streams = EventStreams()

    private func refusal(_ owner: EventStreams.Owner) -> String? {
        do throws(APIProblem) {
            _ = try streams.place(for: owner)
            return nil
        } catch { return "\(error.status.code) \(error.word): \(error.message)" }
    }

    private func places(_ count: Int, _ owner: EventStreams.Owner) throws -> [EventStreams.Place] {
        try (0..<count).map { _ in try streams.place(for: owner) }
    }

    @Test("A user has 12, is refused a further one by name, and takes none from others")
    func user() throws {
        var own = try places(12, .user(SignedInPerson("anna")))
        #expect(
            refusal(.user(SignedInPerson("anna")))
                == "429 tooManyStreams: event streams of anna: the limit of 12 at a time is "
                + "reached; close pages or programs of this user")
        #expect(refusal(.user(SignedInPerson("board"))) == nil)
        own.removeLast()
        #expect(refusal(.user(SignedInPerson("anna"))) == nil)
    }

    @Test("A user who has another name at the provider now is the same one")
    func renamed() throws {
        let own = try places(12, .user(SignedInPerson("anna", identity: "1")))
        #expect(refusal(.user(SignedInPerson("ann", identity: "1")))?.contains("of ann:") == true)
        #expect(refusal(.user(SignedInPerson("ann", identity: "2"))) == nil)
        withExtendedLifetime(own) {}
    }

    @Test("With one token for all an address has 56, so that other addresses find some")
    func address() throws {
        let own = try places(56, .address("10.0.0.5"))
        #expect(refusal(.address("10.0.0.5"))?.hasPrefix("429 tooManyStreams: ") == true)
        #expect(refusal(.address("10.0.0.6")) == nil)
        withExtendedLifetime(own) {}
    }

    @Test("All together have 64")
    func total() throws {
        let all = try (0..<8).map { try places(8, .user(SignedInPerson("user-\($0)"))) }
        #expect(refusal(.user(SignedInPerson("anna")))?.hasPrefix("503 busy: ") == true)
        withExtendedLifetime(all) {}
    }

    @Test("Signing out ends the streams of that sign-in, and no others")
    func signedOut() throws {
        let ended = Mutex<[String]>([])
        let places = try ["one", "two", nil].map { session in
            try streams.place(for: .user(SignedInPerson("anna")), session: session) {
                ended.withLock { $0.append(session ?? "none") }
            }
        }
        streams.end("one")
        #expect(ended.withLock(\.self) == ["one"])
        withExtendedLifetime(places) {}
    }

    @Test("The owner is the user; without users it is the address")
    func owner() {
        let anna = ConsoleVisitor(user: ConsoleUser(name: "anna", permissions: [], token: "x"))
        #expect(EventStreams.Owner(anna, at: "10.0.0.5") == .user(SignedInPerson("anna")))
        #expect(EventStreams.Owner(.unnamed, at: "10.0.0.5") == .address("10.0.0.5"))
    }
}
