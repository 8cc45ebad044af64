import ErrorBusTesting
import Foundation
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// Links that answer: what is signed, which options have one, and how long.
struct AnswerLinkTests {
    private let time = ManualTime()
    private let rig: AnswerLinkRig

    init() throws { rig = try AnswerLinkRig() }

    private func offered(_ item: InboxItem, by links: AnswerLinks) -> [String] {
        links.offers(in: AnswerLinkRig.message(item, at: time.now), of: "hook").map(\.option)
    }

    /// The link of the message's first option.
    private func first(_ item: InboxItem) throws -> AnswerLink {
        let message = AnswerLinkRig.message(item, at: time.now)
        let url = try #require(try rig.links().offers(in: message, of: "hook").first?.url)
        #expect(url.hasPrefix("\(AnswerLinkRig.url)/answer?link="))
        let text = try #require(url.components(separatedBy: "=").last)
        return try #require(AnswerLink(text, signedWith: AnswerLinkRig.key))
    }

    @Test("A link is read with the key that signed it, and not when any character is another")
    func forged() {
        let link = AnswerLink(
            "retry", of: AnswerLinkRig.item(), as: "oncall", for: "hook", until: time.now.date)
        let text = link.text(signedWith: "key")
        #expect(AnswerLink(text, signedWith: "key") == link)
        #expect(AnswerLink(text, signedWith: "other") == nil)
        for index in text.indices {
            var changed = text
            changed.replaceSubrange(index...index, with: text[index] == "A" ? "h" : "A")
            #expect(AnswerLink(changed, signedWith: "key") == nil, "\(changed)")
        }
        for other in ["", ".", "a.b", "\(text).", "\(text).a", String(text.prefix { $0 != "." })] {
            #expect(AnswerLink(other, signedWith: "key") == nil, "\(other)")
        }
    }

    @Test("Each link has an answer of its own, which stays the same")
    func answers() {
        let (one, other) = (AnswerLinkRig.item(), AnswerLinkRig.item())
        func link(_ option: String, _ item: InboxItem, _ hook: NodeName = "hook") -> AnswerLink {
            AnswerLink(option, of: item, as: "oncall", for: hook, until: time.now.date)
        }
        let links = [
            link("retry", one), link("cancel", one), link("retry", other),
            link("retry", one, "other"),
        ]
        #expect(Set(links.compactMap(\.answer)).count == links.count)
        #expect(link("retry", one).answer == links[0].answer)
    }

    @Test("It is about the report of its message, and of no other one")
    func report() {
        let item = AnswerLinkRig.item()
        let link = AnswerLink("retry", of: item, as: "oncall", for: "hook", until: time.now.date)
        #expect(link.isAbout(item.report))
        #expect(!link.isAbout(NotifyRig.report("worse")))
    }

    @Test(
        "Only options that need but the choice have a link, destructive ones by permission",
        arguments: [
            ([.answer], ["retry", "cancel"]),
            ([.answer, .destructive], ["retry", "cancel", "wipe"]),
            ([.destructive], []), ([], []),
        ] as [(Set<ConsolePermission>, [String])])
    func options(may: Set<ConsolePermission>, expected: [String]) throws {
        var report = NotifyRig.report()
        report.options += ["wipe", "two", "signed", "values"].map {
            ErrorReport.Option(id: $0, title: $0)
        }
        report.options[2].role = .destructive
        report.options[3].needsTwoPeople = true
        report.options[4].needsSignature = true
        report.options[5].fields = [.text("path", label: "Path", isRequired: false)]
        _ = try rig.users.add("oncall", may)
        #expect(try offered(AnswerLinkRig.item(report), by: rig.links()) == expected)
    }

