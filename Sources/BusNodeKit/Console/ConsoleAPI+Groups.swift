import ErrorBus
import Hummingbird

// Groups: their members, and one answer or claim for all.
extension ConsoleAPI {
    /// The group, its open members, and the fields in which they differ.
    func group(_ number: Int) throws(APIProblem) -> JSONValue {
        guard let group = inbox.groups.first(where: { $0.number == number }) else {
            throw APIProblem(.unknownGroup(number))
        }
        let members = items(group.members)
        var object = JSONValue(group, console).objectValue ?? [:]
        object["varies"] = GroupDifference.names(in: members.map(\.report)).json
        object["items"] = .array(
            members.prefix(ConsoleLimits.itemCountMax).map { item -> JSONValue in
                // As in lists, with the end of a long reason.
                let view = PresentationView(item, console)
                return [
                    "id": .string(view.id), "description": .string(view.description),
                    "failureReason": .text(view.failureReason),
                    "severity": .string(view.severity), "origin": .text(view.origin),
                    "openedAt": .string(view.openedAt),
                    "deadlineInMilliseconds":
                        view.deadlineInMilliseconds.map { JSONValue.integer($0) } ?? .null,
                    "claimedBy": .text(view.claimedBy), "claimedUntil": .text(view.claimedUntil),
                    "url": .text(view.url),
                ]
            })
        return .object(object)
    }

    /// The open members that had arrived by a revision, and the members that a request with this id
    /// has answered.
    private func members(
        ofGroup number: Int, seen: UInt64, doneBy request: UniqueID? = nil
    ) throws(APIProblem) -> [InboxItem] {
        do throws(InboxRefusal) {
            return items(try inbox.members(ofGroup: number, seen: seen, doneBy: request))
        } catch {
            throw APIProblem(error)
        }
    }

    private func items(_ members: [PresentationID]) -> [InboxItem] {
        members.compactMap { id in
            // A member that ends at this moment is left out.
            try? inbox.item(id)
        }
    }

    func answerGroup(
        _ number: Int, _ body: [UInt8], _ visitor: ConsoleVisitor
    ) throws -> JSONValue {
        let fields = try BodyFields(
            body, allowing: "option", "title", "role", "by", "answer", "seen", "confirms",
            "undoMilliseconds", "values", "comment", "ids", "count")
        let confirmed = try fields.ids("confirms", upTo: ConsoleLimits.chosenCountMax)
        let values = try fields.values(confirming: confirmed != nil)
        let comment = try fields.comment(confirming: confirmed != nil)
        let (option, by) = (try fields.text("option"), try visitor.name(in: fields))
        let undo = try fields.integer("undoMilliseconds", in: Self.undoRange) ?? 0
        let latest = inbox.revision
        let (request, ownSeen) = (try fields.id("answer"), try seen(in: fields, upTo: latest))
        guard request == nil || ownSeen != nil else {
            throw APIProblem.badRequest(
                "answer: found without seen; send both, so that a repetition leaves out members "
                    + "that came in between")
        }
        let view = SeenOption(
            id: option, title: try fields.string("title"),
            role: try fields.word("role", among: ["none"] + ErrorReport.Option.Role.allWords))
        let chosen = try fields.chosen()
        var members = try members(ofGroup: number, seen: ownSeen ?? latest, doneBy: request)
        if let chosen { members = try SeenOption.chosen(chosen, of: members, by: request) }
        if members.contains(where: { $0.isDestructive(option) }) {
            try visitor.require(.destructive)
        }
        var person: SignedInPerson?
        if confirmed != nil || members.contains(where: { $0.needsTwoPeople(option) }) {
            person = try visitor.person(choosing: option)
        }
        let isProposal = person != nil && confirmed == nil
        let done = Set(
            members.filter {
                $0.isAnswered(by: request) || (isProposal && $0.isProposed(by: request))
            }.map(\.id))
        let (isSeen, isNamed) = (ownSeen != nil, chosen != nil || confirmed != nil)
        let fresh = members.filter { !done.contains($0.id) }
        try view.check(fresh, sawWhich: isSeen, isNamed: isNamed)
        let count = confirmed?.count ?? members.count
        try SeenOption.check(count, fields, isNamed: isSeen || isNamed, isRepeated: !done.isEmpty)
        let result: GroupAnswer
        do throws(InboxRefusal) {
            // Members that come after the check are not answered either.
            let (seen, undo) = (ownSeen ?? latest, Duration.milliseconds(undo))
            result =
                if let person, let confirmed {
                    try confirmGroup(
                        number, confirmed, only: chosen, option, by: person, id: request,
                        done: done, seen: seen, undo: undo)
                } else if let person {
                    try proposeGroup(
                        number, only: chosen, option, by: person, id: request, done: done,
                        seen: seen, values: values, comment: comment)
                } else {
                    try inbox.answerGroup(
                        number, only: chosen, option: option, by: by, of: visitor.identity,
                        id: request, seen: seen, undo: undo, values: values, comment: comment)
                }
        } catch {
            throw APIProblem(error)
        }
        if undo > 0 {
            for id in result.answered where !done.contains(id) {
                note(.leaving(option: option), id, by: by)
            }
        }
        return json(result)
    }

