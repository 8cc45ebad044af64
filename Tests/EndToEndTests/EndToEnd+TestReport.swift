import Foundation
import Testing

extension EndToEnd {
    /// `scripts/test-report` on made-up test programs.
    struct TestReport {
        private let sandbox: Sandbox

        init() throws { sandbox = try Sandbox() }

        private func report(_ script: String) async throws -> (status: Int32, Launched) {
            let program = try sandbox.write("program", "#!/bin/sh\n\(script)\n")
            chmod(program, 0o755)
            let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .deletingLastPathComponent().deletingLastPathComponent()
            let report = try Launched(
                [sandbox.path("log"), program, "--filter", "X"],
                program: repository.appendingPathComponent("scripts/test-report").path)
            let status = try await report.ending()
            #expect(await report.says("everything it said: \(sandbox.path("log"))"))
            return (status, report)
        }

        private static let two = """
            echo '◇ Test "a" started.'
            echo '◇ Test b() started.'
            echo '✔ Test "a" with 3 test cases passed after 0.5 seconds.' >&2
            """

        @Test("Passed tests are counted, and the total line is printed")
        func passed() async throws {
            let (status, report) = try await report(
                Self.two + """

                    echo '✔ Test b() passed after 2.0 seconds.'
                    echo '✔ Test run with 2 tests in 1 suite passed after 2.1 seconds.'
                    """)
            #expect(status == 0)
            #expect(await report.prints("Test run with 2 tests in 1 suite passed"))
            #expect(!report.errors.value.contains("started"))
            #expect(try sandbox.read("log").contains("◇ Test b() started."))
        }

        @Test("Failures are shown in full")
        func failed() async throws {
            let (status, report) = try await report(
                Self.two + """

                    echo '✘ Test b() recorded an issue at B.swift:7:1: Expectation failed: x'
                    echo '↳ said: 1'
                    echo '2'
                    echo '✘ Test b() failed after 2.0 seconds with 1 issue.'
                    echo '✘ Test run with 2 tests in 1 suite failed after 2.1 seconds with 1 issue.'
                    exit 1
                    """)
            #expect(status == 1)
            #expect(
                await report.says(
                    "✘ Test b() recorded an issue at B.swift:7:1: Expectation failed: x\n"
                        + "↳ said: 1\n2\n"))
            #expect(await report.says("failed: b()\n"))
        }

        @Test("A crash is reported with the signal, its last words and the running test")
        func crashed() async throws {
            let (status, report) = try await report(
                Self.two + "\necho 'Assertion failed: x (a.cpp:1)' >&2\nkill -KILL $$")
            #expect(status == 3)
            #expect(await report.says("CRASHED (signal 9, SIGKILL); 1 tests had passed"))
            #expect(await report.says("    b()\n"))
            #expect(await report.says("    Assertion failed: x (a.cpp:1)\n"))
        }

        @Test("No test at all is a failure")
        func none() async throws {
            let (status, report) = try await report(
                "echo '✔ Test run with 0 tests in 0 suites passed after 0.001 seconds.'")
            #expect(status == 1)
            #expect(await report.says("no test ran"))
        }
    }
}
