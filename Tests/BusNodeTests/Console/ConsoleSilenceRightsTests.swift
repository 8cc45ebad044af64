import ErrorBusTesting
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// The effect of a silence by the permissions of its author.
struct ConsoleSilenceRightsTests {
    private let folder: TemporaryFolder
    private let users: UserFile

    init() throws {
        folder = try TemporaryFolder()
        users = UserFile("\(folder.path)/users.txt")
    }

    /// The replies to an author with these permissions.
    private func run(
        _ permissions: Set<ConsolePermission>, _ body: (ConsoleClient) async throws -> Void
    ) async throws {
        let token = try users.add("ann", permissions)
        try await ServedConsole.run({ $0.usersFile = users.path }, logger: .silent) { served in
            let inbox = served.console.inbox
            var report = ErrorReport(domain: "d", description: "full")
            report.options = [.init(id: "skip", title: "Skip")]
            report.onExpiry = "skip"
            let prompt = Prompts.prompt(report)
            let asking = Task { try await inbox.present(prompt) }
            for await _ in inbox.changes() where inbox.openCount == 1 { break }
            var address = served.address
            address.token = token
            try await body(try ConsoleClient(address))
            asking.cancel()
        }
    }

    private func silence(_ more: [String: JSONValue] = [:]) -> JSONValue {
        let fields: [String: JSONValue] = [
            "match": ["domain": "other"], "comment": "known", "forMilliseconds": 60_000,
        ]
        return .object(fields.merging(more) { $1 })
    }

    @Test(
        "A silence answers only for an author who may choose every option, and the preview says so",
        arguments: [
            ([.silence], false), ([.silence, .answer], false), ([.silence, .destructive], false),
            ([.silence, .answer, .destructive], true),
        ] as [(Set<ConsolePermission>, Bool)])
    func answers(permissions: Set<ConsolePermission>, mayAnswer: Bool) async throws {
        try await run(permissions) { client in
            let preview = try await client.post(
                "/silences/preview", ["match": ["domain": "d"]])
            #expect(preview["open"] == 1)
            let (answered, withheld): (JSONValue, JSONValue) = mayAnswer ? (1, 0) : (0, 1)
            #expect(preview["answered"] == answered && preview["withheld"] == withheld)
            let made = try await client.post("/silences", silence())
            #expect(made["silence"]?["onlyWithholds"]?.boolValue == !mayAnswer)
            guard !mayAnswer else {
                _ = try await client.post("/silences", silence(["option": "skip"]))
                return
            }
            let failure = await #expect(throws: Failure.self) {
                try await client.post("/silences", silence(["option": "skip"]))
            }
            #expect(failure?.status == .notPermitted)
        }
    }
}