    private func json(_ result: GroupAnswer) -> JSONValue {
        [
            "answered": result.answered.map(\.description).json,
            "answers": result.answers.map(\.description).json,
            "proposed": result.proposed.map(\.description).json,
            "notProposed": result.notProposed.map(\.description).sorted().json,
            "refused": .array(
                result.refused.map { id, refusal in
                    let problem = problem(refusal, of: id)
                    // A form shows what is wrong beside its field, a client who has claimed it.
                    let isDetailed = ["badValue", "claimed"].contains(problem.word)
                    let details = isDetailed ? problem.details : [:]
                    let fields: [String: JSONValue] = [
                        "id": .string(id.description), "message": .string(problem.message),
                        "error": .string(problem.word),
                    ]
                    return .object(details.merging(fields) { $1 })
                }),
        ]
    }

    /// The inbox's revision that the client saw; nil when it does not send it.
    ///
    /// - Parameter done: The act that is not done, for the refusal.
    private func seen(
        in fields: BodyFields, upTo latest: UInt64, doing done: String = "answered"
    ) throws(APIProblem) -> UInt64? {
        guard let seen = try fields.integer("seen", in: 0...Revisions.max) else { return nil }
        guard let own = console.revisions.own(seen, upTo: latest) else {
            throw SeenOption.notSeen(
                "seen: found \(seen), which is no revision of this console since its start: "
                    + "read the list again",
                doing: done)
        }
        return own
    }

    @Sendable func undoGroup(
        _ number: Int, _ body: [UInt8], _ visitor: ConsoleVisitor
    ) throws -> JSONValue {
        let fields = try BodyFields(body, allowing: "by", "answers")
        let by = try visitor.name(in: fields)
        let limit = ConsoleLimits.chosenCountMax
        guard let meant = try fields.ids("answers", upTo: limit) else {
            throw APIProblem.badRequest(
                "answers: found nothing, allowed are 1 to \(limit) ids of answers, which the reply "
                    + "to the group's answer has")
        }
        do throws(InboxRefusal) {
            let undone = try inbox.undoGroup(number, only: meant)
            for id in undone { note(.undo, id, by: by) }
            return ["undone": undone.map(\.description).json]
        } catch {
            throw APIProblem(error)
        }
    }

    // MARK: Claims

    /// The person to whom a claim is handed; nil if its author keeps it.
    func receiver(in fields: BodyFields, from author: String) throws(APIProblem) -> String? {
        guard fields["to"] != nil, case let name = try fields.name("to"), name != author else {
            return nil
        }
        try console.requireReceiver(name)
        return name
    }

