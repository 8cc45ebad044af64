import ErrorBus
import Foundation

extension InboxAnswer {
    /// So many that are alike are listed before they are answered; what differs always is.
    private static let alikeMax = 20

    /// Answers every open member of the group, once it was said who they are.
    func answerAll(
        like id: String, _ client: ConsoleClient, by name: String, undo: Duration
    ) async throws {
        let item = try await client.get("/presentations/\(id)")
        guard let group = item["group"]?.integerValue else {
            throw Failure(.software, "the console names no group")
        }
        guard item.optionIDs.contains(option) else {
            let refusal = InboxRefusal.notOffered(option: option, offered: item.optionIDs)
            throw Failure(.usage, refusal.description)
        }
        let (open, revision) = try await client.openItems()
        let members = InboxMembers(
            open.filter { $0["group"]?.integerValue == group }
                .compactMap { InboxEntry($0, at: .now) })
        try agree(on: members)
        let reply = try await client.post(
            "/groups/\(group)/answer",
            [
                "option": .string(option), "by": .string(name),
                // What came after the list was not looked at, and is not answered.
                "seen": .integer(min(seen ?? revision, revision)),
                "undoMilliseconds": .integer(Int64(undo / .milliseconds(1))),
            ])
        try tell(reply, of: open)
    }

    // MARK: Before

    /// Says what is about to be answered, where a person or a script may not know it.
    ///
    /// - Throws: When it is not to be answered.
    private func agree(on members: InboxMembers) throws {
        let isPerson = Terminal.isInteractive
        let isRefused = members.differ && !differing
        if isPerson || isRefused { list(members, atTerminal: isPerson) }
        let texts = "\(members.descriptionCount) different descriptions"
        guard isPerson else {
            guard !isRefused else {
                throw Failure(
                    .usage,
                    "the group has \(texts): nothing was answered; answer each by its id, or all "
                        + "with --differing")
            }
            return
        }
        let isDestructive = members.isDestructive(option)
        guard isRefused || isDestructive else { return }
        let what = isRefused ? ", with \(texts)" : ""
        Terminal.ask(
            "\(option.shown()) for all \(members.count)\(what)? "
                + (isDestructive ? "This cannot be undone. " : "")
                + "Type yes to confirm; anything else answers nothing.")
        let line = readLine()
        Terminal.stopAsking()
        guard PromptKeys.confirms(line ?? "") else {
            throw Failure(.declined, "not confirmed: nothing was answered")
        }
    }

    private func list(_ members: InboxMembers, atTerminal: Bool) {
        let shown = members.differ ? members.count : min(members.count, Self.alikeMax)
        let rows = InboxRows(
            members.entries.prefix(shown).map(\.json), now: Date(),
            columns: atTerminal ? Terminal.columnCount : nil)
        var lines = rows.lines
        if shown < members.count { lines.append("and \(members.count - shown) more like these") }
        lines.append(members.facts.joined(separator: ", ").shown())
        Terminal.say(lines.joined(separator: "\n"))
    }

    // MARK: Afterwards

    /// Prints each that was answered, and says which were not.
    private func tell(_ reply: JSONValue, of items: [JSONValue]) throws {
        let answered = reply.texts("answered")
        let refused = reply["refused"]?.arrayValue ?? []
        let known = Dictionary(items.map { ($0.text("id"), $0) }) { $1 }
        if json {
            let answers = answered.map { id -> JSONValue in
                let item = known[id] ?? .null
                return [
                    "id": .string(id), "description": .string(item.text("description")),
                    "severity": .string(item.text("severity")), "origin": item["origin"] ?? .null,
                ]
            }
            let fields: [String: JSONValue] = ["members": .array(answers)]
            try StandardOutput.print(
                .object((reply.objectValue ?? [:]).merging(fields) { $1 }))
        } else {
            let lines = answered.map { "\($0)  \(known[$0]?.text("description") ?? "")".shown() }
            try StandardOutput.print(
                lines + ["\(answered.count) answered, \(refused.count) refused"])
            for one in refused {
                Terminal.say("bus-node: \(one.text("id").shown()): \(one.text("message").shown())")
            }
        }
        guard !answered.isEmpty, refused.isEmpty else { throw ExitStatus.declined.exitCode }
    }
}
