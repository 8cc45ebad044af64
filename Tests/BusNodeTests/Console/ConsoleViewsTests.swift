import Foundation
import GRDB
import Hummingbird
import Logging
import OrderedCollections
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// Saved views, over HTTP.
@Suite struct ConsoleViewsTests {
    private let path = FileManager.default.temporaryDirectory
        .appendingPathComponent("views-\(UUID().uuidString)/central.sqlite").path
    private let ann = Self.visitor("ann", identity: "1")
    private let bob = Self.visitor("bob")
    private let admin = Self.visitor("eve", may: [.administer])

    private static func visitor(
        _ name: String, may permissions: Set<ConsolePermission> = [], identity: String? = nil
    ) -> ConsoleVisitor {
        ConsoleVisitor(
            user: ConsoleUser(name: name, permissions: permissions, token: "of \(name)"),
            identity: identity)
    }

    /// A console in another life of its node.
    private func api(isJournaled: Bool = true) throws -> ConsoleAPI {
        let console = try Console(
            ConsoleSettings(listen: try Endpoint("tcp://127.0.0.1:8080")), of: "central",
            in: Topology(nodes: [:]), logger: Logger(label: "test"))
        if isJournaled { try console.keepHistory(in: try SQLiteJournal(path), number: 0) }
        return ConsoleAPI(console)
    }

    private func view(
        _ name: String, _ filter: String = "mine", team: Bool = false, by: String? = nil
    ) -> [UInt8] {
        let json: JSONValue = [
            "name": .string(name), "filter": .string(filter), "isForTeam": .bool(team),
            "by": .text(by),
        ]
        return json.encoded()
    }

    /// Of the refusal; nil for none.
    private func word(_ work: () async throws -> Response) async -> String? {
        do {
            _ = try await work()
            return nil
        } catch {
            return (error as? APIProblem)?.word
        }
    }

    @Test("A view that the journal does not take is refused: 500, notStored")
    func unstored() async throws {
        let api = try api()
        _ = try await api.saveView(view("Grave"), ann)
        try FileManager.default.moveItem(atPath: path, toPath: path + ".moved")
        let saved = await word { try await api.saveView(view("Mine"), ann) }
        #expect(saved == "notStored")
        let named: JSONValue = ["name": "Grave"]
        let removed = await word { try await api.removeView(named.encoded(), ann) }
        #expect(removed == "notStored")
    }

    @Test("Views that the journal does not return are refused: 500, notRead")
    func unread() async throws {
        let api = try api()
        let views = try #require(api.console.kept?.views)
        try await views.journal.access { try $0.execute(sql: "DROP TABLE savedView") }
        let listed = await word { Response(try await api.viewList(ann)) }
        #expect(listed == "notRead")
    }

    @Test("A user has views in every life, under another name too, and all have the team's")
    func views() async throws {
        var api = try api()
        _ = try await api.saveView(view("Grave"), ann)
        _ = try await api.saveView(view("Grave", "severity:critical"), ann)
        _ = try await api.saveView(view("Night", team: true), admin)
        api = try self.api()
        let list = try await api.viewList(Self.visitor("anna", identity: "1"))
        let grave: JSONValue = [
            "name": "Grave", "filter": "severity:critical", "sort": "gravity", "show": "open",
        ]
        let night: JSONValue = [
            "name": "Night", "filter": "mine", "sort": "gravity", "show": "open",
        ]
        #expect(
            list == ["isKept": true, "teamIsKept": true, "own": [grave], "team": [night]])
        #expect(try await api.viewList(bob)["own"] == [])
        #expect(try await api.viewList(bob)["team"] == [night])
        #expect(try await api.viewList(.unnamed)["isKept"] == false)
        let named: JSONValue = ["name": "Grave"]
        #expect(await word { try await api.removeView(named.encoded(), bob) } == "unknownView")
        _ = try await api.removeView(named.encoded(), ann)
        #expect(try await api.viewList(ann)["own"] == [])
        let document = try InterfaceDocument()
        for (schema, served) in [("Views", list), ("View", grave)] {
            let described = document.keys(["components", "schemas", schema, "properties"])
            #expect(served.objectValue?.keys.sorted() == described.sorted())
        }
    }

    @Test("What is done to views for everyone is in the audit, with its author; own ones are not")
    func audit() async throws {
        let api = try api()
        _ = try await api.saveView(view("Own"), ann)
        _ = try await api.saveView(view("Night", team: true), admin)
        _ = try await api.saveView(view("Night", "unclaimed", team: true, by: "eve"), admin)
        let named: JSONValue = ["name": "Night", "isForTeam": true]
        _ = try await api.removeView(named.encoded(), admin)
        #expect(await word { try await api.removeView(named.encoded(), admin) } == "unknownView")
        _ = try await api.saveView(view("Day", team: true, by: "zoe"), .unnamed)
        let events = api.console.history.numbered.map(\.event)
        #expect(
            events.map(\.sentence) == [
                "View Night saved for everyone by eve", "View Night for everyone replaced by eve",
                "View Night for everyone removed by eve", "View Day saved for everyone by zoe",
            ])
        #expect(events.map(\.event) == ["saveView", "replaceView", "removeView", "saveView"])
        #expect(
            events[1].fields == [
                "by": "eve", "view": "Night", "filter": "unclaimed", "sort": "gravity",
                "show": "open",
            ])
        #expect(events[2].fields == ["by": "eve", "view": "Night"])
    }

    @Test("What is no view, one too many, and one for which there is no place are refused")
    func refused() async throws {
        let api = try api()
        let names = ConsoleLimits.viewNameScalarMax
        for body in [
            view(""), view(String(repeating: "x", count: names + 1)),
            view("x", String(repeating: "x", count: ConsoleLimits.viewFilterScalarMax + 1)),
            Array(#"{"name":"x","sort":"colour"}"#.utf8),
            Array(#"{"name":"x","owner":"ann"}"#.utf8),
        ] {
            #expect(await word { try await api.saveView(body, ann) } == "badRequest")
        }
        for number in 1...ConsoleLimits.viewCountMaxPerUser {
            _ = try await api.saveView(view("\(number)"), ann)
        }
        #expect(await word { try await api.saveView(view("more"), ann) } == "tooMany")
        _ = try await api.saveView(view("1", "unclaimed"), ann)
        _ = try await api.saveView(view("more"), bob)
        #expect(await word { try await api.saveView(view("x", team: true), ann) } == "notAllowed")
        #expect(await word { try await api.saveView(view("x"), .unnamed) } == "noUser")
        // No user says whose a view for everyone is.
        #expect(
            await word { try await api.saveView(view("x", team: true), .unnamed) } == "badRequest")
        #expect(await word { try await api.saveView(view("x", by: "bob"), ann) } == "notYou")
        let bare = try self.api(isJournaled: false)
        #expect(await word { try await bare.saveView(view("x"), ann) } == "notKept")
        #expect(try await bare.viewList(ann)["isKept"] == false)
    }
}
