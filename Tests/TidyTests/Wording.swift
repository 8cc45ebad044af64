import Foundation

/// Words that code must not hold, or only with a reason beside them.
enum Wording {
    /// Where the library starts a task of its own, and why it may. Everywhere else work is
    /// structured: its starter waits for it.
    static let taskStarters = [
        "Sources/ErrorBus/Chain/Responder+Beginning.swift":
            "the form with a completion handler serves callers that are not async",
        "Sources/ErrorBus/Recovery/Recoverable+Foundation.swift":
            "Foundation's RecoverableError asks from code that is not async",
        "Sources/ErrorBus/Recovery/FirstValue.swift":
            "a group would wait for a recovery that ignores its limit",
        "Sources/ErrorBus/Recovery/TimeLimits.swift":
            "one task waits for the time limits of all attempts",
        "Sources/ErrorBus/Presenting/PresentingResponder.swift":
            "a group would wait for a presenter that does not give up",
        "Sources/ErrorBus/Inbox/Inbox.swift":
            "an answer that can be undone leaves after its giver has returned",
        "Sources/ErrorBus/Node/NodeDriver.swift":
            "a cancellation handler is not async; JSON is read and written off the sockets' thread",
        "Sources/ErrorBus/ZMQ/Reactor.swift":
            "freed memory is given back off the sockets' thread: it takes tenths of a second",
        "Sources/ErrorBus/Chain/CoalescingResponder.swift":
            "a deadline ends the wait for a shared verdict, which others go on waiting for",
        "Sources/ErrorBus/Chain/Decisions.swift":
            "an outcome does not wait for a journal that cannot be written",
        "Sources/ErrorBus/Node/ChildPresentations.swift":
            "each child's offer is cancelled on its own, and all of them when the node stops",
    ]

    static func violations(in file: SourceFile) -> [Violation] {
        var found =
            unfinished(path: file.path, lines: file.lines) + unreasoned(in: file)
            + persons(path: file.path, lines: file.lines)
            + dialect(path: file.path, lines: file.lines)
        if file.path.hasPrefix("Tests/") { found += sleeps(in: file) }
        if file.role != nil, taskStarters[file.path] == nil {
            found += tasks(in: file)
        }
        if file.path.hasPrefix("Sources/") { found += taskLocals(in: file) }
        return found + wallClocks(in: file) + foundationProcesses(in: file)
    }

    /// What a task holds unseen, every call beneath it has to guess about.
    private static func taskLocals(in file: SourceFile) -> [Violation] {
        file.codeLines.enumerated().filter { $1.contains("@TaskLocal") }.map { index, _ in
            Violation(file.path, line: index + 1, "a task-local; hand it on as an argument")
        }
    }

    /// Notes about work left undone: they belong into an issue.
    static func unfinished(path: String, lines: [String]) -> [Violation] {
        let notes = ["TO" + "DO", "FIX" + "ME", "XX" + "X:"]
        return lines.enumerated().flatMap { index, line in
            notes.filter(line.contains).map { Violation(path, line: index + 1, "says \($0)") }
        }
    }

    /// Pronouns in the place of a name. A node, a peer, a caller or a person has a word of its own.
    static func persons(path: String, lines: [String]) -> [Violation] {
        let words = Set(
            ["no", "some", "any"].map { $0 + "body" } + ["who" + "ever", "sha" + "ll"])
        return lines.enumerated().flatMap { index, line in
            line.lowercased().split { !$0.isLetter }.map(String.init).filter(words.contains).map {
                Violation(path, line: index + 1, "says \($0); name the node, peer or person")
            }
        }
    }

    /// Words in comments for which the field has others: a presentation, a result; a node returns,
    /// reports, sends or logs.
    static func dialect(path: String, lines: [String]) -> [Violation] {
        dialect(
            path: path,
            prose: lines.map { line in
                line.range(of: "//").map { String(line[$0.lowerBound...]) } ?? ""
            })
    }

