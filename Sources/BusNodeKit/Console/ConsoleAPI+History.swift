import ErrorBus
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

// The past: presentations and events, by filter, newest first, as JSON or CSV. And the health.
extension ConsoleAPI {
    func pastPresentations(_ request: Request) async throws -> Response {
        let query = try QueryFields(request.uri.query)
            .allowing(["limit", "format"] + HistoryFilter.names)
        let filter = try query.filter()
        let limit = try query.limit(else: ConsoleLimits.itemCountMax)
        let format = try query.format
        guard let kept = console.kept else {
            throw APIProblem(.notFound, "notKept", "no history: the node has no journal")
        }
        try await write(to: kept)
        var page = try await searched {
            try await kept.archive.presentations(filter, console: kept.console, limit: limit)
        }
        page.entries = page.entries.map { console.linked($0) }
        return response(page, "presentations", format)
    }

    /// Writes the changes that the journal lacks, so that a search finds them.
    func write(to kept: Console.Kept) async throws(APIProblem) {
        guard await kept.keeper.write() else {
            throw APIProblem(
                .internalServerError, "notStored",
                "the journal cannot be written, and the history lacks what came last: see the "
                    + "audit, which has it, and the node's log for the reason")
        }
    }

    /// A presentation of the inbox, else of the journal.
    func presentation(_ id: PresentationID) async throws -> JSONValue {
        do throws(APIProblem) {
            return try await detail(id)
        } catch {
            guard error.word == "unknown", let past = try await archived(id) else {
                throw error
            }
            return past
        }
    }

    /// A presentation that the inbox has forgotten; nil when the node keeps none with this id.
    private func archived(_ id: PresentationID) async throws -> JSONValue? {
        guard let kept = console.kept else { return nil }
        try await write(to: kept)
        let found: HistoryEntry? = try await searched(advising: "try again later") {
            try await kept.archive.presentation(id, console: kept.console)
        }
        guard let found else { return nil }
        var object = console.linked(found).json.objectValue ?? [:]
        object["archived"] = .bool(true)
        object["outcome"] = .text(found.outcome)
        object["history"] = await events(of: id).json
        return .object(object)
    }

    /// The result of a search, which ends when it takes too long, so that others get their turn.
    func searched<Page: Sendable>(
        advising advice: String = "give since and until, or another text",
        _ search: @escaping @Sendable () async throws -> Page
    ) async throws -> Page {
        let found = await withTimeLimit(ConsoleLimits.searchTime, clock: clock) {
            do { return Result<Page, any Error>.success(try await search()) } catch {
                return .failure(error)
            }
        }
        guard let found else {
            let seconds = ConsoleLimits.searchTime / .seconds(1)
            throw APIProblem(
                .serviceUnavailable, "tooSlow",
                "the search did not end within \(Int(seconds)) s: \(advice)")
        }
        do {
            return try found.get()
        } catch let failure as Failure where [.noInput, .badData].contains(failure.status) {
            console.logger.error(
                "console: history not read", metadata: ["problem": "\(failure.text)"])
            throw APIProblem(
                .internalServerError, "notRead",
                "the journal cannot be read, and the history is in it: see the node's log for the "
                    + "reason")
        }
    }

    func audit(_ request: Request) async throws -> Response {
        let names = HistoryFilter.names.filter { !["severity", "end"].contains($0) }
        let query = try QueryFields(request.uri.query).allowing(["limit", "format"] + names)
        let filter = try query.filter()
        let limit = try query.limit(else: ConsoleLimits.auditPage)
        let format = try query.format
        guard let kept = console.kept else {
            let page = try await searched { [console] in
                try await console.history.page(filter, limit: limit)
            }
            return response(page, "events", format)
        }
        var page = HistoryPage<EventView>(entries: [], next: nil)
        if await !kept.keeper.write() {
            // What the journal does not take is here alone.
            let written = await kept.keeper.seenEvents
            page = try await searched { [console] in
                try await console.history.page(filter, limit: limit, after: written)
            }
        }
        let rest = limit - page.entries.count
        if page.next == nil, rest > 0 {
            let stored = try await searched {
                try await kept.archive.events(filter, console: kept.console, limit: rest)
            }
            page = HistoryPage(entries: page.entries + stored.entries, next: stored.next)
        }
        return response(page, "events", format)
    }

    /// The events of a presentation, oldest first; with a journal also events that are no longer in
    /// memory.
    func events(of id: PresentationID) async -> [EventView] {
        let recent = console.history.events(of: id).map(\.view)
        guard let kept = console.kept, let start = console.history.start else { return recent }
        let begin = TimeText.text(start)
        do throws(Failure) {
            let known = Set(recent.lazy.filter { $0.time == begin }.map(\.sentence))
            return try await kept.archive.events(of: id, console: kept.console, upTo: begin)
                .filter { $0.time < begin || !known.contains($0.sentence) } + recent
        } catch {
            console.logger.warning(
                "console: earlier events not read", metadata: ["error": "\(error)"])
            return recent
        }
    }

