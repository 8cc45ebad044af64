import ArgumentParser
import BusNodeKit
import ErrorBus
import Foundation

/// `bus-node inbox answer`.
struct InboxAnswer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "answer",
        abstract: "Choose an option of a presentation, or of its whole group.",
        discussion: """
            Prints the answer that counts. With --undo it also prints, on standard error, until \
            when the answer is held.

            With --all-like every open presentation of the same group gets the option, and is \
            printed with its id; each origin runs its own attempt. Later presentations are not \
            answered; --except leaves members of the group open. When the descriptions differ, the \
            command lists them: at a terminal it asks for confirmation, elsewhere it needs \
            --differing. At a terminal it also asks when the reasons differ, and for more than \
            ten; and before a destructive option, without --all-like too.

            An option that needs two people is only proposed, and the proposal is printed; another \
            person confirms it with --confirm, which prints it and at a terminal asks, or drops it \
            with bus-node inbox decline. Give the values that an option asks for with --value and \
            --value-file; bus-node inbox show lists them, and at a terminal the command asks for \
            those that you leave out. A comment goes with the answer to the origin.

            Exits 1 when another answer was first, 64 when the option is not offered, a value or \
            the comment does not fit, or the descriptions differ.

            Example: bus-node inbox answer 01920000 retry --topology topology.yaml
            """)

    @OptionGroup var target: InboxTarget

    @Argument(help: "A presentation's id, or the beginning or end of one.")
    var id: String

    @Argument(help: "The id of one of its options.")
    var option: String

    @Flag(help: "Answer every open presentation of its group.")
    var allLike = false

    @Flag(help: "Confirm what another person proposes: an option that needs two people.")
    var confirm = false

    @Flag(help: "With --all-like: answer even when the descriptions in the group differ.")
    var differing = false

    @Option(
        help: """
            With --all-like: leaves this one open, by its id, or the beginning or end of one; may \
            be given several times.
            """)
    var except: [String] = []

    @Option(
        help: """
            With --all-like: the revision of the list that you saw, from list --json; later \
            presentations are not answered. When not given: all that are open now.
            """)
    var seen: Int64?

    @Option(help: "Delay sending by this long, at most 60s, so that inbox undo can undo it.")
    var undo = "0s"

    @OptionGroup var values: ValueOptions

    @Option(
        help: """
            Why you answer so, for the origin and the record: at most \
            \(ErrorReport.Limits.commentByteCount) bytes.
            """)
    var comment: String?

    @Option(help: "Who decides, for the record; the user's name when not given.")
    var by: String?

    @Flag(help: "Print the console's reply as JSON.")
    var json = false

    func run() async throws {
        try await orFail {
            guard seen == nil || allLike else {
                throw Failure(.usage, "--seen: allowed only with --all-like")
            }
            guard !differing || allLike else {
                throw Failure(.usage, "--differing: allowed only with --all-like")
            }
            guard except.isEmpty || allLike else {
                throw Failure(.usage, "--except: allowed only with --all-like")
            }
            if let seen { try CountOption.check(seen, option: "--seen", in: 0...) }
            let undo = try Target.duration(undo, option: "--undo", in: .zero ... .seconds(60))
            let client = try target.client()
            let name = try await client.person(by)
            let id = try await client.id(id)
            guard !confirm || values.isEmpty else {
                throw Failure(
                    .usage,
                    "--value: not allowed with --confirm, which confirms the proposed values")
            }
            guard !confirm || comment == nil else {
                throw Failure(
                    .usage,
                    "--comment: not allowed with --confirm, which confirms the proposed comment")
            }
            if allLike { return try await answerAll(like: id, client, by: name, undo: undo) }
            var proposal: ProposalView?
            if confirm {
                let item = try await client.presentation(id)
                proposal = try self.proposal(for: PresentationView(json: item))
                try agree(to: proposal)
            }
            let given = try await values(for: id, client)
            if !confirm { try await agree(toOne: id, client) }
            let request = InboxRequest.answer(
                id: id, option: option, confirms: proposal?.id, values: given, comment: comment)
            let item = try await request.sent(to: client, by: name, undo: undo)
            if json { return try StandardOutput.print(item) }
            let view = PresentationView(json: item)
            let answer = item["answer"]?.objectValue?["option"]?.stringValue
            try StandardOutput.print(answer ?? (view?.stageShown ?? option).shown())
            if let notice = InboxNotices.held(view, at: Date()) {
                Terminal.say("bus-node: \(notice)")
            }
        }
    }
}

