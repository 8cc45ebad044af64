import ArgumentParser
import BusNodeKit
import ErrorBus
import Foundation

/// `bus-node inbox claim`.
struct InboxClaim: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "claim",
        abstract: "Claim a presentation or its group, hand the claim over, or release it.",
        discussion: """
            Repeat it to prolong your claim: it lasts --for from then on, also where that is \
            shorter than before. A claim is handed over only to a person who may \
            answer, where the console knows its users. With --all-like prints each member of the \
            group; what another person has claimed is left out without --take-over, and the \
            command exits 1 then.

            Example: bus-node inbox claim 01920000 --for 5m --topology topology.yaml
            """)

    @OptionGroup var target: InboxTarget

    @Argument(help: "A presentation's id, or the beginning or end of one.")
    var id: String

    @Option(
        name: .customLong("for"), help: "How long the claim lasts, at most 1h. (default: 5m)")
    var time: String?

    @Flag(help: "Take over another person's claim.")
    var takeOver = false

    @Option(help: "Hand the claim to this person.")
    var handTo: String?

    @Flag(help: "Release the claim; not with --for, --take-over or --hand-to.")
    var release = false

    @Flag(help: "The same for every open presentation of its group.")
    var allLike = false

    @Option(help: "Who claims it; the user's name when not given.")
    var by: String?

    @Flag(help: "Print the console's reply as JSON.")
    var json = false

    func run() async throws {
        try await orFail {
            let length = try length()
            let client = try target.client()
            let id = try await client.id(id)
            let name = try await client.person(by)
            if allLike { return try await claimAll(like: id, client, by: name, for: length) }
            let request: InboxRequest =
                release ? .release(id: id) : .claim(id: id, takeOver: takeOver, to: handTo)
            let item = try await request.sent(to: client, by: name, claim: length)
            if json { return try StandardOutput.print(item) }
            try StandardOutput.print((PresentationView(json: item)?.stageShown ?? "").shown())
        }
    }

    /// How long the claim lasts.
    func length() throws -> Duration {
        let ignored = [
            ("--for", time != nil), ("--take-over", takeOver), ("--hand-to", handTo != nil),
        ]
        for (option, isGiven) in ignored where release && isGiven {
            throw Failure(.usage, "\(option): not allowed with --release, which ends the claim")
        }
        let text = time ?? "5m"
        let duration = try Target.duration(
            text, option: "--for", in: .milliseconds(1) ... .seconds(3_600))
        return duration
    }

    /// The last line of what is printed for a group.
    func summary(changed: Int, refused: Int) -> String {
        let done = handTo.map { "handed to \($0.shown())" } ?? (release ? "released" : "claimed")
        return "\(changed) \(done), \(refused) refused"
    }

    /// Claims, hands over or releases the open members of a group, and prints each.
    private func claimAll(
        like id: String, _ client: ConsoleClient, by name: String, for length: Duration
    ) async throws {
        let item = PresentationView(json: try await client.presentation(id))
        guard let number = item?.group, number >= 0 else {
            throw Failure(.software, "the console names no group")
        }
        // Members that come later are not printed, and stay unclaimed.
        let (open, revision) = try await client.items()
        let request: InboxRequest =
            release
            ? .releaseGroup(number, seen: revision)
            : .claimGroup(number, takeOver: takeOver, to: handTo, seen: revision)
        let reply = try await request.sent(to: client, by: name, claim: length)
        let changed = reply.texts(release ? "released" : "claimed")
        let refused = reply["refused"]?.arrayValue ?? []
        if json {
            try StandardOutput.print(reply)
        } else {
            let known = Dictionary(open.map { ($0.text("id"), $0) }) { $1 }
            let lines = changed.map { "\($0)  \(known[$0]?.text("description") ?? "")".shown() }
            try StandardOutput.print(
                lines + [summary(changed: changed.count, refused: refused.count)])
            for one in refused {
                let reason = one.refusal(takeOver: client.takeOver) ?? ""
                Terminal.say("bus-node: \(one.text("id").shown()): \(reason.shown())")
            }
        }
        guard !changed.isEmpty, refused.isEmpty else { throw ExitStatus.declined.exitCode }
    }
}

/// `bus-node inbox undo`.
struct InboxUndo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo",
        abstract: "Undo an answer that has not been sent.",
        discussion: """
            The page and the full-screen inbox hold answers for some seconds before they are sent. \
            Prints the stage afterwards, and to standard error that the answer was taken back and \
            whose claim it is now; exits 1 when the answer was already sent.

            Example: bus-node inbox undo 01920000 --topology topology.yaml
            """)

    @OptionGroup var target: InboxTarget

    @Argument(help: "A presentation's id, or the beginning or end of one.")
    var id: String

    @Option(help: "Who undoes it; the user's name when not given.")
    var by: String?

    @Flag(help: "Print the console's reply as JSON.")
    var json = false

    func run() async throws {
        try await orFail {
            let client = try target.client()
            let request = InboxRequest.undo(id: try await client.id(id))
            let item = try await request.sent(to: client, by: try await client.person(by))
            if json { return try StandardOutput.print(item) }
            let view = PresentationView(json: item)
            try StandardOutput.print((view?.stageShown ?? "").shown())
            Terminal.say("bus-node: \(InboxNotices.undone(view, at: Date()))")
        }
    }
}

/// `bus-node inbox decline`.
struct InboxDecline: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decline",
        abstract: "Withdraw what you proposed, or decline what another person did.",
        discussion: """
            An option that needs two people is proposed by one and confirmed by another. Prints \
            the stage afterwards; exits 1 when nothing is proposed.

            Example: bus-node inbox decline 01920000 --token-file ann.token --topology topology.yaml
            """)

    @OptionGroup var target: InboxTarget

    @Argument(help: "A presentation's id, or the beginning or end of one.")
    var id: String

    @Option(help: "Who declines it; the user's name when not given.")
    var by: String?

    @Flag(help: "Print the console's reply as JSON.")
    var json = false

    func run() async throws {
        try await orFail {
            let client = try target.client()
            let request = InboxRequest.decline(id: try await client.id(id))
            let item = try await request.sent(to: client, by: try await client.person(by))
            if json { return try StandardOutput.print(item) }
            try StandardOutput.print((PresentationView(json: item)?.stageShown ?? "").shown())
        }
    }
}
