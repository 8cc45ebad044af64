import Foundation
import Testing

extension EndToEnd {
    /// Examples/worker, as a team would run it.
    struct Example {
        let sandbox: Sandbox
        init() throws {
            sandbox = try Sandbox()
            try FileManager.default.createDirectory(
                atPath: sandbox.path("invoices"), withIntermediateDirectories: true)
        }

        private func billing() throws -> Launched {
            let program = URL(filePath: Launched.busNode).deletingLastPathComponent()
                .appending(path: "billing").path
            return try Launched(
                [sandbox.endpoint("relay"), sandbox.path("invoices"), "march"], program: program)
        }

        private var files: [String] {
            get throws {
                try FileManager.default.contentsOfDirectory(atPath: sandbox.path("invoices"))
            }
        }

        @Test("A10 each option of the example service is run by its owner", arguments: [1, 2])
        func owners(count: Int) async throws {
            let answer = count == 1 ? "overwrite" : "archive"
            try sandbox.write("policy.yaml", "rules: [{ match: {}, answer: \(answer) }]\n")
            try sandbox.writeTopology(presenters: "policy: policy.yaml")
            let nodes = [try await sandbox.start("central"), try await sandbox.start("relay")]
            #expect(try await billing().ending() == 0)
            #expect(try files == ["march"])
            #expect(try await billing().ending() == 0)
            #expect(try files.count == count)
            withExtendedLifetime(nodes) {}
        }

        @Test("The example service shuts down while its error is in front of a person")
        func shutdown() async throws {
            let pty = try Pty()
            try sandbox.writeTopology(presenters: "terminal")
            let nodes = [
                try await sandbox.start("central", input: .terminal(pty)),
                try await sandbox.start("relay"),
            ]
            #expect(try await billing().ending() == 0)
            let asking = try billing()
            #expect(await pty.shows("Keep the old one (Return)"))
            _ = try await asking.goesDown()
            #expect(await asking.says("not saved"))
            withExtendedLifetime(nodes) {}
        }
    }
}
