import ErrorBus
import Foundation
import Testing

extension EndToEnd {
    /// A command that needs a folder and a secret, and gets them at each sort of presenter. With
    /// the page among them a browser test does it: `every_presenter_gives_a_command_its_values`.
    struct EveryPresenter {
        /// In each secret, and nowhere else.
        private static let mark = "pl4nted"
        /// Refuses each folder that is not there, the last one by a status of its own.
        private static let script = """
            echo "$ERRORBUS_VALUE_PATH ${#ERRORBUS_VALUE_PIN}" >>"$1/given"
            test -d "$ERRORBUS_VALUE_PATH" && exit
            echo "no folder <$ERRORBUS_VALUE_PATH>, PIN <$ERRORBUS_VALUE_PIN>" >&2
            test "$ERRORBUS_VALUE_PATH" = /terminal && exit 4
            exit 3
            """

        private let screen: InboxScreen
        private let terminal: Pty
        private var sandbox: Sandbox { screen.sandbox }

        init() throws {
            screen = try InboxScreen()
            terminal = try Pty()
            try sandbox.write(
                "policy.yaml",
                """
                rules:
                  - match: { domain: bus-node.exec, code: 4 }
                    answer: { option: retry-with, values: { path: $DIR } }
                """)
            try sandbox.writeTopology(
                presenters: "policy: policy.yaml\n"
                    + "      - console: { listen: \"127.0.0.1:*\", token: \"file:token\" }\n"
                    + "      - terminal",
                extra: "    journal: $DIR/central.sqlite")
        }

        /// The console's address, as the terminal shows it.
        private func address() async throws -> String {
            #expect(await terminal.shows(" with the token in"))
            let words = terminal.screen.value.split(whereSeparator: \.isWhitespace)
            return String(try #require(words.first { $0.hasPrefix("http://") }))
        }

        private func inbox(
            _ address: String, _ arguments: String..., input: Launched.Input = .none
        ) throws -> Launched {
            try Launched(
                ["inbox"] + arguments + ["--to", address, "--token-file", screen.token],
                input: input, environment: ["TERM": "xterm"])
        }

        /// The presentation that is open once another one has ended, as the console has it.
        private func next(
            after former: String?, at client: ConsoleClient
        ) async throws -> (id: String, text: String) {
            let console = Console(sandbox: sandbox)
            var id = try await console.openID(client)
            while id == former { id = try await console.openID(client) }
            return (id, try await client.send("GET", "/api/v1/presentations/\(id)").text)
        }

        private func given(_ path: String) -> String { "no folder </\(path)>, PIN <***>" }

        /// Answers at the full-screen inbox.
        private func answerAtScreen(_ address: String) async throws -> Launched {
            let inbox = try inbox(address, "--by", "ann", input: .screen(screen.pty))
            #expect(await screen.pty.shows(given("inbox")))
            await screen.press("2", brings: "1/2 Folder")
            // Without what the key was pressed too often.
            screen.pty.type("\u{15}/screen\r")
            #expect(await screen.pty.shows("2/2 PIN"))
            screen.pty.type("\(Self.mark)-screen\r")
            #expect(await screen.pty.shows("u takes back"))
            return inbox
        }

        private func answerAtTerminal() async {
            #expect(await terminal.shows(given("screen")))
            for (line, text) in [
                ("retry-with", "Retry with values: 1/2 Folder"), ("/terminal", "2/2 PIN"),
                ("\(Self.mark)-terminal", "answered: retry-with"),
            ] { #expect(await terminal.enter(line, brings: text)) }
        }

        /// The command lines and the environments of processes.
        private func surroundings(of processes: [Launched]) -> [String: String] {
            var found: [String: String] = [:]
            for process in processes {
                for name in ["cmdline", "environ"] {
                    let path = "/proc/\(process.pid)/\(name)"
                    let bytes = FileManager.default.contents(atPath: path) ?? Data()
                    #expect(!bytes.isEmpty, "\(path)")
                    found[path] = String(decoding: bytes, as: UTF8.self)
                }
            }
            return found
        }

        @Test("A41 A42 exec asks for a folder until one is right, at every presenter and a policy")
        func everyPresenter() async throws {
            let options = ["--log-level", "trace"]
            let nodes = [
                try await sandbox.start("central", input: .terminal(terminal)),
                try await sandbox.start("relay", options: options),
            ]
            let exec = try sandbox.exec(
                options + ["--field", "path=Folder", "--field", "pin=PIN:secret:optional"], "sh",
                "-c", Self.script, "sh", sandbox.folder)
            let address = try await address()
            let place = address.dropFirst("http://".count).prefix { $0 != "/" }
            let client = ConsoleClient(address: String(place), token: "0123456789abcdef-token")

            let first = try await next(after: nil, at: client)
            let reply = try await client.send(
                "POST", "/api/v1/presentations/\(first.id)/answer",
                [
                    "option": "retry-with", "by": "ann",
                    "values": ["path": "/http", "pin": .string("\(Self.mark)-http")],
                ])
            #expect(reply.status == 200)
            // The owner refused it: asked again, with the reason.
            let second = try await next(after: first.id, at: client)
            #expect(second.text.contains(given("http")))
            let show = try inbox(address, "show", second.id)
            #expect(try await show.ending() == 0)
            #expect(await show.prints(given("http")))
            let answer = try inbox(
                address, "answer", second.id, "retry-with", "--value", "path=/inbox",
                "--value-file", "pin=-", "--by", "bob", input: .text("\(Self.mark)-inbox\n"))
            #expect(try await answer.ending() == 0)
            let third = try await next(after: second.id, at: client)
            let atScreen = try await answerAtScreen(address)
            let fourth = try await next(after: third.id, at: client)
            var written = surroundings(of: nodes + [exec, atScreen])
            await answerAtTerminal()
            #expect(try await exec.ending() == 0)
            // The last folder came from the policy, without a PIN: none is left of an earlier run.
            #expect(
                try sandbox.read("given") == """
                     0
                    /http 12
                    /inbox 13
                    /screen 14
                    /terminal 16
                    \(sandbox.folder) 0

                    """)

            written["exec's log"] = Self.own(exec)
            written["relay's log"] = nodes[1].errors.value
            written["replies"] = [reply.text, second.text, third.text, fourth.text].joined()
            written["commands"] = show.output.value + answer.output.value + answer.errors.value
            for path in ["history", "audit", "inbox", "presentations/\(fourth.id)"] {
                written[path] = try await client.send("GET", "/api/v1/\(path)").text
            }
            try expectNoSecret(in: written)
        }

        /// What exec said, without what its command printed.
        private static func own(_ exec: Launched) -> String {
            exec.errors.value.split(separator: "\n").filter { !$0.hasPrefix("no folder") }
                .joined(separator: "\n")
        }

        /// Neither in that, nor in what processes wrote and showed.
        private func expectNoSecret(in others: [String: String]) throws {
            var written = try sandbox.files().merging(others) { $1 }
            written["the screen"] = screen.pty.screen.value
            written["central's terminal"] = terminal.screen.value
            for (place, text) in written { #expect(!text.contains(Self.mark), "\(place)") }
            #expect(written["central.jsonl"]?.contains("/terminal") == true)
            #expect(written["central.sqlite"] != nil)
        }
    }
}
