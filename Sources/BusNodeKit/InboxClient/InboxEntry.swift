package import ErrorBus
import Foundation

/// One presentation of a console's list, read for a screen.
@dynamicMemberLookup
package struct InboxEntry: Sendable {
    enum Stage: String, Sendable {
        case open, claimed, leaving, answered, settled, closed
    }

    package let view: PresentationView
    let stage: Stage
    let severity: Severity
    let openedAt: Date
    let changedAt: Date
    /// The end of the time to answer, by this process's clock.
    let deadline: ContinuousClock.Instant?
    let options: [ErrorReport.Option]
    /// The text that a filter searches.
    private let searched: FoldedText
    /// The revision of the list with which the entry came to the screen, or came back.
    var arrivedAt: Int64 = 0

    /// The entry of a presentation's JSON; nil for other JSON.
    package init?(_ json: JSONValue, at now: Moment) {
        guard let view = PresentationView(json: json), let stage = Stage(rawValue: view.stage),
            !view.id.isEmpty
        else { return nil }
        self.view = view
        self.stage = stage
        severity = Severity(rawValue: view.severity) ?? .error
        openedAt = TimeText.date(view.openedAt) ?? now.date
        changedAt = TimeText.date(view.changedAt) ?? now.date
        deadline = view.deadlineInMilliseconds.map { now.instant + .milliseconds($0) }
        options = view.options.map(\.option)
        let words =
            [
                view.description, view.domain, view.severity, view.origin, view.id, view.claimedBy,
                view.result, view.reason, view.code.map(String.init), view.answer?.authors,
                view.proposal?.by, view.failureReason,
            ].compactMap(\.self) + view.path + options.map(\.title)
        let given = GivenValues(
            values: view.answer?.values ?? [:], comment: view.answer?.comment)
        searched = FoldedText((words + given.searchedTexts).joined(separator: " "))
    }

    package subscript<Value>(dynamicMember member: KeyPath<PresentationView, Value>) -> Value {
        view[keyPath: member]
    }

    var description: String {
        view.description.allSatisfy(\.isWhitespace) ? view.domain : view.description
    }

    /// The origin for people.
    var origin: String { view.originShown ?? "this node" }

    /// Whether a person may still answer the presentation.
    var isOpen: Bool { stage == .open || stage == .claimed }

    /// Whether a person may still answer the presentation, or undo an answer.
    var isLive: Bool { isOpen || stage == .leaving }

    /// The person who claimed the presentation; nil for a claim that ran out.
    func claimant(at now: Date) -> String? {
        guard stage == .claimed, let until = claimedUntil, until > now else { return nil }
        return view.claimedBy
    }

    var claimedUntil: Date? { view.claimedUntil.flatMap(TimeText.date) }

    /// The proposal of one person; nil for a proposal that ran out.
    func proposal(at now: Date) -> ProposalView? {
        view.proposal.flatMap { proposal in
            TimeText.date(proposal.until).map { $0 > now } == true ? proposal : nil
        }
    }

    /// Whether this console cannot take the answer of two people, which the option needs.
    func lacksPeople(for option: String) -> Bool {
        view.options.contains { $0.id == option && $0.twoPeople == "unknown" }
    }

    /// Whether that person gave the answer, alone or with another one.
    func isAnswered(by person: String) -> Bool {
        [view.answer?.by, view.answer?.second].contains(person)
    }

    /// The people who gave the answer, in words.
    var answeredBy: String { view.answer?.authors ?? "" }

    /// The title of the chosen option.
    var answerTitle: String { title(of: view.answer?.option ?? "") }

    func title(of id: String) -> String {
        options.first { $0.id == id }.map(PromptKeys.shownTitle) ?? id.shown()
    }

    /// The title of the option applied on expiry; nil if none is declared.
    var expiryTitle: String? {
        view.onExpiry.map(title)
    }

    /// Whether the entry is older than another one.
    func comesBefore(_ other: InboxEntry) -> Bool {
        openedAt != other.openedAt ? openedAt < other.openedAt : view.id < other.id
    }

    func contains(_ words: [TextSearch]) -> Bool { words.allSatisfy { $0.isFound(in: searched) } }

    /// The result as a sentence that is safe to show.
    var outcome: String { (view.outcome ?? view.endingShown).shown() }
}