extension InboxAnswer {
    /// The most equal members listed before they are answered; different ones are always listed.
    private static let alikeMax = 20

    /// What is proposed for a presentation, when it is this option.
    private func proposal(for item: PresentationView?) throws -> ProposalView {
        guard let proposal = item?.proposal, proposal.option == option else {
            let found = item?.proposal.map { "\($0.by) proposes \($0.option)" } ?? "nothing"
            throw Failure(
                .declined,
                "--confirm: found \"\(found.shown())\", expected a proposal of "
                    + "\"\(option.shown())\"")
        }
        return proposal
    }

    /// The members for which the same person proposes the same, with the same values and comment,
    /// as for the one that the command line names.
    private func confirmed(_ proposal: ProposalView, in members: InboxMembers) throws
        -> InboxMembers
    {
        let found = members.entries.filter { $0.proposal?.isLike(proposal) == true }
        let limit = ConsoleLimits.chosenCountMax
        guard found.count <= limit else {
            throw Failure(
                .usage,
                "--confirm: found \(found.count) proposals, allowed are \(limit) at a time; leave "
                    + "members open with --except")
        }
        guard !found.isEmpty else {
            throw Failure(
                .declined,
                "--confirm: found no member with this proposal: it ended meanwhile, or --except "
                    + "leaves all of them open")
        }
        return InboxMembers(found, varies: members.varies)
    }

    /// The values that the command line gives, and those that a person at the terminal then gives.
    private func values(
        for id: String, _ client: ConsoleClient
    ) async throws -> [String: JSONValue] {
        guard !confirm else { return [:] }
        let item = PresentationView(json: try await client.presentation(id))
        let chosen = item?.options.first { $0.id == option }?.option
        let given = try values.given(for: chosen?.fields ?? [])
        // For what has ended the console's refusal says so.
        guard let item, ["open", "claimed"].contains(item.stage), var rest = chosen else {
            return given
        }
        // The console refuses a value of no field: nothing is asked for an answer in vain.
        guard Set(rest.fields.map(\.name)).isSuperset(of: given.keys) else { return given }
        rest.fields.removeAll { given[$0.name] != nil }
        guard !rest.fields.isEmpty else { return given }
        guard !Terminal.isInteractive else {
            return given.merging(try ValueRequests.ask(for: rest)) { $1 }
        }
        let missing = rest.fields.compactMap { field -> (fault: String, advice: String)? in
            do throws(FieldFault) {
                _ = try field.taken("")
                return nil
            } catch {
                let name = field.name.shown()
                // A secret is no argument: other users could read it.
                return (
                    "\(error)",
                    field.isSecret ? "--value-file \(name)=PATH" : "--value \(name)=VALUE"
                )
            }
        }
        guard missing.isEmpty else {
            throw Failure(
                .usage,
                missing.map(\.fault).joined(separator: "; ").shown() + "; give "
                    + missing.map(\.advice).joined(separator: " "))
        }
        return given
    }

    /// Answers every open member of the group, after listing them.
    func answerAll(
        like id: String, _ client: ConsoleClient, by name: String, undo: Duration
    ) async throws {
        let json = try await client.presentation(id)
        guard let item = PresentationView(json: json), item.group >= 0 else {
            throw Failure(.software, "the console names no group")
        }
        guard item.optionIDs.contains(option) else {
            let refusal = InboxRefusal.notOffered(option: option, offered: item.optionIDs)
            throw Failure(.usage, refusal.description)
        }
        let (open, revision) = try await client.items()
        var all = InboxMembers(
            open.filter { $0["group"]?.integerValue == item.group }
                .compactMap { InboxEntry($0, at: .now) })
        if all.differ, all.descriptionCount == 1 {
            // The list has only the beginnings: the console knows whether the rest differs.
            let group = try await client.get("/groups/\(item.group)")
            all = InboxMembers(all.entries, varies: group.texts("varies"))
        }
        var members = except.isEmpty ? all : try all.leavingOut(except)
        let proposal = try confirm ? self.proposal(for: item) : nil
        if let proposal { members = try confirmed(proposal, in: members) }
        try agree(on: members, confirming: proposal)
        // Of one that is open: the one that the command names may have ended.
        let asked = members.entries.contains { $0.id == id } ? id : members.entries.first?.id ?? id
        let values = try await values(for: asked, client)
        // Members that came after the list were not seen, and are not answered.
        let request = InboxRequest.answerGroup(
            item.group, option: option, seen: min(seen ?? revision, revision),
            confirms: confirm ? members.entries.compactMap { $0.proposal?.id } : [],
            values: values, comment: comment,
            ids: except.isEmpty && !confirm ? nil : members.entries.map(\.id))
        let reply = try await request.sent(to: client, by: name, undo: undo)
        try report(reply, of: open, by: client)
    }

