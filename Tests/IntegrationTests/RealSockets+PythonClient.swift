import ErrorBusTesting
import Foundation
import Testing

@testable import ErrorBus

extension RealSockets {
    /// The clients in Examples/clients, as a user would copy them.
    @Suite struct PythonClientTests {
        @Test(
            "The REQ client in Python presents, applies and settles", arguments: ["node", "proxy"])
        func request(way: String) async throws {
            let bus = Bus()
            let audit = RecordingAudit()
            let central = try bus.node(
                "central", presenters: [FixedPresenter(option: "retry")],
                parts: { $0.audit = audit })
            try await bus.run(central) {
                let proxy =
                    way == "proxy"
                    ? try QueueProxy(from: bus.endpoint("proxy"), to: bus.endpoint("central")) : nil
                defer { proxy?.stop() }
                let printed = try await Python.run(
                    "req_client.py", "--endpoint",
                    bus.endpoint(way == "proxy" ? "proxy" : "central").description)
                #expect(printed["verb"] == "ANSWER")
                #expect(printed["option"] == "retry")
                #expect(printed["result"] == "recovered")
                #expect(printed["settled"] == true)
                #expect(try await audit.nextResult() == .recovered)
            }
        }

        @Test("The bare client in Python gets the same answer for the same id")
        func bare() async throws {
            let presenter = FixedPresenter(option: "cancel")
            let bus = Bus()
            let central = try bus.tcpRoot("central", presenters: [presenter])
            try await bus.run(central) {
                let endpoint = try #require(await central.boundEndpoints.first).description
                let id = PresentationID.make()
                for _ in 0..<2 {
                    let printed = try await Python.run(
                        "bare_client.py", "--endpoint", endpoint, "--id", id.description)
                    #expect(printed["outcome"] == "answered")
                    #expect(printed["option"] == "cancel")
                }
                #expect(presenter.counts == [id: 1])
            }
        }
    }
}
