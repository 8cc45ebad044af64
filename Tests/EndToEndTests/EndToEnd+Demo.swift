import Foundation
import Testing

extension EndToEnd {
    /// `make demo`, in a copy of its folder.
    struct Demo {
        private static let tmux = "/usr/bin/tmux"

        let sandbox: Sandbox

        init() throws {
            sandbox = try Sandbox()
            let files = FileManager.default
            let demo = URL(filePath: #filePath).deletingLastPathComponent()
                .deletingLastPathComponent().deletingLastPathComponent()
                .appending(path: "Examples/demo").path
            for name in try files.contentsOfDirectory(atPath: demo) where name != "run" {
                try files.copyItem(atPath: "\(demo)/\(name)", toPath: sandbox.path(name))
            }
        }

        /// Starts the demo from another folder, with a path from there.
        private func start(
            input: Launched.Input = .none, _ environment: [String: String] = [:]
        ) throws -> Launched {
            let ports = try (0..<3).map { _ in try Port() }.map { "\($0.number)" }
            return try Launched(
                [sandbox.path("run.sh")], program: "/bin/bash", input: input,
                folder: "/",
                environment: [
                    "BUS_NODE": String(Launched.busNode.dropFirst()), "DEMO_PORT": ports[0],
                    "DEMO_CENTRAL": ports[1], "DEMO_RELAY": ports[2],
                ].merging(environment) { $1 })
        }

        @Test("The demo exits 0 and its table has the end of each presentation")
        func ends() async throws {
            let demo = try start()
            #expect(try await demo.ending() == 0, "\(demo.errors.value)")
            #expect(await demo.prints("withheld at relay"))
            for row in [
                ["make-folder", "policy central rule 2", "recovered"],
                ["start-server", "policy central rule 1", "recovered"],
                ["retry", "policy central rule 3", "recovered"],
                ["abort", "policy central rule 4", "cancelled"],
            ] {
                let lines = demo.output.value.split(separator: "\n")
                #expect(lines.contains { line in row.allSatisfy { line.contains($0) } }, "\(row)")
            }
        }

        /// The environment of a demo in panes: with a server of tmux of its own, also where the
        /// tests run in a pane.
        private var panes: [String: String] {
            ["PANES": "yes", "TMUX": "", "TMUX_TMPDIR": sandbox.folder, "TERM": "xterm"]
        }

        /// Starts the demo in panes, and waits until the first prompt and the processes are shown.
        private func startInPanes(on pty: Pty) async throws -> Launched {
            let demo = try start(input: .screen(pty), panes)
            let isUp = await pty.shows("(Return)")
            try #require(isUp, "no prompt; the screen: \(pty.screen.value)")
            #expect(await pty.shows("ELAPSED"))
            return demo
        }

        /// What runs in each pane of the demo.
        private func commands(in demo: Launched) async throws -> [Substring] {
            let list = try Launched(
                [
                    "-L", "errorbus-demo-\(demo.pid)", "list-panes", "-F",
                    "#{pane_start_command}",
                ], program: Self.tmux, environment: panes)
            #expect(try await list.ending() == 0, "\(list.errors.value)")
            return list.output.value.split(separator: "\n")
        }

        /// Whether no process is left that has the environment of this demo.
        private func isOver() async -> Bool {
            let mark = Data("TMUX_TMPDIR=\(sandbox.folder)\0".utf8)
            return await eventually {
                let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
                return !names.contains { name in
                    FileManager.default.contents(atPath: "/proc/\(name)/environ")?
                        .range(of: mark) != nil
                }
            }
        }

        @Test(
            "PANES=yes has the processes in a pane beside the demo; Ctrl-C and Return end all",
            .enabled(if: FileManager.default.isExecutableFile(atPath: tmux)))
        func inPanes() async throws {
            let pty = try Pty()
            let demo = try await startInPanes(on: pty)
            let commands = try await commands(in: demo)
            #expect(commands.count == 2 && commands.last?.contains("./processes") == true)
            pty.type("\u{3}")
            #expect(await pty.shows("Return closes tmux."))
            #expect(try await self.commands(in: demo).count == 1)
            pty.type("\n")
            #expect(try await demo.ending() == 0)
            #expect(await isOver())
        }

        @Test(
            "A demo in panes whose terminal is closed leaves nothing running",
            .enabled(if: FileManager.default.isExecutableFile(atPath: tmux)))
        func closed() async throws {
            let pty = try Pty()
            let demo = try await startInPanes(on: pty)
            pty.hangUp()
            _ = try await demo.ending()
            #expect(await isOver())
        }
    }
}
