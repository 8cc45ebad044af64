import ErrorBus
import Foundation
import OrderedCollections

// Hooks.
extension TopologyReader {
    private static let hookKeys = [
        "name", "url", "on", "after", "match", "secret", "ca", "body", "digest", "perMinute",
        "tries", "answerLinks",
    ]
    private static let linkTimeRange = Duration.seconds(60)...Duration.seconds(24 * 3_600)
    private static let urlAllowed = "https://HOST/PATH or http://HOST:PORT/PATH"

    mutating func hooks(_ field: ConfigurationField) -> [HookSettings] {
        guard !field.node.isNull, let elements = decoder.elements(field, allowed: "a list of hooks")
        else { return [] }
        var hooks: [HookSettings] = []
        for element in elements {
            guard let hook = hook(element) else { continue }
            if hooks.contains(where: { $0.name == hook.name }) {
                decoder.report(
                    element, found: "the name \"\(hook.name)\" a second time",
                    allowed: "each name once")
            }
            hooks.append(hook)
        }
        return hooks
    }

    private mutating func hook(_ field: ConfigurationField) -> HookSettings? {
        guard let fields = decoder.fields(field, keys: Self.hookKeys) else { return nil }
        for (key, value) in [("name", "TEXT"), ("url", Self.urlAllowed)] where fields[key] == nil {
            decoder.report(field, found: "no \(key)", allowed: "\(key): \(value)")
        }
        let name = fields["name"].flatMap { hookName($0) }
        let url = fields["url"].flatMap { hookURL($0) }
        // The other settings are checked without a name or a URL too.
        var hook = HookSettings(
            name: name ?? .bare, url: url ?? HookURL(host: "", port: 0, path: ""))
        if let on = fields["on"] { hook.events = hookEvents(on) }
        hook.after = fields["after"].flatMap { decoder.duration($0) }
        if hook.events.contains(.aging), fields["after"] == nil {
            decoder.report(
                field, found: "aging without after", allowed: "after: DURATION, as in after: 5m")
        } else if !hook.events.contains(.aging), let after = fields["after"] {
            decoder.report(after, found: "after without aging", allowed: "aging among on")
        }
        if let match = fields["match"] { hook.match = ruleMatch(match) ?? hook.match }
        hook.secretFile = fields["secret"].flatMap { tokenFile($0) }
        hook.authorityFile = fields["ca"].flatMap { path($0) }
        if let ca = fields["ca"], let url, !url.isSecure {
            decoder.report(ca, found: "ca with an http URL", allowed: "an https URL")
        }
        if let body = fields["body"] {
            hook.body = decoder.word(body, as: HookSettings.Body.self) ?? hook.body
        }
        if hook.body == .ntfy, let url, url.topic == nil, let field = fields["url"] {
            decoder.report(field, found: "a URL without a topic", allowed: "https://HOST/TOPIC")
        }
        if let digest = fields["digest"] {
            hook.digest = decoder.duration(digest, mayBeZero: true) ?? hook.digest
        }
        hook.perMinute =
            fields["perMinute"].flatMap { decoder.number($0, in: 1...1_000) } ?? hook.perMinute
        hook.tries = fields["tries"].flatMap { decoder.number($0, in: 1...100) } ?? hook.tries
        hook.answerLinks = fields["answerLinks"].flatMap { answerLinks($0, of: hook) }
        return name == nil || url == nil ? nil : hook
    }

    private mutating func answerLinks(
        _ field: ConfigurationField, of hook: HookSettings
    ) -> AnswerLinkSettings? {
        guard let fields = decoder.fields(field, keys: ["as", "for"]) else { return nil }
        if hook.body == .alertmanager {
            decoder.report(
                field, found: "answerLinks with alertmanager, which sends an alert to many, again",
                allowed: "body: json, slack or ntfy")
        }
        if hook.events.isDisjoint(with: HookSettings.Event.awaitingAnswer) {
            decoder.report(
                field, found: "answerLinks without opened and aging",
                allowed: "opened or aging among on")
        }
        if fields["as"] == nil {
            decoder.report(field, found: "no as", allowed: "as: NAME, a user of the console")
        }
        let name = fields["as"].flatMap { decoder.text($0) }
        let time = fields["for"].flatMap { linkTime($0) }
        guard let name, fields["for"] == nil || time != nil else { return nil }
        var settings = AnswerLinkSettings(user: name)
        if let time { settings.time = time }
        return settings
    }

    private mutating func linkTime(_ field: ConfigurationField) -> Duration? {
        guard let time = decoder.duration(field) else { return nil }
        guard Self.linkTimeRange.contains(time) else {
            decoder.report(field, allowed: "1m to 24h")
            return nil
        }
        return time
    }

    private mutating func hookName(_ field: ConfigurationField) -> NodeName? {
        guard let text = decoder.text(field) else { return nil }
        guard let name = NodeName(text) else {
            decoder.report(field, allowed: NodeName.allowed)
            return nil
        }
        return name
    }

    private mutating func hookEvents(_ field: ConfigurationField) -> Set<HookSettings.Event> {
        let words = HookSettings.Event.allCases.map(\.rawValue).joined(separator: ", ")
        let allowed = "one of \(words), or a list of them"
        let elements = decoder.elementsOrOne(field, allowed: allowed)
        if elements.isEmpty { decoder.report(field, allowed: allowed) }
        return Set(elements.compactMap { decoder.word($0, as: HookSettings.Event.self) })
    }

    /// The URL of a hook. A refusal does not quote it: its path may be a secret.
    private mutating func hookURL(_ field: ConfigurationField) -> HookURL? {
        guard let text = decoder.text(field, allowed: Self.urlAllowed) else { return nil }
        let given = URLComponents(string: text)
        guard let parts = given, let scheme = parts.scheme,
            let ownPort = ["http": 80, "https": 443][scheme], parts.user == nil,
            parts.fragment == nil, let host = parts.host,
            let endpoint = try? Endpoint("tcp://\(host):\(parts.port ?? ownPort)"),
            endpoint.isConnectable, case .tcp(let plainHost, let port) = endpoint.address
        else {
            decoder.report(field, found: Self.fault(of: given), allowed: Self.urlAllowed)
            return nil
        }
        let path = parts.percentEncodedPath
        let query = parts.percentEncodedQuery.map { "?\($0)" } ?? ""
        return HookURL(
            isSecure: scheme == "https", host: plainHost, port: Int(port),
            path: (path.isEmpty ? "/" : path) + query)
    }

    /// The fault of a hook's URL, without its user, path and query.
    private static func fault(of parts: URLComponents?) -> String {
        guard let parts, let scheme = parts.scheme else { return "no URL" }
        guard ["http", "https"].contains(scheme) else { return "the scheme \"\(scheme.shown())\"" }
        if parts.user != nil { return "a URL with a user" }
        if parts.fragment != nil { return "a URL with a fragment (#)" }
        guard let host = parts.host, !host.isEmpty else { return "a URL without a host" }
        return "the host \"\(host.shown())\"" + (parts.port.map { ", port \($0)" } ?? "")
    }
}
