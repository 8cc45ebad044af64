/// Time that passes by itself decides nothing in a test: beside other work a second's test takes
/// a minute. Tests move a `ManualClock` or a `ManualTime`, and wait for what must come.
enum RealTime {
    /// Tests that read a real clock all the same, and why they may.
    static let readers = [
        "Tests/EndToEndTests/Launched.swift":
            "a node goes down within a second: of several the quickest, on a busy machine too",
        "Tests/EndToEndTests/Console/EndToEnd+Strangers.swift":
            "strangers are let go after 10 s of real time, which must not be waited for",
        "Tests/BusNodeTests/Proxy/FaultProxyTests.swift":
            "a delay has a least length, which no busy machine shortens",
        "Tests/BusNodeTests/Console/ConsoleListTests.swift":
            "a real console's deadlines are minutes ahead, and nothing waits for them",
        "Tests/BusNodeTests/Console/ServedConsole.swift":
            "a real console limits its requests, and a test that may pass a limit gives its clock",
        "Tests/IntegrationTests/RealSockets+ParentReturns.swift":
            "prints how long it took, and expects nothing of it",
        "Tests/IntegrationTests/RealSockets+SignedAnswers.swift":
            "a deadline has a least length, which no busy machine shortens",
        "Tests/NodeSimulation/Simulator/Conversations/Script+InboxAnswers.swift":
            "every clock in there is the simulation's",
        "Tests/NodeSimulation/Simulator/Conversations/Script+Proposals.swift":
            "every clock in there is the simulation's",
        "Tests/NodeSimulation/Simulator/Conversations/Script+Silences.swift":
            "every clock in there is the simulation's",
        "Tests/NodeSimulation/Simulator/Impatient.swift":
            "every clock in there is the simulation's",
        "Tests/NodeSimulation/Simulator/People.swift":
            "every clock in there is the simulation's",
        "Tests/NodeSimulation/Simulator/Reader.swift":
            "every clock in there is the simulation's",
    ]

    /// What goes by a real clock unless it is given another, and the label that gives it one.
    private static let needsTime = [
        "Silences": "now", "RuleTiming": "now", "PresenterConformance": "clock",
        "ResponderConformance": "clock",
    ]

    /// A limit that ends what hangs is not to end what is slow.
    private static let limitMinutesMin = 10

    /// Lines of a browser test that look at the page once: it draws what was clicked later.
    static func hastyLooks(path: String, lines: [String]) -> [Violation] {
        guard path.hasPrefix("Tests/BrowserTests/") else { return [] }
        return lines.enumerated().compactMap { index, line in
            line.contains(/^ *assert .*(?:\(page[,)]|\.(?:text|texts|run|part)\()/)
                ? Violation(
                    path, line: index + 1,
                    "looks at the page once; let `page.until` wait for it")
                : nil
        }
    }

    static func violations(in file: SourceFile) -> [Violation] {
        guard file.path.hasPrefix("Tests/") else { return [] }
        let tokens = file.tokens
        return tokens.indices.compactMap { index in
            reason(tokens[index...]).map { Violation(file.path, line: tokens[index].line, $0) }
                ?? reading(at: index, in: file)
        }
    }

    /// What is wrong with what begins here.
    private static func reason(_ tokens: ArraySlice<Token>) -> String? {
        let texts = tokens.prefix(6).map(\.text)
        guard let first = texts.first else { return nil }
        if first == "timeLimit", texts.count == 6, texts[1] == "(", let limit = Int(texts[5]),
            texts[3] != "minutes" || limit < limitMinutesMin
        {
            return "ends after \(limit) \(texts[3]); a busy machine may need \(limitMinutesMin) min"
        }
        guard let label = needsTime[first], texts.count > 1, texts[1] == "(",
            !argument(label, in: tokens.dropFirst())
        else { return nil }
        return "\(first) goes by a real clock; give it `\(label):`"
    }

    /// Whether the call whose parenthesis comes first has an argument with this label.
    private static func argument(_ label: String, in tokens: ArraySlice<Token>) -> Bool {
        var depth = 0
        for index in tokens.indices {
            if "([{".contains(tokens[index].text) { depth += 1 }
            if ")]}".contains(tokens[index].text) { depth -= 1 }
            if depth == 0 { return false }
            if depth == 1, tokens[index].text == label, index + 1 < tokens.endIndex,
                tokens[index + 1].text == ":"
            {
                return true
            }
        }
        return false
    }

    private static func reading(at index: Int, in file: SourceFile) -> Violation? {
        guard readers[file.path] == nil else { return nil }
        let tokens = file.tokens
        func text(_ offset: Int) -> String {
            tokens.indices.contains(index + offset) ? tokens[index + offset].text : ""
        }
        let isRead =
            switch text(0) {
            case "ContinuousClock", "SuspendingClock": text(1) == "(" || text(2) == "now"
            case "Moment": text(1) == "." && text(2) == "now"
            case "Date": text(1) == "(" && text(2) == ")" || text(2) == "now"
            // `at: .now`, but neither `rig.now` nor `deadline: .now() + limit`.
            case ".": text(1) == "now" && text(2) != "(" && "(,:=?".contains(text(-1))
            default: false
            }
        guard isRead else { return nil }
        return Violation(
            file.path, line: tokens[index].line,
            "reads a real clock; use ManualTime or ManualClock, or name the file in "
                + "RealTime.readers with its reason")
    }
}
