import ErrorBus
import Foundation

extension JSONValue {
    private static let timeStyle = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    static func time(_ date: Date) -> JSONValue { .string(date.formatted(timeStyle)) }

    static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

    static func count(_ count: Int) -> JSONValue { .integer(Int64(count)) }

    /// A presentation as lists show it.
    init(_ item: InboxItem, _ revisions: Revisions) {
        let report = item.report
        var object: [String: JSONValue] = [
            "id": .string(item.id.description), "stage": .string(item.stage.word),
            "group": .count(item.group), "revision": .integer(revisions.shown(item.revision)),
            "domain": .string(report.domain), "code": report.code.map { .count($0) } ?? .null,
            "description": .string(report.description.clipped(ConsoleLimits.descriptionScalarMax)),
            "severity": .string(report.severity.rawValue),
            "origin": .text(item.origin?.description),
            "path": .array(item.path.map { .string($0.description) }),
            "options": .array(report.options.map(JSONValue.init)),
            "onExpiry": .text(report.onExpiry), "retryCount": .count(item.retryCount),
            "wasShownBefore": .bool(item.wasShownBefore),
            "isReachable": .bool(item.isReachable), "openedAt": .time(item.openedAt.date),
            "changedAt": .time(item.changedAt.date),
            "deadlineInMilliseconds": item.deadline.map { .milliseconds(until: $0) } ?? .null,
            "claimedBy": .null, "claimedUntil": .null, "leavesAt": .null, "result": .null,
            "reason": .null, "ending": .text(item.isCancelled ? "cancelled" : item.ending),
            "failedAgain": .text(item.failedAgain?.description),
            "answer": item.answer.map(JSONValue.init) ?? .null,
        ]
        switch item.stage {
        case .claimed(let by, let until):
            object["claimedBy"] = .string(by)
            object["claimedUntil"] = .time(until.date)
        case .leaving(_, let at): object["leavesAt"] = .time(at.date)
        case .settled(_, let result): object["result"] = .string(result.rawValue)
        case .closed(let reason): object["reason"] = .string(reason.rawValue)
        case .open, .answered: break
        }
        self = .object(object)
    }

    init(_ group: InboxGroup, _ revisions: Revisions) {
        self = [
            "number": .count(group.number), "severity": .string(group.severity.rawValue),
            "members": .count(group.members.count), "origins": .count(group.originCount),
            "first": JSONValue(group.first, revisions),
            "ids": .array(
                group.members.prefix(ConsoleLimits.idCountMax).map { .string($0.description) }),
        ]
    }

    private init(_ option: ErrorReport.Option) {
        self = [
            "id": .string(option.id), "title": .string(option.title),
            "role": .text(option.shownRole?.rawValue),
        ]
    }

    private init(_ answer: Answer) {
        self = [
            "id": .string(answer.id.description), "option": .string(answer.option),
            "by": .string(answer.by), "via": .string(answer.via.rawValue),
        ]
    }

    private static func milliseconds(until deadline: ContinuousClock.Instant) -> JSONValue {
        let left = ContinuousClock.now.duration(to: deadline)
        return .integer(max(0, Int64(left / .milliseconds(1))))
    }
}

extension InboxItem {
    /// Its caller gave up, as the answer told it to: nothing has gone wrong.
    var isCancelled: Bool {
        guard case .settled(let answer, .failed) = stage else { return false }
        return report.options.first { $0.id == answer.option }?.role == .cancel
    }
}

extension InboxItem.Stage {
    var word: String {
        switch self {
        case .open: "open"
        case .claimed: "claimed"
        case .leaving: "leaving"
        case .answered: "answered"
        case .settled: "settled"
        case .closed: "closed"
        }
    }

    /// A person still has to answer, or may take an answer back.
    var isUnderWay: Bool { ["open", "claimed", "leaving"].contains(word) }
}

extension String {
    /// At most so many scalars, the last of them an ellipsis where something is missing.
    func clipped(_ limit: Int) -> String {
        let scalars = unicodeScalars
        guard
            let end = scalars.index(
                scalars.startIndex, offsetBy: limit, limitedBy: scalars.endIndex),
            end < scalars.endIndex
        else { return self }
        return String(scalars[..<scalars.index(before: end)]) + "…"
    }
}
