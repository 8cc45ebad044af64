import Testing

/// Each rule on made-up text that breaks it, and on text that only looks like it.
struct RulesBiteTests {
    private func file(_ path: String, _ text: String) -> SourceFile {
        SourceFile(path: path, text: text)
    }

    @Test("Comments and strings are not code, interpolations are")
    func codeOnly() {
        let text = ##"""
            let a = "Task { \(inner("x")) }" // Task {
            /* one /* two */ Task */ let b = #"a " \(no) \#(yes)"#
            let c = """
                words " \(deep)
                """; tail
            """##
        let code = CodeOnly.of(text)
        let words = Token.all(in: code).filter(\.isWord).map(\.text)
        #expect(words == ["let", "a", "inner", "let", "b", "yes", "let", "c", "deep", "tail"])
        #expect(Token.all(in: code).last?.line == 5)
    }

    @Test(
        "Imports out of place",
        arguments: [
            ("Sources/ErrorBusCore/Link/A.swift", "import Logging"),
            ("Sources/ErrorBusCore/Node/A.swift", "import Synchronization"),
            ("Sources/ErrorBusTesting/A.swift", "package import CZMQ"),
            ("Sources/ErrorBus/Topology/A.swift", "public import struct CZMQ.Node"),
            ("Sources/ErrorBus/Node/A.swift", "@preconcurrency import CZMQ"),
            ("Sources/BusNodeKit/A.swift", "import ArgumentParser"),
            ("Sources/BusNodeKit/A.swift", "package import BusLab"),
            ("Sources/BusLab/A.swift", "import GRDB"),
            ("Sources/bus-node/A.swift", "import JWTKit"),
            ("Sources/bus-node/A.swift", "import Hummingbird"),
            ("Sources/ErrorBus/Node/A.swift", "import Subprocess"),
            ("Tests/ErrorBusTests/A.swift", "import NIOCore"),
            ("Tests/ErrorBusTests/A.swift", "import XC" + "Test"),
        ])
    func badImports(path: String, text: String) {
        #expect(ImportRule.violations(in: file(path, text)).map(\.line) == [1])
    }

    @Test(
        "Imports in place",
        arguments: [
            ("Sources/ErrorBus/ZMQ/A.swift", "import CZMQ"),
            ("Sources/BusNodeKit/A.swift", "import Yams\nimport Subprocess"),
            ("Sources/ErrorBus/Chain/A.swift", "import Logging // not: import CZMQ"),
            ("Sources/ErrorBusCore/Link/A.swift", "import HeapModule"),
        ])
    func goodImports(path: String, text: String) {
        #expect(ImportRule.violations(in: file(path, text)).isEmpty)
    }

    @Test("A folder that uses one above it, and one without arrows")
    func badArrows() {
        let arrows = FolderArrows(
            readingFrom: "text\nErrors -> nothing\nRecovery -> Errors\nChain -> Recovery\n")
        #expect(arrows.reachable["Chain"] == ["Recovery", "Errors"])
        let files = [
            file("Sources/ErrorBus/Chain/Outcome.swift", "struct Outcome { enum Reason { } }"),
            file(
                "Sources/ErrorBus/Errors/Report.swift",
                "struct Report { // Outcome\n let a = \"Outcome\"\n var b: Outcome? }"),
            file(
                "Sources/ErrorBus/Recovery/Up.swift",
                "struct Up { var a: Report; var b: X.Outcome }"),
            file("Sources/ErrorBus/Attic/Old.swift", "struct Old { }"),
        ]
        let found = arrows.violations(in: files)
        #expect(found.map(\.path) == [files[1].path, files[3].path])
        #expect(found.first?.line == 3)
        #expect(arrows.violations(in: Array(files[..<1]) + [files[2]]).isEmpty)
    }

    @Test("Files, lines and functions that are too large")
    func sizes() {
        func found(_ text: String) -> [Violation] {
            Shape.violations(in: file("Sources/ErrorBus/Errors/A.swift", text))
        }
        let line = "struct A { }\n"
        #expect(found(String(repeating: line, count: 400)).isEmpty)
        #expect(found(String(repeating: line, count: 401)).count == 1)
        #expect(found("struct A { } //" + String(repeating: "x", count: 85)).isEmpty)
        #expect(found("struct A { } //" + String(repeating: "x", count: 86)).count == 1)
        func function(_ lines: Int) -> String {
            "struct A {\n    func required()\n    func f(\n        a: Int\n    ) {\n"
                + String(repeating: "        g()\n\n", count: (lines - 4) / 2) + "    }\n}\n"
        }
        #expect(found(function(70)).isEmpty)
        #expect(found(function(72)).map(\.line) == [3])
    }

    @Test("The files that a document shows whole, with their text")
    func shownFiles() {
        let block = "\n\n```yaml\na: 1\n```\n"
        let found = CodeBlocks.files(in: "This is [x/a.yaml](../x/a.yaml), whole." + block + block)
        #expect(found.map(\.path) == ["x/a.yaml"] && found.map(\.text) == ["a: 1\n"])
        #expect(CodeBlocks.files(in: "As in [x/a.yaml](../x/a.yaml):" + block).isEmpty)
    }

    @Test("The median is the middle size")
    func median() {
        let files = [9, 1, 3].map { file("A.swift", String(repeating: "\n", count: $0)) }
        #expect(Shape.median(of: files) == 3)
    }

    @Test(
        "Files named for another type",
        arguments: [
            ("Wrong.swift", "struct A { struct Wrong { } }", false),
            ("A+More.swift", "extension B { }", false),
            ("A.swift", "struct A { }\nstruct B { }", true),
            ("A+More.swift", "extension A { }", true),
            ("Array+More.swift", "extension Array where Element == Int { }", true),
            ("A.swift", "extension [A.Option] { }", true),
            ("Free.swift", "func free() { }", true),
        ])
    func names(name: String, text: String, isGood: Bool) {
        #expect(Shape.violations(in: file("Sources/x/" + name, text)).isEmpty == isGood)
    }

    @Test(
        "Switched-off checks without a reason",
        arguments: [
            "final class A: @unchecked Sendable { }", "nonisolated(unsafe) var a = 1",
            "let a = try! f()", "let a = b as! C", "fatalError(\"no\")",
            "// too far above\n\n\nlet a = try! f()",
        ])
    func unreasoned(text: String) {
        #expect(Wording.violations(in: file("Sources/bus-node/A.swift", text)).count == 1)
        #expect(
            Wording.violations(in: file("Sources/bus-node/A.swift", "// why\n\n\n" + text)).count
                == 1)
        let reasoned = text.split(separator: "\n").last.map { "// because\n\n" + $0 } ?? ""
        #expect(Wording.violations(in: file("Sources/bus-node/A.swift", reasoned)).isEmpty)
    }

    @Test("State that a task holds unseen")
    func taskLocals() {
        let text = "enum A {\n    @TaskLocal static var current: A?\n}"
        #expect(Wording.violations(in: file("Sources/bus-node/A.swift", text)).map(\.line) == [2])
        #expect(Wording.violations(in: file("Tests/X/A.swift", text)).isEmpty)
    }

    @Test("Foundation's Process, which traps")
    func foundationProcesses() {
        for text in ["let process = Process()", "Process ()"] {
            #expect(Wording.violations(in: file("Tests/A.swift", text)).count == 1)
        }
        for text in ["let process: Process", "Process(of: node)", "ChildProcess()", "// Process()"]
        {
            #expect(Wording.violations(in: file("Tests/A.swift", text)).isEmpty)
        }
    }

    @Test(
        "Sleeping tests",
        arguments: ["try await Task.sleep(for: .seconds(1))", "usleep(5)", "sleep(1)"])
    func sleeps(text: String) {
        #expect(Wording.violations(in: file("Tests/X/A.swift", text)).map(\.line) == [1])
        #expect(Wording.violations(in: file("Sources/bus-node/A.swift", text)).isEmpty)
    }

    @Test(
        "Waiting on a manual clock is not sleeping",
        arguments: ["try await clock.sleep(until: t)", "func sleep(until: Int) { }", "// sleep(1)"])
    func manualClock(text: String) {
        #expect(Wording.violations(in: file("Tests/X/A.swift", text)).isEmpty)
    }

    @Test(
        "Tests that depend on real time",
        arguments: [
            "let a = ContinuousClock.now", "let c = ContinuousClock()", "f(at: .now)",
            "let a = Moment.now", "let a = Date()", "let a = b ?? .now", "Silences()",
            "RuleTiming(part: { f(now: $0) })", "PresenterConformance(p, patience: x) { }",
            "@Test(.timeLimit(.minutes(1)))",
        ])
    func realTime(text: String) {
        #expect(RealTime.violations(in: file("Tests/X/A.swift", text)).map(\.line) == [1])
        #expect(RealTime.violations(in: file("Sources/bus-node/A.swift", text)).isEmpty)
    }

    @Test(
        "Tests that do not depend on it",
        arguments: [
            "rig.machine.ticked(at: rig.now)", "let a: ContinuousClock.Instant", "time.now",
            "Silences(now: { time.now })", "RuleTiming(part: { $0 }, now: { start })",
            "asyncAfter(deadline: .now() + limit)", "Date(timeIntervalSince1970: 0)",
            "@Test(.timeLimit(.minutes(10)))", "run(timeLimit: .seconds(5))",
        ])
    func noRealTime(text: String) {
        #expect(RealTime.violations(in: file("Tests/X/A.swift", text)).isEmpty)
    }

    @Test("A browser test that looks at the page once")
    func hastyLooks() {
        let lines = [
            "    assert chips(page) == []", "    assert other.texts('#list') == []",
            "    page.until(lambda: chips(page) == [])", "    assert found == 1",
            "    assert not page.driver.get_cookie(name)",
        ]
        func found(_ path: String) -> [Int?] {
            RealTime.hastyLooks(path: path, lines: lines).map(\.line)
        }
        #expect(found("Tests/BrowserTests/a.py") == [1, 2])
        #expect(found("Tests/ForeignClients/a.py").isEmpty)
    }

    @Test(
        "F20 The wall clock in the library",
        arguments: [
            "let a = Date.now", "let b = Date()", "clock_gettime(CLOCK_REALTIME, &time)",
            "gettimeofday(&time, nil)",
        ])
    func wallClock(text: String) {
        let found = Wording.violations(in: file("Sources/ErrorBus/Link/A.swift", text))
        #expect(found.map(\.line) == [1])
        #expect(Wording.violations(in: file("Sources/bus-node/A.swift", text)).isEmpty)
        let type = "func shown(_ date: Date) {}"
        #expect(Wording.violations(in: file("Sources/ErrorBus/Link/A.swift", type)).isEmpty)
    }

    @Test(
        "Loose tasks in the library",
        arguments: [
            "Task { }", "Task(priority: .high) { }", "Task.detached { }",
            "let a = Task<Void, Never>.init { }",
            "Task.immediate { }",
        ])
    func tasks(text: String) {
        let expected = text.contains("<") ? 0 : 1
        let found = Wording.violations(in: file("Sources/ErrorBus/Link/A.swift", text))
        #expect(found.count == expected)
        for path in Wording.taskStarters.keys {
            #expect(Wording.violations(in: file(path, text)).isEmpty)
        }
    }

    @Test(
        "Code that only looks like a loose task",
        arguments: [
            "var a: Task<Void, Never>?", "Task.isCancelled", "group.addTask { }", "// Task {",
        ])
    func noTasks(text: String) {
        #expect(Wording.violations(in: file("Sources/ErrorBus/Link/A.swift", text)).isEmpty)
    }

    @Test("Notes about unfinished work")
    func unfinished() {
        let text = "let a = 1 // TO" + "DO later\n// FIX" + "ME\nlet done = 1"
        #expect(
            Wording.violations(in: file("Sources/bus-node/A.swift", text)).map(\.line) == [1, 2])
    }

    @Test("Pronouns in the place of a name")
    func persons() {
        let text = "/// No" + "body asks.\n/// No peer asks.\nlet text = \"some" + "body\""
        #expect(
            Wording.violations(in: file("Sources/bus-node/A.swift", text)).map(\.line) == [1, 3])
    }

    @Test("Words for which the field has others")
    func dialect() {
        let text = "/// Is to" + "ld.\nlet to" + "ld = 1\n/// An a" + "ny more.\n"
        #expect(
            Wording.violations(in: file("Sources/bus-node/A.swift", text)).map(\.line) == [1, 3])
    }

    @Test("Wide lines, words and broken code of a document, outside its code and tables")
    func prose() {
        let wide = String(repeating: "x ", count: 51)
        let text = """
            \(wide)
            | \(wide) |
            a `whole` one, and `half
            of one`
            Is to\("ld"), and `to\("ld")` is a name.
            ```
            \(wide)`to\("ld")
            ```
                \(wide)
            """
        let found = Prose.violations(path: "docs/a.md", text: text)
        #expect(found.map(\.line).sorted { ($0 ?? 0) < ($1 ?? 0) } == [1, 3, 4, 5])
        #expect(Prose.violations(path: Prose.changes, text: text).isEmpty)
    }

    @Test("Broken links")
    func links() {
        let text = """
            # Top Thing: here
            [a](b.md) [c](#top-thing-here) [d](../LICENSE) [e](https://example.org/x) [f](b.md#part)
            ```
            [code](missing.md)
            ```
            [gone](missing.md)
            [no heading](#elsewhere) and [no heading there](b.md#none)
            """
        let files = ["docs/b.md": "## Part\n", "LICENSE": ""]
        let found = MarkdownLinks.violations(path: "docs/a.md", text: text) { files[$0] }
        #expect(found.map(\.line) == [6, 7, 7])
    }

    @Test("Planted mistakes without a place in the sources")
    func mutants() {
        let list = """
            # comment
            fine: indentation does not count
            A.swift
            -let b = 1
            -let c = 2
            +let c = 3

            twice: its text is there twice
            A.swift
            -let a = 0

            gone: its text is nowhere
            A.swift
            -let d = 4

            fine: its name is taken
            A.swift
            -let c = 2

            lost: its file is nowhere
            B.swift
            -let a = 0

            empty: nothing is planted
            A.swift
            """
        let text = "let a = 0\n    let b = 1\n        let c = 2\nlet a = 0\n"
        let found = Mutants.violations(list: list) {
            $0 == "Sources/ErrorBus/A.swift" ? text : nil
        }
        #expect(found.map(\.line) == [10, 14, 18, 22, 25])
    }

    @Test("A scenario without a row, and a list of those without a test that is out of date")
    func scenarios() {
        let list = Scenarios(
            "| A01 | a |\n| F2 | b |\n\n## Without a test of that name\n\nThese: F2.\n")
        let file = "@Test(\n    \"A01 C9: a title\")\n@Suite(\"F2\") // A33"
        #expect(Scenarios.codes(inTitlesOf: file) == ["A01", "C9", "F2"])
        #expect(list.violations(tested: ["A01"]).isEmpty)
        #expect(list.violations(tested: ["A01", "C9"]).count == 1)
        #expect(list.violations(tested: ["A01", "F2"]).count == 1)
        #expect(list.violations(tested: []).count == 1)
    }

    @Test("A scene, checker or file that the simulator's map lacks, or that does not exist")
    func simulationMap() {
        let folder = SimulationMap.folder
        let files = [
            file(folder + "Scene.swift", "enum Scene {\n    case one, two(Play)\n}\n"),
            file(folder + "Plan+One.swift", "let a = Checker(\n    name: \"a-holds\")\n"),
            file(folder + "Other.swift", "extension Plan {\n    mutating func stageTwo() {}\n}\n"),
            file(folder + "Ledger.swift", "struct Ledger {}\n"),
        ]
        func found(_ scenes: String, _ file: String, _ judge: String, _ checker: String) -> Int {
            let map = SimulationMap(
                """
                | situation | scene | file | checkers |
                | --- | --- | --- | --- |
                | text | `one` | `Plan+One.swift` | `\(judge)` |
                | text | \(scenes) | `\(file)` | - |

                | checker | rejects | judges |
                | --- | --- | --- |
                | `\(checker)` | text | \(scenes) |
                """)
            return map.violations(in: files).count
        }
        #expect(found("`two`", "Other.swift", "a-holds", "a-holds") == 0)
        #expect(found("-", "Other.swift", "a-holds", "a-holds") == 1)
        #expect(found("`two`, `three`", "Other.swift", "a-holds", "a-holds") == 2)
        #expect(found("`two`", "Ledger.swift", "a-holds", "a-holds") == 1)
        #expect(found("`two`", "Gone.swift", "a-holds", "a-holds") == 2)
        #expect(found("`two`", "Other.swift", "gone", "a-holds") == 1)
        #expect(found("`two`", "Other.swift", "a-holds", "gone") == 2)
    }

    @Test("A test that a document names, and that is not there or in another suite")
    func namedTests() {
        let named = NamedTests("| cannot | x | `ATests.one`, `ATests.two`, `BTests.one` |")
        let file = SourceFile(
            path: "Tests/A.swift", text: "struct ATests {\n    func one() {}\n}\n")
        #expect(named.violations(in: [file]).count == 2)
    }
}