    @Test("Messages about several presentations, or about none that waits, have no links")
    func messages() throws {
        let links = try rig.links()
        let (one, other) = (AnswerLinkRig.item(), AnswerLinkRig.item())
        func count(_ message: NotifyMessage, _ hook: NodeName = "hook") -> Int {
            links.offers(in: message, of: hook).count
        }
        #expect(count(AnswerLinkRig.message(one, at: time.now)) == 2)
        #expect(count(AnswerLinkRig.message(one, event: .aging, at: time.now)) == 2)
        #expect(count(AnswerLinkRig.message(one, at: time.now), "other") == 0)
        #expect(count(AnswerLinkRig.message(one, other, at: time.now)) == 0)
        for event in HookSettings.Event.allCases where ![.opened, .aging].contains(event) {
            #expect(count(AnswerLinkRig.message(one, event: event, at: time.now)) == 0)
        }
        let summary = NotifyMessage(id: "1", content: .summary(NoticeSummary()), madeAt: time.now)
        #expect(count(summary) == 0)
    }

    @Test("A link expires after its time, and at the deadline at the latest")
    func expiry() throws {
        let link = try first(AnswerLinkRig.item())
        let until = time.now.date + 3_600
        #expect(!link.hasExpired(at: until - 0.002) && link.hasExpired(at: until))
        let sooner = try first(AnswerLinkRig.item(deadline: time.now.instant + .seconds(60)))
        #expect(sooner.hasExpired(at: time.now.date + 60))
        #expect(!sooner.hasExpired(at: time.now.date + 59))
        let late = AnswerLinkRig.item(deadline: time.now.instant)
        #expect(try offered(late, by: rig.links()) == [])
    }

    @Test("A message that is sent after their time has no links")
    func lateTry() throws {
        let writer = NotifyWriter(
            node: "central", url: AnswerLinkRig.url, links: try rig.links())
        let message = AnswerLinkRig.message(AnswerLinkRig.item(), at: time.now)
        for (seconds, hasLinks) in [(3_599, true), (3_600, false)] {
            let request = writer.request(
                message, to: rig.hook, secret: nil, at: time.now + .seconds(seconds))
            let text = String(decoding: request.body, as: UTF8.self)
            #expect(text.contains("answer?link=") == hasLinks)
            #expect(text.contains("#/inbox/"))
        }
    }

    @Test("Without its user, or while the key cannot be used, there are no links")
    func revoked() throws {
        let (links, item) = (try rig.links(), AnswerLinkRig.item())
        try PrivateFile.replace(rig.keyFile, AnswerLinkRig.key, mode: 0o644)
        #expect(offered(item, by: links) == [])
        try PrivateFile.replace(rig.keyFile, AnswerLinkRig.key, mode: 0o600)
        #expect(offered(item, by: links) == ["retry", "cancel"])
        try rig.users.remove("oncall")
        #expect(offered(item, by: links) == [])
    }

    @Test("Receivers get the links in their own forms, a worker's title escaped")
    func forms() throws {
        let writer = NotifyWriter(
            node: "central", url: AnswerLinkRig.url, links: try rig.links())
        var report = NotifyRig.report()
        report.options = (1...12).map {
            ErrorReport.Option(id: "o\($0)", title: "\u{202E}Option \($0)")
        }
        let message = AnswerLinkRig.message(AnswerLinkRig.item(report), at: time.now)
        func json(_ body: HookSettings.Body) -> JSONValue {
            var hook = rig.hook
            hook.body = body
            return writer.json(message, for: hook)
        }
        let answers = try #require(json(.json)["answers"]?.arrayValue)
        #expect(answers.compactMap { $0["option"]?.stringValue } == (1...10).map { "o\($0)" })
        let first = try #require(answers.first?["link"])
        let blocks = try #require(json(.slack)["blocks"]?.arrayValue)
        let buttons = try #require(blocks.last?["elements"]?.arrayValue)
        #expect(buttons.count == 10 && buttons.first?["url"] == first)
        #expect(buttons.first?["text"]?["text"] == "\\u{202E}Option 1")
        #expect(blocks.first?["text"]?["text"] == json(.slack)["text"])
        let actions = try #require(json(.ntfy)["actions"]?.arrayValue)
        #expect(actions.count == 3)
        #expect(actions.first == ["action": "view", "label": "\\u{202E}Option 1", "url": first])
        let plain = NotifyWriter(node: "central", url: AnswerLinkRig.url)
        #expect(plain.json(message, for: rig.hook)["answers"] == [])
    }

