import Crypto
import ErrorBusTesting
import Foundation
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

struct NotifyWriterTests {
    private let writer = NotifyWriter(node: "central", url: "https://console.example")

    /// The message of three presentations with this description, two of them closed.
    private func message(_ description: String, closing count: Int = 2) throws -> NotifyMessage {
        var rig = NotifyRig([NotifyRig.hook(on: [.ended], digest: .seconds(1))])
        let ids = (1...3).map {
            rig.open(NotifyRig.report(description), origin: NodeName("w-\($0)") ?? "w")
        }
        for id in ids.prefix(count) {
            _ = try rig.act { inbox, now throws(InboxRefusal) in
                inbox.closed(id, .withdrawn, at: now)
            }
        }
        return try #require(rig.pass(.seconds(1)).first)
    }

    private func json(
        _ message: NotifyMessage, _ body: HookSettings.Body, path: String = "/hooks/topic"
    ) -> JSONValue {
        var hook = HookSettings(
            name: "chat", url: HookURL(host: "h", port: 80, path: path))
        hook.body = body
        return writer.json(message, for: hook)
    }

    @Test("The signature covers the time and the body")
    func signature() throws {
        let message = try message("broken")
        let hook = NotifyRig.hook()
        let now = ManualTime().now
        let unsigned = writer.request(message, to: hook, secret: nil, at: now)
        #expect(unsigned.headers.map(\.name) == ["ErrorBus-Message"])
        #expect(unsigned.path == "/secret")
        let signed = writer.request(message, to: hook, secret: "key", at: now)
        #expect(signed.body == unsigned.body)
        let fields = Dictionary(uniqueKeysWithValues: signed.headers.map { ($0.name, $0.value) })
        #expect(fields["ErrorBus-Timestamp"] == "1800000000")
        let code = HMAC<SHA256>.authenticationCode(
            for: Array("1800000000.".utf8) + signed.body,
            using: SymmetricKey(data: Array("key".utf8)))
        let digits = code.map { String(format: "%02x", $0) }.joined()
        #expect(fields["ErrorBus-Signature"] == "sha256=\(digits)")
    }

    @Test("The own form has the group, its counts, and a link")
    func plain() throws {
        let json = json(try message("broken"), .json)
        #expect(json["event"] == "ended")
        #expect(json["title"] == "ended: 2 × broken")
        #expect(json["count"] == 2)
        #expect(json["openCount"] == 1)
        #expect(json["texts"] == [["text": "broken", "count": 2]])
        #expect(json["reasons"] == [])
        #expect(json["details"] == [["text": "withdrawn", "count": 2]])
        #expect(json["origins"] == ["w-1", "w-2"])
        #expect(json["group"]?.stringValue?.count == 16)
        #expect(json["group"] == self.json(try message("broken"), .json)["group"])
        #expect(json["group"] != self.json(try message("other"), .json)["group"])
    }

    @Test("No form has userInfo, or the values and secrets of an answer")
    func payload() throws {
        var rig = NotifyRig([NotifyRig.hook(on: [.opened, .answered, .ended])])
        var report = NotifyRig.report()
        report.userInfo = ["pin": "pl4nted", "list": ["pl4nted"]]
        report.options[0].fields = [.text("path", label: "Path"), .secret("pin", label: "PIN")]
        let id = rig.open(report)
        var messages = rig.pass(.seconds(1_200))
        let answer = Answer(
            id: UniqueID(high: 2, low: 1), option: "retry", by: "ann", via: .person,
            values: ["path": "pl4nted"], secrets: ["pin": "pl4nted"])
        _ = try rig.act { inbox, now throws(InboxRefusal) in
            try inbox.answer(id, with: answer, undo: .zero, at: now)
        }
        messages += rig.pass(.seconds(1_200))
        try rig.settle(id, .recovered)
        messages += rig.pass(.seconds(1_200))
        #expect(messages.map(\.event) == ["opened", "answered", "ended"])
        for message in messages {
            for body in HookSettings.Body.allCases {
                let text = String(decoding: json(message, body).encoded(), as: UTF8.self)
                #expect(!text.contains("pl4nted"), "\(text)")
            }
        }
    }

