import Foundation
import Glibc
import Testing

extension EndToEnd {
    /// `bus-node inbox` at a terminal.
    struct InboxScreen {
        private static let entering = "\u{1B}[?1049h"
        private static let leaving = "\u{1B}[?1049l"

        let sandbox: Sandbox
        let token: String
        let pty: Pty

        init() throws {
            sandbox = try Sandbox()
            pty = try Pty()
            token = try sandbox.write("token", "0123456789abcdef-token\n")
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o600], ofItemAtPath: token)
            try sandbox.writeTopology(
                presenters: "console: { listen: \"127.0.0.1:*\", token: \"file:token\" }")
        }

        /// The console's address, as it names itself.
        func address(of node: Launched) throws -> String {
            let word = node.errors.value.split(whereSeparator: \.isWhitespace)
                .first { $0.hasPrefix("http://") }
            return String(try #require(word))
        }

        func start() async throws -> (nodes: [Launched], screen: Launched) {
            let central = try await sandbox.start("central")
            let relay = try await sandbox.start("relay")
            try #require(await central.says("console: http://"))
            let address = try address(of: central)
            let screen = try Launched(
                ["inbox", "--to", address, "--token-file", token, "--by", "ann"],
                input: .screen(pty), environment: ["TERM": "xterm"])
            #expect(await pty.shows("Nothing waits for an answer"))
            return ([central, relay], screen)
        }

        /// Presses a key until it counts: not so soon after what it is for came to the screen, for
        /// which the screen says so, or still shows what it asked.
        func press(
            _ key: String, brings text: String, after early: String = "this just appeared"
        ) async {
            while true {
                let before = pty.screen.value.count
                // Drawn again each time: the same refusal twice is written once.
                pty.type(key + "\u{C}")
                let isTaken = await pty.screen.becomes {
                    let new = $0.dropFirst(before)
                    return new.contains(text) || new.contains(early)
                }
                #expect(isTaken)
                guard isTaken, !pty.screen.value.dropFirst(before).contains(text) else { return }
            }
        }

        @Test("A35 a presentation appears, a key answers it, undo reopens it")
        func answer() async throws {
            let before = pty.mode
            let (nodes, screen) = try await start()
            #expect(pty.mode != before)
            let present = try sandbox.present(
                "--option", "retry=Retry", "--option", "cancel=Cancel:cancel", "--reason",
                "It is full.")
            #expect(await pty.shows("Boom"))
            #expect(await pty.shows("It is full."))
            await press("r", brings: "u takes back")
            await press("u", brings: "1 taken back")
            await press("r", brings: "u takes back")
            #expect(try await present.ending() == 0)
            #expect(await present.prints("retry"))
            #expect(await pty.shows("Recovered: Boom"))
            pty.type("q")
            #expect(try await screen.ending() == 0)
            #expect(await pty.shows(Self.leaving))
            #expect(pty.mode == before)
            withExtendedLifetime(nodes) {}
        }

        @Test(
            "however it ends, the terminal is restored",
            arguments: [(SIGTERM, 143), (SIGINT, 130), (SIGHUP, 129)] as [(Int32, Int32)])
        func signals(number: Int32, status: Int32) async throws {
            let before = pty.mode
            let (nodes, screen) = try await start()
            #expect(pty.screen.value.contains(Self.entering))
            screen.send(number)
            #expect(try await screen.ending() == status)
            #expect(await pty.shows(Self.leaving))
            #expect(pty.mode == before)
            withExtendedLifetime(nodes) {}
        }

        @Test("suspended it leaves the terminal, continued it redraws itself")
        func suspended() async throws {
            let before = pty.mode
            let (nodes, screen) = try await start()
            pty.type("\u{1A}")
            #expect(await pty.shows(Self.leaving))
            // Continued before it stops, it would stop for good.
            let (status, mark) = ("/proc/\(screen.pid)/status", pty.screen.value.count)
            let hasStopped = await eventually {
                (try? String(contentsOfFile: status, encoding: .utf8))?
                    .contains("T (stopped)") == true
            }
            #expect(hasStopped)
            screen.send(SIGCONT)
            #expect(await pty.shows("Nothing waits for an answer", after: mark))
            pty.type("\u{3}")
            #expect(try await screen.ending() == 0)
            #expect(pty.mode == before)
            withExtendedLifetime(nodes) {}
        }

        @Test("a lost console is reported with its reason, and used again when it is back")
        func lost() async throws {
            let (nodes, screen) = try await start()
            let address = try address(of: nodes[0])
            nodes[0].send(SIGTERM)
            #expect(try await nodes[0].ending() == 0)
            #expect(await pty.shows("No link: "))
            #expect(await pty.shows("Connection refused"))
            let place = address.dropFirst("http://".count).prefix { $0 != "/" }
            try sandbox.writeTopology(
                presenters: "console: { listen: \"\(place)\", token: \"file:token\" }")
            let central = try await sandbox.start("central")
            let present = try sandbox.present("--option", "retry=Retry")
            #expect(await pty.shows("Boom"))
            await press("r", brings: "u takes back")
            #expect(try await present.ending() == 0)
            pty.type("q")
            #expect(try await screen.ending() == 0)
            withExtendedLifetime((nodes, central)) {}
        }

        @Test("with --json, or without a terminal, it lists")
        func lists() async throws {
            let (nodes, screen) = try await start()
            screen.send(SIGTERM)
            _ = try await screen.ending()
            let address = try address(of: nodes[0])
            let json = try Launched(
                ["inbox", "--json", "--to", address, "--token-file", token], input: .screen(pty),
                environment: ["TERM": "xterm"])
            #expect(try await json.ending() == 0)
            #expect(await pty.shows("\"groups\":[]"))
            let piped = try Launched(
                ["inbox", "--to", address, "--token-file", token],
                environment: ["TERM": "xterm"])
            #expect(try await piped.ending() == 0)
            #expect(await piped.prints("STAGE"))
            withExtendedLifetime(nodes) {}
        }
    }
}