    @Test("The label of a link is as short as Slack wants it, with the escapes of its title too")
    func labels() throws {
        let long = String(repeating: "x", count: 69)
        let titles = [long + long, "\u{200B}\(long)", "\(long)\u{202E}"]
        var report = NotifyRig.report()
        report.options = titles.enumerated().map {
            ErrorReport.Option(id: "o\($0)", title: $1)
        }
        let writer = NotifyWriter(
            node: "central", url: AnswerLinkRig.url, links: try rig.links())
        var hook = rig.hook
        hook.body = .slack
        let json = writer.json(
            AnswerLinkRig.message(AnswerLinkRig.item(report), at: time.now), for: hook)
        let buttons = try #require(json["blocks"]?.arrayValue?.last?["elements"]?.arrayValue)
        let labels = buttons.compactMap { $0["text"]?["text"]?.stringValue }
        #expect(labels.count == titles.count && labels.first == "\(long)…")
        #expect(labels.allSatisfy { $0.unicodeScalars.count <= 75 })
    }

    @Test("A dead letter has no link that answers: those are made for each try")
    func letters() throws {
        let writer = NotifyWriter(
            node: "central", url: AnswerLinkRig.url, links: try rig.links())
        let message = AnswerLinkRig.message(AnswerLinkRig.item(), at: time.now)
        let sent = writer.json(message, for: rig.hook)["answers"]?.arrayValue
        #expect(sent?.first?["link"]?.stringValue?.contains(AnswerLinks.path) == true)
        let letter = DeadLetter(
            number: 1, hook: rig.hook.name,
            failed: DeadLetter.Failed(message: message, tries: 1, reason: "status 500"),
            diedAt: time.now)
        let shown = String(decoding: letter.json(writer).encoded(), as: UTF8.self)
        for text in [try LetterRow(letter).content, shown] {
            #expect(text.contains("worker") || text.contains("#/inbox"))
            #expect(!text.contains("answer?link"))
        }
    }

    @Test("Above 20 texts in a minute that are no links an address is refused, and no other one")
    func badLinks() {
        var bad = BadLinks()
        let start = time.now.instant
        for _ in 0..<BadLinks.countMax {
            #expect(!bad.isAboveLimit("10.0.0.1", at: start))
            bad.came(from: "10.0.0.1", at: start)
        }
        #expect(bad.isAboveLimit("10.0.0.1", at: start + .seconds(59)))
        #expect(!bad.isAboveLimit("10.0.0.2", at: start))
        #expect(!bad.isAboveLimit("10.0.0.1", at: start + .seconds(60)))
        // A host of IPv6 chooses among the addresses of its network.
        for number in 0..<BadLinks.countMax { bad.came(from: "fd00::\(number)", at: start) }
        #expect(bad.isAboveLimit("fd00::ffff", at: start))
        #expect(!bad.isAboveLimit("fd01::1", at: start))
    }

    @Test("The limit of an address counts again after its minute")
    func badLinksLater() {
        var bad = BadLinks()
        let start = time.now.instant
        for now in [start, start + BadLinks.time] {
            #expect(!bad.isAboveLimit("10.0.0.1", at: now))
            for _ in 0..<BadLinks.countMax { bad.came(from: "10.0.0.1", at: now) }
            #expect(bad.isAboveLimit("10.0.0.1", at: now))
        }
    }

    @Test("So many addresses are remembered, then the oldest is forgotten")
    func badAddresses() {
        var bad = BadLinks()
        let now = time.now.instant
        for _ in 0..<BadLinks.countMax { bad.came(from: "first", at: now) }
        for number in 1..<BadLinks.addressMax { bad.came(from: "host-\(number)", at: now) }
        #expect(bad.isAboveLimit("first", at: now))
        bad.came(from: "last", at: now)
        #expect(!bad.isAboveLimit("first", at: now))
    }
}