    @Test("While people have to decide, a message has the reason in every form")
    func reason() throws {
        var report = NotifyRig.report("backup failed with exit code 28.")
        report.failureReason = "rsync: \u{1B}[1mNo space left\non device <disk>"
        for body in HookSettings.Body.allCases {
            var rig = NotifyRig([NotifyRig.hook(on: [.opened, .ended])])
            let id = rig.open(report)
            rig.open(report)
            let opened = try #require(rig.pass(.seconds(5)).first)
            let text = String(decoding: json(opened, body).encoded(), as: UTF8.self)
            #expect(text.contains("No space left"), "\(text)")
            if body == .json {
                let reason = report.failureReason ?? ""
                #expect(
                    json(opened, body)["reasons"] == [["text": .string(reason), "count": 2]])
            }
            try rig.answer(id, "cancel")
            try rig.settle(id, .failed)
            let ended = try #require(rig.pass(.seconds(15)).first)
            let end = String(decoding: json(ended, body).encoded(), as: UTF8.self)
            #expect(end.contains("No space left") == (body == .json))
        }
    }

    @Test("While people have to decide, a message has the first deadline, and what is applied then")
    func deadline() throws {
        var report = NotifyRig.report()
        for (declared, words) in [
            ("cancel", "\"Cancel\" is applied"), (nil, "it ends without one"),
        ] {
            report.onExpiry = declared
            for body in HookSettings.Body.allCases {
                var rig = NotifyRig([NotifyRig.hook(on: [.opened, .ended])])
                let end = (rig.time.now + .seconds(600)).date
                let id = rig.open(report, deadline: .seconds(600))
                rig.open(report, deadline: .seconds(900))
                rig.open(report)
                let opened = json(try #require(rig.pass(.seconds(5)).first), body)
                let text = String(decoding: opened.encoded(), as: UTF8.self)
                if body == .json {
                    #expect(opened["deadline"] == .time(end))
                    #expect(opened["onExpiry"] == (declared == nil ? .null : "Cancel"))
                } else {
                    let line = "answer the first before \(end.formatted(.iso8601)): then "
                    #expect(text.contains(line), "\(text)")
                    #expect(text.replacing("\\\"", with: "\"").contains("then \(words)"), "\(text)")
                }
                try rig.answer(id, "cancel")
                try rig.settle(id, .failed)
                let ended = json(try #require(rig.pass(.seconds(15)).first), body)
                #expect(!String(decoding: ended.encoded(), as: UTF8.self).contains("before"))
            }
        }
    }

    @Test("Without a description the title has the domain and the code")
    func untitled() throws {
        #expect(json(try message(" "), .json)["title"] == "ended: 2 × d 1")
    }

    @Test("The text has the name of a client without a name for people, the own form its origin")
    func nameless() throws {
        var rig = NotifyRig([NotifyRig.hook()])
        rig.open(origin: .bare)
        let message = try #require(rig.pass(.seconds(5)).first)
        #expect(json(message, .json)["origins"] == ["bare"])
        let text = json(message, .ntfy)["message"]?.stringValue
        #expect(text?.contains(" from \(NodeName.bare.words); ") == true)
    }

    @Test("A message links to its presentation, about several to their group in the list")
    func links() throws {
        let inbox = "https://console.example/#/inbox"
        var rig = NotifyRig([NotifyRig.hook(on: [.opened, .ended], digest: .seconds(1))])
        let ids = (1...3).map { _ in rig.open() }
        let key = NotifyRig.report().groupKey
        #expect(
            rig.pass(.seconds(1)).map(writer.link) == ["\(inbox)?filter=group%3A\(key)"])
        for id in ids.prefix(2) {
            _ = try rig.act { inbox, now throws(InboxRefusal) in
                inbox.closed(id, .withdrawn, at: now)
            }
        }
        #expect(
            rig.pass(.seconds(1)).map(writer.link)
                == ["\(inbox)?filter=group%3A\(key)&show=ended"])
        let other = rig.open(NotifyRig.report("other"))
        #expect(rig.pass(.seconds(1)).map(writer.link) == ["\(inbox)/\(other)"])
    }

    @Test("A message of several acts on one presentation is about that one, and links to it")
    func actsOnOne() throws {
        var rig = NotifyRig([NotifyRig.hook(on: [.claimed])])
        let id = rig.open()
        for person in ["ann", "bob"] {
            _ = try rig.act { inbox, now throws(InboxRefusal) in
                try inbox.claim(id, by: person, for: .seconds(60), takesOver: true, at: now)
            }
        }
        let message = try #require(rig.pass(.seconds(5)).first)
        let json = json(message, .json)
        #expect(json["count"] == 1)
        #expect(json["ids"] == [.string(id.description)])
        #expect(json["texts"] == [["text": "broken", "count": 1]])
        #expect(json["title"] == "claimed: broken")
        let acts = json["details"]?.arrayValue?.map { $0["text"] }
        #expect(acts == ["by ann", "by bob"])
        #expect(writer.link(message) == "https://console.example/#/inbox/\(id)")
    }

    @Test("Slack reads neither mentions nor links of a worker")
    func slack() throws {
        let text = try #require(
            json(try message("a & <!channel> <http://x|y>\r\nnext"), .slack)["text"]?.stringValue)
        let lines = text.split(separator: "\n").map(String.init)
        #expect(
            lines[0]
                == "*ended: 2 × a &amp; &lt;!channel&gt; &lt;http://x|y&gt;\\r\\nnext*")
        #expect(lines.last?.hasPrefix("<https://console.example/#/inbox?filter=") == true)
        #expect(lines.last?.hasSuffix("|Open>") == true)
        #expect(text.filter { $0 == "<" }.count == 1)
    }

    @Test("ntfy gets texts in the body, none in a header or the address")
    func ntfy() throws {
        let message = try message("a\r\nX-Priority: 1\u{202E}")
        let json = json(message, .ntfy)
        #expect(json["topic"] == "topic")
        #expect(json["title"] == "ended: 2 × a\\r\\nX-Priority: 1\\u{202E}")
        #expect(json["priority"] == 2)
        #expect(json["click"] == .string(writer.link(message)))
        var hook = HookSettings(
            name: "phone", url: HookURL(host: "h", port: 80, path: "/hooks/topic"))
        hook.body = .ntfy
        let request = writer.request(message, to: hook, secret: nil, at: message.madeAt)
        #expect(request.path == "/hooks/")
        #expect(request.headers.map(\.name) == ["ErrorBus-Message"])
        #expect(!request.headers.contains { $0.value.contains("X-Priority") })
    }

    @Test(
        "ntfy gets no more text than its servers take, the severity and the origins first",
        arguments: ["語", "\"", "☺\u{FE0F}"])
    func ntfyLimits(text: String) throws {
        var rig = NotifyRig([NotifyRig.hook()])
        for number in 1...5 {
            let long = String(repeating: text, count: 300)
            var report = NotifyRig.report("\(number)\(long)")
            report.failureReason = report.description
            report.coalesceKey = "storm"
            rig.open(report)
        }
        let message = try #require(rig.pass(.seconds(5)).first)
        #expect(message.count == 5)
        let sent = try #require(json(message, .ntfy)["message"]?.stringValue)
        #expect(sent.hasPrefix("error, d 1 from worker; 5 open at central\n1"))
        #expect(sent.hasSuffix("…") && (1_500..<4_096).contains(sent.utf8.count))
        var hook = NotifyRig.hook()
        hook.body = .ntfy
        let body = writer.request(message, to: hook, secret: nil, at: message.madeAt).body
        #expect(body.count < 8_192)
    }

    @Test("Alertmanager has one alert for a group, which ends with its last open presentation")
    func alertmanager() throws {
        let firing = try #require(json(try message("broken"), .alertmanager).arrayValue?.first)
        let ended = try #require(
            json(try message("broken", closing: 3), .alertmanager).arrayValue?.first)
        #expect(firing["labels"] == ended["labels"])
        #expect(firing["labels"]?["alertname"] == "ErrorBus")
        func time(_ alert: JSONValue, _ key: String) throws -> Date {
            try #require(alert[key]?.stringValue.flatMap(TimeText.date))
        }
        let length = try time(firing, "endsAt").timeIntervalSince(try time(firing, "startsAt"))
        #expect(length > 86_000)
        #expect(
            try time(ended, "endsAt").timeIntervalSince(try time(ended, "startsAt")) < 2)
    }

    @Test("An alert starts when its first presentation opened, not with the message")
    func alertStart() throws {
        var rig = NotifyRig([NotifyRig.hook(on: [.ended], digest: .seconds(1))])
        let opened = rig.time.now.date
        let id = rig.open()
        rig.pass(.seconds(600))
        _ = try rig.act { inbox, now throws(InboxRefusal) in
            inbox.closed(id, .withdrawn, at: now)
        }
        let message = try #require(rig.pass(.seconds(1)).first)
        let alert = try #require(json(message, .alertmanager).arrayValue?.first)
        #expect(alert["startsAt"] == .time(opened))
        #expect(alert["endsAt"] == .time(message.madeAt.date))
    }

    /// The message of a summary of these events, each of a group.
    private func summary(
        _ events: [(HookSettings.Event, String)], missed: Int = 0
    ) -> NotifyMessage {
        var summary = NoticeSummary()
        for (event, group) in events { summary.add(event, 20, of: .error, in: group) }
        if missed > 0 { summary.miss(missed) }
        return NotifyMessage(id: "1", content: .summary(summary), madeAt: ManualTime().now)
    }

    @Test("A summary links to the list of its groups, of all where those are too many to name")
    func summaryLinks() throws {
        let inbox = "https://console.example/#/inbox"
        #expect(
            writer.link(summary([(.opened, "a"), (.ended, "b"), (.opened, "a")]))
                == "\(inbox)?filter=group%3Aa+group%3Ab")
        #expect(
            writer.link(summary([(.answered, "a"), (.ended, "b")]))
                == "\(inbox)?filter=group%3Aa+group%3Ab&show=ended")
        #expect(writer.link(summary([(.ended, "a")], missed: 1)) == inbox)
        let groups = (0...NoticeSummary.groupMax).map { NotifyRig.report("\($0)").groupKey }
        let named = groups.dropLast()
        let link = writer.link(summary(named.map { (HookSettings.Event.opened, $0) }))
        let filter = try #require(
            URLComponents(string: link.replacing("#/", with: ""))?.queryItems?.first?.value)
        #expect(
            filter.replacing("+", with: " ")
                == named.map { "group:\($0)" }.joined(separator: " "))
        #expect(filter.count <= ConsoleLimits.viewFilterScalarMax)
        #expect(filter.count + " group:".count + 16 > ConsoleLimits.viewFilterScalarMax)
        let more = summary(groups.map { (HookSettings.Event.opened, $0) })
        #expect(writer.link(more) == inbox)
        let over = summary(groups.map { (HookSettings.Event.ended, $0) })
        #expect(writer.link(over) == "\(inbox)?show=ended")
    }

    @Test("A summary of any form links to the list", arguments: HookSettings.Body.allCases)
    func summary(body: HookSettings.Body) {
        let message = summary([(.opened, "a"), (.opened, "b")], missed: 2)
        let text = String(decoding: json(message, body).encoded(), as: UTF8.self)
        #expect(text.contains("42 more events at central"))
        let isLinked = text.replacing("\\/", with: "/").contains("https://console.example/#/inbox")
        #expect(isLinked)
    }
}
