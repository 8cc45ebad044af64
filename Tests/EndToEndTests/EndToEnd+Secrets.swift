import ErrorBus
import Foundation
import Testing

extension EndToEnd {
    /// Where secrets of a worker do not come to.
    struct Secrets {
        /// One for each way in which a command has a secret.
        private static let planted = (
            argument: "pl4nted-argument", flag: "pl4nted-flag", url: "pl4nted-url",
            variable: "pl4nted-variable", printed: "pl4nted-printed0", listed: "pl4nted-listed"
        )

        let sandbox: Sandbox
        init() throws { sandbox = try Sandbox() }

        private func bus() async throws -> (nodes: [Launched], client: ConsoleClient) {
            try sandbox.writeTopology(
                presenters: "console: { listen: \"127.0.0.1:*\" }",
                extra: "    journal: $DIR/central.sqlite")
            let options = ["--log-level", "trace"]
            let nodes = [
                try await sandbox.start("central", options: options),
                try await sandbox.start("relay", options: options),
            ]
            return (nodes, try await Console().client(nodes[0].errors))
        }

        /// The history and the audit of a console, as JSON and as tables.
        private func exports(_ client: ConsoleClient) async throws -> String {
            var text = ""
            for path in ["history", "audit"] {
                for query in ["", "?format=csv"] {
                    let export = try await client.send("GET", "/api/v1/\(path)\(query)")
                    #expect(export.status == 200)
                    text += export.text
                }
            }
            return text
        }

        /// What the nodes logged, wrote and say of themselves, and the metrics of a console.
        private func traces(
            of nodes: [Launched], _ client: ConsoleClient
        ) async throws -> [String: String] {
            let status = try Launched(["status", "--to", sandbox.endpoint("relay"), "--json"])
            #expect(try await status.ending() == 0)
            let metrics = try await client.send("GET", "/metrics")
            #expect(metrics.status == 200 && metrics.text.contains("errorbus_answers_total"))
            let said = [
                "central's log": nodes[0].errors.value, "relay's log": nodes[1].errors.value,
                "relay's status": status.output.value, "central's metrics": metrics.text,
            ]
            return try sandbox.files().merging(said) { $1 }
        }

        @Test("Secrets of a command that exec runs are masked in all that leaves it")
        func command() async throws {
            let (nodes, client) = try await bus()
            let planted = Self.planted
            let script = """
                echo "login: password: $2, refused $API_TOKEN" >&2
                echo '{"Set-Cookie": ["a=\(planted.listed)", "b=\(planted.listed)"]}' >&2
                echo 'Authorization: Bearer \(planted.printed)' >&2; exit 3
                """
            let exec = try Launched(
                [
                    "exec", "--to", sandbox.endpoint("relay"), "--log-level", "trace", "--", "sh",
                    "-c", script, "--secret=\(planted.flag)", "--db-password", planted.argument,
                    "https://ann:\(planted.url)@db.example/x",
                ], environment: ["API_TOKEN": planted.variable])
            let id = try await Console(sandbox: sandbox).openID(client)
            let shown = try await client.send("GET", "/api/v1/presentations/\(id)").text
            #expect(shown.contains("https://ann:***@db.example/x"))
            #expect(shown.contains("refused ***") && shown.contains("Bearer ***"))
            let answer = ["option": JSONValue("skip"), "by": "ann"]
            let path = "/api/v1/presentations/\(id)/answer"
            #expect(try await client.send("POST", path, .object(answer)).status == 200)
            #expect(try await exec.ending() == 0)
            var written = try await traces(of: nodes, client)
            written["console"] = try await shown + exports(client)
            for (place, text) in written {
                let found = text.contains(/pl4nted-[a-z]+/)
                #expect(!found, "\(place): \(text.firstMatch(of: /.{80}pl4nted-.{20}/)?.0 ?? "")")
            }
            #expect(written["central.sqlite"] != nil && written["central.jsonl"] != nil)
        }

