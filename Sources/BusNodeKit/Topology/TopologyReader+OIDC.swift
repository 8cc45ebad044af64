import ErrorBus
import OrderedCollections

// The identity provider of a console.
extension TopologyReader {
    private static let sessionRange = Duration.seconds(60)...Duration.seconds(7 * 24 * 3_600)
    private static let groupCountMax = 100

    mutating func consoleOIDC(_ field: ConfigurationField) -> ConsoleOIDCSettings? {
        let keys = [
            "issuer", "clientID", "clientSecret", "label", "name", "scopes", "groups", "may",
            "session",
        ]
        guard let fields = decoder.fields(field, keys: keys) else { return nil }
        let missing = [
            ("issuer", "https://HOST"), ("clientID", "NAME"), ("clientSecret", "file:PATH"),
        ].filter { fields[$0.0] == nil }
        for (key, value) in missing {
            decoder.report(field, found: "no \(key)", allowed: "\(key): \(value)")
        }
        let address = fields["issuer"].flatMap { issuer($0) }
        let clientID = fields["clientID"].flatMap { line($0, upTo: 256) }
        let secret = fields["clientSecret"].flatMap { tokenFile($0) }
        let label = fields["label"].flatMap { line($0, upTo: 64) }
        let nameClaim = fields["name"].flatMap { line($0, upTo: 128) }
        let groupsClaim = fields["groups"].flatMap { line($0, upTo: 128) }
        let scopes = fields["scopes"].map { self.scopes($0) }
        let permissions = fields["may"].map { groups($0) }
        let session = fields["session"].flatMap { sessionTime($0) }
        guard let address, let clientID, let secret else { return nil }
        var settings = ConsoleOIDCSettings(
            issuer: address, clientID: clientID, clientSecretFile: secret)
        settings.label = label
        if let nameClaim { settings.nameClaim = nameClaim }
        if let groupsClaim { settings.groupsClaim = groupsClaim }
        if let scopes { settings.scopes = scopes }
        if let permissions { settings.groups = permissions }
        if let session { settings.session = session }
        return settings
    }

    private mutating func issuer(_ field: ConfigurationField) -> ProviderAddress? {
        guard let text = decoder.text(field, allowed: ProviderAddress.allowed) else { return nil }
        guard let issuer = ProviderAddress(text), !issuer.hasQuery else {
            decoder.report(field, allowed: ProviderAddress.allowed)
            return nil
        }
        return issuer
    }

    /// A text that may be part of a request and of a page.
    private mutating func line(_ field: ConfigurationField, upTo limit: Int) -> String? {
        let allowed = "1 to \(limit) characters without control characters"
        guard let text = decoder.text(field, allowed: allowed) else { return nil }
        guard text.unicodeScalars.count <= limit,
            text.unicodeScalars.allSatisfy({
                $0.properties.generalCategory != .control && !$0.properties.isBidiControl
            })
        else {
            decoder.report(field, allowed: allowed)
            return nil
        }
        return text
    }

    private mutating func scopes(_ field: ConfigurationField) -> [String] {
        let allowed = "a list of scopes with openid, as in [openid, email, groups]"
        let scopes = decoder.elementsOrOne(field, allowed: allowed).compactMap { element in
            decoder.text(element, allowed: allowed)
        }
        let isAllowed = scopes.allSatisfy { $0.wholeMatch(of: /[!#-\[\]-~]{1,128}/) != nil }
        if !isAllowed || !scopes.contains("openid") { decoder.report(field, allowed: allowed) }
        return scopes
    }

    private mutating func groups(_ field: ConfigurationField) -> [String: Set<ConsolePermission>] {
        let allowed = "groups with what their people may do, as in oncall: [answer, silence]"
        guard let fields = decoder.fields(field, allowed: allowed) else { return [:] }
        if fields.isEmpty || fields.count > Self.groupCountMax {
            decoder.report(
                field, found: "\(fields.count) groups",
                allowed: "1 to \(Self.groupCountMax) groups")
        }
        return Dictionary(
            uniqueKeysWithValues: fields.map { ($0.key, permissions($0.value)) })
    }

    private mutating func permissions(_ field: ConfigurationField) -> Set<ConsolePermission> {
        let seesOnly = ConsolePermission.seesOnly
        let words = [seesOnly] + ConsolePermission.allCases.map(\.rawValue)
        let allowed = "a list of \(words.joined(separator: ", "))"
        let elements = decoder.elementsOrOne(field, allowed: allowed)
        if elements.isEmpty { decoder.report(field, allowed: allowed) }
        let permissions = elements.compactMap { element -> ConsolePermission? in
            guard let text = decoder.text(element, allowed: allowed), text != seesOnly else {
                return nil
            }
            guard let permission = ConsolePermission(rawValue: text) else {
                decoder.report(
                    element, allowed: allowed, hint: Suggestion.hint(for: text, among: words))
                return nil
            }
            return permission
        }
        return Set(permissions)
    }

    private mutating func sessionTime(_ field: ConfigurationField) -> Duration? {
        guard let time = decoder.duration(field) else { return nil }
        guard Self.sessionRange.contains(time) else {
            decoder.report(field, allowed: "1m to 7d")
            return nil
        }
        return time
    }
}
