import ErrorBusTesting
import Foundation
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
        #expect(try await api.health { TableSizes() } == ["status": "ok"])
        #expect(try await api.readiness { TableSizes() } == ["status": "ok"])
    }

    @Test("A probe may ask for the head alone, and shows neither a token nor the console's name")
    func probe() throws {
        let settings = ConsoleSettings(listen: try Endpoint("tcp://127.0.0.1:8080"))
        let gate = ConsoleGate(
            hosts: ConsoleHosts(settings, port: 8080), admission: .token(.generated()))
        var facts = ConsoleGate.Facts()
        facts.host = "10.0.0.7:1"
        for path in [ConsoleAPI.healthPath, ConsoleAPI.readyPath] {
            facts.path = path
            for method in ["GET", "HEAD"] {
                facts.method = method
                #expect(try gate.verdict(on: facts) == .enterPage)
            }
            facts.method = "POST"
            #expect(throws: APIProblem.self) { try gate.verdict(on: facts) }
        }
    }

    @Test("A node whose journal cannot be written is alive and says so, and is not ready")
    func unwritten() async throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/central.sqlite"
        let journal = try SQLiteJournal(path, of: "central")
        try api.console.keepHistory(in: journal, number: 0)
        let keeper = try #require(api.console.kept?.keeper)
        let written: JSONValue = ["status": "ok", "journal": "written"]
        #expect(try await api.readiness { TableSizes() } == written)
        try FileManager.default.moveItem(atPath: path, toPath: path + ".moved")
        api.console.history.record(.decided(.make(), "retry", by: "ann"))
        await keeper.write()
        let unwritten: JSONValue = ["status": "ok", "journal": "notWritten"]
        #expect(try await api.health { TableSizes() } == unwritten)
        let problem = await #expect(throws: APIProblem.self) {
            try await api.readiness { TableSizes() }
        }
        #expect(problem?.status == .serviceUnavailable && problem?.word == "notStored")
        try FileManager.default.moveItem(atPath: path + ".moved", toPath: path)
        await keeper.write()
        #expect(try await api.readiness { TableSizes() } == written)
    }
}
