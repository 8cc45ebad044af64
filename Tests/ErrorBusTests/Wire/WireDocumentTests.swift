import Foundation
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// docs/wire.md has the verbs, fields, codes and limits of the code, and no others.
@Suite struct WireDocumentTests {
    private static func page() throws -> String {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../docs/wire.md")
        return try String(contentsOf: file, encoding: .utf8)
    }

    private static func section(_ heading: String) throws -> String {
        let parts = try page().components(separatedBy: "\n## \(heading)\n")
        let rest = try #require(parts.count == 2 ? parts.last : nil, "no section \(heading)")
        return rest.components(separatedBy: "\n## ")[0]
    }

    /// The cells of the first table in a section, by row.
    private static func table(_ heading: String) throws -> [[String]] {
        let lines = try section(heading).split(separator: "\n", omittingEmptySubsequences: false)
        let rows = lines.drop { !$0.hasPrefix("| --- ") }.dropFirst().prefix { $0.hasPrefix("|") }
        return rows.map { row in
            row.dropFirst().dropLast().components(separatedBy: "|")
                .map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    // MARK: Verbs and fields

    /// A verb as the table of section 5 has it.
    private struct Row {
        let verb: String
        let direction: String
        let fields: [String]
        let required: Set<String>
        let hasPayload: Bool
    }

    private static func rows() throws -> [Row] {
        try table("5. Verbs").flatMap { cells in
            let fields = cells[2].replacing(#/\([^)]*\)/#, with: "").split(separator: " ")
            let required = fields.filter { $0.hasSuffix("\\*") }.map { String($0.dropLast(2)) }
            let names = fields.map { $0.hasSuffix("\\*") ? String($0.dropLast(2)) : String($0) }
            return cells[0].components(separatedBy: ", ").map { verb in
                Row(
                    verb: verb, direction: cells[1], fields: names, required: Set(required),
                    hasPayload: !cells[3].isEmpty)
            }
        }
    }

    private static func row(of verb: Verb) throws -> Row {
        let row = try rows().first { $0.verb == verb.rawValue }
        return try #require(row, "no row of \(verb.rawValue)")
    }

    @Test("the grammar and the table have every verb, with its direction")
    func verbs() throws {
        let known = Verb.allCases.map(\.rawValue).sorted()
        let grammar = try Self.section("3. Grammar")
        let rule = try #require(grammar.firstMatch(of: #/\nverb +=([^=]*)\nheader /#))
        #expect(rule.1.matches(of: #/%s"([A-Z]+)"/#).map { String($0.1) }.sorted() == known)
        let rows = try Self.rows()
        #expect(rows.map(\.verb).sorted() == known)
        for row in rows {
            let verb = try #require(Verb(rawValue: row.verb))
            let direction = verb.goesUp && verb.goesDown ? "both" : verb.goesUp ? "U" : "D"
            #expect(row.direction == direction, "\(row.verb)")
        }
    }

    private func read(
        _ verb: Verb, _ header: Frame, _ payload: Frame
    ) throws(WireError) -> Message {
        let frames = [WireLimits.magic, Frame(verb.rawValue.utf8), header, payload]
        return try Message(frames: frames[...])
    }

    private func frame(_ fields: [Header.Field]) -> Frame {
        var header = Header()
        header.append(fields)
        return header.frame
    }

    @Test("a verb writes the fields of its row in their order", arguments: Verb.allCases)
    func written(_ verb: Verb) throws {
        let row = try Self.row(of: verb)
        let samples = Message.samples.filter { $0.verb == verb }.map(\.frames)
        let written = try samples.map { frames in
            try Header(frames[2]).fields.map(\.name).filter { !$0.hasPrefix("x-") }
        }
        for names in written { #expect(names == row.fields.filter(names.contains)) }
        #expect(Set(written.joined()) == Set(row.fields))
        let payloads = samples.filter { !$0[3].isEmpty }
        #expect(payloads.isEmpty != row.hasPayload)
    }

    @Test("only the fields with a star are required", arguments: Verb.allCases)
    func required(_ verb: Verb) throws {
        let row = try Self.row(of: verb)
        for sample in Message.samples where sample.verb == verb {
            let fields = try Header(sample.frames[2]).fields
            for field in fields {
                let rest = frame(fields.filter { $0 != field })
                var isMissed = false
                do throws(WireError) {
                    _ = try read(verb, rest, sample.frames[3])
                } catch {
                    isMissed = error.reason.contains("field \(field.name) is missing")
                }
                #expect(isMissed == row.required.contains(field.name), "\(field.name)")
            }
        }
    }

    @Test("a field of other verbs is unknown to a verb", arguments: Verb.allCases)
    func foreign(_ verb: Verb) throws {
        let own = try Self.row(of: verb).fields
        let sample = try #require(Message.samples.first { $0.verb == verb })
        let fields = try Header(sample.frames[2]).fields
        for name in Set(try Self.rows().flatMap(\.fields)).subtracting(own) {
            let more = frame(fields + [Header.Field(name: name, value: "?")])
            let message = try read(verb, more, sample.frames[3])
            switch verb {
            // Passed on.
            case .present, .answer: #expect(message.frames[2] == more, "\(name)")
            default: #expect(message == sample, "\(name)")
            }
        }
    }

    // MARK: Status

    @Test("section 15 has the keys of STATE, and those of the objects in it")
    func state() throws {
        let rows = try Self.table("15. Status")
        func names(_ cell: String, _ pattern: Regex<(Substring, Substring)>) -> [String] {
            cell.matches(of: pattern).map { String($0.1) }.sorted()
        }
        let keys = rows.map { $0[0] }.joined(separator: " ")
        #expect(names(keys, #/`([A-Za-z]+)`/#) == NodeStatus.members.map(\.name).sorted())
        let inner = [
            "`parents`": ParentStatus.members.map(\.name),
            "`children`": ChildStatus.members.map(\.name),
            "`faults`": NotedFault.members.map(\.name),
        ]
        for (key, members) in inner {
            let row = try #require(rows.first { $0[0] == key }, "\(key)")
            #expect(names(row[1], #/"([A-Za-z]+)"/#) == members.sorted(), "\(key)")
        }
        let counters = try #require(rows.first { $0[0] == "`counters`" })
        #expect(
            names(counters[1], #/`([A-Za-z]+)`/#) == LinkCounters.members.map(\.name).sorted())
    }

    // MARK: Digest

    @Test("section 8 has the digests that a node computes of its examples")
    func digests() throws {
        let text = try Self.section("8. A presentation's life")
            .split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let examples = text.matches(of: #/[Tt]he digest of `([^`]+)` is `([0-9a-f]{16})`/#)
        #expect(examples.map { String($0.1.prefix(2)) } == ["{}", "{\""])
        for example in examples {
            let computed = ReportDigest(of: Array(example.1.utf8)).description
            #expect(computed == String(example.2), "\(example.1)")
        }
    }

    // MARK: Refusals

    @Test("the codes are those of the code")
    func codes() throws {
        let codes = try Self.table("12. Refusals").map { $0[0] }
        #expect(codes == RejectCode.allCases.map { "\($0.rawValue)" })
    }

    private static let id = PresentationID(1)

    /// What the origin has sent, and which REJECT replies to it.
    private static func asked() -> [(name: String, rig: UplinkRig)] {
        var request = UplinkRig.request(id)
        request.present.digest = ReportDigest(of: Message.samplePayload)
        var asking = UplinkRig.live()
        _ = asking.machine.presented(request, at: asking.now)
        var accepted = asking
        _ = accepted.get(.accepted(id: id, attempt: 1))
        var withdrawing = accepted
        _ = withdrawing.withdraw(id)
        var settled = accepted
        _ = settled.get(.answer(id, .decision()))
        _ = settled.settle(id)
        settled.reconnect()
        _ = settled.get(UplinkRig.welcome(boot: 51))
        return [
            ("PRESENT", asking), ("after ACCEPTED", accepted), ("WITHDRAW", withdrawing),
            ("SETTLED", settled),
        ]
    }

    private static func reaction(
        to code: RejectCode, retry: UInt64?, after rig: UplinkRig
    ) -> String {
        var rig = rig
        let before = rig.machine.entries[id]
        let reject = Message.Reject(code, "", id: id, retryMilliseconds: retry)
        let actions = rig.get(.reject(reject))
        let after = rig.machine.entries[id]
        if actions.refusals == [code] { return (["ends"] + names(actions)).joined(separator: ", ") }
        let goesOn =
            after?.phase == before?.phase && after?.resending == before?.resending
            && after?.knownIn == before?.knownIn
        if goesOn { return "goes on" }
        if after?.isOpen == false { return "done" }
        return after?.lastRefusal == reject ? "waits" : names(actions).joined(separator: ", ")
    }

    private static func names(_ actions: [UplinkAction]) -> [String] {
        actions.verbs.map(\.rawValue)
    }

    /// The table of what a child does, as it has to be.
    private static func reactions() -> String {
        let asked = Self.asked()
        let head = "| code | " + asked.map(\.name).joined(separator: " | ") + " | reason |"
        let rule = "|" + String(repeating: " --- |", count: asked.count + 2)
        let rows = RejectCode.allCases.map { code in
            let cells = asked.map { start in
                let plain = reaction(to: code, retry: nil, after: start.rig)
                let later = reaction(to: code, retry: 8_000, after: start.rig)
                return plain == later ? plain : "\(plain); with `retry-ms` \(later)"
            }
            let outcome = Outcome(.refused(.init(code, "")), at: "origin")
            let reason = cells.contains { $0.hasPrefix("ends") } ? "`\(outcome.reason)`" : "–"
            return "| \(code.rawValue) | " + (cells + [reason]).joined(separator: " | ") + " |"
        }
        return ([head, rule] + rows).joined(separator: "\n") + "\n"
    }

    /// Where they differ, the failure prints the table as it should be.
    @Test("section 12 says what a child does at each code")
    func refusals() throws {
        let table = Self.reactions()
        #expect(try Self.section("12. Refusals").contains(table), "section 12 lacks:\n\(table)")
    }

    // MARK: Limits

    private typealias Report = ErrorReport.Limits
    private static let limits = LinkLimits()
    private static let times = LinkTimes()
    private static let json = JSONLimits.report
    private static func kibibytes(_ count: Int) -> String { "\(count >> 10) KiB" }
    private static func mebibytes(_ count: Int) -> String { "\(count >> 20) MiB" }
    private static func seconds(_ time: UInt64) -> String { "\(time / 1_000) s" }
    private static func minutes(_ time: UInt64) -> String { "\(time / 60_000) minutes" }

    /// What a row of section 11 has in its second column.
    private static let promised: [String: String] = [
        "envelope":
            "\(WireLimits.envelopeFrameCountMax) frames of "
            + "\(WireLimits.envelopeFrameByteCountMax) bytes",
        // MessageTests has every other number.
        "frames after it": "4, or 1 in bare mode",
        "header": "\(WireLimits.standard.headerByteCountMax) bytes",
        "payload": "\(WireLimits.standard.payloadByteCountMax) bytes",
        // ZMQSocket sets it from the limit of a payload.
        "a frame of any sort": mebibytes(4 * WireLimits.standard.payloadByteCountMax),
        "open presentations per child, answered ones not counted": "\(limits.openPerChildMax) for",
        "open presentations of one key that is not of a node that listens, over all links":
            "\(limits.openPerKeyMax)",
        "open presentations per node": "\(limits.openPerNodeMax); of the last eighth",
        "bytes of the reports of one key that is not of a node that listens, until they are "
            + "settled": mebibytes(limits.reportBytesPerKeyMax),
        "bytes of the reports per node, until they are settled":
            mebibytes(limits.reportBytesPerNodeMax) + "; of the last eighth",
        "reports above \(limits.largeReportBytesMin) bytes of one key that is not of a node that "
            + "listens":
            mebibytes(limits.largeReportBytesMax) + " at once, "
            + mebibytes(limits.largeReportBytesPerSecond) + " more each second",
        "children; with one key": "\(limits.childrenMax); \(limits.childrenPerKeyMax)",
        "links that begin anew, of one child with more than \(limits.lightChildMax) presentations "
            + "without a result":
            "\(limits.newLinksMax) at once, \(60_000 / limits.newLinkPause) more each minute",
        "presentations that a node has open upward": "\(limits.openUpwardMax)",
        "reports on their way to a parent that has not said that it has read them":
            "\(limits.unreadByteCountMax >> 10) KiB,",
        "answers on their way to a child that has not said that it has read them, each with 512 "
            + "bytes for its header": "\(limits.unreadByteCountMax >> 10) KiB,",
        "answers that wait for SETTLED": "\(limits.undeliveredMax)",
        "results and withdrawals kept; withdrawals of what was never asked":
            "\(limits.rememberedMax); \(limits.unaskedMax)",
        "results and withdrawals passed on for unknown ids, not yet confirmed":
            "\(limits.rememberedMax)",
        "names in `path`": "\(WireLimits.hopCountMax)",
        "options; title; option id":
            "\(Report.optionCount); \(Report.titleScalarCount) scalars; "
            + "\(Report.optionIDByteCount) characters",
        "fields of an option; of all options":
            "\(Report.fieldCount); \(Report.fieldCountOfReport)",
        "name and label of a field; its choices; each of them":
            "\(Report.fieldNameByteCount) characters and \(Report.titleScalarCount) scalars; "
            + "\(Report.choiceCount); \(Report.titleScalarCount) scalars",
        "a pattern; compiled":
            "\(RegexPattern.scalarCountMax) scalars; \(RegexPattern.instructionCountMax) "
            + "instructions, groups nested \(RegexPattern.depthMax) deep",
        "a value": "\(Report.valueScalarCount) scalars",
        "a comment": "\(Report.commentByteCount) bytes of UTF-8",
        "JSON nesting; values; bytes of a key":
            "\(json.depth); \(json.valueCount); \(json.keyByteCount)",
        "combining marks in a row, in any key or text of the JSON": "\(json.markRunCount)",
        "`domain`; `coalesceKey`": "\(Report.domainScalarCount) scalars each",
        "underlying errors, however nested": "\(Report.underlyingErrorCount)",
        "a bare request without a deadline": minutes(times.bareWaitMax),
        "a bare request's deadline": "\(WireLimits.bareDeadlineMillisecondsMax) (a day)",
        "STATUS in a second, from one key, and from all peers without one together":
            "\(limits.statesPerSecondMax)",
        "children in STATE": "\(NodeStatus.childrenMax)",
        "results and withdrawals of unknown ids, from one key that is not of a node that listens":
            "\(limits.lastWordsMax) at once, \(limits.lastWordsPerSecond) more each second",
        "messages above \(LargeMessages.byteCountMin) bytes to one key, without keys to one "
            + "connection":
            mebibytes(LargeMessages.byteCountMax) + " at once, "
            + kibibytes(LargeMessages.byteCountPerSecond) + " more each second",
        "fields in a header": "\(WireLimits.headerFieldCountMax)",
        "`reason`, `by`": "\(WireLimits.textScalarCountMax) scalars",
        "`wait-ms`": "\(WireLimits.waitMillisecondsMax)",
        "tombstone": minutes(times.tombstone),
    ]

    @Test("section 11 has the limits in force")
    func inForce() throws {
        let rows = try Self.table("11. Limits")
        #expect(rows.map { $0[0] }.sorted() == Self.promised.keys.sorted())
        for row in rows {
            let limit = Self.promised[row[0]] ?? "none"
            #expect("\(row[1]) ".hasPrefix("\(limit) "), "\(row[0])")
        }
    }

    /// Numbers in sentences, by section.
    private static let sentences: [(String, String)] = [
        ("4. Frames", "at most \(WireLimits.standard.headerByteCountMax) bytes in all"),
        ("4. Frames", "have at most \(WireLimits.fieldNameByteCountMax) characters"),
        ("4. Frames", "at most \(WireLimits.headerFieldCountMax) fields, no folding"),
        ("4. Frames", "it passes on \(Answer.unknownFieldCountMax) unknown fields"),
        ("4. Frames", "at most \(WireLimits.standard.payloadByteCountMax) bytes. PRESENT"),
        ("4. Frames", "at most \(WireLimits.textScalarCountMax) scalars"),
        ("7. Links", "After \(seconds(times.pingAfter)) of silence a side sends PING"),
        ("7. Links", "after \(seconds(times.silenceMax)) without any such frame"),
        ("7. Links", "answers within \(seconds(times.nameProbe)), the newcomer"),
        ("7. Links", "a new one made after \(times.rebuildAfter) ms"),
        ("7. Links", "`abandonAfter` (default \(seconds(times.abandonAfter)))"),
        ("7. Links", "(\((times.lease + times.abandonAfter) / 60_000) minutes by default)"),
        ("7. Links", "after \(seconds(times.wayMax)) for each name in the `path`"),
        ("7. Links", "the earlier ones about every \(seconds(times.returnEvery))"),
        ("7. Links", "need not wait longer than \(seconds(times.leaveMax)), and for SETTLED"),
        ("7. Links", "SHOULD NOT wait longer than \(seconds(times.leaveResultMax))"),
        ("8. A presentation's life", "its result for \(minutes(times.tombstone)) after the end"),
        ("8. A presentation's life", "in \(minutes(times.lease)) (the **lease**)"),
        ("8. A presentation's life", "back for \(seconds(times.abandonPause)): the origin"),
        (
            "8. A presentation's life",
            "within \(seconds(times.silenceMax + times.abandonAfter)) of its start"
        ),
        (
            "8. A presentation's life",
            "is \(seconds(times.lease - times.silenceMax)) old (the lease without "
                + "\(seconds(times.silenceMax)) of silence)"
        ),
        ("9. Resending and time", "for at most \(times.holdBack) ms"),
        ("10. Identity and direction", "of more than \(WireLimits.hopCountMax) names"),
    ]

    @Test("every number in a sentence is the one in force", arguments: sentences)
    func sentence(section: String, text: String) throws {
        let words = try Self.section(section).split(whereSeparator: \.isWhitespace)
        #expect(words.joined(separator: " ").contains(text))
    }
}
