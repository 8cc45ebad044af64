import Glibc
import Testing

extension EndToEnd {
    /// Children that send more than any limit allows and go while the node still reads it.
    struct Floods {
        let sandbox: Sandbox
        init() throws { sandbox = try Sandbox() }

        @Test(
            "Children that flood and leave do not end the node; the next client is answered",
            arguments: ["ipc", "tcp"])
        func floodAndLeave(transport: String) async throws {
            let port = try Port().number
            let endpoint =
                transport == "ipc" ? sandbox.endpoint("central") : "tcp://127.0.0.1:\(port)"
            try sandbox.writeTopology(listening: endpoint)
            let central = try await sandbox.start("central")
            for number in 1...3 {
                let child = try FloodingChild(to: endpoint, name: "flood-\(number)")
                try child.flood(6_000, untilTaken: 4_000)
            }
            let good = try sandbox.presentRetry(to: endpoint)
            #expect(try await good.ending() == 0)
            #expect(await good.prints("retry"))
            central.send(SIGTERM)
            #expect(try await central.ending() == 0)
        }
    }
}
