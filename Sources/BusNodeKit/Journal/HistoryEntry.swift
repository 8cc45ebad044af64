package import ErrorBus

/// A presentation of the past.
package struct HistoryEntry: JSONObject, Sendable {
    package var openedAt = ""
    var id = ""
    /// The stage, as that of a ``PresentationView``, or `left`: the node ended while the
    /// presentation was open, and it was not presented again.
    var stage = ""
    var severity = ""
    var domain = ""
    var code: Int?
    var description = ""
    var origin: String?
    var path: [String] = []
    var options: [String] = []
    var retryCount = 0
    var option: String?
    /// The title of the option; nil without one, and in an entry of an earlier version.
    var optionTitle: String?
    var by: String?
    var via: String?
    var result: String?
    var reason: String?
    var claimedBy: String?
    var changedAt = ""
    /// The person who confirmed the answer.
    var second: String?
    /// The notes of people on the presentation, oldest first.
    package var notes: [NoteView] = []
    /// The reason for the answer.
    var comment: String?
    /// The end in words, as that of a ``PresentationView``.
    var ending: String?
    /// The values of the option's fields, without secrets.
    var values: [String: JSONValue] = [:]
    /// The names of the secrets that were given.
    var secrets: [String] = []
    /// The origin for people.
    var originName: String?
    /// The address of the page that shows it; nil in the lists of commands, which read a journal.
    var url: String?
    /// The end of the failure reason, as that of a ``PresentationView``; nil without one, and in an
    /// entry of an earlier version whose report is gone.
    var failureReason: String?

    package init() {}

    package static let members: [JSONMember<HistoryEntry>] = [
        .init("openedAt", \.openedAt), .init("id", \.id), .init("stage", \.stage),
        .init("severity", \.severity), .init("domain", \.domain), .init("code", \.code),
        .init("description", \.description), .init("origin", \.origin), .init("path", \.path),
        .init("options", \.options), .init("retryCount", \.retryCount), .init("option", \.option),
        .init("by", \.by), .init("via", \.via), .init("result", \.result),
        .init("reason", \.reason), .init("claimedBy", \.claimedBy), .init("changedAt", \.changedAt),
        .init("second", \.second), .init("notes", \.notes), .init("comment", \.comment),
        .init("ending", \.ending), .init("values", \.values), .init("secrets", \.secrets),
        .init("originName", \.originName), .init("optionTitle", \.optionTitle),
        .init("url", \.url), .init("failureReason", \.failureReason),
    ]

    init(_ row: HistoryRow) {
        openedAt = row.openedAt
        id = row.id
        stage = row.stage
        severity = row.severity
        domain = row.domain
        code = row.code
        description = row.description
        origin = row.origin
        path = row.path
        options = row.options
        retryCount = row.retryCount
        option = row.option
        optionTitle = row.optionTitle
        by = row.answeredBy
        via = row.via
        result = row.result
        reason = row.reason
        claimedBy = row.claimedBy
        changedAt = row.changedAt
        second = row.second
        notes = (row.notes ?? []).map(NoteView.init)
        let given = row.givenValues
        comment = given.comment
        ending = row.ending
        values = given.values
        secrets = given.secretNames
        originName = row.origin.map(NodeName.words(of:))
        failureReason = row.failureReason
    }

    /// The option for people: its title, else its id; nil without an answer.
    var optionShown: String? { optionTitle ?? option }

    /// The people who gave the answer, in words; empty without a person.
    var authors: String { [by, second].compactMap(\.self).joined(separator: " and ") }
}

extension NoteView {
    fileprivate init(_ note: HistoryNote) {
        id = note.id
        by = note.by
        at = note.at
        text = note.text
    }
}
