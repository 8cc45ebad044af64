import Foundation
import NIOCore
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// The numbers that the documents promise are those in force. What each limit does, the tests of
/// what it limits prove, many of them with smaller numbers.
struct PromisedNumbersTests {
    private static let times = LinkTimes()
    private static let limits = LinkLimits()
    private static let settings = TopologyNode(name: "a")
    private typealias Shared = ConsoleLimits

    /// What a row of the table under "Limits" says in its second column; nil where a test measures
    /// it, which is named here.
    private static let operations: [String: String?] = [
        "a dead link": "after \(seconds(times.silenceMax)) of silence at the latest",
        "a hung process": "after \(seconds(times.silenceMax)) of silence",
        // RealSockets.Keepalive
        "a connection to a dead host (tcp)": nil,
        "a lost child": "`abandonAfter`, \(seconds(times.abandonAfter))",
        "an answer for a child that is out of reach":
            "kept \(minutes(times.lease + times.abandonAfter)) after",
        "an entry that no child asks for": minutes(times.lease),
        "a child on its second parent": "every \(seconds(times.returnEvery))",
        // UplinkPresentTests and DownlinkAnswerTests: the delays are a formula.
        "resending": nil,
        "open presentations of one child": "\(limits.openPerChildMax)",
        "open presentations of one [key](topology.md#keys) that is no relay's, over all its links":
            "\(limits.openPerKeyMax)",
        "open presentations of one node":
            "\(limits.openPerNodeMax), or its [`maxOpen`](topology.md#links); of the last eighth",
        "bytes of the reports of one [key](topology.md#keys) that is no relay's, until they are "
            + "settled": mebibytes(limits.reportBytesPerKeyMax),
        "bytes of the reports in one node, until they are settled":
            mebibytes(limits.reportBytesPerNodeMax) + "; of the last eighth",
        "large reports, above \(kibibytes(limits.largeReportBytesMin)), of one "
            + "[key](topology.md#keys) that is no relay's":
            "\(mebibytes(limits.largeReportBytesMax)) at once, "
            + "\(mebibytes(limits.largeReportBytesPerSecond)) more each second",
        "answers whose results are awaited": "\(limits.undeliveredMax) in a node",
        // RealSockets.ParentReturns prints it.
        "a parent's return": nil,
        "messages that wait to be read": mebibytes(ReceiveQueue().byteCountMax),
        "reports that a parent was sent and has not read, as its PONG says":
            "\(kibibytes(limits.unreadByteCountMax)), and one more",
        "reads and writes that wait for the [journal](#the-journal)":
            "\(GroupCommit.accessCountMax), which share a commit",
        "links that begin anew, of one child with more than \(limits.lightChildMax) presentations "
            + "that have no result":
            "\(limits.newLinksMax) at once, \(60_000 / limits.newLinkPause) more each minute",
        "answers that a child was sent and has not read, as its PONG says":
            "\(kibibytes(limits.unreadByteCountMax)), and one more",
        "results, and withdrawals by origins, from one key of a node that does not listen, about "
            + "presentations that the node does not know":
            "\(limits.lastWordsMax) at once, \(limits.lastWordsPerSecond) more each second",
        "large messages to one key, without keys to one connection":
            "\(mebibytes(LargeMessages.byteCountMax)) at once, "
            + "\(kibibytes(LargeMessages.byteCountPerSecond)) more each second",
        "what children and clients have sent over tcp and was not read":
            mebibytes(ConnectionBacklog().byteCountMax) + " of memory, while the process "
            + "has more than \(mebibytes(ConnectionBacklog().watchByteCount))",
        "lines that wait for a reader of standard error": kibibytes(ErrorOutput.byteCountMax),
        "results remembered": "\(minutes(times.tombstone)), at most \(limits.rememberedMax)",
        "withdrawals remembered for unknown presentations":
            "\(minutes(times.tombstone)), at most \(limits.unaskedMax)",
        "a report": kibibytes(JSONLimits.report.byteCount)
            + ", \(ErrorReport.Limits.optionCount) options, \(JSONLimits.report.depth) levels",
        // EndToEnd.Starved
        "descriptors": nil,
        "a path": "\(WireLimits.hopCountMax) hops",
        "a recovery attempt": minutes(OptionAttempter.timeLimitDefault.wholeMilliseconds),
        // EndToEnd.Run, EndToEnd.UnreadErrors
        "shutdown": nil,
    ]