    @Sendable func claimGroup(
        _ number: Int, _ body: [UInt8], _ visitor: ConsoleVisitor
    ) throws -> JSONValue {
        let fields = try BodyFields(
            body, allowing: "by", "forMilliseconds", "takeOver", "to", "seen", "ids")
        let by = try visitor.name(in: fields)
        let time = try fields.integer("forMilliseconds", in: Self.claimRange) ?? 300_000
        let takesOver = try fields.bool("takeOver") ?? false
        let receiver = try receiver(in: fields, from: by)
        let (chosen, seen) = try meant(number, fields, doing: "claimed")
        do throws(InboxRefusal) {
            let result = try inbox.claimGroup(
                number, only: chosen, by: by, of: visitor.identity, for: .milliseconds(time),
                takesOver: takesOver, to: receiver, seen: seen)
            if let until = result.until {
                let act = PersonalAct.claiming(until: until, for: receiver)
                for id in result.changed { note(act, id, by: by) }
            }
            return json(result, as: "claimed")
        } catch {
            throw APIProblem(error)
        }
    }

    @Sendable func releaseGroup(
        _ number: Int, _ body: [UInt8], _ visitor: ConsoleVisitor
    ) throws -> JSONValue {
        let fields = try BodyFields(body, allowing: "by", "seen", "ids")
        let by = try visitor.name(in: fields)
        let (chosen, seen) = try meant(number, fields, doing: "released")
        do throws(InboxRefusal) {
            let result = try inbox.releaseGroup(
                number, only: chosen, by: by, of: visitor.identity, seen: seen)
            for id in result.changed { note(.release, id, by: by) }
            return json(result, as: "released")
        } catch {
            throw APIProblem(error)
        }
    }

    /// The chosen members, nil for all, and the revision up to which they count. Refuses a choice
    /// with a member that is not there, as for an answer.
    private func meant(
        _ number: Int, _ fields: BodyFields, doing done: String
    ) throws(APIProblem) -> (chosen: Set<PresentationID>?, seen: UInt64) {
        let latest = inbox.revision
        let seen = try seen(in: fields, upTo: latest, doing: done) ?? latest
        let chosen = try fields.chosen()
        let members = try members(ofGroup: number, seen: seen)
        if let chosen { _ = try SeenOption.chosen(chosen, of: members, doing: done) }
        return (chosen, seen)
    }

    private func json(_ result: GroupClaim, as done: String) -> JSONValue {
        let refused = result.refused.map { id, refusal -> JSONValue in
            let problem = APIProblem(refusal)
            let fields: [String: JSONValue] = [
                "id": .string(id.description), "message": .string(problem.message),
                "error": .string(problem.word),
            ]
            // Who has claimed it, and until when.
            return .object(problem.details.merging(fields) { $1 })
        }
        return .object([
            done: result.changed.map(\.description).json, "refused": .array(refused),
        ])
    }
}

/// An option as the author of a group's answer saw it.
struct SeenOption {
    let id: String
    /// The title; nil if the client does not send it.
    let title: String?
    /// The role's word, `none` without one; nil when the client does not send it.
    let role: String?

    /// Refuses an answer for members whose option differs from the option that the author saw.
    ///
    /// - Parameters:
    ///   - sawWhich: Whether the client sent the revision that it saw.
    ///   - isNamed: Whether it names each member, or its proposal: then it can know each reason.
    func check(_ members: [InboxItem], sawWhich: Bool, isNamed: Bool) throws(APIProblem) {
        let options = members.compactMap { item in item.report.options.first { $0.id == id } }
        for option in options {
            if let title, title != option.title {
                throw Self.notSeen("\(id): seen: \(title.shown()); found: \(option.title.shown())")
            }
            if let role, role != option.seenRole {
                throw Self.notSeen("\(id): seen with role \(role); found: \(option.seenRole)")
            }
        }
        guard !sawWhich else { return }
        if role == nil, options.contains(where: { $0.role == .destructive }) {
            throw Self.notSeen("\(id) is destructive: send role, or seen")
        }
        let varies = GroupDifference.names(in: members.map(\.report))
        var meant: Set = ["description", "options"]
        if !isNamed { meant.insert("failureReason") }
        if !meant.isDisjoint(with: varies) {
            throw Self.notSeen(
                "the members of the group differ in \(varies.joined(separator: ", ")): send seen, "
                    + "the revision of the list that you saw")
        }
    }

