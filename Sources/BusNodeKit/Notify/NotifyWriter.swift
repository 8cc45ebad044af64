import Crypto
import ErrorBus
import Foundation
import OrderedCollections

/// The writer of messages in the forms of their receivers. Texts come from workers: each is escaped
/// for its receiver, and none becomes a header.
struct NotifyWriter: Sendable {
    let node: NodeName
    /// The address of the console, without a slash at the end.
    let url: String
    /// The maker of links that answer; nil: there are none.
    var links: AnswerLinks?

    /// The age at which Alertmanager ends an alert that nothing else has ended.
    private static let alertTime: Duration = .seconds(86_400)
    /// The longest text: with the link less than the 3,000 UTF-16 units that Slack takes in a
    /// section.
    private static let slackScalarMax = 1_200
    /// The most actions of a message that ntfy takes.
    private static let ntfyActionMax = 3
    /// The longest text, in bytes of JSON: a server of ntfy takes less than 4,096 bytes of text,
    /// and 8,192 of JSON with title and links.
    private static let ntfyByteMax = 3_500
    private static let ntfyTitleScalarMax = 200

    struct Request: Sendable {
        let path: String
        let headers: [(name: String, value: String)]
        let body: [UInt8]
    }

    /// - Parameters:
    ///   - secret: The key of the signature; nil: unsigned.
    ///   - now: The time of the try, which is part of the signature.
    func request(
        _ message: NotifyMessage, to hook: HookSettings, secret: String?, at now: Moment
    ) -> Request {
        let json = json(message, for: hook, at: now)
        let body = JSONEscapes.escapingInvisible(in: json.encoded())
        var headers = [(name: "ErrorBus-Message", value: message.id)]
        if let secret {
            let time = String(Int64(now.date.timeIntervalSince1970))
            let signature = HMAC<SHA256>.authenticationCode(
                for: Array("\(time).".utf8) + body, using: SymmetricKey(data: Array(secret.utf8)))
            headers += [
                ("ErrorBus-Timestamp", time),
                ("ErrorBus-Signature", "sha256=\(signature.hex)"),
            ]
        }
        let path = hook.body == .ntfy ? hook.url.topic?.parent : nil
        return Request(path: path ?? hook.url.path, headers: headers, body: body)
    }

    /// - Parameter now: The time of the try; nil: that of the message.
    func json(
        _ message: NotifyMessage, for hook: HookSettings, at now: Moment? = nil
    ) -> JSONValue {
        let offers = links?.offers(in: message, of: hook.name, at: now) ?? []
        return switch hook.body {
        case .json: plain(message, hook.name, offers)
        case .slack: slack(message, offers)
        case .ntfy: ntfy(message, hook.url.topic?.name ?? "", offers)
        case .alertmanager: alertmanager(message, hook.name)
        }
    }

    /// The address of a message's presentation, or of the list of its groups. Presentations that no
    /// one can answer any longer are in the list of ended ones.
    func link(_ message: NotifyMessage) -> String {
        switch message.content {
        case .notice(let notice) where notice.count == 1: "\(url)/#/inbox/\(notice.first.id)"
        case .notice(let notice): list([notice.first.group], after: [notice.event])
        case .summary(let summary):
            list(summary.groups ?? [], after: summary.missed > 0 ? [] : Array(summary.counts.keys))
        }
    }

    /// - Parameter groups: The groups in the list; all if none is named.
    private func list(_ groups: OrderedSet<String>, after events: [HookSettings.Event]) -> String {
        let filter = groups.map { "group%3A\($0)" }.joined(separator: "+")
        let areOver = !events.isEmpty && events.allSatisfy { $0 == .answered || $0 == .ended }
        let query = [filter.isEmpty ? nil : "filter=\(filter)", areOver ? "show=ended" : nil]
            .compactMap(\.self).joined(separator: "&")
        return query.isEmpty ? "\(url)/#/inbox" : "\(url)/#/inbox?\(query)"
    }

    // MARK: Forms