        @Test("A41 a secret that an option asks for reaches the command, and no other place")
        func value() async throws {
            let (nodes, client) = try await bus()
            let secret = "pl4nted-value"
            let script = """
                test "$ERRORBUS_VALUE_PIN" = \(secret.prefix(5))"ed-value" || exit 3
                test "$ERRORBUS_VALUE_REGION" = north
                """
            let exec = try Launched([
                "exec", "--to", sandbox.endpoint("relay"), "--log-level", "trace",
                "--field", "pin=PIN:secret", "--field", "region=Region", "--", "sh", "-c", script,
            ])
            let id = try await Console(sandbox: sandbox).openID(client)
            let path = "/api/v1/presentations/\(id)/answer"
            func answer(_ values: JSONValue, undo: Int64 = 0) async throws -> String {
                let body: JSONValue = [
                    "option": "retry-with", "by": "ann", "values": values,
                    "undoMilliseconds": .integer(undo),
                ]
                return try await client.send("POST", path, body).text
            }
            let refused = try await answer(["pin": .string(secret)])
            #expect(refused.contains("badValue") && refused.contains("region"))
            // Held first, so that it is seen in that stage as well.
            let held = try await answer(
                ["pin": .string(secret), "region": "north"], undo: 60_000)
            let shown = try await client.send("GET", "/api/v1/presentations/\(id)").text
            #expect(shown.contains("leaving") && shown.contains("north"))
            #expect(
                try await client.send(
                    "POST", "/api/v1/presentations/\(id)/undo", ["by": "ann"]
                ).status == 200)
            let sent = try await answer(["pin": .string(secret), "region": "north"])
            #expect(try await exec.ending() == 0)
            var written = try await traces(of: nodes, client)
            written["console"] = try await refused + held + shown + sent + exports(client)
            written["exec's log"] = exec.errors.value
            for (place, text) in written { #expect(!text.contains("pl4nted"), "\(place)") }
            #expect(written["central.jsonl"]?.contains("north") == true)
            #expect(written["central.sqlite"] != nil)
        }

        @Test("A41 a secret that the command of exec prints is masked in the next report")
        func printedValue() async throws {
            let (nodes, client) = try await bus()
            let exec = try Launched([
                "exec", "--to", sandbox.endpoint("relay"), "--field", "pin=PIN:secret", "--", "sh",
                "-c", "echo \"found <$ERRORBUS_VALUE_PIN>\" >&2; exit 3",
            ])
            let console = Console(sandbox: sandbox)
            let first = try await console.openID(client)
            let answer: JSONValue = [
                "option": "retry-with", "by": "ann", "values": ["pin": "4711x"],
            ]
            let path = "/api/v1/presentations/\(first)/answer"
            #expect(try await client.send("POST", path, answer).status == 200)
            var next = first
            while next == first { next = try await console.openID(client) }
            let shown = try await client.send("GET", "/api/v1/presentations/\(next)").text
            #expect(shown.contains("found <***>"))
            for (place, text) in try await traces(of: nodes, client) {
                #expect(!text.contains("4711x"), "\(place)")
            }
            exec.send(SIGTERM)
            _ = try await exec.ending()
        }

        @Test("Logs, ledgers, metrics and status have neither reasons nor userInfo of a report")
        func payload() async throws {
            let (nodes, client) = try await bus()
            let present = try Launched([
                "present", "--to", sandbox.endpoint("relay"), "--log-level", "trace",
                "--description", "Boom", "--option", "retry=Retry", "--info", "pin=pl4nted-info",
                "--reason", "pl4nted-reason", "--suggestion", "pl4nted-suggestion",
            ])
            let id = try await Console(sandbox: sandbox).openID(client)
            let shown = try await client.send("GET", "/api/v1/presentations/\(id)").text
            for part in ["info", "reason", "suggestion"] {
                #expect(shown.contains("pl4nted-\(part)"))
            }
            let path = "/api/v1/presentations/\(id)/answer"
            let answer = ["option": JSONValue("retry"), "by": "ann"]
            #expect(try await client.send("POST", path, .object(answer)).status == 200)
            #expect(try await present.ending() == 0)
            var written = try await traces(of: nodes, client).filter { !$0.key.contains("sqlite") }
            written["present's log"] = present.errors.value
            for (place, text) in written { #expect(!text.contains("pl4nted"), "\(place)") }
            #expect(written["central.jsonl"]?.contains("Boom") == true)
            // A relay's log has not even the description of what passes.
            #expect(written["relay's log"]?.contains("parent is up") == true)
            #expect(written["relay's log"]?.contains("Boom") == false)
        }
    }
}
