import Foundation
import Glibc
import Testing

extension EndToEnd {
    /// A topology with keys, from `keygen` to an answer.
    struct Keys {
        let sandbox: Sandbox
        init() throws { sandbox = try Sandbox() }

        private var topology: String { sandbox.path("topology.yaml") }

        /// A node that answers everything with `retry`, on a port of its own.
        private func writeTopology() throws {
            let port = try Port().number
            try sandbox.writeTopology(listening: "tcp://127.0.0.1:\(port)")
            let text = try sandbox.read("topology.yaml")
            try sandbox.write(
                "topology.yaml", "keys: keys\n" + text + "\n    whenUnreachable: fail\n")
        }

        private func run(_ arguments: String...) async throws -> (status: Int32, said: String) {
            let process = try Launched(arguments)
            let status = try await process.ending()
            return (status, process.output.value + process.errors.value)
        }

        private func presented(
            option: String = "retry=Retry", _ more: String...
        ) async throws -> (status: Int32, said: String) {
            let process = try Launched(
                [
                    "present", "--topology", topology, "--node", "central", "--description",
                    "Boom", "--option", option, "--grace", "2s",
                ] + more)
            let status = try await process.ending()
            return (status, process.output.value + process.errors.value)
        }

        private func mode(_ name: String) throws -> Int {
            let attributes = try FileManager.default.attributesOfItem(atPath: sandbox.path(name))
            return try #require(attributes[.posixPermissions] as? Int)
        }

        @Test("keygen makes a pair for each node and client once, readable by its owner only")
        func keygen() async throws {
            try writeTopology()
            let made = try await run("keygen", topology, "--name", "deploy")
            #expect(made.status == 0)
            for name in ["central", "client", "deploy"] {
                #expect(made.said.contains("made  \(sandbox.path("keys/\(name).key_secret"))"))
                #expect(try mode("keys/\(name).key_secret") == 0o600)
                #expect(try !sandbox.read("keys/\(name).key").contains("secret-key ="))
            }
            #expect(try mode("keys") == 0o700)
            let secret = try sandbox.read("keys/central.key_secret")
            let again = try await run("keygen", topology)
            #expect(again.status == 0 && again.said.contains("kept"))
            #expect(try sandbox.read("keys/central.key_secret") == secret)
            let quoted = try #require(secret.split(separator: "\"").dropLast().last)
            #expect(!made.said.contains(quoted) && !again.said.contains(quoted))
        }

        @Test("A revoked pair is replaced, and what was replaced before a failure is printed")
        func revoked() async throws {
            try writeTopology()
            #expect(try await run("keygen", topology).status == 0)
            try FileManager.default.removeItem(atPath: sandbox.path("keys/client.key"))
            let alone = try await run("keygen", topology)
            #expect(alone.status == 78 && alone.said.contains("--replace client"), "\(alone.said)")
            let replaced = try await run(
                "keygen", topology, "--replace", "client", "--replace", "central")
            #expect(replaced.status == 0, "\(replaced.said)")
            #expect(try !sandbox.read("keys/client.key").contains("former-key"))
            let half = try await run(
                "keygen", topology, "--replace", "client", "--replace", "central")
            #expect(half.status == 64 && half.said.contains("--retire central"), "\(half.said)")
            #expect(half.said.contains("replaced  \(sandbox.path("keys/client.key_secret"))"))
            let mistyped = try await run(
                "keygen", topology, "--replace", "clinet", "--retire", "clinet")
            #expect(mistyped.status == 64, "\(mistyped.said)")
            #expect(mistyped.said.contains("found \"clinet\", which has no pair"))
            #expect(!sandbox.exists("keys/clinet.key"))
        }

