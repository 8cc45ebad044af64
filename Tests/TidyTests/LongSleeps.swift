/// A cancelled sleep stays in memory until its time has come. A sleep of code that users run is
/// therefore short, or goes in steps (`sleepInSteps`), or is one of those below.
enum LongSleeps {
    /// A sleep: what it waits for or until, as written, without spaces.
    struct Sleep {
        let argument: String
        let line: Int
    }

    /// The longest sleep that may be cancelled as often as its callers like.
    private static let secondsMax = 5

    /// Sleeps whose length is not a number beside them, and why they may be so.
    static let allowed = [
        "Sources/BusNodeKit/Assembly/NodeAssembly.swift": [
            "SQLiteJournal.lookEvery": "never cancelled, and one for each node"
        ],
        "Sources/BusNodeKit/Assembly/StatusFile.swift": ["Self.interval": "a second"],
        "Sources/BusNodeKit/CommandLine/Client.swift": ["linkTime": "a second"],
        "Sources/BusNodeKit/Console/ConsoleConnections.swift": ["interval": "never cancelled"],
        "Sources/BusNodeKit/Console/ConsoleServer.swift": [
            "ConsoleLimits.shutdownTime": "less than a second, at the end of a node"
        ],
        "Sources/BusNodeKit/Console/EventFeed.swift": [
            "pause": "three times as long as it took to make a message"
        ],
        "Sources/BusNodeKit/Console/HistoryKeeper.swift": [
            "isWritten?Self.pause:Self.retryPause": "at most a second"
        ],
        "Sources/BusNodeKit/InboxClient/InboxFeed.swift": ["Self.pause": "a second"],
        "Sources/BusNodeKit/InboxScreen/InboxScreenSession.swift": [
            "Self.tick": "half a second", "Self.frameTime": "less than half a second",
            "KeyDecoder.pause": "less than half a second",
        ],
        "Sources/BusNodeKit/Notify/Notifier.swift": [
            "time": "five seconds at most", "Self.shutdownTime": "a second",
        ],
        "Sources/BusNodeKit/Processes/Household.swift": ["pause": "one for each process"],
        "Sources/BusNodeKit/Processes/ProcessGroups.swift": ["lookEvery": "20 milliseconds"],
        "Sources/ErrorBus/Chain/Decisions.swift": [
            "until": "a second at most", "pause": "never cancelled",
        ],
        "Sources/ErrorBus/Inbox/Inbox.swift": ["time.instant": "never cancelled"],
        "Sources/ErrorBus/Recovery/FirstValue.swift": [
            "min(deadline,now.advanced(by:.seconds(5)))": "a step"
        ],
        "Sources/ErrorBus/Recovery/TimeLimits.swift": ["next": "never cancelled, and in steps"],
        "Sources/bus-node/Commands/ChaosNode.swift": [
            ".seconds(86_400)": "one for each process of a test run"
        ],
    ]

    static func violations(in file: SourceFile) -> [Violation] {
        // A process of the lab ends with its run.
        guard file.path.hasPrefix("Sources/"), !file.path.hasPrefix("Sources/BusLab/") else {
            return []
        }
        return sleeps(in: file).compactMap { found in
            guard !isShort(found.argument), allowed[file.path]?[found.argument] == nil else {
                return nil
            }
            return Violation(
                file.path, line: found.line,
                "may sleep for long, which keeps memory when cancelled; use sleepInSteps, or "
                    + "name it in LongSleeps.allowed with its reason")
        }
    }

    /// The calls of `sleep(for:)` and `sleep(until:)`, of any clock and of `Task`.
    static func sleeps(in file: SourceFile) -> [Sleep] {
        let tokens = file.tokens
        return tokens.indices.dropFirst().dropLast(3).compactMap { index in
            guard tokens[index].text == "sleep", tokens[index - 1].text != "func",
                tokens[index + 1].text == "(", ["for", "until"].contains(tokens[index + 2].text)
            else { return nil }
            var (argument, depth) = ("", 0)
            for token in tokens[(index + 4)...] {
                if depth == 0, [",", ")"].contains(token.text) { break }
                if token.text == "(" { depth += 1 }
                if token.text == ")" { depth -= 1 }
                argument += token.text
            }
            return Sleep(argument: argument, line: tokens[index].line)
        }
    }

    private static func isShort(_ argument: String) -> Bool {
        let number = argument.filter(\.isNumber)
        guard let count = Int(number) else { return false }
        let digits = argument.filter { $0.isNumber || $0 == "_" }
        return argument == ".seconds(\(digits))" && count <= secondsMax
            || argument == ".milliseconds(\(digits))" && count <= secondsMax * 1_000
    }
}
