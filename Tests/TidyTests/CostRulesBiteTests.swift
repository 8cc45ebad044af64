import Testing

/// The rules on what code costs in time and memory, as ``RulesBiteTests`` tries the others.
struct CostRulesBiteTests {
    private func file(_ path: String, _ text: String) -> SourceFile {
        SourceFile(path: path, text: text)
    }

    @Test(
        "Sleeps that keep memory for long when they are cancelled",
        arguments: [
            "try await Task.sleep(for: limit)", "try await Task.sleep(for: $0)",
            "try await clock.sleep(until: time, tolerance: nil)",
            "try await Task.sleep(for: .seconds(6))", "try await Task.sleep(for: .seconds(n))",
            "try await Task.sleep(\n    for: .milliseconds(5_001))",
        ])
    func longSleep(text: String) {
        func found(_ path: String, _ text: String) -> [Int?] {
            LongSleeps.violations(in: file(path, text)).map(\.line)
        }
        #expect(found("Sources/BusNodeKit/X/A.swift", text) == [1])
        #expect(found("Sources/BusLab/X/A.swift", text).isEmpty)
        let steps = text.replacing("sleep(", with: "sleepInSteps(")
        #expect(found("Sources/BusNodeKit/X/A.swift", steps).isEmpty)
        for short in [".seconds(5)", ".milliseconds(5_000)"] {
            let text = "try await Task.sleep(for: \(short))"
            #expect(found("Sources/BusNodeKit/X/A.swift", text).isEmpty)
        }
    }

    @Test(
        "Comparing characters, in the library and in the node",
        arguments: [
            "let a = text.range(of: b, options: [])", "text.localizedStandardContains(b)",
            "text.components(separatedBy: b)", "text.replacing(a, with: b)",
            "a.compare(b, options: .caseInsensitive)",
        ])
    func textCost(text: String) {
        for folder in ["ErrorBusCore/Report", "ErrorBus/Chain", "BusNodeKit/Console"] {
            let found = TextCost.violations(in: file("Sources/\(folder)/A.swift", text))
            #expect(found.map(\.line) == [1])
        }
        #expect(TextCost.violations(in: file("Sources/bus-node/A.swift", text)).isEmpty)
        let exception = "Sources/BusNodeKit/Processes/CommandTree.swift"
        #expect(TextCost.violations(in: file(exception, text)).isEmpty)
    }

    @Test(
        "What only looks like comparing characters",
        arguments: [
            "let range = 0..<1", "scope.range.contains(1)", "date.components.count",
            "text.replacingScalars([:])", "search.isFound(in: text) // not range(of: text)",
        ])
    func noTextCost(text: String) {
        #expect(TextCost.violations(in: file("Sources/ErrorBus/Chain/A.swift", text)).isEmpty)
    }
}
