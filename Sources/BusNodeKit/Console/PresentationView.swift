package import ErrorBus

// The JSON between a console's server and its clients (docs/openapi.yaml). Times are texts in UTC.

/// A presentation in a list.
package struct PresentationView: JSONObject, Sendable {
    package var id = ""
    package var stage = ""
    package var group: Int64 = -1
    /// The name of the group, the same for equal errors and after a restart of the console.
    package var groupKey = ""
    package var revision: Int64 = 0
    package var domain = ""
    package var code: Int?
    package var description = ""
    /// The end of the reason of the failure; the report has the whole text. Not escaped.
    package var failureReason: String?
    package var severity = ""
    /// The node that the error arose in; nil for the console's own.
    package var origin: String?
    /// The origin for people; `originShown` has it from a console of an earlier version as well.
    var originName: String?
    package var path: [String] = []
    package var options: [OptionView] = []
    package var onExpiry: String?
    package var retryCount = 0
    package var wasShownBefore = false
    package var isReachable = true
    package var openedAt = ""
    package var changedAt = ""
    package var deadlineInMilliseconds: Int64?
    package var claimedBy: String?
    package var claimedUntil: String?
    /// The label of the person who claimed the presentation, or gave the held answer, as `person`
    /// of `me`; nil if only a name is known.
    package var holder: String?
    /// The proposal of one person, until another person confirms it.
    package var proposal: ProposalView?
    package var leavesAt: String?
    package var answer: AnswerView?
    package var result: String?
    package var reason: String?
    /// The end of the presentation, in a word or two.
    package var ending: String?
    /// The end of the presentation, as a sentence; nil while a person may still answer.
    package var outcome: String?
    package var failedAgain: String?
    /// The number of notes; the details have the notes.
    package var noteCount = 0
    /// The address of the page that shows the presentation.
    package var url: String?

    package init() {}

    package static let members: [JSONMember<PresentationView>] = [
        .init("id", \.id), .init("stage", \.stage), .init("group", \.group),
        .init("groupKey", \.groupKey),
        .init("revision", \.revision), .init("domain", \.domain), .init("code", \.code),
        .init("description", \.description), .init("failureReason", \.failureReason),
        .init("severity", \.severity),
        .init("origin", \.origin), .init("path", \.path), .init("options", \.options),
        .init("onExpiry", \.onExpiry), .init("retryCount", \.retryCount),
        .init("wasShownBefore", \.wasShownBefore), .init("isReachable", \.isReachable),
        .init("openedAt", \.openedAt), .init("changedAt", \.changedAt),
        .init("deadlineInMilliseconds", \.deadlineInMilliseconds),
        .init("claimedBy", \.claimedBy), .init("claimedUntil", \.claimedUntil),
        .init("holder", \.holder),
        .init("proposal", \.proposal), .init("leavesAt", \.leavesAt), .init("answer", \.answer),
        .init("result", \.result),
        .init("reason", \.reason), .init("ending", \.ending), .init("outcome", \.outcome),
        .init("failedAgain", \.failedAgain), .init("noteCount", \.noteCount),
        .init("url", \.url), .init("originName", \.originName),
    ]
}

/// A recovery option of a presentation.
package struct OptionView: JSONObject, Sendable {
    package var id = ""
    package var title = ""
    /// The role; `default` for an option that is only declared as default.
    package var role: String?
    /// `given` if the node signs an answer with the option, `missing` if it cannot, so that the
    /// option cannot be chosen; nil for an option that needs no signature.
    package var signature: String?
    /// `known` for an option that two people have to choose, `unknown` if this console knows no
    /// people by their sign-in, so that the option cannot be chosen; nil for an option of one
    /// person.
    package var twoPeople: String?
    /// The values that the option asks for, as in a report.
    package var fields: [JSONValue] = []

    package init() {}

    package static let members: [JSONMember<OptionView>] = [
        .init("id", \.id), .init("title", \.title), .init("role", \.role),
        .init("signature", \.signature), .init("twoPeople", \.twoPeople),
        .init("fields", \.fields),
    ]

    package var option: ErrorReport.Option {
        var option = ErrorReport.Option(
            id: id, title: title, role: role.flatMap { ErrorReport.Option.Role(rawValue: $0) })
        option.needsTwoPeople = twoPeople != nil
        option.fields = readFields
        return option
    }
}

extension OptionView {
    /// The fields; none from a console of a later version that this one cannot read.
    package var readFields: [ErrorReport.Field] {
        (try? [ErrorReport.Field].reading(fields)) ?? []
    }
}

/// The answer that counts.
package struct AnswerView: JSONObject, Sendable {
    package var id = ""
    package var option = ""
    package var by = ""
    package var via = ""
    /// The person who confirmed the answer.
    package var second: String?
    /// The values of the option's fields, without secrets.
    package var values: [String: JSONValue] = [:]
    /// The names of the secrets that were given.
    package var secrets: [String] = []
    /// The reason for the answer. Not escaped.
    package var comment: String?

    package init() {}

    package static let members: [JSONMember<AnswerView>] = [
        .init("id", \.id), .init("option", \.option), .init("by", \.by), .init("via", \.via),
        .init("second", \.second), .init("values", \.values), .init("secrets", \.secrets),
        .init("comment", \.comment),
    ]

    /// The people who gave the answer, or the policy or node that did, in words.
    var authors: String { second.map { "\(by) and \($0)" } ?? by }
}

