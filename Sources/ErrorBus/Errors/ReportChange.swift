/// What one node changed in a report on its way, for people who wonder: nothing is decided by it.
///
/// Texts are named, not kept: the node that rewrites one may want it gone.
public struct ReportChange: Hashable, Sendable {
    /// The node that changed it.
    public var by: String
    /// `description`, `reason`, `suggestion`.
    public var rewritten: [String] = []
    /// What the severity was before.
    public var severityBefore: Severity?
    /// Ids.
    public var addedOptions: [String] = []
    public var removedOptions: [String] = []
    /// Keys that were taken out of `userInfo`.
    public var redacted: [String] = []

    init(_ difference: ReportDifference, by name: String) {
        by = name
        rewritten = difference.texts.map(\.field).filter { $0 != "severity" }
        severityBefore = difference.texts.first { $0.field == "severity" }?.before
            .flatMap { Severity(rawValue: $0) }
        addedOptions = difference.added.map(\.id)
        removedOptions = difference.removed
        redacted = difference.redacted
    }

    /// Nil where it is no change; what a peer wrote into it beside is left out.
    init?(_ json: JSONValue) {
        guard let by = json["by"]?.stringValue else { return nil }
        self.by = by
        rewritten = Self.texts(json["rewritten"])
        severityBefore = json["severityBefore"]?.stringValue.flatMap { Severity(rawValue: $0) }
        addedOptions = Self.texts(json["addedOptions"])
        removedOptions = Self.texts(json["removedOptions"])
        redacted = Self.texts(json["redacted"])
    }

    private static func texts(_ json: JSONValue?) -> [String] {
        json?.arrayValue?.compactMap(\.stringValue) ?? []
    }

    var isEmpty: Bool {
        rewritten.isEmpty && severityBefore == nil && addedOptions.isEmpty
            && removedOptions.isEmpty && redacted.isEmpty
    }

    public var json: JSONValue {
        var members: [String: JSONValue] = ["by": .string(by)]
        members["severityBefore"] = severityBefore.map { .string($0.rawValue) }
        for (key, texts) in [
            ("rewritten", rewritten), ("addedOptions", addedOptions),
            ("removedOptions", removedOptions), ("redacted", redacted),
        ] where !texts.isEmpty {
            members[key] = .array(texts.map { .string($0) })
        }
        return .object(members)
    }
}
