import ErrorBusTesting
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

extension RealSockets {
    /// Peers without a link that ask for large answers until they are sent no more.
    @Suite struct OversupplyTests {
        private static let names = ["a", "b", "c", "d", "e", "f", "g", "h"]
        /// 16 KiB of UTF-8, the longest value.
        private static let value = String(repeating: "😀", count: 4_096)

        private let bus = Bus()
        private let id = PresentationID.make()
        private let presenter = ScriptedPresenter(
            "person",
            .run { prompt in
                let values = Self.names.map { ($0, JSONValue.string(Self.value)) }
                return try prompt.answer(
                    "move", by: "ann", via: .person,
                    values: Dictionary(uniqueKeysWithValues: values))
            })

        private var report: Frame {
            let fields = Self.names.map { #"{"name":"\#($0)","label":"\#($0)","kind":"text"}"# }
            let option = """
                {"id":"move","title":"Move","fields":[\(fields.joined(separator: ","))]}
                """
            return Frame(
                """
                {"id":"\(id)","domain":"d","description":"broken","recoveryOptions":[\(option)]}
                """.utf8)
        }

        /// Asks until a reply is of another kind than before.
        private func next<Reply: Sendable>(
            _ ask: @Sendable () async throws -> Reply, where isMeant: (Reply) -> Bool
        ) async throws -> Reply {
            while true {
                let reply = try await ask()
                if isMeant(reply) { return reply }
            }
        }

        @Test("A bare client whose answer is not sent gets 429, and the answer once it asks again")
        func bare() async throws {
            let central = try bus.node("central", presenters: [presenter])
            try await bus.run(central) {
                let client = try RawSocket.request(to: try bus.endpoint("central"))
                @Sendable func ask() async throws -> JSONValue {
                    try await client.send([report])
                    return try JSONValue.parse(try await client.receive()[0], limits: .report)
                }
                #expect(try await ask()["option"]?.stringValue == "move")
                let refused = try await next(ask) { $0["code"]?.integerValue == 429 }
                #expect(refused["outcome"]?.stringValue == "rejected")
                #expect(refused["id"]?.stringValue == id.description)
                let reason = refused["reason"]?.stringValue ?? ""
                #expect(reason.contains("ask again with this id"))
                let status = await central.status
                #expect(status.dropped["oversupply"] == 1)
                #expect(status.faults.first?.text == "429 \(reason)")
                let answered = try await next(ask) { $0["code"]?.isNull == true }
                #expect(answered["values"]?["h"]?.stringValue == Self.value)
                #expect(presenter.prompts.count == 1)
            }
        }

        @Test("A REQ whose ANSWER is not sent gets 429, and the ANSWER once it asks again")
        func request() async throws {
            let central = try bus.node("central", presenters: [presenter])
            try await bus.run(central) {
                let client = try RawSocket.request(to: try bus.endpoint("central"))
                var present = Message.Present.client(id: id)
                present.payload = report
                let asked = Message.present(present)
                @Sendable func ask() async throws -> Message { try await client.ask(asked) }
                #expect(try await ask().verb == .answer)
                let refused = try await next(ask) { $0.verb != .answer }
                guard case .reject(let reject) = refused else {
                    Issue.record("\(refused.verb)")
                    return
                }
                #expect(reject.code == .busy && reject.id == id)
                #expect(reject.retryMilliseconds == 8_000)
                #expect(await central.status.dropped["oversupply"] == 1)
                let answered = try await next(ask) { $0.verb != .reject }
                #expect(answered.verb == .answer)
                #expect(presenter.prompts.count == 1)
            }
        }
    }
}