    /// The same in documents.
    static func dialect(path: String, prose lines: [String]) -> [Violation] {
        let words = ["to" + "ld", "tel" + "ls", "late" + "ly", "quest" + "ion", "quest" + "ions"]
        let phrases = words + ["any" + " more", "what" + " came of"]
        return lines.enumerated().flatMap { index, line -> [Violation] in
            let text = " \(line.lowercased().split { !$0.isLetter }.joined(separator: " ")) "
            return phrases.filter { text.contains(" \($0) ") }.map {
                Violation(path, line: index + 1, "says \($0); use a word of the field")
            }
        }
    }

    /// What switches a check of the compiler off needs a comment on its line or within the two
    /// above it.
    private static func unreasoned(in file: SourceFile) -> [Violation] {
        let switches = [
            "@unchecked Sendable", "nonisolated(unsafe)", "try!", "as!", "fatalError(",
            "@preconcurrency",
        ]
        return file.codeLines.enumerated().flatMap { index, line -> [Violation] in
            let hits = switches.filter { line.contains($0) }
            guard !hits.isEmpty else { return [] }
            let near = file.lines[max(0, index - 2)...min(index, file.lines.count - 1)]
            guard !near.contains(where: { $0.contains("//") }) else { return [] }
            return hits.map {
                Violation(file.path, line: index + 1, "\($0) without a comment that says why")
            }
        }
    }

    /// A test that sleeps is slow or flaky, mostly both. `clock.sleep` of a manual clock is fine.
    private static func sleeps(in file: SourceFile) -> [Violation] {
        file.tokens.indices.compactMap { index in
            guard ["sleep", "usleep", "nanosleep"].contains(file.tokens[index].text) else {
                return nil
            }
            let before = index > 0 ? file.tokens[index - 1].text : ""
            let owner = index > 1 ? file.tokens[index - 2].text : ""
            guard before != "func", before != "." || ["Task", "Thread"].contains(owner) else {
                return nil
            }
            return Violation(file.path, line: file.tokens[index].line, "sleeps; wait for an event")
        }
    }

    /// F20: a clock that can be set decides nothing in the library. Ids and moments carry it for
    /// people, and rules have schedules that people write by it.
    private static func wallClocks(in file: SourceFile) -> [Violation] {
        guard file.role != nil,
            file.path != "Sources/ErrorBusCore/Report/PresentationID.swift",
            file.path != "Sources/ErrorBusCore/Presenting/Moment.swift",
            file.path != "Sources/ErrorBus/Rules/RuleTiming.swift"
        else { return [] }
        let tokens = file.tokens
        return tokens.indices.compactMap { index in
            let next = tokens[min(index + 1, tokens.count - 1)].text
            let isClock =
                ["CLOCK_REALTIME", "gettimeofday", "timeIntervalSinceNow"]
                .contains(tokens[index].text)
                || (tokens[index].text == "Date" && [".", "("].contains(next))
            guard isClock else { return nil }
            return Violation(
                file.path, line: tokens[index].line, "reads the wall clock, which can jump")
        }
    }

    /// Foundation's `Process` has ended a whole test run by a trap. Ours take arguments.
    private static func foundationProcesses(in file: SourceFile) -> [Violation] {
        guard !file.path.hasPrefix("Benchmarks/") else { return [] }
        let tokens = file.tokens
        return tokens.indices.dropLast(2).compactMap { index in
            guard tokens[index...(index + 2)].map(\.text) == ["Process", "(", ")"] else {
                return nil
            }
            return Violation(
                file.path, line: tokens[index].line,
                "Foundation's Process; use Subprocess or Spawn")
        }
    }

    private static func tasks(in file: SourceFile) -> [Violation] {
        let tokens = file.tokens
        return tokens.indices.compactMap { index in
            guard tokens[index].text == "Task", index + 1 < tokens.count else { return nil }
            var next = index + 1
            if tokens[next].text == ".", next + 1 < tokens.count {
                guard ["detached", "immediate", "init"].contains(tokens[next + 1].text) else {
                    return nil
                }
            } else {
                // `Task(priority: .high) {`, but not `Task<Void, Never>` as a type.
                if tokens[next].text == "(" {
                    while next < tokens.count, tokens[next].text != ")" { next += 1 }
                    next += 1
                }
                guard next < tokens.count, tokens[next].text == "{" else { return nil }
            }
            return Violation(
                file.path, line: tokens[index].line,
                "starts a task; name the file and its reason in Wording.taskStarters if it must")
        }
    }
}