    private static let console: [String: String?] = [
        "a body": kibibytes(Shared.bodyByteMax),
        "a header or the request's line, all of them":
            "\(kibibytes(Shared.headerByteMax)), \(kibibytes(Shared.headersByteMax)), "
            + "\(Shared.headerCountMax) headers",
        "connections": "\(Shared.connectionCountMax)",
        "of these without the token":
            "\(Shared.strangerCountMax), \(Shared.strangerCountMaxPerHost) from one address",
        "of these of one user, without a proxy": "\(Shared.connectionCountMaxPerUser)",
        // ConsoleConnectionsTests, ClientPatienceTests
        "a connection after a request without the token": nil,
        "refusals of one kind in the log": "1 in \(seconds(Shared.refusalInterval))",
        "event streams": "\(Shared.streamCountMax)",
        "of these of one user; with one `token`, from one address":
            "\(Shared.streamCountMaxPerUser); \(Shared.streamCountMaxPerAddress)",
        "sign-ins under way at an identity provider":
            "\(minutes(PendingSignIns.time.wholeMilliseconds)); "
            + "\(grouped(PendingSignIns().countMax)), "
            + "\(grouped(PendingSignIns().countMaxPerAddress)) from one address",
        "sign-ins that are completed at a time":
            "\(ConsoleSignIn.completingMax), \(ConsoleSignIn.completingMaxPerAddress) from one "
            + "address",
        "texts from one address that are no links of hooks":
            "\(BadLinks.countMax) in \(minutes(BadLinks.time.wholeMilliseconds))",
        "sessions of people who signed in there":
            "\(grouped(SignInSessions.countMax)), \(SignInSessions.countMaxPerUser) of one user",
        "a reply of the provider":
            "\(seconds(ProviderClient.requestTime)); \(kibibytes(ProviderDocument.byteCountMax)), "
            + "of its keys and tokens \(kibibytes(ProviderKeys.byteCountMax)), "
            + "\(ProviderKeys.countMax) keys",
        "a request, from its connection, with the handshake of TLS": seconds(Shared.requestTime),
        "from a response to the end of the next request":
            seconds(Shared.idleTime),
        "the record of an answer, before its reply": seconds(Shared.recordTime),
        "a search of `inbox`, `history` or `audit`; reading a presentation in a journal":
            seconds(Shared.searchTime),
        "a rule made of an answer that only the journal has":
            "\(seconds(Shared.searchTime)), one at a time; "
            + "of the latest \(HistoryArchive.alikeMax)",
        "a chart":
            "\(seconds(Shared.searchTime)); the latest \(grouped(Shared.chartEventMax)) events; "
            + "times to answer of the latest \(grouped(Shared.waitCountMax)) presentations, "
            + "\(Shared.waitPartMax) domains",
        "a trial of a policy":
            "\(seconds(Shared.searchTime)), one at a time; \(Shared.trialDaysMax) days, the latest "
            + "\(grouped(Shared.trialCountMax)) presentations; "
            + "\(kibibytes(PolicyText.byteCountMax)), \(PolicyText.openingCountMax) lists and "
            + "mappings, \(grouped(PolicyText.valueCountMax)) values",
        "what a client takes of a response at least":
            "\(kibibytes(Shared.stallByteCountMin)) in \(seconds(Shared.stallTime)), or the rest",
        "a farewell in TLS, where a connection is closed in good order":
            seconds(Shared.farewellTime),
        "a name, an option": "\(Shared.nameScalarMax) characters",
        "silences": "\(SilenceTable.activeMax) active, \(SilenceTable.endedMax) ended",
        "a claim, the time to undo":
            "\(InboxLimits().claimMax.wholeMilliseconds / 3_600_000) h, "
            + seconds(InboxLimits().undoMax),
        "the condition of a silence": "\(kibibytes(Shared.matchByteMax)) as JSON",
        "members of a group chosen for one answer, claim or release": grouped(
            Shared.chosenCountMax),
        "presentations that one answer is for without a confirmation":
            "\(Shared.unconfirmedCountMax)",
        "a note; notes of a presentation":
            "\(grouped(Shared.noteScalarMax)) characters; \(InboxLimits().noteMax)",
        "a comment": "\(grouped(ErrorReport.Limits.commentByteCount)) bytes",
        "a proposal": "\(InboxLimits().proposalMax.wholeMilliseconds / 3_600_000) h",
        "a filter's value": "\(HistoryFilter.scalarCountMax) characters",
        // Tests/BrowserTests/filter_cases.py
        "the page's filter": nil,
        "saved views of a browser; a view's name": nil,
        "saved views that a console keeps":
            "\(Shared.viewCountMaxPerUser) of one user, as many for everyone; "
            + "\(grouped(Shared.viewCountMax)) in all",
        "a page of a list":
            "\(grouped(Shared.pageMax)); by default \(Shared.itemCountMax), of `audit` "
            + "\(Shared.auditPage)",
        "open presentations": grouped(InboxLimits().openMax),
        "ended presentations":
            "\(grouped(InboxLimits().endedMax)), with about "
            + "\(mebibytes(InboxLimits().endedByteMax)) of reports",
        "a description in a list": "\(grouped(Shared.descriptionScalarMax)) characters",
        "audit events without a journal": grouped(Shared.auditEventMax),
        "shutdown": "0.\(Shared.shutdownTime.wholeMilliseconds / 100) s",
    ]