        @Test("present and status with a key; a new key passes after SIGHUP, and another never")
        func passing() async throws {
            try writeTopology()
            #expect(try await run("keygen", topology).status == 0)
            let central = try await sandbox.start("central")
            let answered = try await presented()
            #expect(answered.status == 0 && answered.said.contains("retry"), "\(answered.said)")
            let status = try await run("status", "central", "--topology", topology)
            #expect(status.status == 0, "\(status.said)")
            #expect(try await run("keygen", topology, "--name", "deploy").status == 0)
            let early = try await presented("--key", "deploy")
            #expect(early.status == 69 && early.said.contains("refuses this node's key"))
            #expect(await central.says("unknownKey"))
            central.send(SIGHUP)
            #expect(await central.says("keys read again"))
            #expect(try await presented("--key", "deploy").status == 0)
            #expect(try await presented("--key", "missing").status == 66)
            #expect(try await central.goesDown() < .seconds(5))
        }

        @Test("An option that needs a signature is chosen by a signer, and by no other node")
        func signed() async throws {
            try writeTopology()
            let plain = try sandbox.read("topology.yaml")
            try sandbox.write("topology.yaml", "signers: [central]\n" + plain)
            #expect(try await run("keygen", topology).status == 0)
            // A public file of an earlier version has no signing key.
            let known = try sandbox.read("keys/central.key")
            try sandbox.write(
                "keys/central.key",
                known.split(separator: "\n").filter { !$0.contains("signing-key") }
                    .joined(separator: "\n") + "\n")
            let check = try await run("check", topology)
            #expect(check.status == 78 && check.said.contains("no signing-key"), "\(check.said)")
            let completed = try await run("keygen", topology)
            #expect(
                completed.said.contains("completed  \(sandbox.path("keys/central.key_secret"))"))
            #expect(try sandbox.read("keys/central.key") == known)
            #expect(try await run("check", topology).status == 0)
            let central = try await sandbox.start("central")
            let answered = try await presented(option: "retry=Retry:signed")
            #expect(answered.status == 0 && answered.said.contains("retry"), "\(answered.said)")
            #expect(try await central.goesDown() < .seconds(5))

            // Its own topology does not name it a signer: it leaves the option alone.
            let other = try Sandbox()
            try other.write("topology.yaml", plain)
            try FileManager.default.copyItem(
                atPath: sandbox.path("keys"), toPath: other.path("keys"))
            try other.write("policy.yaml", try sandbox.read("policy.yaml"))
            let unsigning = try await other.start("central")
            let refused = try await presented(option: "retry=Retry:signed")
            #expect(refused.status == 69 && !refused.said.hasPrefix("retry"), "\(refused.said)")
            #expect(await unsigning.says("the option needs a signature"))
            #expect(try await unsigning.goesDown() < .seconds(5))
        }

        @Test("A pair is replaced while the node runs: both keys pass until the former is retired")
        func replaced() async throws {
            try writeTopology()
            #expect(try await run("keygen", topology).status == 0)
            let former = try sandbox.read("keys/client.key_secret")
            let central = try await sandbox.start("central")
            let replaced = try await run("keygen", topology, "--replace", "client")
            #expect(replaced.status == 0, "\(replaced.said)")
            #expect(replaced.said.contains("replaced  \(sandbox.path("keys/client.key_secret"))"))
            #expect(try mode("keys/client.key_secret") == 0o600)
            let fresh = try sandbox.read("keys/client.key_secret")
            #expect(fresh != former)
            let again = try await run("keygen", topology, "--replace", "client")
            #expect(again.status == 64 && again.said.contains("--retire client"))
            central.send(SIGHUP)
            #expect(await central.says("keys read again"))
            #expect(try await presented().status == 0)
            try writeSecret(former)
            #expect(try await presented().status == 0)
            let retired = try await run("keygen", topology, "--retire", "client")
            #expect(retired.status == 0 && retired.said.contains("retired the former key"))
            central.send(SIGHUP)
            #expect(await central.says("keys read again", times: 2))
            // Its own machine's public file names the new key only: refused before it connects.
            #expect(try await presented().status == 78)
            try writeSecret(fresh)
            #expect(try await presented().status == 0)
            // After a theft: no former key, not for a moment. A broken file elsewhere keeps no key.
            let theft = try await run(
                "keygen", topology, "--replace", "client", "--retire", "client")
            #expect(theft.status == 0, "\(theft.said)")
            let known = try sandbox.read("keys/client.key")
            #expect(!known.contains("former-key"))
            try FileManager.default.removeItem(atPath: sandbox.path("keys/client.key"))
            try sandbox.write("keys/other.key", "broken")
            let whole = try sandbox.read("topology.yaml")
            try sandbox.write("topology.yaml", "broken: [")
            central.send(SIGHUP)
            #expect(await central.says("keys not read again"))
            try FileManager.default.removeItem(atPath: sandbox.path("keys/other.key"))
            try sandbox.write("keys/client.key", known)
            try sandbox.write("topology.yaml", whole)
            #expect(try await presented().status == 69)
            #expect(try await central.goesDown() < .seconds(5))
        }

