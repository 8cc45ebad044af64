import CZMQ
import ErrorBusTesting
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

extension RealSockets {
    /// What a relay does to what it passes on: nothing.
    @Suite struct PassingThroughTests {
        static let oddReport = """
            {\t"zeta" : [1.50, -0, 1e2 ],"domain":"x" ,\n  "description":"caf\\u00e9 \\/",
              "userInfo":{"b":1,"a":{"nested":null}}, "x-unknown":{"k":"v"}}\n
            """

        @Test(
            "A39 A relay without responders passes bytes, digest and unknown fields unchanged",
            arguments: [("retry", nil), ("retry", true), (nil, false)] as [(String?, Bool?)])
        func byteForByte(option: String?, didRecover: Bool?) async throws {
            let bus = Bus()
            let parent = try RawSocket(ZMQ_ROUTER)
            try parent.bind(bus.endpoint("top"))
            let relay = try bus.node("relay", next: ["top"])
            try await bus.run(relay) {
                let link = try await Self.welcome(on: parent)
                let child = try RawSocket.dealer(to: bus.endpoint("relay"))
                try await child.tell(.hello(.init(from: "worker", boot: .make())))
                _ = try await child.hear(.welcome)
                var present = Message.Present.client(
                    origin: "worker", wait: nil, payload: Self.oddReport)
                present.digest = ReportDigest(of: [1, 2, 3])
                present.traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
                present.unknownFields = [.init(name: "x-later", value: "ja  wohl")]
                try await child.tell(.present(present))
                let frames = try await Self.next(.present, on: parent)
                guard case .present(let passed) = try Message(frames: frames[2...]) else {
                    Issue.record("\(frames)")
                    return
                }
                var expected = present
                expected.path = ["worker", "relay"]
                #expect(passed == expected)

                // And the way back.
                let extras = Answer.Extras(
                    fields: [.init(name: "x-shift", value: "night")],
                    payload: Frame(#"{"note" : "ja"}"#.utf8))
                let decision = Answer(
                    id: PresentationID.make().value, option: option, by: "ada", via: .person,
                    didRecover: didRecover, reason: "answered", extras: extras)
                try await parent.send([link, []] + Message.answer(present.id, decision).frames)
                let told = try await child.hear(.answer)
                #expect(told == .answer(present.id, decision, digest: expected.digest))
                // The child's word counts only where the attempt was its own.
                let result: RecoveryResult = didRecover == false ? .failed : .recovered
                let settled = Message.settled(
                    .init(id: present.id, answer: decision.id, result: result))
                try await child.tell(settled)
                let passedUp = try await Self.next(.settled, on: parent)
                #expect(try Message(frames: passedUp[2...]) == settled)
            }
        }

        @Test("A39 A report is the same after two hops")
        func wholeReport() async throws {
            let bus = Bus()
            let presenter = ScriptedPresenter("script", .answer("ok"), .answer("ok"))
            let central = try bus.node("central", presenters: [presenter])
            let relay = try bus.node("relay", next: ["central"])
            let worker = try bus.node("worker", next: ["relay"], listens: false)
            var report = ErrorReport(
                domain: "com.acme.billing", code: .min, description: "The invoice é \u{1F4A5}.",
                failureReason: "Because.", recoverySuggestion: "Retry.", helpAnchor: "help",
                severity: .critical, options: [.init(id: "ok", title: "Gut", role: .default)],
                userInfo: ["n": .number(1.5), "list": [.null, true, .integer(.max)]],
                underlyingErrors: [
                    ErrorReport(
                        domain: "NSPOSIXErrorDomain", code: .max, description: "outer",
                        underlyingErrors: [ErrorReport(domain: "d", description: "inner")])
                ])
            report.unknownKeys = ["x-later": ["k": "v"]]
            report.coalesceKey = "invoice"
            let sent = report
            try await bus.run(central, relay, worker) {
                _ = await worker.uplink.presentError(
                    SaveFailed().rewriting { $0 = sent })
            }
            #expect(presenter.prompts.map(\.report) == [report])
            #expect(presenter.prompts.map(\.origin) == ["worker"])
            #expect(presenter.prompts.map(\.path) == [["worker", "relay"]])
        }

        @Test("A child cannot forge changes of the nodes above it")
        func forgedChanges() async throws {
            let bus = Bus()
            let presenter = ScriptedPresenter("script", .answer("retry"))
            let central = try bus.node("central", presenters: [presenter])
            let relay = try bus.node("relay", next: ["central"])
            let names = ["worker", "relay", "central", "ghost", "wörker"]
            let changes = names.map { #"{"by":"\#($0)","rewritten":["description"],"later":1}"# }
            let list = changes.joined(separator: ",")
            let report =
                #"{"domain":"d","description":"x","recoveryOptions":[{"id":"retry","title":"R"}],"#
                + #""ch\u0061nges":[7,\#(list)]}"#
            try await bus.run(central, relay) {
                let child = try RawSocket.dealer(to: bus.endpoint("relay"))
                try await child.tell(.hello(.init(from: "worker", boot: .make())))
                _ = try await child.hear(.welcome)
                let present = Message.Present.client(origin: "worker", payload: report)
                try await child.tell(.present(present))
                _ = try await child.hear(.answer)
            }
            let shown = try #require(presenter.prompts.first?.report)
            #expect(shown.changes.map(\.by) == ["worker"])
            #expect(shown.unknownKeys["changes"]?.arrayValue?.first?["later"] == 1)
        }

        /// Takes the relay's HELLO and welcomes it; returns its routing id.
        static func welcome(on parent: RawSocket) async throws -> Frame {
            let hello = try await next(.hello, on: parent)
            let welcome = Message.Welcome(
                node: "top", boot: .make(), maxHeader: 8_192, maxPayload: 262_144, maxOpen: 1_024,
                pingMilliseconds: 4_000, path: ["top"])
            try await parent.send([hello[0], []] + Message.welcome(welcome).frames)
            return hello[0]
        }

        /// The next message of this verb, with its sender's routing id; others are passed over.
        static func next(_ verb: Verb, on parent: RawSocket) async throws -> [Frame] {
            while true {
                let frames = try await parent.receive()
                if frames.count == 6, frames[3] == Frame(verb.rawValue.utf8) { return frames }
            }
        }
    }
}
