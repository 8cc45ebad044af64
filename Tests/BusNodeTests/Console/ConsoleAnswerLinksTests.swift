import AsyncHTTPClient
import ErrorBusTesting
import Foundation
import NIOCore
import NIOHTTP1
import Logging
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// Answering by a link over HTTP: the page that it opens, its button, and the refusals.
struct ConsoleAnswerLinksTests {
    private let rig: AnswerLinkRig

    init() throws { rig = try AnswerLinkRig() }

    private struct Reply {
        let status: Int
        let text: String

        var error: String {
            let json = try? JSONValue.parse(Array(text.utf8))
            return "\(status) \(json?["error"]?.stringValue ?? "-")"
        }
    }

    /// A console with an open presentation, and what a client does there.
    private struct Visit {
        let served: ServedConsole
        let item: InboxItem
        let log: RecordedLog
        var inbox: Inbox { served.console.inbox }

        static let past = Date(timeIntervalSince1970: 1_000_000_000)
        static let future = Date(timeIntervalSince1970: 4_000_000_000)

        /// The link to an option in a message of that time. The console goes by this machine's.
        func link(_ option: String = "retry", at date: Date = Self.future) throws -> String {
            let message = AnswerLinkRig.message(item, at: ManualTime(date: date).now)
            let links = try #require(served.console.links)
            let offer = links.offers(in: message, of: "hook").first { $0.option == option }
            return try #require(offer?.url.components(separatedBy: "=").last)
        }

        func open(_ link: String, _ headers: [String: String] = [:]) async throws -> Reply {
            try await send(.GET, "\(AnswerLinks.path)?link=\(link)", nil, headers)
        }

        func press(_ link: String, _ headers: [String: String] = [:]) async throws -> Reply {
            let body = JSONValue.object(["link": .string(link)]).encoded()
            return try await send(.POST, AnswerLinks.actPath, body, headers)
        }

        private func send(
            _ method: HTTPMethod, _ path: String, _ body: [UInt8]?, _ headers: [String: String]
        ) async throws -> Reply {
            let url = "http://127.0.0.1:\(served.address.port)\(path)"
            var exchange = HTTPExchange(
                method, url, body: body,
                contentType: headers["Content-Type"] ?? "application/json")
            for (name, value) in headers where name != "Content-Type" {
                exchange.add(name, value)
            }
            let response = try await exchange.response()
            let text = String(buffer: try await response.body.collect(upTo: 1 << 20))
            return Reply(status: Int(response.status.code), text: text)
        }
    }

    private func run(
        _ report: ErrorReport = NotifyRig.report("The <disk> is full."),
        _ body: (Visit) async throws -> Void
    ) async throws {
        let log = RecordedLog()
        try await ServedConsole.run(
            { settings in
                settings.usersFile = rig.users.path
                settings.linkKeyFile = rig.keyFile
                settings.url = AnswerLinkRig.url
            }, notify: [rig.hook], logger: log.logger
        ) { served in
            let inbox = served.console.inbox
            let prompt = Prompts.prompt(report)
            let asking = Task { try await inbox.present(prompt) }
            for await _ in inbox.changes() where inbox.openCount == 1 { break }
            let item = try #require(inbox.items().first)
            try await body(Visit(served: served, item: item, log: log))
            asking.cancel()
        }
    }