    // MARK: Before

    /// Shows the proposal that is confirmed, and at a terminal asks whether it is meant: it may
    /// have replaced the one that the person saw.
    private func agree(to proposal: ProposalView?) throws {
        guard let proposal else { return }
        Terminal.say(proposal.sentence)
        if Terminal.isInteractive { try askForYes() }
    }

    /// At a terminal shows the presentation and asks, before a destructive option answers it.
    private func agree(toOne id: String, _ client: ConsoleClient) async throws {
        guard Terminal.isInteractive,
            let entry = InboxEntry(try await client.presentation(id), at: .now)
        else { return }
        let members = InboxMembers([entry])
        guard members.isDestructive(option) else { return }
        list(members, atTerminal: true)
        try askForYes("\(option.shown()) for this presentation? This cannot be undone. ")
    }

    /// - Throws: When the person at the terminal types anything but yes.
    private func askForYes(_ question: String = "") throws {
        Terminal.ask(question + "Type yes to confirm; anything else cancels.")
        let line = readLine()
        Terminal.stopAsking()
        guard PromptKeys.confirms(line ?? "") else {
            throw Failure(.declined, "not confirmed: nothing was answered")
        }
    }

    /// Lists what is about to be answered, when the caller may not know it, and the proposal that
    /// is confirmed in any case.
    ///
    /// - Throws: When the answer is not confirmed.
    private func agree(on members: InboxMembers, confirming proposal: ProposalView?) throws {
        if let proposal { Terminal.say(proposal.sentence) }
        // The console's refusal says that none is open.
        guard members.count > 0 else { return }
        let isPerson = Terminal.isInteractive
        let isRefused = members.differ && !differing
        if isPerson || isRefused { list(members, atTerminal: isPerson) }
        guard isPerson else {
            guard !isRefused else {
                throw Failure(
                    .usage,
                    "the group has \(members.difference ?? ""): nothing was answered; answer each "
                        + "by its id, or all with --differing")
            }
            return
        }
        let isDestructive = members.isDestructive(option)
        let difference = differing ? nil : members.difference
        let isLarge = members.count > ConsoleLimits.unconfirmedCountMax
        guard difference != nil || isLarge || isDestructive || proposal != nil else { return }
        let what = difference.map { ", with \($0)" } ?? ""
        try askForYes(
            "\(option.shown()) for all \(members.count)\(what)? "
                + (isDestructive ? "This cannot be undone. " : ""))
    }

    private func list(_ members: InboxMembers, atTerminal: Bool) {
        let shown = members.differ ? members.count : min(members.count, Self.alikeMax)
        let rows = InboxRows(
            members.entries.prefix(shown).map(\.view), now: Date(),
            columns: atTerminal ? Terminal.columnCount : nil)
        var lines = rows.lines
        if shown < members.count {
            let same = members.difference == nil ? " of the same" : ""
            lines.append("and \(members.count - shown) more\(same)")
        }
        lines += members.reasonLines(atMost: Self.alikeMax)
        lines.append(members.facts.joined(separator: ", ").shown())
        Terminal.say(lines.joined(separator: "\n"))
    }

    // MARK: Afterwards

    /// Prints each member that was answered, and reports the refused ones.
    private func report(
        _ reply: JSONValue, of items: [JSONValue], by client: ConsoleClient
    ) throws {
        let answered = reply.texts("answered")
        let proposed = reply.texts("proposed")
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
            let count = proposed.isEmpty ? "" : "\(proposed.count) proposed, "
            try StandardOutput.print(
                lines + ["\(answered.count) answered, \(count)\(refused.count) refused"])
            let held = try Target.duration(undo, option: "--undo")
            if held > .zero, !answered.isEmpty {
                Terminal.say(
                    "bus-node: held for \(undo), then sent; bus-node inbox undo ID takes one back")
            }
            for one in refused {
                let reason = one.refusal(takeOver: client.takeOver) ?? ""
                Terminal.say("bus-node: \(one.text("id").shown()): \(reason.shown())")
            }
        }
        guard !answered.isEmpty || !proposed.isEmpty, refused.isEmpty else {
            throw ExitStatus.declined.exitCode
        }
    }
}
