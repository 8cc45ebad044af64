import CZMQ
import ErrorBusTesting
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

extension RealSockets {
    /// Clients that know libzmq and the protocol, and nothing of this library.
    @Suite struct ForeignClientTests {
        @Test("A plain REQ presents, applies, settles and gets OK", arguments: [false, true])
        func request(isStrict: Bool) async throws {
            let presenter = FixedPresenter(option: "retry")
            let central = try Bus().tcpRoot("central", presenters: [presenter])
            try await Bus().run(central) {
                let endpoint = try #require(await central.boundEndpoints.first)
                let client = try RawSocket.request(to: endpoint, isStrict: isStrict)
                try await Self.converse(client)
                // The next one on the same socket.
                try await Self.converse(client)
            }
            #expect(presenter.counts.values.allSatisfy { $0 == 1 })
            #expect(presenter.counts.count == 2)
        }

        @Test("The same through a queue proxy, and through a relay", arguments: ["proxy", "relay"])
        func detour(kind: String) async throws {
            let bus = Bus()
            let central = try bus.node("central", presenters: [FixedPresenter(option: "retry")])
            let relay = try bus.node("relay", next: ["central"])
            try await bus.run(central, relay) {
                guard kind == "proxy" else {
                    return try await Self.converse(RawSocket.request(to: bus.endpoint("relay")))
                }
                let proxy = try QueueProxy(
                    from: bus.endpoint("proxy"), to: bus.endpoint("central"))
                let result: Result<Void, any Error>
                do {
                    let client = try RawSocket.request(to: bus.endpoint("proxy"))
                    result = .success(try await Self.converse(client))
                } catch { result = .failure(error) }
                proxy.stop()
                try result.get()
            }
        }

        /// One presentation from the first word to the last.
        private static func converse(_ client: RawSocket) async throws {
            let present = Message.Present.client()
            guard case .answer(_, let decision, _) = try await client.ask(.present(present)) else {
                Issue.record("no answer")
                return
            }
            #expect(decision.option == "retry")
            #expect(decision.didRecover == nil)
            #expect(decision.by == "tester")
            let settled = Message.Settled(
                id: present.id, answer: decision.id, result: .recovered)
            #expect(try await client.ask(.settled(settled)) == .ok(id: present.id))
            // A repeated result gets a repeated OK.
            #expect(try await client.ask(.settled(settled)) == .ok(id: present.id))
        }

        @Test("A REQ with a wait of 0 gets PENDING, and asks again")
        func awaiting() async throws {
            let bus = Bus()
            let presenter = ScriptedPresenter("person", .waitForCancellation)
            let central = try bus.node("central", presenters: [presenter])
            try await bus.run(central) {
                let client = try RawSocket.request(to: bus.endpoint("central"))
                let present = Message.Present.client(wait: 0)
                let reply = try await client.ask(.present(present))
                guard case .pending(let pending) = reply else {
                    Issue.record("\(reply)")
                    return
                }
                #expect(pending.id == present.id)
                let prompt = try await presenter.nextPrompt()
                async let later = client.ask(.await(id: present.id, waitMilliseconds: 20_000))
                _ = try prompt.answer("cancel", by: "ada", via: .person)
                guard case .answer(_, let decision, _) = try await later else {
                    Issue.record("no answer")
                    return
                }
                #expect(decision.option == "cancel")
                #expect(decision.by == "ada")
            }
        }

        @Test("The same id again gets the same answer; with another report it is refused")
        func sameID() async throws {
            let bus = Bus()
            let presenter = FixedPresenter(option: "retry")
            let central = try bus.node("central", presenters: [presenter])
            try await bus.run(central) {
                let client = try RawSocket.request(to: bus.endpoint("central"))
                var present = Message.Present.client()
                let first = try await client.ask(.present(present))
                present.attempt = 2
                #expect(try await client.ask(.present(present)) == first)
                let other = Message.Present.client(
                    id: present.id, payload: #"{"domain":"d","description":"Another one."}"#)
                guard case .reject(let reject) = try await client.ask(.present(other)) else {
                    Issue.record("not refused")
                    return
                }
                #expect(reject.code == .conflict)
                #expect(presenter.counts == [present.id: 1])
            }
        }

        @Test("A REQ that withdraws gets OK, and its prompt ends")
        func withdraw() async throws {
            let bus = Bus()
            let presenter = ScriptedPresenter("person", .waitForCancellation)
            let central = try bus.node("central", presenters: [presenter])
            try await bus.run(central) {
                let client = try RawSocket.request(to: bus.endpoint("central"))
                let id = PresentationID.make()
                _ = try await client.ask(.present(.client(id: id, wait: 0)))
                _ = try await presenter.nextPrompt()
                #expect(try await client.ask(.withdraw(id: id, reason: .origin)) == .ok(id: id))
                #expect(try await presenter.nextTakenAway() == id)
                #expect(
                    try await client.ask(.await(id: id, waitMilliseconds: 0)) == .withdrawn(id: id))
            }
        }

        @Test("One frame of JSON gets one frame of JSON; the same id the same answer")
        func bare() async throws {
            let bus = Bus()
            let presenter = FixedPresenter(option: "retry")
            let central = try bus.node("central", presenters: [presenter])
            try await bus.run(central) {
                let client = try RawSocket.request(to: bus.endpoint("central"))
                let id = PresentationID.make()
                let report = """
                    {"id":"\(id)","domain":"org.example","description":"It failed.",
                     "recoveryOptions":[{"id":"retry","title":"Retry"}]}
                    """
                let first = try await Self.bare(client, report)
                #expect(first["outcome"] == "answered")
                #expect(first["option"] == "retry")
                #expect(first["by"] == "tester")
                #expect(first["id"] == .string(id.description))
                #expect(try await Self.bare(client, report)["option"] == "retry")
                #expect(presenter.counts == [id: 1])
                let refused = try await Self.bare(client, #"{"domain":1}"#)
                #expect(refused["outcome"] == "rejected")
                #expect(refused["code"] == .integer(400))
            }
        }

        private static func bare(
            _ client: RawSocket, _ text: String
        ) async throws -> [String: JSONValue] {
            try await client.send([Frame(text.utf8)])
            let frames = try await client.receive()
            let value = try JSONValue.parse(try #require(frames.first))
            guard case .object(let object) = value, frames.count == 1 else { return [:] }
            return object
        }
    }
}
