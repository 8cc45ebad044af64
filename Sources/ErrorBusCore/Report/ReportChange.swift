/// The changes that one node made to a report on its way, for people. Decides nothing.
///
/// Rewritten texts are named, not kept: the node may have removed them for secrecy.
public struct ReportChange: Hashable, Sendable {
    /// The node that changed the report.
    public var by: String
    /// The names of rewritten texts: `description`, `reason`, `suggestion`.
    public var rewritten: [String] = []
    /// The severity before the change.
    public var severityBefore: Severity?
    /// The ids of added options.
    public var addedOptions: [String] = []
    /// The ids of removed options.
    public var removedOptions: [String] = []
    /// The keys of `userInfo` whose values were removed or masked.
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

    /// The change in this JSON; nil if the JSON is no change. Unknown members are dropped.
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

    package var isEmpty: Bool {
        rewritten.isEmpty && severityBefore == nil && addedOptions.isEmpty
            && removedOptions.isEmpty && redacted.isEmpty
    }

    /// The change as JSON, as in the report's key `changes`.
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

extension ErrorReport {
    private static let changesKey = "changes"
    /// The limit of hops.
    private static let changeCountMax = 16

    /// The changes made on the way, earliest first. Carried under the key `changes`.
    public internal(set) var changes: [ReportChange] {
        get {
            guard case .array(let changes)? = unknownKeys[Self.changesKey] else { return [] }
            return changes.prefix(Self.changeCountMax).compactMap { ReportChange($0) }
        }
        set {
            // The latest, so that a flood from below cannot displace the changes made above.
            let changes = newValue.suffix(Self.changeCountMax).map(\.json)
            unknownKeys[Self.changesKey] = changes.isEmpty ? nil : .array(changes)
        }
    }

    /// Records the difference between `before` and this report, if any, as made by `node`.
    package mutating func noteChanges(from before: ErrorReport, by node: NodeName) {
        let change = ReportChange(ReportDifference(before, self), by: node.description)
        if !change.isEmpty { changes.append(change) }
    }

    /// Drops changes attributed to nodes outside `path`.
    package mutating func dropChanges(notBy path: [NodeName]) {
        guard case .array(let entries)? = unknownKeys[Self.changesKey] else { return }
        let kept = entries.filter { entry in
            entry["by"]?.stringValue.flatMap { NodeName($0) }.map(path.contains) ?? false
        }
        guard kept.count != entries.count else { return }
        unknownKeys[Self.changesKey] = kept.isEmpty ? nil : .array(kept)
    }

    /// The two byte sequences one of which is in every payload with `changes`: the key itself, or
    /// the start of an escape in a key.
    private static let signsOfChanges = [Array("\"\(changesKey)\"".utf8), Array("\\u00".utf8)]

    /// Whether a payload may have `changes` and must be parsed. Takes linear time: it runs on the
    /// sockets' thread.
    package static func mayHaveChanges(_ payload: [UInt8]) -> Bool {
        payload.withUnsafeBufferPointer { bytes in
            signsOfChanges.contains { sign in
                bytes.indices.contains {
                    bytes[$0] == sign[0] && bytes[$0...].starts(with: sign)
                }
            }
        }
    }
}

/// The difference between two versions of a report.
package struct ReportDifference: Hashable, Sendable {
    /// A field's name and its text before and after.
    package struct Text: Hashable, Sendable {
        package let field: String
        package let before: String?
        package let after: String?
    }

    package let texts: [Text]
    package let added: [ErrorReport.Option]
    package let removed: [String]
    package let redacted: [String]

    package init(_ before: ErrorReport, _ after: ErrorReport) {
        texts = [
            Text(field: "description", before: before.description, after: after.description),
            Text(field: "reason", before: before.failureReason, after: after.failureReason),
            Text(
                field: "suggestion", before: before.recoverySuggestion,
                after: after.recoverySuggestion),
            Text(
                field: "severity", before: before.severity.rawValue,
                after: after.severity.rawValue),
        ].filter { $0.before != $0.after }
        let ids = (Set(before.options.map(\.id)), Set(after.options.map(\.id)))
        added = after.options.filter { !ids.0.contains($0.id) }
        removed = before.options.map(\.id).filter { !ids.1.contains($0) }
        redacted = Self.keys(before).subtracting(Self.keys(after))
            .union(Self.maskedKeys(before, after)).sorted()
    }

    /// The keys whose values have a mask now.
    private static func maskedKeys(_ before: ErrorReport, _ after: ErrorReport) -> Set<String> {
        let own = after.userInfo.filter { key, value in
            before.userInfo[key] != value && value.isMasked
        }
        return zip(before.underlyingErrors, after.underlyingErrors)
            .reduce(into: Set(own.keys)) { $0.formUnion(maskedKeys($1.0, $1.1)) }
    }

    private static func keys(_ report: ErrorReport) -> Set<String> {
        report.underlyingErrors.reduce(into: Set(report.userInfo.keys)) { $0.formUnion(keys($1)) }
    }
}
