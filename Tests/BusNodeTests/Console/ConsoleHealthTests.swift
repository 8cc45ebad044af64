import ErrorBusTesting
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import OrderedCollections
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// What `GET /healthz` says of a node, and how long the console waits for its journal.
struct ConsoleHealthTests {
    private let clock = ManualClock()
    private let api: ConsoleAPI

    init() throws {
        api = ConsoleAPI(
            try Console(
                ConsoleSettings(listen: try Endpoint("tcp://127.0.0.1:8080")), of: "central",
                in: Topology(nodes: [:]), logger: .init(label: "test")), clock: clock)
    }

    @Test("A node that does not respond within 1 s is unhealthy: 503, stuck")
    func stuck() async throws {
        let (silence, end) = AsyncStream.makeStream(of: Never.self)
        async let health = api.health {
            for await _ in silence {}
            return TableSizes()
        }
        #expect(try await clock.nextSleep() == .seconds(1))
        clock.advance(by: .seconds(1))
        do {
            _ = try await health
            Issue.record("it is healthy")
        } catch {
            let problem = error as? APIProblem
            #expect(problem?.status == .serviceUnavailable && problem?.word == "stuck")
        }
        end.finish()
    }

    @Test("A search that takes longer than 10 s is ended: 503, tooSlow")
    func slowSearch() async throws {
        let (silence, end) = AsyncStream.makeStream(of: Never.self)
        let search = Task {
            try await api.searched { for await _ in silence {} }
        }
        for _ in 0..<2 {
            #expect(try await clock.nextSleep() == .seconds(5))
            clock.advance(by: .seconds(5))
        }
        let problem = await #expect(throws: APIProblem.self) { try await search.value }
        #expect(problem?.status == .serviceUnavailable && problem?.word == "tooSlow")
        end.finish()
    }

    @Test(
        "A history that cannot be read is refused as that: 500, notRead",
        arguments: [.noInput, .badData] as [BusNodeKit.ExitStatus])
    func unreadHistory(status: BusNodeKit.ExitStatus) async throws {
        let problem = await #expect(throws: APIProblem.self) {
            try await api.searched { () async throws -> Int in
                throw Failure(status, "journal central.sqlite: file is not a database")
            }
        }
        #expect(problem?.status == .internalServerError && problem?.word == "notRead")
    }

    @Test("A node that responds is healthy")
    func healthy() async throws {
        let health = try await api.health { TableSizes() }
        #expect(health.status == .ok)
    }
}
