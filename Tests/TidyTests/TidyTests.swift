import Foundation
import Testing

/// The repository's own rules, on the repository. `RulesBiteTests` shows that each can fail.
struct TidyTests {
    /// Read once: every test gets an instance of its own.
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
        #expect(repository.swiftFiles.contains { $0.role == "Report" })
    }

    @Test("Modules are imported only where they belong")
    func imports() {
        expectNone(repository.swiftFiles.flatMap { ImportRule.violations(in: $0) })
    }

    @Test("Targets of the manifest are copied into the image, which uses that manifest")
    func image() throws {
        func text(_ path: String) throws -> String {
            try String(contentsOf: repository.root.appending(path: path), encoding: .utf8)
        }
        let manifest = try text("Package.swift")
        let named = manifest.matches(of: /path: "([^"\/]+)/).map { String($0.1) }
        let folders = Set(named + ["Sources", "Tests"])
        #expect(folders.contains("Examples"))
        let image = try text("compose/Dockerfile").split(separator: "\n")
        let context = try text(".dockerignore").split(separator: "\n")
        let linked = repository.linkedFiles(below: "Sources")
        #expect(linked.contains("docs/openapi.yaml"))
        for path in folders.union(linked) {
            #expect(image.contains("COPY \(path) \(path)"), "\(path)")
            #expect(context.contains("!\(path)"), "\(path)")
        }
    }

    @Test("Every target of tests is in the table of tiers of CONTRIBUTING.md")
    func tiers() throws {
        let manifest = try String(
            contentsOf: repository.root.appending(path: "Package.swift"), encoding: .utf8)
        let table = try document("CONTRIBUTING.md").split(separator: "\n")
            .filter { $0.hasPrefix("| ") }.joined()
        let targets = manifest.matches(of: /\.testTarget\(\s*name: "(\w+)"/).map { String($0.1) }
        #expect(targets.contains("TidyTests"))
        for target in targets { #expect(table.contains("`\(target)`"), "\(target)") }
    }

    @Test("Folders of the library use only those that their arrows point to")
    func arrows() throws {
        let arrows = FolderArrows(readingFrom: try document("ARCHITECTURE.md"))
        #expect(arrows.reachable["Report"] == [])
        expectNone(arrows.violations(in: repository.swiftFiles))
    }

    @Test("Files, lines and functions are of a readable size, and files named for their types")
    func shape() {
        expectNone(repository.swiftFiles.flatMap(Shape.violations))
        let sources = repository.swiftFiles.filter { $0.path.hasPrefix("Sources/") }
        let median = Shape.median(of: sources)
        #expect(median <= Shape.medianMax, "median of \(sources.count) source files")
        print("tidy: \(sources.count) source files, median \(median) lines")
        let small = sources.filter { $0.lines.count < Shape.smallLines }
        #expect(
            small.count * 100 <= sources.count * Shape.smallPercentMax,
            "of \(sources.count) files \(small.count) have less than \(Shape.smallLines) lines")
    }

    @Test("Lines of the page's code and styles, and of Python, are of a readable size")
    func otherCode() {
        for ending in [".js", ".css", ".py"] {
            #expect(repository.otherCode.contains { $0.path.hasSuffix(ending) })
        }
        for (path, text) in repository.otherCode {
            expectNone(
                Shape.wideLines(path: path, lines: text.components(separatedBy: "\n")))
        }
    }

    @Test("No sleeping tests, no unreasoned switches, no loose tasks, nothing unfinished")
    func wording() {
        expectNone(repository.swiftFiles.flatMap(Wording.violations))
        for (path, text) in repository.documents + repository.scripts {
            expectNone(
                Wording.unfinished(path: path, lines: text.components(separatedBy: "\n")))
        }
    }

    @Test("The documents are plain, and no line of them is wide or breaks off within code")
    func prose() {
        for (path, text) in repository.documents {
            expectNone(Prose.violations(path: path, text: text))
        }
    }

    @Test("Texts of peers are searched and changed by scalar")
    func textCost() {
        expectNone(repository.swiftFiles.flatMap(TextCost.violations))
    }

    @Test("No test depends on real time")
    func realTime() {
        expectNone(repository.swiftFiles.flatMap(RealTime.violations))
        for (path, text) in repository.otherCode {
            expectNone(
                RealTime.hastyLooks(path: path, lines: text.components(separatedBy: "\n")))
        }
    }

    @Test("No sleep keeps memory for long after it was cancelled")
    func longSleeps() {
        expectNone(repository.swiftFiles.flatMap(LongSleeps.violations))
    }

    @Test("Sleeps that may be long exist", arguments: LongSleeps.allowed.keys.sorted())
    func allowedSleeps(path: String) throws {
        let file = try #require(repository.swiftFiles.first { $0.path == path })
        let found = Set(LongSleeps.sleeps(in: file).map(\.argument))
        let allowed = LongSleeps.allowed[path] ?? [:]
        #expect(Set(allowed.keys).subtracting(found) == [])
    }

    @Test(
        "Files that may start tasks, read a real clock, or compare characters, exist",
        arguments: (Array(Wording.taskStarters.keys) + RealTime.readers.keys
            + TextCost.exceptions.keys).sorted())
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

    @Test("Every scene, checker, plan and world of the simulator is in its map, and no other")
    func simulationMap() throws {
        let map = SimulationMap(try document(SimulationMap.path))
        expectNone(map.violations(in: repository.swiftFiles))
        #expect(SimulationMap("").violations(in: repository.swiftFiles).count > 100)
    }

    @Test("Every scenario that a test names is in the list, and those without a test are known")
    func scenarios() throws {
        let tested = repository.swiftFiles.filter { $0.path.hasPrefix("Tests/") }
            .flatMap { Scenarios.codes(inTitlesOf: $0.lines.joined(separator: "\n")) }
        #expect(tested.count > 100)
        let list = Scenarios(try document(Scenarios.path))
        expectNone(list.violations(tested: Set(tested)))
    }

    @Test("Every test that the threat model names is there")
    func namedTests() throws {
        let named = NamedTests(try document(NamedTests.path))
        #expect(named.names.count > 20)
        expectNone(
            named.violations(
                in: repository.swiftFiles.filter { $0.path.hasPrefix("Tests/") }))
    }

    @Test("The documents' Swift is cut from the example, which is built and tested")
    func swiftBlocks() throws {
        let example = repository.swiftFiles.filter { $0.path.hasPrefix("Examples/worker/") }
            .map { CodeBlocks.unindented($0.lines).joined(separator: "\n") }
        #expect(!example.isEmpty)
        for (path, text) in repository.documents {
            for block in CodeBlocks.swift(in: text)
            where !example.contains(where: { $0.contains(block) }) {
                Issue.record("\(path): not in Examples/worker: \(block)")
            }
        }
        #expect(CodeBlocks.swift(in: try document("README.md")).count >= 4)
    }

    @Test("A file that a document shows whole is that file")
    func shownFiles() throws {
        let shown = repository.documents.flatMap { CodeBlocks.files(in: $0.text) }
        #expect(shown.map(\.path).contains("Examples/topology/topology.yaml"))
        for (path, text) in shown {
            let file = repository.root.appending(path: path)
            #expect(try String(contentsOf: file, encoding: .utf8) == text, "\(path)")
        }
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