extension AnswerView {
    /// The values in words, after a space; empty without values. Not escaped.
    var valueText: String { GivenText.text(values, secrets) }
}

extension HistoryEntry {
    /// The values in words, after a space; empty without values. Not escaped.
    var valueText: String { GivenText.text(values, secrets) }
}

extension ProposalView {
    /// The values in words, after a space; empty without values. Not escaped.
    var valueText: String { GivenText.text(values, secrets) }

    /// The proposal in words, for a terminal. Whole, since the second person confirms all of it.
    package var sentence: String {
        let what = "\(option)\(valueText)\(comment.map { ": \($0)" } ?? "")"
        return "\(by.shown()) proposes \(what.shownWhole())"
    }
}

/// The given values, for people.
enum GivenText {
    static func text(_ values: [String: JSONValue], _ secrets: [String]) -> String {
        let texts = values.sorted { $0.key < $1.key }.map { name, value in
            "\(name) \(String(decoding: value.encoded(), as: UTF8.self))"
        }
        let all = texts + secrets.map { "\($0) (secret)" }
        return all.isEmpty ? "" : " with \(all.joined(separator: ", "))"
    }
}

/// The proposal of one person: an option that another person has to confirm.
package struct ProposalView: JSONObject, Sendable {
    package var id = ""
    package var option = ""
    package var by = ""
    /// The label of the author, as `person` of `me`; nil if only a name is known.
    package var person: String?
    package var since = ""
    package var until = ""
    /// The values of the option's fields, without secrets: the second person confirms them, too.
    package var values: [String: JSONValue] = [:]
    /// The names of the secrets that were given.
    package var secrets: [String] = []
    /// The reason for the proposal, which the answer then has. Not escaped.
    package var comment: String?

    package init() {}

    package static let members: [JSONMember<ProposalView>] = [
        .init("id", \.id), .init("option", \.option), .init("by", \.by),
        .init("person", \.person), .init("since", \.since), .init("until", \.until),
        .init("values", \.values), .init("secrets", \.secrets), .init("comment", \.comment),
    ]

    /// Whether both have the same author, option, values and comment: a person who saw one proposal
    /// has seen the other.
    package func isLike(_ other: ProposalView) -> Bool {
        option == other.option && by == other.by && person == other.person
            && values == other.values && secrets == other.secrets && comment == other.comment
    }
}

/// A note that a person wrote on a presentation.
package struct NoteView: JSONObject, Sendable {
    package var id = ""
    package var by = ""
    package var at = ""
    /// The text of the note, plain and not escaped.
    package var text = ""

    package init() {}

    package static let members: [JSONMember<NoteView>] = [
        .init("id", \.id), .init("by", \.by), .init("at", \.at), .init("text", \.text),
    ]
}

/// An event of a presentation.
package struct EventView: JSONObject, Sendable {
    package var time = ""
    package var event = ""
    package var id = ""
    package var fields: [String: String] = [:]
    /// The event for people; empty from a console of an earlier version.
    package var sentence = ""
    /// The `origin` of the fields for people; nil without one.
    var originName: String?

    package init() {}

    package static let members: [JSONMember<EventView>] = [
        .init("time", \.time), .init("event", \.event), .init("id", \.id),
        .init("fields", \.fields), .init("sentence", \.sentence),
        .init("originName", \.originName),
    ]

    /// The event with the error that it is about, in one line. Not escaped.
    var sentenceOfError: String {
        [sentence, fields["description"] ?? ""].filter { !$0.isEmpty }.joined(separator: " · ")
    }
}

/// A silence.
package struct SilenceView: JSONObject, Sendable {
    package var number = 0
    /// Conditions, as in a rule.
    package var match = JSONValue.object([:])
    package var option: String?
    /// Whether the silence answers nothing, since its author may not answer.
    package var onlyWithholds = false
    package var by = ""
    package var comment = ""
    package var createdAt = ""
    package var endsAt = ""
    /// `active` or `ended`.
    package var stage = ""
    package var endedBy: String?
    package var answered = 0
    package var withheld = 0
    package var lastAt: String?

    package init() {}

    package static let members: [JSONMember<SilenceView>] = [
        .init("number", \.number), .init("match", \.match), .init("option", \.option),
        .init("onlyWithholds", \.onlyWithholds), .init("by", \.by), .init("comment", \.comment),
        .init("createdAt", \.createdAt),
        .init("endsAt", \.endsAt), .init("stage", \.stage), .init("endedBy", \.endedBy),
        .init("answered", \.answered), .init("withheld", \.withheld), .init("lastAt", \.lastAt),
    ]
}