    /// Refuses an answer for another number of members than its author expects, and one for many
    /// whose author has not shown to know how many.
    ///
    /// - Parameters:
    ///   - count: The number of members that the answer would be for.
    ///   - isNamed: Whether the request says otherwise which members it is for.
    ///   - isRepeated: Whether it was answered before: members may have ended since then.
    static func check(
        _ count: Int, _ fields: BodyFields, isNamed: Bool, isRepeated: Bool
    ) throws(APIProblem) {
        let expected = try fields.integer("count", in: 1...Int64(Int32.max))
        guard !isRepeated else { return }
        var problem: APIProblem
        if let expected {
            guard expected != Int64(count) else { return }
            problem = notSeen("count: found \(expected); the answer would be for \(count)")
        } else {
            guard !isNamed, count > ConsoleLimits.unconfirmedCountMax else { return }
            problem = notSeen(
                "it would be for \(count) presentations: send this number as count, or seen, the "
                    + "revision of the list that you saw")
        }
        problem.details["members"] = .integer(Int64(count))
        throw problem
    }

    /// The chosen members among the open ones. Refuses the whole answer if a chosen member is no
    /// longer open, since the author did not see the group as it is now.
    ///
    /// - Parameters:
    ///   - request: The id of the request.
    ///   - done: The act that is not done, for the refusal.
    static func chosen(
        _ ids: Set<PresentationID>, of members: [InboxItem], by request: UniqueID? = nil,
        doing done: String = "answered"
    ) throws(APIProblem) -> [InboxItem] {
        let found = members.filter { ids.contains($0.id) }
        // Of a request that is repeated all were open when it came first.
        let isRepeated = found.contains {
            $0.isAnswered(by: request) || $0.isProposed(by: request)
        }
        guard found.count < ids.count, !isRepeated else { return found }
        let missing = ids.subtracting(found.map(\.id)).map(\.description).sorted()
        var problem = notSeen(
            "\(missing.count) of the \(ids.count) chosen are no longer open in this group, the "
                + "first of them \(missing.first ?? ""): read it again, and choose again",
            doing: done)
        problem.details["missing"] = missing.json
        throw problem
    }

    static func notSeen(_ what: String, doing done: String = "answered") -> APIProblem {
        APIProblem(.conflict, "notSeen", "not \(done): \(what)")
    }
}

/// The differences between the reports of a group.
enum GroupDifference {
    /// The names of the fields that are not equal in all reports.
    static func names(in reports: [ErrorReport]) -> [String] {
        guard let first = reports.first else { return [] }
        let fields: [(String, (ErrorReport) -> Bool)] =
            [
                ("description", { $0.description != first.description }),
                ("severity", { $0.severity != first.severity }),
                ("domain", { $0.domain != first.domain }),
                ("code", { $0.code != first.code }),
                ("options", { $0.options != first.options }),
                ("userInfo", { $0.userInfo != first.userInfo }),
            ]
            + ErrorReport.texts.filter(\.isBody).map { text in
                (text.key, { $0[keyPath: text.property] != first[keyPath: text.property] })
            }
        return fields.filter { _, differs in reports.contains(where: differs) }.map(\.0)
    }
}

extension ErrorReport.Option {
    /// The role as the interface writes it.
    var seenRole: String { shownRole?.rawValue ?? "none" }

    /// The role; `default` for an option that is only declared as default.
    var shownRole: Role? { isDeclaredDefault && role == nil ? .default : role }
}

extension ErrorReport.Option.Role {
    static var allWords: [String] { allCases.map(\.rawValue) }
}