/// The open members of a group, for a person about to answer all of them: their number and their
/// differences.
package struct InboxMembers: Sendable {
    /// The members, oldest first.
    package let entries: [InboxEntry]
    /// The number of different texts; above 1 a reader sees more than one error.
    package let descriptionCount: Int
    /// The number of different reasons of the failures: equal texts may have different causes.
    package let reasonCount: Int
    /// The fields in which the console says that members differ; nil if that is not known.
    package let varies: [String]?
    /// Whether the descriptions differ, or may differ, after the beginnings that lists have.
    private let restDiffers: Bool

    /// - Parameter entries: The members of one group; members that are no longer open are left out.
    package init(_ entries: some Sequence<InboxEntry>, varies: [String]? = nil) {
        self.varies = varies
        self.entries = entries.filter(\.isOpen).sorted { $0.comesBefore($1) }
        descriptionCount = Set(self.entries.map(\.description)).count
        reasonCount = Set(self.entries.map(\.failureReason)).count
        let isCut = self.entries.contains {
            $0.description.unicodeScalars.count >= ConsoleLimits.descriptionScalarMax
        }
        restDiffers =
            self.entries.count > 1 && isCut && (varies?.contains("description") ?? true)
    }

    /// The members without the ones that the texts name, each by an id, or its beginning or end.
    ///
    /// - Throws: When a text names none or several, or all are named.
    package func leavingOut(_ texts: [String]) throws(Failure) -> InboxMembers {
        var left: Set<String> = []
        for text in texts {
            let named = entries.map(\.id).filter(PartialID(text).matches)
            guard named.count == 1 else {
                throw Failure(
                    .usage,
                    "--except \(text.shown()): found \(named.count) members of the group, "
                        + "expected one")
            }
            left.formUnion(named)
        }
        guard left.count < entries.count else {
            throw Failure(.usage, "--except: names all of the group: nothing was answered")
        }
        return InboxMembers(entries.filter { !left.contains($0.id) }, varies: varies)
    }

    package var count: Int { entries.count }
    package var differ: Bool { descriptionCount > 1 || restDiffers }

    /// What the members say differently, in words; nil if they say the same.
    package var difference: String? {
        if descriptionCount > 1 { return "\(descriptionCount) different descriptions" }
        if restDiffers {
            return varies == nil
                ? "long descriptions, which may end differently"
                : "descriptions that end differently"
        }
        return reasonCount > 1 ? "\(reasonCount) different reasons" : nil
    }

    /// The different reasons of members with one description, oldest first, each as a line that is
    /// safe to show; empty if the reasons are the same, or the descriptions are not.
    package func reasonLines(atMost limit: Int) -> [String] {
        guard descriptionCount == 1, reasonCount > 1 else { return [] }
        var seen: Set<String> = []
        let reasons = entries.map { $0.failureReason ?? "no reason" }
            .filter { seen.insert($0).inserted }
        let lines = reasons.prefix(limit).map { "why: \($0.escapedForTerminal())" }
        let rest = reasons.count - lines.count
        guard rest > 0 else { return lines }
        return lines + ["and \(rest) more \(rest == 1 ? "reason" : "reasons")"]
    }

    /// Whether the option is destructive for any member.
    package func isDestructive(_ option: String) -> Bool {
        entries.contains { entry in
            entry.options.contains { $0.id == option && $0.role == .destructive }
        }
    }

    /// The common and the varying parts. Not escaped.
    package var facts: [String] {
        let origins = Set(entries.map(\.origin))
        let severities = Dictionary(grouping: entries, by: \.severity).mapValues(\.count)
            .sorted { $0.key > $1.key }
        let facts: [String?] = [
            count == 1 ? "1 presentation" : "\(count) presentations",
            descriptionCount > 1
                ? "\(descriptionCount) descriptions"
                : restDiffers ? difference : "one description",
            reasonCount > 1 ? "\(reasonCount) reasons" : nil,
            origins.count == 1 ? "from \(origins.first ?? "")" : "\(origins.count) origins",
            severities.count == 1
                ? "all \(severities[0].key)"
                : severities.map { "\($1) \($0)" }.joined(separator: ", "),
        ]
        return facts.compactMap(\.self)
    }
}