    /// Numbers in sentences of operations.md.
    private static let sentences = [
        "`abandonAfter`, \(seconds(settings.abandonAfter))",
        "With \(grouped(JournalSchema.announcedRowCount)) rows or more the log has a line",
        "logged after \(seconds(times.parentMissing));",
        "repeated every \(minutes(times.parentMissingAgain))",
        "its deadline, by default \(times.bareWaitMax / 60_000) minutes",
        "kept for \(retention.age.wholeMilliseconds / 86_400_000) days from their end, at most "
            + "\(grouped(retention.count)) of them, in at most \(retention.megabytes) MiB",
        "asked more than \(limits.statesPerSecondMax) times a second",
    ]

    private static let retention = JournalRetention()

    private static func seconds(_ milliseconds: UInt64) -> String { "\(milliseconds / 1_000) s" }
    private static func seconds(_ time: Duration) -> String { seconds(time.wholeMilliseconds) }
    private static func seconds(_ time: TimeAmount) -> String {
        "\(time.nanoseconds / 1_000_000_000) s"
    }
    private static func minutes(_ milliseconds: UInt64) -> String { "\(milliseconds / 60_000) min" }
    private static func kibibytes(_ count: Int) -> String { "\(count / 1_024) KiB" }
    private static func mebibytes(_ count: Int) -> String { "\(count >> 20) MiB" }
    private static func grouped(_ count: Int) -> String {
        count < 1_000 ? "\(count)" : "\(count / 1_000),\("\(1_000 + count % 1_000)".dropFirst())"
    }

    private static func text(
        _ file: String, in folder: String = "docs"
    ) throws -> String {
        let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return try String(
            contentsOf: repository.appendingPathComponent("\(folder)/\(file)"), encoding: .utf8)
    }

    /// The first two columns of the table under "## Limits".
    private static func table(of document: String) throws -> [(name: String, limit: String)] {
        let section = try text(document).components(separatedBy: "\n## Limits\n").last ?? ""
        let rows = section.split(separator: "\n", omittingEmptySubsequences: false)
            .drop { !$0.hasPrefix("| --- ") }.dropFirst().prefix { $0.hasPrefix("|") }
        return rows.map { row in
            let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            return (cells[0], cells[1])
        }
    }

    @Test(
        "Every row of the limits has the number in force, or a test that measures it",
        arguments: [("operations.md", operations), ("console.md", console)])
    func rows(document: String, promised: [String: String?]) throws {
        let rows = try Self.table(of: document)
        #expect(Set(rows.map(\.name)) == Set(promised.keys))
        for (name, limit) in rows {
            guard let expected = promised[name] ?? nil else { continue }
            #expect(limit.contains(expected), "\(name)")
        }
    }

    @Test(
        "Every number in a sentence is the one in force",
        arguments: [
            ("operations.md", sentences),
            (
                "answering.md",
                [
                    "At most \(grouped(TerminalPresenter.waitingMax)) prompts wait at a terminal",
                    "When lines come within \(HeldLines.pauseMilliseconds) ms of each other",
                ]
            ),
            ("console.md", ["when \(grouped(TerminalPresenter.waitingMax)) prompts wait there"]),
            (
                "sign-in.md",
                [
                    "has at most \(grouped(ConsoleUsers.countMax)) users",
                    "more than \(grouped(ConsoleSessions.endedCountMax)) times",
                ]
            ),
            ("topology.md", ["`--to ENDPOINT` gives up after \(seconds(settings.grace)); below"]),
        ])
    func sentence(document: String, promised: [String]) throws {
        let words = try Self.text(document).split(whereSeparator: \.isWhitespace)
        let text = words.joined(separator: " ")
        for sentence in promised { #expect(text.contains(sentence), "\(sentence)") }
    }

    @Test(
        "The limits that the page knows are the server's",
        arguments: [
            ("group.js", "CHOSEN_MAX = \(ConsoleLimits.chosenCountMax);"),
            ("group.js", "REASON_MAX = \(ConsoleLimits.descriptionScalarMax);"),
            ("answering.js", "LARGE = \(ConsoleLimits.unconfirmedCountMax);"),
            ("values.js", "LENGTH_MAX = \(ErrorReport.Limits.valueScalarCount);"),
            ("comment.js", "BYTES_MAX = \(ErrorReport.Limits.commentByteCount);"),
            ("saved-views.js", "VIEW_MAX = \(ConsoleLimits.viewCountMaxPerUser);"),
            ("saved-views.js", "NAME_MAX = \(ConsoleLimits.viewNameScalarMax);"),
            ("filter.js", "FILTER_MAX = \(ConsoleLimits.viewFilterScalarMax);"),
            ("console.html", #""noteText" rows="4" data-max="\#(ConsoleLimits.noteScalarMax)""#),
            (
                "console.html",
                #""silenceComment" rows="2" data-max="\#(ConsoleLimits.commentScalarMax)""#
            ),
        ])
    func page(file: String, limit: String) throws {
        let text = try Self.text(file, in: "Sources/BusNodeKit/Console/Page")
        #expect(text.contains(limit))
    }
}
