import ArgumentParser
import ErrorBus
import Foundation
import NIOCore
import NIOHTTP1

/// `bus-node inbox watch`.
struct InboxWatch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Print what is open, then every change, until Ctrl-C.",
        discussion: """
            A line for each presentation that changed. A connection that ends is made again, and \
            nothing in between is missed. Exits 69 when no console is there at the start.

            Example: bus-node inbox watch --to http://127.0.0.1:8080 --json
            """)

    /// Between two tries to be connected again.
    private static let pause: Duration = .seconds(1)

    @OptionGroup var target: InboxTarget

    @Flag(help: "Print each presentation as a line of JSON.")
    var json = false

    func run() async throws {
        try await orFail {
            let client = try target.client()
            let list = try await client.get("/inbox?stage=open&limit=10000")
            try show(list["items"]?.arrayValue ?? [])
            var last = "\(list["revision"]?.integerValue ?? 0)"
            while true {
                do {
                    try await follow(client, from: &last)
                } catch let failure as Failure {
                    throw failure
                } catch {
                    Terminal.say("bus-node: \(client.shownAddress): \("\(error)".shown())")
                }
                try await Task.sleep(for: Self.pause)
            }
        }
    }

    /// Returns when the connection ends.
    private func follow(_ client: ConsoleClient, from last: inout String) async throws {
        var stream = EventLines(byteCountMax: HTTPExchange.bodyByteMax)
        var revision = last
        defer { last = revision }
        try await client.exchange(.GET, "/events", lastEvent: last).run { part in
            switch part {
            case .head(let head):
                guard head.status == .ok else {
                    throw ConsoleClient.failure(Int(head.status.code), .null)
                }
            case .body(let bytes):
                for event in stream.take(bytes.readableBytesView) {
                    revision = event.id ?? revision
                    try show(event)
                }
            case .end: return false
            }
            return true
        }
    }

    private func show(_ event: EventLines.Event) throws {
        let limits = ConsoleClient.limits
        guard event.name == "change",
            let change = try? JSONValue.parse(Array(event.data.utf8), limits: limits)
        else { return }
        try show(change["items"]?.arrayValue ?? [])
    }

    private func show(_ items: [JSONValue]) throws {
        try StandardOutput.print(
            items.map { item in
                json ? String(decoding: item.encoded(), as: UTF8.self) : Self.line(item)
            })
    }

    private static func line(_ item: JSONValue) -> String {
        let options = item["stage"] == "open" ? " (\(item.optionIDs.joined(separator: " ")))" : ""
        return [
            item.text("changedAt"), item.text("id"), InboxRows.stage(item), item.text("severity"),
            item.text("origin"), item.text("description") + options,
        ].joined(separator: "  ").shown()
    }
}