    private func plain(
        _ message: NotifyMessage, _ hook: NodeName, _ offers: [AnswerLinks.Offer]
    ) -> JSONValue {
        let common: [String: JSONValue] = [
            "id": .string(message.id), "node": node.json, "hook": hook.json,
            "event": .string(message.event), "at": .time(message.madeAt.date),
            "count": .count(message.count), "title": .string(title(message)),
            "link": .string(link(message)),
        ]
        let rest: [String: JSONValue] =
            switch message.content {
            case .notice(let notice):
                [
                    "group": .string(notice.first.group), "openCount": .count(notice.openCount),
                    "severity": .string(notice.severity.rawValue),
                    "domain": .string(notice.first.domain),
                    "code": notice.first.code.map { .count($0) } ?? .null,
                    "texts": notice.texts.json, "reasons": notice.reasons.json,
                    "details": notice.details.json,
                    "deadline": notice.due.map { .time($0.at) } ?? .null,
                    "onExpiry": .text(notice.due?.option),
                    "origins": Array(notice.origins.prefix(Notice.idMax)).json,
                    "originCount": .count(notice.origins.count),
                    "ids": notice.ids.json, "answers": .array(offers.map(\.json)),
                ]
            case .summary(let summary):
                [
                    "counts": .object(
                        Dictionary(
                            uniqueKeysWithValues: summary.counts.map {
                                ($0.rawValue, .count($1))
                            })),
                    "missed": .count(summary.missed),
                    "severity": .text(summary.severity?.rawValue),
                ]
            }
        return .object(common.merging(rest) { $1 })
    }

    private func slack(_ message: NotifyMessage, _ offers: [AnswerLinks.Offer]) -> JSONValue {
        let text =
            (["*\(title(message).escapedForSlack)*"]
            + lines(message).map(\.escapedForSlack)).joined(separator: "\n")
        let link = "<\(link(message).escapedForSlack)|Open>"
        var fields: [String: JSONValue] = [
            "text": .string("\(text)\n\(link)"), "unfurl_links": false,
        ]
        if !offers.isEmpty {
            // With blocks the text is for notifications alone.
            let shown = "\(text.clipped(Self.slackScalarMax))\n\(link)"
            let section: JSONValue = [
                "type": "section", "text": ["type": "mrkdwn", "text": .string(shown)],
            ]
            let actions: JSONValue = [
                "type": "actions", "elements": .array(offers.map(\.slackButton)),
            ]
            fields["blocks"] = .array([section, actions])
        }
        return .object(fields)
    }

    /// The message as JSON to the server's root: in a header a worker's text could begin another
    /// header.
    private func ntfy(
        _ message: NotifyMessage, _ topic: String, _ offers: [AnswerLinks.Offer]
    ) -> JSONValue {
        var fields: [String: JSONValue] = [
            "topic": .string(topic),
            "title": .string(title(message).clipped(Self.ntfyTitleScalarMax)),
            "message": .string(
                lines(message).joined(separator: "\n").clipped(toJSONBytes: Self.ntfyByteMax)),
            "priority": .integer(priority(message)), "tags": [.string(message.event)],
            "click": .string(link(message)),
        ]
        if !offers.isEmpty {
            fields["actions"] = .array(offers.prefix(Self.ntfyActionMax).map(\.ntfyAction))
        }
        return .object(fields)
    }

    /// The alerts, one for each group: their labels stay the same over all events, and over
    /// restarts.
    private func alertmanager(_ message: NotifyMessage, _ hook: NodeName) -> JSONValue {
        var labels: [String: JSONValue] = [
            "alertname": "ErrorBus", "node": node.json, "hook": hook.json,
        ]
        var startsAt = message.madeAt.date
        var endsAt = (message.madeAt + Self.alertTime).date
        switch message.content {
        case .notice(let notice):
            labels["domain"] = .string(notice.first.domain)
            labels["group"] = .string(notice.first.group)
            startsAt = min(notice.first.openedAt, startsAt)
            if notice.openCount == 0 { endsAt = message.madeAt.date }
        case .summary: labels["alertname"] = "ErrorBusSummary"
        }
        return [
            [
                "labels": .object(labels),
                "annotations": [
                    "summary": .string(title(message)),
                    "description": .string(lines(message).joined(separator: "\n")),
                ],
                "startsAt": .time(startsAt), "endsAt": .time(endsAt),
                "generatorURL": .string(link(message)),
            ]
        ]
    }

    // MARK: Parts

    func title(_ message: NotifyMessage) -> String {
        switch message.content {
        case .notice(let notice):
            let number = notice.count == 1 ? "" : "\(notice.count) × "
            return "\(message.event): \(number)\(notice.first.description.shown())"
        case .summary(let summary):
            let events = summary.count == 1 ? "event" : "events"
            let gravest = summary.severity.map { ", the gravest \($0.rawValue)" } ?? ""
            return "\(summary.count) more \(events) at \(node)\(gravest)"
        }
    }