        @Test("F29 A node whose topology gets keys while it runs uses them after SIGHUP")
        func added() async throws {
            try writeTopology()
            let keys = "keys: keys\n"
            let whole = try sandbox.read("topology.yaml") + "  worker: { next: central }\n"
            try #require(whole.hasPrefix(keys))
            try sandbox.write("topology.yaml", whole)
            #expect(try await run("keygen", topology).status == 0)
            let central = try await sandbox.start("central")
            let own = try sandbox.write("worker.yaml", String(whole.dropFirst(keys.count)))
            let worker = try Launched(["run", "--topology", own, "--node", "worker"])
            #expect(await central.says("connections failed"))
            try sandbox.write("worker.yaml", whole)
            worker.send(SIGHUP)
            #expect(await worker.says("keys read again"))
            #expect(await worker.says("parent is up"))
            #expect(try await worker.goesDown() < .seconds(5))
            #expect(try await central.goesDown() < .seconds(5))
        }

        private func writeSecret(_ text: String) throws {
            try sandbox.write("keys/client.key_secret", text)
            chmod(sandbox.path("keys/client.key_secret"), 0o600)
        }

        @Test("A secret that others can read is refused, and a topology without keys has no keygen")
        func refused() async throws {
            try writeTopology()
            #expect(try await run("keygen", topology).status == 0)
            #expect(try await run("check", topology).status == 0)
            chmod(sandbox.path("keys/central.key_secret"), 0o644)
            let check = try await run("check", topology)
            #expect(check.status == 78 && check.said.contains("found mode 0644"), "\(check.said)")
            let node = try await run("run", "--topology", topology, "--node", "central")
            #expect(node.status == 78 && node.said.contains("found mode 0644"), "\(node.said)")
            #expect(check.said.contains("chmod 600"), "\(check.said)")
            #expect(check.said.components(separatedBy: "allowed:").count == 2, "\(check.said)")
            chmod(sandbox.path("keys/central.key_secret"), 0o600)
            // All that is wrong at once, the pairs of clients with it.
            let secrets = ["central", "client"].map { sandbox.path("keys/\($0).key_secret") }
            let texts = try secrets.map { try String(contentsOfFile: $0, encoding: .utf8) }
            for (secret, text) in zip(secrets, texts.reversed()) {
                try text.write(toFile: secret, atomically: false, encoding: .utf8)
            }
            let swapped = try await run("check", topology)
            #expect(swapped.status == 78, "\(swapped.said)")
            for name in ["central", "client"] {
                let problem = "keys/\(name).key is not the public key of that pair"
                #expect(swapped.said.contains(problem), "\(swapped.said)")
            }
            for (secret, text) in zip(secrets, texts) {
                try text.write(toFile: secret, atomically: false, encoding: .utf8)
            }
            for name in ["keys", "keys/client.key"] {
                let former = try mode(name)
                chmod(sandbox.path(name), mode_t(former) | 0o020)
                let check = try await run("check", topology)
                #expect(check.status == 78 && check.said.contains("found mode 0"), "\(check.said)")
                chmod(sandbox.path(name), mode_t(former))
            }
            try FileManager.default.removeItem(atPath: sandbox.path("keys/central.key"))
            let bare = try await run("check", topology)
            #expect(bare.status == 66 && bare.said.contains("keys/central.key"), "\(bare.said)")
            try sandbox.writeTopology(listening: "tcp://127.0.0.1:\(try Port().number)")
            let keyless = try await run("keygen", topology)
            #expect(keyless.status == 78 && keyless.said.contains("found no keys"))
        }
    }
}
