import ErrorBus
import Foundation
import Glibc
import Testing

extension EndToEnd {
    /// Hooks of a real node, and the programs of Examples/notify that receive them.
    struct Notify {
        private static let example = URL(filePath: #filePath)
            .appending(path: "../../../../Examples/notify").standardizedFileURL

        let sandbox: Sandbox

        init() throws { sandbox = try Sandbox() }

        /// A program of the example on a port that the system chooses, and its address.
        func receiver(
            _ script: String, _ arguments: String...
        ) async throws -> (process: Launched, address: String) {
            let path = Self.example.appending(path: script).path
            let process = try Launched(
                ["python3", path, "--port", "0"] + arguments, program: "/usr/bin/env",
                environment: ["PYTHONDONTWRITEBYTECODE": "1"])
            let isThere = await process.prints("\n")
            try #require(isThere, "no address; it said: \(process.errors.value)")
            return (process, String(process.output.value.prefix { $0 != "\n" }))
        }

        func secret(_ name: String) throws -> String {
            let path = try sandbox.write(name, "0123456789abcdef")
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o600], ofItemAtPath: path)
            return path
        }

        /// The requests that a stand-in has printed.
        private static func requests(_ output: String) -> [JSONValue] {
            output.split(separator: "\n").dropFirst()
                .compactMap { try? JSONValue.parse(Array($0.utf8)) }
        }

        /// The requests of a stand-in, once so many were taken.
        func taken(_ count: Int, by standIn: Launched) async -> [JSONValue] {
            let isTaken = await standIn.output.becomes {
                Self.requests($0).filter { $0["status"] == 200 }.count >= count
            }
            #expect(isTaken, "\(standIn.output.value) \(standIn.errors.value)")
            return Self.requests(standIn.output.value)
        }

        private func topology(_ hooks: String...) throws {
            try sandbox.writeTopology(
                presenters: "console: { listen: \"127.0.0.1:*\", url: \"http://c.example\" }",
                extra: "    notify: [{ \(hooks.joined(separator: " }, { ")) }]")
        }

        @Test("A dead letter is listed and sent again; what waits at SIGTERM is sent")
        func letters() async throws {
            let (standIn, address) = try await receiver("stand_in.py", "--fail", "1")
            try topology(
                "name: first, url: \(address)/path, digest: 0s, tries: 1",
                "name: late, url: \(address)/late, digest: 1h")
            let central = try await sandbox.start("central")
            let console = try await Console().client(central.errors)
            let present = try Launched([
                "present", "--to", sandbox.endpoint("central"), "--description", "Boom",
                "--option", "retry=Retry",
            ])
            #expect(await central.says("notify: not delivered"))
            let to = ["--to", "http://\(console.address)/?token=\(console.token)"]
            let list = try Launched(["inbox", "notify"] + to)
            #expect(try await list.ending() == 0)
            #expect(list.output.value.contains("status 503"))
            #expect(list.output.value.contains("opened: Boom"))
            #expect(!list.output.value.contains("/path"))
            // One that is not there keeps no other one back.
            let retry = try Launched(["inbox", "notify", "retry", "9", "1"] + to)
            #expect(try await retry.ending() == 1)
            #expect(await retry.says("no dead letter 9 here"))
            #expect(try await Launched(["inbox", "notify", "retry", "1"] + to).ending() == 1)
            let audit = try await console.send("GET", "/api/v1/audit?q=resend")
            let resent = audit.json["events"]?.arrayValue ?? []
            #expect(resent.map { $0["fields"]?["letter"] } == ["1"], "\(audit.text)")
            #expect(resent.first?["fields"]?["by"]?.stringValue?.isEmpty == false)
            let requests = await taken(1, by: standIn)
            #expect(requests.map { $0["path"] } == ["/path", "/path"])
            #expect(requests.first?["message"] == requests.last?["message"])
            central.send(SIGTERM)
            #expect(await taken(2, by: standIn).last?["path"] == "/late")
            #expect(try await central.ending() == 0)
            withExtendedLifetime(present) {}
        }

        /// Central with users, one of them as whom the links of a hook answer; and its address.
        private func linking(
            to receiver: String
        ) async throws -> (central: Launched, console: ConsoleClient) {
            let file = sandbox.path("users.txt")
            let added = try Launched(["users", "add", file, "oncall", "--may", "answer"])
            #expect(try await added.ending() == 0, "\(added.errors.value)")
            _ = try secret("links")
            let console =
                "listen: \"127.0.0.1:*\", url: \"https://c.example\", users: \"file:\(file)\", "
                + "linkKey: \"file:$DIR/links\""
            try sandbox.writeTopology(
                presenters: "console: { \(console) }",
                extra: "    journal: $DIR/central.sqlite\n    notify: [{ name: chat, url: "
                    + "\(receiver), digest: 0s, answerLinks: { as: oncall } }]")
            let token = added.output.value.trimmingCharacters(in: .whitespacesAndNewlines)
            let central = try await sandbox.start("central")
            return (central, try await Self.client(of: central, token))
        }