    private func lines(_ message: NotifyMessage) -> [String] {
        switch message.content {
        case .notice(let notice):
            let first = notice.first
            let code = first.code.map { " \($0)" } ?? ""
            let origins =
                notice.origins.prefix(3).map(NodeName.words(of:))
                + (notice.origins.count > 3 ? ["others"] : [])
            let from = origins.isEmpty ? "" : " from \(origins.joined(separator: ", "))"
            let head =
                "\(notice.severity.rawValue), \(first.domain.shown())\(code)\(from); "
                + "\(notice.openCount) open at \(node)"
            let texts = notice.texts.counts.count > 1 ? notice.texts.lines : []
            // Once it is decided, the outcome is of more use.
            let isOpen = [.opened, .aging, .claimed, .proposed].contains(notice.event)
            let due = isOpen ? notice.due.map { $0.line(of: notice.count) } : nil
            // Before what a receiver's limit may cut.
            return [head] + [due].compactMap(\.self) + texts
                + (isOpen ? notice.reasons.lines : []) + notice.details.lines
        case .summary(let summary):
            let counts = HookSettings.Event.allCases.compactMap { event in
                summary.counts[event].map { "\($0) \(event.rawValue)" }
            }
            let missed = summary.missed > 0 ? ["\(summary.missed) not read"] : []
            return ["without messages of their own: " + (counts + missed).joined(separator: ", ")]
        }
    }

    /// The priority from 1 to 5, as ntfy has it.
    private func priority(_ message: NotifyMessage) -> Int64 {
        switch message.content {
        case .notice(let notice):
            HookSettings.Event.calling.contains(notice.event) ? notice.severity.priority : 2
        case .summary(let summary): max(3, summary.severity?.priority ?? 3)
        }
    }
}

extension Severity {
    /// The priority for what calls people.
    fileprivate var priority: Int64 {
        switch self {
        case .critical: 5
        case .error: 4
        case .warning: 3
        case .info, .debug: 2
        }
    }
}

extension AnswerLinks.Offer {
    /// The longest label of a button that Slack takes.
    private static let labelScalarMax = 75

    /// The title on a button: escapes can make it longer than a receiver takes.
    private var label: String { title.shown().clipped(Self.labelScalarMax) }

    fileprivate var json: JSONValue {
        ["option": .string(option), "title": .string(title), "link": .string(url)]
    }

    /// The button that opens the page, as the action of ntfy does: only the page's own button
    /// answers.
    fileprivate var slackButton: JSONValue {
        [
            "type": "button", "url": .string(url),
            "text": ["type": "plain_text", "text": .string(label), "emoji": false],
        ]
    }

    fileprivate var ntfyAction: JSONValue {
        ["action": "view", "label": .string(label), "url": .string(url)]
    }
}

extension Notice.Due {
    /// - Parameter count: The number of presentations in the message.
    fileprivate func line(of count: Int) -> String {
        let time = at.formatted(.iso8601)
        let subject = count == 1 ? "answer" : "answer the first"
        let then = option.map { "then \"\($0.shown())\" is applied" } ?? "then it ends without one"
        return "\(subject) before \(time): \(then)"
    }
}

extension Notice.Tally {
    fileprivate var json: JSONValue {
        .array(counts.map { ["text": .string($0), "count": .count($1)] })
    }

    fileprivate var lines: [String] {
        counts.map { $1 == 1 ? $0.shown() : "\($1) × \($0.shown())" }
            + (others > 0 ? [others == 1 ? "another text" : "\(others) × other texts"] : [])
    }
}

extension String {
    /// The text for Slack, which reads `&`, `<` and `>`: mentions and links begin with them.
    fileprivate var escapedForSlack: String {
        replacingScalars(["&": "&amp;", "<": "&lt;", ">": "&gt;"])
    }

    /// The text cut to so many bytes of a request's JSON, with an ellipsis if it was cut.
    fileprivate func clipped(toJSONBytes limit: Int) -> String {
        var count = 0
        let end = unicodeScalars.firstIndex { scalar in
            let quoted = JSONValue.string(String(scalar)).encoded()
            count += JSONEscapes.escapingInvisible(in: quoted).count - 2
            return count > limit
        }
        return end.map { String(unicodeScalars[..<$0]) + "…" } ?? self
    }
}
