import ErrorBus
import ErrorBusTesting
import Foundation
import Logging
import Testing

@testable import billing

@Suite final class BillingTests {
    private let folder = URL.temporaryDirectory.appending(path: UUID().uuidString)

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data("old\n".utf8).write(to: folder.appending(path: "march"))
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Saves an invoice that is there already, with a person who chooses `option`.
    private func save(choosing option: String) async throws -> [String] {
        let person = ScriptedPresenter("person", .answer(option))
        let archivist = Archivist(
            next: PresentingResponder(
                "test", presenters: [person], logger: Logger(label: "test")))
        let store = InvoiceStore(folder: folder.path)
        try? await archivist.withRecovery { try store.save("march") }
        let options = person.prompts.map { $0.report.options.map(\.id) }
        #expect(options == [["archive", "overwrite", "cancel"]])
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).map {
            try String(contentsOf: folder.appending(path: $0), encoding: .utf8)
        }.sorted()
    }

    @Test("Overwrite is the store's")
    func overwrite() async throws { #expect(try await save(choosing: "overwrite") == ["march\n"]) }

    @Test("Keep the old one is the archivist's")
    func archive() async throws {
        #expect(try await save(choosing: "archive") == ["march\n", "old\n"])
    }

    @Test("The old one gets the name that came with the answer, in its own folder")
    func named() async throws {
        let person = ScriptedPresenter(
            "person",
            .run { prompt in
                try prompt.answer(
                    "archive", by: "ann", via: .person, values: ["name": "march of 2025"])
            })
        let archivist = Archivist(
            next: PresentingResponder(
                "test", presenters: [person], logger: Logger(label: "test")))
        let store = InvoiceStore(folder: folder.path)
        try await archivist.withRecovery { try store.save("march") }
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(files.sorted() == ["march", "march of 2025"])
    }

    @Test("Cancel changes nothing")
    func cancel() async throws { #expect(try await save(choosing: "cancel") == ["old\n"]) }

    @Test("The archivist keeps the rules of responders")
    func conformance() async {
        // A clock that stands still: a check takes as long as it takes on a busy machine.
        let rules = ResponderConformance(clock: ManualClock()) { Archivist(next: $0) }
        #expect(await rules.violations().isEmpty)
    }
}