        private static func client(
            of central: Launched, _ token: String
        ) async throws -> ConsoleClient {
            try #require(await central.says("for the users in"), "\(central.errors.value)")
            let said = central.errors.value.components(separatedBy: "http://")[1]
            return ConsoleClient(address: said.components(separatedBy: "/")[0], token: token)
        }

        @Test("A link of a message answers once, by the button of its page, also after a restart")
        func links() async throws {
            let (standIn, address) = try await receiver("stand_in.py")
            let (central, console) = try await linking(to: "\(address)/in")
            let present = try Launched([
                "present", "--to", sandbox.endpoint("central"), "--description", "Boom",
                "--option", "retry=Retry", "--option", "wipe=Wipe:destructive",
            ])
            let message = try #require(await taken(1, by: standIn).first?["body"])
            let answers = try #require(message["answers"]?.arrayValue)
            #expect(answers.map { $0["option"] } == ["retry"])
            let url = try #require(answers.first?["link"]?.stringValue)
            #expect(url.hasPrefix("https://c.example/answer?link="))
            let path = String(url.dropFirst("https://c.example".count))
            let link = try #require(url.components(separatedBy: "=").last)
            let stranger: [String: String?] = ["Authorization": nil]
            let page = try await console.send("GET", path, headers: stranger)
            #expect(page.status == 200 && page.text.contains("You answer as oncall."))
            let pressed = try await console.send(
                "POST", "/api/v1/answer", ["link": .string(link)], headers: stranger)
            #expect(pressed.status == 200 && pressed.text("by") == "oncall", "\(pressed.text)")
            #expect(try await present.ending() == 0)
            let audit = try await console.send("GET", "/api/v1/audit?q=by%20a%20link")
            let acts = audit.json["events"]?.arrayValue ?? []
            #expect(acts.map { $0["fields"]?["hook"] } == ["chat"], "\(audit.text)")
            central.send(SIGTERM)
            #expect(try await central.ending() == 0)

            let next = try await sandbox.start("central")
            let later = try await Self.client(of: next, console.token)
            let used = try await later.send("GET", path, headers: stranger)
            #expect(used.status == 409 && used.text.contains("answers once, and was used"))
            let again = try await later.send(
                "POST", "/api/v1/answer", ["link": .string(link)], headers: stranger)
            #expect(again.text("error") == "linkUsed", "\(again.text)")
            for text in [
                central.errors.value, next.errors.value, try sandbox.read("central.jsonl"),
            ] {
                #expect(!text.contains(link))
            }
            withExtendedLifetime(standIn) {}
        }

