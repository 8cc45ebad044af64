import ErrorBus
import ErrorBusTesting
import HTTPTypes
import Logging
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import BusNodeKit

/// A client without the token keeps no other out, and does not fill the log.
struct ConsoleConnectionsTests {
    private let connections = ConsoleConnections()

    private func connect(from host: String) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel()
        try channel.connect(to: SocketAddress(ipAddress: host, port: 1)).wait()
        channel.remoteAddress = try SocketAddress(ipAddress: host, port: 1)
        connections.add(channel)
        channel.embeddedEventLoop.run()
        return channel
    }

    private func connectKnown() throws -> EmbeddedChannel {
        let channel = try connect(from: "10.0.0.1")
        try connections.know(channel)
        return channel
    }

    private func openCount(_ channels: [EmbeddedChannel]) -> Int {
        for channel in channels { channel.embeddedEventLoop.run() }
        return channels.filter(\.isActive).count
    }

    @Test("Of too many strangers from one host the oldest is closed; a client with the token stays")
    func perHost() throws {
        let known = try connect(from: "10.0.0.1")
        try connections.know(known)
        let elsewhere = try connect(from: "10.0.0.2")
        let strangers = try (0..<500).map { _ in try connect(from: "10.0.0.1") }
        #expect(openCount(strangers) == ConsoleLimits.strangerCountMaxPerHost)
        let newest = strangers.suffix(ConsoleLimits.strangerCountMaxPerHost)
        #expect(newest.allSatisfy { $0.isActive })
        #expect(known.isActive && elsewhere.isActive)
    }

    @Test("Strangers from many hosts leave slots to clients with the token")
    func manyHosts() throws {
        let known = try (0..<40).map { _ in try connectKnown() }
        let strangers = try (1..<250).map { try connect(from: "10.1.0.\($0)") }
        #expect(openCount(strangers) == ConsoleLimits.strangerCountMax)
        #expect(strangers.last?.isActive == true)
        #expect(openCount(known) == 40)
        let more = try (0..<88).map { _ in try connectKnown() }
        // Up to the last one: then all slots are theirs.
        #expect(openCount(known + more) == ConsoleLimits.connectionCountMax)
        #expect(openCount(strangers) == 0)
    }

    @Test("One user leaves connections to others; a closed one makes room, many share a proxy's")
    func perUser() throws {
        let count = ConsoleLimits.connectionCountMaxPerUser
        let own = try (0..<count).map { _ in try connectKnown() }
        for channel in own { try connections.know(channel, of: SignedInPerson("anna")) }
        let next = try connectKnown()
        let problem = #expect(throws: APIProblem.self) {
            try connections.know(next, of: SignedInPerson("anna"))
        }
        #expect(
            problem.map { "\($0.status.code) \($0.word): \($0.message)" }
                == "429 tooManyConnections: connections of anna: the limit of \(count) at a time "
                + "is reached; close pages or programs of this user")
        // Another request on a connection that is counted.
        try connections.know(own[0], of: SignedInPerson("anna"))
        try connections.know(next, of: SignedInPerson("ben"))
        try connections.know(connectKnown())
        own[1].close(promise: nil)
        own[1].embeddedEventLoop.run()
        try connections.know(connectKnown(), of: SignedInPerson("anna"))
    }

    @Test("A user who was renamed goes on with the connections that are there")
    func renamedOnOwn() throws {
        let count = ConsoleLimits.connectionCountMaxPerUser
        let own = try (0..<count).map { _ in try connectKnown() }
        for channel in own {
            try connections.know(channel, of: SignedInPerson("anna", identity: "1"))
        }
        try connections.know(own[0], of: SignedInPerson("ann", identity: "1"))
    }

    @Test("A user who has another name at the provider now has no connections beyond their own")
    func renamed() throws {
        for _ in 0..<ConsoleLimits.connectionCountMaxPerUser {
            try connections.know(connectKnown(), of: SignedInPerson("anna", identity: "1"))
        }
        let next = try connectKnown()
        #expect(throws: APIProblem.self) {
            try connections.know(next, of: SignedInPerson("ann", identity: "1"))
        }
        try connections.know(next, of: SignedInPerson("ann", identity: "2"))
    }

    @Test("A repeated refusal is one line, and another with its count")
    func refusals() async throws {
        let clock = ManualClock()
        let said = Said()
        let refusals = RefusalLog(said.logger, every: .seconds(10), clock: clock)
        func refuse(_ reason: String) {
            refusals.note(
                .init(host: "10.0.0.9", status: "401", reason: reason), "console: refused",
                ["reason": "\(reason)"])
        }
        for _ in 0..<1_300 { refuse("unauthorized") }
        refuse("host")
        #expect(said.all == ["unauthorized ", "host "])
        _ = try await clock.nextSleep()
        _ = try await clock.nextSleep()
        clock.advance(by: .seconds(10))
        for await count in said.counts where count == 3 { break }
        #expect(said.all.last == "unauthorized 1299")
        refuse("unauthorized")
        #expect(said.all.last == "unauthorized ")
    }

    @Test("Many kinds of refusals are counted together above a limit")
    func manyKinds() {
        let said = Said()
        let refusals = RefusalLog(said.logger, clock: ManualClock())
        for number in 0..<10_000 {
            refusals.note(
                .init(host: "10.0.\(number / 250).\(number % 250)", status: "401", reason: "x"),
                "console: refused", ["reason": "x"])
        }
        #expect(said.all.count == RefusalLog.kindCountMax + 1)
    }
}

/// What was logged: the reason, and how often again.
private final class Said: Sendable {
    private let lines = Mutex<[String]>([])
    let counts: AsyncStream<Int>
    private let counted: AsyncStream<Int>.Continuation

    init() { (counts, counted) = AsyncStream.makeStream() }

    var all: [String] { lines.withLock { $0 } }

    var logger: Logger { Logger(label: "test") { _ in Handler(said: self) } }

    private struct Handler: LogHandler {
        let said: Said
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.info

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let parts = ["reason", "again"].map { event.metadata?[$0].map { "\($0)" } ?? "" }
            let count = said.lines.withLock { lines in
                lines.append(parts.joined(separator: " "))
                return lines.count
            }
            said.counted.yield(count)
        }
    }
}
