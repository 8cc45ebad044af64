import Foundation
import Glibc
import Testing

extension EndToEnd {
    /// A console over TLS, with an authority made by openssl.
    struct TLS {
        let sandbox: Sandbox

        init() throws { sandbox = try Sandbox() }

        private func openssl(_ arguments: [String]) async throws {
            let process = try Launched(
                ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt"]
                    + ["ec_paramgen_curve:P-256", "-nodes", "-days", "2"] + arguments,
                program: "/usr/bin/env", folder: sandbox.folder)
            #expect(try await process.ending() == 0, "\(process.errors.value)")
        }

        /// An authority, `ca.pem`, and a certificate of it for 127.0.0.1, `console.pem`.
        private func certificates() async throws {
            try await openssl(["-subj", "/CN=a", "-keyout", "ca.key", "-out", "ca.pem"])
            try await openssl(
                ["-CA", "ca.pem", "-CAkey", "ca.key", "-subj", "/CN=b", "-addext"]
                    + ["subjectAltName=IP:127.0.0.1", "-addext", "basicConstraints=CA:FALSE"]
                    + ["-keyout", "console.key", "-out", "console.pem"])
        }

        private func writeTopology(listen: String = "127.0.0.1:*", more: String = "") throws {
            try sandbox.writeTopology(
                presenters: "console: { listen: \"\(listen)\", "
                    + "tls: { certificate: console.pem, key: console.key }\(more) }")
        }

        /// The whole address that the node has printed.
        private func address(_ central: Launched) async throws -> String {
            #expect(await central.says("?token="))
            let said = try #require(central.errors.value.firstMatch(of: /console: (https:\S+)/))
            return String(said.1)
        }

        @Test("A console over TLS, asked by a browser's means and by the command line")
        func answers() async throws {
            try await certificates()
            try writeTopology()
            let central = try await sandbox.start("central")
            let relay = try await sandbox.start("relay")
            let address = try await address(central)
            let parts = address.dropFirst("https://".count).components(separatedBy: "/?token=")
            let client = ConsoleClient(
                address: parts[0], token: parts[1], authority: sandbox.path("ca.pem"))
            let present = try sandbox.present("--option", "retry=Retry")
            let id = try await Console(sandbox: sandbox).openID(client)
            let item = try await client.send("GET", "/api/v1/presentations/\(id)")
            #expect(item.text("url") == "https://\(parts[0])/#/inbox/\(id)")

            let untrusted = try Launched(["inbox", "list", "--to", address])
            #expect(try await untrusted.ending() == 69)
            #expect(await untrusted.says("--ca FILE or BUS_NODE_CONSOLE_CA"))
            let missing = try Launched(["inbox", "list", "--to", address, "--ca", "none.pem"])
            #expect(try await missing.ending() == 66)
            let plain = try Launched([
                "inbox", "list", "--to", address.replacing("https:", with: "http:"),
            ])
            #expect(try await plain.ending() == 69)
            #expect(await plain.says("a console with TLS needs https:// in its address"))
            let watch = try Launched(
                ["inbox", "watch", "--to", address],
                environment: ["BUS_NODE_CONSOLE_CA": sandbox.path("ca.pem")])
            #expect(await watch.prints("Boom"))
            let answer = try Launched([
                "inbox", "answer", id, "retry", "--by", "ann", "--to", address, "--ca",
                sandbox.path("ca.pem"),
            ])
            #expect(try await answer.ending() == 0, "\(answer.errors.value)")
            #expect(try await present.ending() == 0)
            #expect(!central.errors.value.contains("warning"), "\(central.errors.value)")
            // The stream of `watch` is cut, and waited for no longer than without TLS.
            #expect(try await central.goesDown() < .seconds(5))
            withExtendedLifetime(relay) {}
        }

        @Test("A key that others can read is refused, and plain HTTP beyond loopback warned about")
        func refused() async throws {
            try await certificates()
            chmod(sandbox.path("console.key"), 0o644)
            try writeTopology()
            let check = try Launched(["check", sandbox.path("topology.yaml")])
            #expect(try await check.ending() == 78)
            #expect(await check.says("console.tls.key: found mode 0644"))
            let run = try Launched([
                "run", "--topology", sandbox.path("topology.yaml"), "--node", "central",
            ])
            #expect(try await run.ending() == 78)
            #expect(await run.says("console.key: found mode 0644, allowed: 0600"))

            try sandbox.write("token", "0123456789abcdef")
            chmod(sandbox.path("token"), 0o600)
            try sandbox.writeTopology(
                presenters: "console: { listen: \"0.0.0.0:*\", token: \"file:token\" }")
            let open = try Launched(["check", sandbox.path("topology.yaml")])
            #expect(try await open.ending() == 0)
            #expect(await open.says("speaks plain HTTP beyond loopback"))
            let central = try await sandbox.start("central")
            #expect(await central.says("speaks plain HTTP beyond loopback"))
            let count = central.errors.value.components(separatedBy: "plain HTTP").count
            #expect(count == 2)
        }
    }
}