        @Test("A dead letter is in the journal: after a restart it is listed and sent again")
        func lettersAfterRestart() async throws {
            let (standIn, address) = try await receiver("stand_in.py", "--fail", "1")
            try sandbox.writeTopology(
                presenters: "console: { listen: \"127.0.0.1:*\", url: \"http://c.example\" }",
                extra: "    journal: $DIR/central.sqlite\n"
                    + "    notify: [{ name: first, url: \(address)/path, digest: 0s, tries: 1 }]")
            let former = try await sandbox.start("central")
            let present = try Launched([
                "present", "--to", sandbox.endpoint("central"), "--description", "Boom",
                "--option", "retry=Retry",
            ])
            #expect(await former.says("notify: not delivered"))
            present.send(SIGTERM)
            _ = try await present.ending()
            former.send(SIGTERM)
            #expect(try await former.ending() == 0)
            let central = try await sandbox.start("central")
            let console = try await Console().client(central.errors)
            let list = try await console.send("GET", "/api/v1/notify")
            #expect(list.json["isKept"] == true)
            #expect(
                list.json["dead"]?.arrayValue?.map { $0["title"] } == ["opened: Boom"],
                "\(list.text)")
            let to = ["--to", "http://\(console.address)/?token=\(console.token)"]
            #expect(try await Launched(["inbox", "notify", "retry", "1"] + to).ending() == 0)
            let requests = await taken(1, by: standIn)
            #expect(requests.map { $0["status"] } == [503, 200])
            #expect(requests.first?["message"] == requests.last?["message"])
            let rest = try await console.send("GET", "/api/v1/notify")
            #expect(rest.json["dead"] == [])
        }

        @Test("Over https a receiver gets messages where its certificate can be trusted")
        func certificates() async throws {
            let folder = URL(filePath: #filePath).appending(path: "../Certificates")
                .standardizedFileURL
            func file(_ name: String) -> String { folder.appending(path: "\(name).pem").path }
            func named(_ address: String) -> String {
                address.replacing("127.0.0.1", with: "localhost")
            }
            let (signed, address) = try await receiver(
                "stand_in.py", "--certificate", file("signed"))
            let (stranger, strangerAddress) = try await receiver(
                "stand_in.py", "--certificate", file("self-signed"))
            let (plain, plainAddress) = try await receiver("stand_in.py")
            #expect(address.hasPrefix("https://"))
            let authority = "ca: \(file("authority")), digest: 0s, tries: 1"
            try topology(
                "name: trusted, url: \(named(address))/trusted, \(authority)",
                "name: system, url: \(named(address))/x, digest: 0s, tries: 1",
                "name: stranger, url: \(named(strangerAddress))/x, \(authority)",
                "name: host, url: \(address)/x, \(authority)",
                "name: plain, url: \(plainAddress.replacing("http:", with: "https:"))/x, "
                    + authority)
            let central = try await sandbox.start("central")
            let console = try await Console().client(central.errors)
            let present = try Launched([
                "present", "--to", sandbox.endpoint("central"), "--description", "Boom",
                "--option", "retry=Retry",
            ])
            #expect(await taken(1, by: signed).map { $0["path"] } == ["/trusted"])
            let isDead = await central.errors.becomes {
                $0.components(separatedBy: "notify: not delivered").count == 5
            }
            #expect(isDead, "\(central.errors.value)")
            let list = try Launched([
                "inbox", "notify", "--to", "http://\(console.address)/?token=\(console.token)",
            ])
            #expect(try await list.ending() == 0)
            let untrusted = "its authority is not trusted"
            for (hook, reason) in [
                ("system", untrusted), ("stranger", untrusted),
                ("host", "the certificate is for another host"), ("plain", "no TLS there"),
            ] {
                let line = list.output.value.split(separator: "\n")
                    .last { $0.contains(hook) && $0.contains(reason) }
                #expect(line != nil, "\(hook): \(list.output.value)")
            }
            withExtendedLifetime((present, stranger, plain)) {}
        }

        @Test("A message that is sent again before sendmail has ended is one mail")
        func mailOnce() async throws {
            _ = try secret("hook")
            let program = try sandbox.write(
                "sendmail", "#!/bin/sh\ncat >>$DIR/mail\nread line <$DIR/gate\n")
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o700], ofItemAtPath: program)
            try #require(mkfifo(sandbox.path("gate"), 0o600) == 0)
            let (mail, address) = try await receiver(
                "mail.py", "--secret-file", sandbox.path("hook"), "--to", "ops@example.org",
                "--sendmail", program)
            let script = """
                import hashlib, hmac, sys, time, urllib.request
                body = b'{"id": "central-1", "title": "Boom", "link": "http://c.example"}'
                stamp = str(int(time.time()))
                code = hmac.new(b"0123456789abcdef", f"{stamp}.".encode() + body, hashlib.sha256)
                print("sends", flush=True)
                sent = urllib.request.Request(sys.argv[1], body, {
                    "ErrorBus-Timestamp": stamp,
                    "ErrorBus-Signature": f"sha256={code.hexdigest()}"})
                print(urllib.request.urlopen(sent).status)
                """
            let tries = try (1...2).map { _ in
                try Launched(["python3", "-c", script, address], program: "/usr/bin/env")
            }
            for each in tries { #expect(await each.prints("sends")) }
            // A line for each run of the program, which ends then.
            let gate = try #require(FileHandle(forUpdatingAtPath: sandbox.path("gate")))
            try gate.write(contentsOf: Data("\n\n".utf8))
            for each in tries {
                #expect(try await each.ending() == 0, "\(each.errors.value)")
                #expect(each.output.value == "sends\n200\n")
            }
            let count = try sandbox.read("mail").components(separatedBy: "Subject: ").count - 1
            #expect(count == 1, "\(mail.errors.value)")
            try gate.close()
            withExtendedLifetime(mail) {}
        }

        @Test("A receiver refuses headers that are no signature and no time, whatever is in them")
        func oddHeaders() async throws {
            let script = """
                import hashlib, hmac, sys, time, types
                sys.path.insert(0, sys.argv[1])
                import signature, slack_app
                now, body = str(int(time.time())), b"body"
                def code(start):
                    return hmac.new(b"secret", start.encode() + body, hashlib.sha256).hexdigest()
                def receive(stamp, said):
                    headers = {"ErrorBus-Timestamp": stamp, "ErrorBus-Signature": said}
                    return signature.is_signed(headers, body, "secret")
                def press(stamp, said):
                    headers = {"X-Slack-Request-Timestamp": stamp, "X-Slack-Signature": said}
                    app = types.SimpleNamespace(headers=headers, secret=lambda: "secret")
                    return slack_app.Interactivity.is_signed(app, body)
                own = "sha256=" + code(now + ".")
                slacks = "v0=" + code("v0:" + now + ":")
                print(receive(now, own), press(now, slacks))
                odd = ["", "\\xe9", "\\xb2", "9" * 5000, "-1", "\\ud800"]
                print(any(receive(now, one) or receive(one, own) for one in odd))
                print(any(press(now, one) or press(one, slacks) for one in odd))
                """
            let receiver = try Launched(
                ["python3", "-c", script, Self.example.path], program: "/usr/bin/env",
                environment: ["PYTHONDONTWRITEBYTECODE": "1"])
            #expect(try await receiver.ending() == 0, "\(receiver.errors.value)")
            #expect(receiver.output.value == "True True\nFalse\nFalse\n")
        }

        @Test("The recipes: Slack, ntfy, Alertmanager and mail get what they take")
        func recipes() async throws {
            for name in ["token", "hook"] { _ = try secret(name) }
            let program = try sandbox.write("sendmail", "#!/bin/sh\ncat >>$DIR/mail\n")
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o700], ofItemAtPath: program)
            let (standIn, address) = try await receiver("stand_in.py")
            let (mail, mailAddress) = try await receiver(
                "mail.py", "--secret-file", sandbox.path("hook"), "--to", "ops@example.org",
                "--sendmail", program)
            let central = try Launched(
                [
                    "run", Self.example.appending(path: "topology.yaml").path, "--node", "central",
                    "--ready-file", sandbox.path("ready"),
                ],
                environment: [
                    "LISTEN": sandbox.endpoint("central"), "CONSOLE": "127.0.0.1:*",
                    "SECRETS": sandbox.folder, "SLACK": "\(address)/slack",
                    "NTFY": "\(address)/errors", "MAIL": mailAddress,
                    "ALERTMANAGER": "\(address)/api/v2/alerts",
                ])
            let isUp = await eventually { sandbox.exists("ready") }
            try #require(isUp, "\(central.errors.value)")
            let present = try Launched([
                "present", "--to", sandbox.endpoint("central"),
                "--description", "<!channel> & more\nSubject: x", "--option", "retry=Retry",
            ])
            let opened = await taken(3, by: standIn)
            let alert = opened.compactMap { $0["body"]?.arrayValue?.first }.first
            let link = try #require(alert?["generatorURL"]?.stringValue)
            let said = central.errors.value
            let console = try #require(said.firstMatch(of: /console: (http:[^ ]+)/))
            let answer = try Launched([
                "inbox", "answer", link.components(separatedBy: "/").last ?? "", "retry",
                "--by", "ann", "--to", String(console.1), "--token-file", sandbox.path("token"),
            ])
            #expect(try await answer.ending() == 0)
            let requests = await taken(6, by: standIn)
            func body(_ path: String) throws -> JSONValue {
                try #require(requests.first { $0["path"] == .string(path) }?["body"])
            }
            let text = try #require(try body("/slack")["text"]?.stringValue)
            #expect(text.contains("opened: &lt;!channel&gt; &amp; more\\nSubject: x"))
            #expect(text.contains("<https://console.example/#/inbox/"))
            let push = try body("/")
            #expect(requests.contains { "\($0)".contains("retry by ann (person)") })
            #expect(push["topic"] == "errors")
            #expect(push["title"] == "opened: <!channel> & more\\nSubject: x")
            let alerts = requests.filter { $0["path"] == "/api/v2/alerts" }
                .compactMap { $0["body"]?.arrayValue?.first }
            #expect(Set(alerts.compactMap { $0["labels"] }).count == 1)
            let ends = alerts.compactMap { $0["endsAt"]?.stringValue }
            #expect(ends.count == 3)
            // The alert fires for a day, unless the answer ends it.
            #expect(ends.first ?? "" > ends.last ?? "")
            let isMailed = await eventually {
                (try? sandbox.read("mail"))?.contains("ended: ") == true
            }
            #expect(isMailed, "\(mail.errors.value)")
            let letters = try sandbox.read("mail").split(separator: "\n").map(String.init)
            #expect(letters.contains("To: ops@example.org"))
            #expect(letters.filter { $0.hasPrefix("Subject: ") }.count == 2)
            withExtendedLifetime((present, central)) {}
        }
    }
}