    private func response<Entry>(
        _ page: HistoryPage<Entry>, _ name: String, _ format: ListFormat
    ) -> Response {
        guard format == .csv else {
            return Response(
                .object([
                    name: page.entries.json, "next": .text(page.next),
                    "limitMax": .count(ConsoleLimits.pageMax),
                ]))
        }
        var headers: HTTPFields = [
            .contentType: "text/csv; charset=utf-8; header=present",
            .contentDisposition: "attachment; filename=\"\(name).csv\"",
        ]
        if let next = page.next, let field = HTTPField.Name("Next-Until") { headers[field] = next }
        return Response(
            status: .ok, headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(string: CSVText.text(page.entries))))
    }

    static let stuck = APIProblem(.serviceUnavailable, "stuck", "the node does not respond")

    /// Whether the node's thread works, and in a word whether its journal is written: a restart
    /// makes no room on a disk. Without data, since strangers may send this request too.
    func health(
        asking node: @escaping @Sendable () async -> TableSizes
    ) async throws(APIProblem) -> JSONValue {
        Self.health(isFailing: try await isJournalFailing(asking: node))
    }

    /// The health of a node that sends the answers it gets.
    ///
    /// - Throws: Also while its journal cannot be written.
    func readiness(
        asking node: @escaping @Sendable () async -> TableSizes
    ) async throws(APIProblem) -> JSONValue {
        let isFailing = try await isJournalFailing(asking: node)
        guard isFailing != true else {
            throw APIProblem(
                .serviceUnavailable, "notStored",
                "the journal cannot be written, and no answer is sent until it can be")
        }
        return Self.health(isFailing: isFailing)
    }

    private static func health(isFailing: Bool?) -> JSONValue {
        guard let isFailing else { return ["status": "ok"] }
        return ["status": "ok", "journal": isFailing ? "notWritten" : "written"]
    }

    /// Whether the journal of a node that responds cannot be written; nil without a journal.
    private func isJournalFailing(
        asking node: @escaping @Sendable () async -> TableSizes
    ) async throws(APIProblem) -> Bool? {
        guard await withTimeLimit(ConsoleLimits.statusTime, clock: clock, operation: node) != nil
        else { throw Self.stuck }
        return await console.kept?.keeper.isFailing
    }
}

extension Array {
    /// The first elements that hold a condition. After some of them others get their turn, and a
    /// search that was cancelled ends.
    func selected(
        upTo limit: Int = .max, _ isSelected: @Sendable (Element) -> Bool
    ) async throws -> [Element] {
        var found: [Element] = []
        for (place, element) in enumerated() where found.count < limit {
            if place % ConsoleLimits.searchedAtOnce == 0 {
                await Task.yield()
                try Task.checkCancellation()
            }
            if isSelected(element) { found.append(element) }
        }
        return found
    }
}

/// The form of an exported list.
enum ListFormat: String, CaseIterable {
    case json, csv
}

extension QueryFields {
    func limit(else usual: Int) throws(APIProblem) -> Int {
        try number("limit", in: 1...ConsoleLimits.pageMax) ?? usual
    }

    var format: ListFormat {
        get throws(APIProblem) {
            try word("format", among: ListFormat.allCases.map(\.rawValue))
                .flatMap { ListFormat(rawValue: $0) } ?? .json
        }
    }
}

extension HistoryEntry {
    /// The end in words for people; nil for a presentation that was open at its last change in the
    /// journal.
    fileprivate var outcome: String? {
        HistoryRow.openStages.contains(stage) ? nil : ending ?? stage
    }
}

extension AuditHistory {
    /// The events in memory that match, newest first, without the first `seen` ones of this life.
    func page(
        _ filter: HistoryFilter, limit: Int, after seen: Int? = nil
    ) async throws -> HistoryPage<EventView> {
        // By the keys that pages begin with: of events of several threads a later number may have
        // an earlier time.
        let events = numbered.reversed().prefix { $0.number > seen ?? 0 }
            .map { (number: $0.number, event: $0.event, key: Self.key($0.number, $0.event)) }
            .sorted { $0.key > $1.key }
        let found = try await events.selected(upTo: limit + 1) { entry in
            filter.matches(entry.event, entry.key)
        }
        // The first ones are in the journal: a page that is full here is not known to be the last.
        let mayHaveMore = found.count > limit || seen != nil && found.count == limit
        return HistoryPage(
            entries: found.prefix(limit).map(\.event.view),
            next: mayHaveMore ? found[limit - 1].key : nil)
    }

    private static func key(_ number: Int, _ event: Event) -> String {
        HistoryEventRow.timeKey(TimeText.text(event.time), number)
    }
}
