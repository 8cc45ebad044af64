import Foundation
import Testing

/// The repository's own rules, on the repository. `RulesBiteTests` shows that each can fail.
struct TidyTests {
    /// Read once: every test is made anew.
    private static let loaded = Result { try Repository.load() }

    let repository: Repository

    init() throws { repository = try Self.loaded.get() }

    private func expectNone(_ violations: [Violation]) {
        for violation in violations { Issue.record("\(violation)") }
    }

    private func document(_ path: String) throws -> String {
        try #require(repository.documents.first { $0.path == path }?.text, "no \(path)")
    }

    @Test("The files are found at all")
    func findsFiles() {
        #expect(repository.swiftFiles.contains { $0.path == "Tests/TidyTests/TidyTests.swift" })
        #expect(repository.swiftFiles.contains { $0.role == "Errors" })
    }

    @Test("Modules are imported only where they belong")
    func imports() {
        expectNone(
            repository.swiftFiles.flatMap { file in
                ImportRule.all.flatMap { $0.violations(in: file) }
            })
    }

    @Test("Folders of the library use only those that their arrows point to")
    func arrows() throws {
        let arrows = FolderArrows(readingFrom: try document("ARCHITECTURE.md"))
        #expect(arrows.reachable["Errors"] == [])
        expectNone(arrows.violations(in: repository.swiftFiles))
    }

    @Test("Files, lines and functions are of a readable size, and files named for their types")
    func shape() {
        expectNone(repository.swiftFiles.flatMap(Shape.violations))
        let sources = repository.swiftFiles.filter { $0.path.hasPrefix("Sources/") }
        let median = Shape.median(of: sources)
        #expect(median <= Shape.medianMax, "median of \(sources.count) source files")
        print("tidy: \(sources.count) source files, median \(median) lines")
    }

    @Test("No sleeping tests, no unreasoned switches, no loose tasks, nothing unfinished")
    func wording() {
        expectNone(repository.swiftFiles.flatMap(Wording.violations))
        for (path, text) in repository.documents + repository.scripts {
            expectNone(
                Wording.unfinished(path: path, lines: text.components(separatedBy: "\n")))
        }
    }

    @Test("No test depends on how fast time passes")
    func realTime() { expectNone(repository.swiftFiles.flatMap(RealTime.violations)) }

    @Test(
        "Files that may start tasks, or read a real clock, exist",
        arguments: (Array(Wording.taskStarters.keys) + RealTime.readers.keys).sorted())
    func exceptions(path: String) {
        #expect(repository.swiftFiles.contains { $0.path == path })
    }

    @Test("ARCHITECTURE.md names every folder of Sources")
    func architecture() throws {
        let text = try document("ARCHITECTURE.md")
        let folders = Set(
            repository.swiftFiles.filter { $0.path.hasPrefix("Sources/") }.flatMap {
                $0.path.split(separator: "/").dropFirst().dropLast().map(String.init)
            })
        for folder in folders.sorted() where !text.contains("`\(folder)/`") {
            Issue.record("ARCHITECTURE.md says nothing about \(folder)/")
        }
    }

    @Test("Every mistake that `make mutants` plants has its place in the sources, once")
    func mutants() throws {
        let list = repository.root.appending(path: Mutants.path)
        expectNone(
            Mutants.violations(list: try String(contentsOf: list, encoding: .utf8)) { path in
                repository.swiftFiles.first { $0.path == path }?.lines.joined(separator: "\n")
            })
    }

    @Test("Links between documents resolve")
    func links() {
        let root = repository.root
        for (path, text) in repository.documents {
            expectNone(
                MarkdownLinks.violations(path: path, text: text) { other in
                    let file = root.appending(path: other)
                    if let text = try? String(contentsOf: file, encoding: .utf8) { return text }
                    return FileManager.default.fileExists(atPath: file.path) ? "" : nil
                })
        }
    }
}
