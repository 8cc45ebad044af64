import Foundation
import Testing

extension EndToEnd {
    /// The scripts that prepare the tests, in a shell that lacks something.
    struct Scripts {
        private static let root = URL(filePath: #filePath).appending(path: "../../..").standardized

        @Test(
            "The tests' descriptors are raised to the hard limit; one too low is said",
            arguments: [(300, true), (9_000, false)])
        func descriptors(hard: Int, isTooLow: Bool) async throws {
            let script = Self.root.appending(path: "scripts/descriptors").path
            let shell = try Launched(
                [
                    "-c",
                    "ulimit -Sn 256; ulimit -Hn \(hard); exec '\(script)' bash -c 'ulimit -Sn'",
                ], program: "/bin/bash")
            #expect(try await shell.ending() == 0, "\(shell.errors.value)")
            #expect(shell.output.value == "\(hard)\n")
            #expect(shell.errors.value.contains("the hard limit") == isTooLow)
        }

        @Test("The README's first exec fails, succeeds with its file, and then fails again")
        func firstExec() async throws {
            let readme = try String(
                contentsOf: Self.root.appending(path: "README.md"), encoding: .utf8)
            let line = try #require(
                readme.split(separator: "\n").first { $0.hasPrefix("    bus-node exec ") })
            let call = try #require(line.firstMatch(of: #/ -- (.+?)(?: +#|$)/#))
            let sandbox = try Sandbox()
            let command = String(call.1).replacing("/tmp/flag", with: sandbox.path("flag"))
            func status() async throws -> Int32 {
                try await Launched(["-c", command], program: "/bin/sh").ending()
            }
            #expect(try await status() != 0)
            try sandbox.write("flag", "")
            #expect(try await status() == 0)
            #expect(try await status() != 0)
        }

        /// A copy of the scripts, with programs of its own in the places of the system's.
        private func setupSandbox() throws -> Sandbox {
            let sandbox = try Sandbox()
            let files = FileManager.default
            for name in ["scripts", "bin"] {
                try files.createDirectory(
                    atPath: sandbox.path(name), withIntermediateDirectories: true)
            }
            for name in ["scripts/setup", "scripts/python"] {
                try files.copyItem(
                    atPath: Self.root.appending(path: name).path, toPath: sandbox.path(name))
            }
            for (name, script) in [
                ("swift", "echo Swift version 6.2"), ("sudo", "shift; exec \"$@\""),
                ("apt-get", "echo \"$@\" >>$DIR/installed"),
                // It has zmq and no other module, and makes environments in which pip fails.
                (
                    "python3",
                    """
                    case "$*" in
                    "-m venv .venv")
                        mkdir -p .venv/bin && cp $DIR/bin/false .venv/bin/python ;;
                    *zmq) ;;
                    *) exit 1 ;;
                    esac
                    """
                ), ("false", "exit 1"),
            ] {
                let path = try sandbox.write("bin/\(name)", "#!/bin/sh\n\(script)\n")
                chmod(path, 0o755)
            }
            return sandbox
        }

        @Test("A failed installation of modules leaves no environment that hides python3's")
        func failedModules() async throws {
            let sandbox = try setupSandbox()
            func setup(_ words: String...) async throws -> (status: Int32, errors: String) {
                let launched = try Launched(
                    words, program: sandbox.path("scripts/setup"),
                    environment: [
                        "PATH": "\(sandbox.path("bin")):/usr/bin:/bin", "ERRORBUS_PYTHON": "",
                    ])
                let status = try await launched.ending()
                return (status, launched.errors.value)
            }
            let failed = try await setup("fuzz")
            #expect(failed.status == 1)
            #expect(failed.errors.contains("pip could not install"), "\(failed.errors)")
            #expect(!sandbox.exists(".venv"))
            // Without it `-m venv` fails.
            #expect(try sandbox.read("installed").contains("python3-venv"))
            let again = try await setup()
            #expect(again.status == 0, "\(again.errors)")
        }
    }
}