    @Test("Opening a link changes nothing; its button answers once, as the user of the link")
    func once() async throws {
        try await run { visit in
            let (link, other) = (try visit.link(), try visit.link("cancel"))
            for _ in 0..<3 {
                let page = try await visit.open(link)
                #expect(page.status == 200)
                #expect(page.text.contains("<h1>The &lt;disk> is full.</h1>"))
                #expect(page.text.contains("d 1 from worker, at central"))
                #expect(page.text.contains("You answer as oncall."))
                #expect(page.text.contains("class=\"default\">Retry</button>"))
            }
            #expect(visit.inbox.openCount == 1)
            #expect(try await visit.press(link).status == 200)
            let answer = try #require(try visit.inbox.item(visit.item.id).answer)
            #expect(answer.option == "retry" && answer.by == "oncall" && answer.via == .person)
            let acts = visit.served.console.history.events(of: visit.item.id)
            #expect(
                acts.filter { $0.event == "link" }.map(\.sentence)
                    == ["oncall chose “Retry” (retry) by a link in a message of hook hook"])
            #expect(try await visit.press(link).error == "409 linkUsed")
            #expect(try await visit.press(other).error == "409 answered")
            let used = try await visit.open(link)
            #expect(used.status == 409 && used.text.contains("answers once, and was used"))
            #expect(used.text.contains("href=\"/#/inbox/\(visit.item.id)\""))
            let lines = visit.log.lines.elements.joined()
            #expect(lines.contains("reason=linkUsed"))
            #expect(!lines.contains(link) && !lines.contains(AnswerLinkRig.key))
        }
    }

    @Test("Its page has the reason, the suggestion and another person's claim before the button")
    func facts() async throws {
        var report = NotifyRig.report()
        report.failureReason = (1...11).map { "line \($0)" }.joined(separator: "\n") + "\n<b>full"
        report.recoverySuggestion = (1...11).map { "step \($0)" }.joined(separator: "\n")
        try await run(report) { visit in
            let link = try visit.link()
            let page = try await visit.open(link)
            #expect(page.text.contains("<p id=\"why\">line 3<br>line 4<br>"))
            #expect(page.text.contains("line 11<br>&lt;b>full</p>"))
            #expect(page.text.contains("<p id=\"suggestion\">step 1<br>step 2<br>"))
            #expect(!page.text.contains("Claimed by"))
            try visit.inbox.claim(visit.item.id, by: "oncall")
            #expect(try await !visit.open(link).text.contains("Claimed by"))
            try visit.inbox.claim(visit.item.id, by: "<ann>", takesOver: true)
            #expect(try await visit.open(link).text.contains("Claimed by &lt;ann>."))
        }
    }

    @Test("A link whose answer was taken back does not answer again")
    func takenBack() async throws {
        try await run { visit in
            let text = try visit.link()
            let link = try #require(AnswerLink(text, signedWith: AnswerLinkRig.key))
            let id = visit.item.id
            try visit.inbox.answer(
                id, option: "retry", by: "oncall", id: link.answer, undo: .seconds(60))
            try visit.inbox.undo(id)
            #expect(try await visit.press(text).error == "409 linkUsed")
            #expect(visit.inbox.openCount == 1)
        }
    }

    @Test("An expired link says so, and offers the ordinary one")
    func expired() async throws {
        try await run { visit in
            let link = try visit.link(at: Visit.past)
            let page = try await visit.open(link)
            #expect(page.status == 410 && page.text.contains("has expired"))
            #expect(page.text.contains("href=\"/#/inbox/\(visit.item.id)\""))
            #expect(try await visit.press(link).error == "410 linkExpired")
            #expect(visit.inbox.openCount == 1)
        }
    }

    @Test("A report that has changed since the message is not answered")
    func changed() async throws {
        try await run { visit in
            let before = AnswerLinkRig.item(NotifyRig.report("harmless"), id: visit.item.id)
            let link = AnswerLink(
                "retry", of: before, as: "oncall", for: "hook", until: Visit.future)
            let text = link.text(signedWith: AnswerLinkRig.key)
            let reply = try await visit.press(text)
            #expect(reply.error == "409 notSeen")
            #expect(visit.inbox.openCount == 1)
        }
    }

    @Test("Removing the user, the permission or the key revokes every link")
    func revoked() async throws {
        try await run { visit in
            let link = try visit.link()
            _ = try rig.users.add("oncall", [.silence])
            #expect(try await visit.press(link).error == "403 notAllowed")
            try rig.users.remove("oncall")
            #expect(try await visit.press(link).error == "403 unknownUser")
            #expect(try await visit.open(link).status == 403)
            _ = try rig.users.add("oncall", [.answer])
            try PrivateFile.replace(rig.keyFile, "another-0123456789", mode: 0o600)
            #expect(try await visit.press(link).error == "404 unknownLink")
            try FileManager.default.removeItem(atPath: rig.keyFile)
            #expect(try await visit.press(link).error == "503 noLinkKey")
            #expect(visit.inbox.openCount == 1)
            try PrivateFile.create(rig.keyFile, AnswerLinkRig.key, mode: 0o600)
            #expect(try await visit.press(link).status == 200)
        }
    }

    @Test("A destructive option needs the permission when the link is used, too")
    func destructive() async throws {
        var report = NotifyRig.report()
        report.options[0].role = .destructive
        _ = try rig.users.add("oncall", [.answer, .destructive])
        try await run(report) { visit in
            let link = try visit.link()
            #expect(try await visit.open(link).text.contains("class=\"destructive\""))
            _ = try rig.users.add("oncall", [.answer])
            #expect(try await visit.press(link).error == "403 notAllowed")
            _ = try rig.users.add("oncall", [.answer, .destructive])
            #expect(try await visit.press(link).status == 200)
        }
    }

    @Test("Another person's claim holds off a link, which can be used afterwards")
    func claimed() async throws {
        try await run { visit in
            let link = try visit.link()
            try visit.inbox.claim(visit.item.id, by: "ann")
            #expect(try await visit.press(link).error == "409 claimed")
            try visit.inbox.release(visit.item.id, by: "ann")
            #expect(try await visit.press(link).status == 200)
        }
    }

    @Test("A link on another site opens the page, and no other site can press its button")
    func sites() async throws {
        try await run { visit in
            let link = try visit.link()
            let navigation = ["Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"]
            let elsewhere = ["Sec-Fetch-Site": "cross-site"]
            #expect(try await visit.open(link, navigation.merging(elsewhere) { $1 }).status == 200)
            #expect(try await visit.open(link, elsewhere).status == 403)
            #expect(try await visit.press(link, elsewhere).error == "403 crossSite")
            let origin = try await visit.press(link, ["Origin": "https://evil.example"])
            #expect(origin.error == "403 origin")
            let form = try await visit.press(link, ["Content-Type": "text/plain"])
            #expect(form.error == "415 contentType")
            let host = try await visit.press(link, ["Host": "evil.example"])
            #expect(host.error == "403 host")
            #expect(visit.inbox.openCount == 1)
        }
    }

    @Test("Above 20 texts that are no links further ones of an address are refused, no good link")
    func tooMany() async throws {
        try await run { visit in
            for number in 0..<BadLinks.countMax {
                let reply = try await visit.press("a.\(number)")
                #expect(reply.error == "404 unknownLink")
            }
            let reply = try await visit.press("a.b")
            #expect(reply.error == "429 tooManyBadLinks")
            #expect(visit.inbox.openCount == 1)
            #expect(try await visit.press(try visit.link()).status == 200)
            #expect(try visit.inbox.item(visit.item.id).answer?.by == "oncall")
        }
    }

    @Test("Without hooks that have links there are none to open")
    func none() async throws {
        try await ServedConsole.run({ _ in }, logger: .silent) { served in
            let visit = Visit(served: served, item: AnswerLinkRig.item(), log: RecordedLog())
            let (pressed, opened) = (try await visit.press("a.b"), try await visit.open("a.b"))
            #expect(pressed.error == "404 notFound" && opened.status == 404)
        }
    }
}
