import ArgumentParser
import Foundation
import Testing

@testable import BusNodeKit
@testable import bus_node

/// Every command in the documents is one that bus-node takes, and docs/commands.md has all of them.
struct DocumentedCommandsTests {
    private static let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The pages with commands.
    private static let documents = {
        let folder = repository.appendingPathComponent("docs").path
        let pages = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let all = ["README.md"] + pages.filter { $0.hasSuffix(".md") }.sorted().map { "docs/\($0)" }
        return all.filter { (try? commands(in: $0))?.isEmpty == false }
    }()

    /// The indented lines that call bus-node, as words.
    private static func commands(in document: String) throws -> [[String]] {
        let file = repository.appendingPathComponent(document)
        return try String(contentsOf: file, encoding: .utf8).replacing(#/\\\n +/#, with: "")
            .split(separator: "\n")
            .compactMap { line -> Substring? in
                let call = line.prefixMatch(of: #/(?: {4,}(?:\$ )?|\$ )(bus-node [a-z-].*)/#)
                guard let call else { return nil }
                return call.1
            }
            // What such a command prints begins with its name and a colon.
            .filter { !$0.contains(#/^bus-node [a-z]+: /#) }
            .map(words)
    }

    /// As a shell would split the line, up to what it does with the output, or a comment.
    private static func words(_ line: Substring) -> [String] {
        let words = line.matches(of: /'([^']*)'|"([^"]*)"|\S+/).map { match in
            String(match.1 ?? match.2 ?? match.0)
        }
        let end = words.firstIndex { ["#", "|", ";", "&&"].contains($0) || $0.hasPrefix(">") }
        return Array(words[..<(end ?? words.count)])
    }

    @Test("An exec of the README has a deadline, and what happens then")
    func deadline() throws {
        let runs = try Self.commands(in: "README.md").filter {
            $0.starts(with: ["bus-node", "exec"])
        }
        #expect(runs.contains { ["--deadline", "--on-expiry"].allSatisfy($0.contains) })
    }

    @Test("Every command in the documents can be parsed", arguments: documents)
    func parses(document: String) throws {
        #expect(Self.documents.count >= 7)
        for words in try Self.commands(in: document) {
            #expect(throws: Never.self, "\(words.joined(separator: " "))") {
                _ = try BusNode.parseAsRoot(RawArguments.toParse(words))
            }
        }
    }

    @Test("No command in the documents has a token among its arguments, which other users can read")
    func tokens() throws {
        let folder = Self.repository.appendingPathComponent("docs").path
        let pages = try FileManager.default.contentsOfDirectory(atPath: folder)
            .filter { $0.hasSuffix(".md") }.map { "docs/\($0)" }
        var callCount = 0
        for page in ["README.md"] + pages {
            let file = Self.repository.appendingPathComponent(page)
            let text = try String(contentsOf: file, encoding: .utf8)
            let calls = text.replacing(#/\\\n +/#, with: "").split(separator: "\n").filter {
                $0.contains(#/^ {4,}(?:\$ )?(?:curl|bus-node) /#)
            }
            callCount += calls.count
            for call in calls {
                #expect(!call.contains(#/Bearer \$|[?]token=/#), "\(page): \(call)")
            }
        }
        #expect(callCount > 50)
    }

    // MARK: The list of commands

    /// What the parser has of a command.
    private struct Command: Decodable {
        struct Argument: Decodable {
            struct Name: Decodable {
                let kind: String
                let name: String
            }

            let kind: String
            let valueName: String?
            let names: [Name]?
            let isOptional: Bool
            let isRepeating: Bool
            let shouldDisplay: Bool
        }

        let commandName: String
        let abstract: String?
        let arguments: [Argument]?
        let subcommands: [Command]?
        let shouldDisplay: Bool
    }

    private struct Dump: Decodable {
        let command: Command
    }

    /// A row of docs/commands.md.
    private struct Row {
        let name: String
        let values: [String]
        let abstract: String
        let options: [String]

        init(_ command: Command, path: [String]) {
            let arguments = (command.arguments ?? []).filter(\.shouldDisplay)
            name = path.joined(separator: " ")
            values = arguments.filter { $0.kind == "positional" }.map { argument in
                let word = (argument.valueName ?? "").uppercased()
                let value = argument.isOptional ? "[\(word)]" : word
                return argument.isRepeating ? "\(value)..." : value
            }
            abstract = command.abstract ?? ""
            options = arguments.flatMap { $0.names ?? [] }
                .map { ($0.kind == "long" ? "--" : "-") + $0.name }
                .filter { !["--help", "-h", "--version"].contains($0) }
        }

        var markdown: String {
            let list = options.isEmpty ? "–" : options.map { "`\($0)`" }.joined(separator: ", ")
            return "| `\(([name] + values).joined(separator: " "))` | \(abstract) | \(list) |"
        }
    }

    /// The commands without commands of their own; a group stands for its default one.
    private static func rows(_ command: Command, path: [String] = []) -> [Row] {
        let subcommands = (command.subcommands ?? []).filter {
            $0.commandName != "help" && $0.shouldDisplay
        }
        guard !subcommands.isEmpty else { return [Row(command, path: path)] }
        return subcommands.flatMap { rows($0, path: path + [$0.commandName]) }
    }

    private static func rows() throws -> [Row] {
        let dump = try JSONDecoder().decode(Dump.self, from: Data(BusNode._dumpHelp().utf8))
        return rows(dump.command)
    }

    private static func text(_ document: String) throws -> String {
        try String(
            contentsOf: repository.appendingPathComponent(document), encoding: .utf8)
    }

    /// Where they differ, the failure prints the table as it should be.
    @Test("docs/commands.md has every command with its options, and no others")
    func list() throws {
        let head = ["| command | what it does | options |", "| --- | --- | --- |"]
        let rows = try Self.rows().map(\.markdown)
        let table = (head + rows).joined(separator: "\n") + "\n"
        let page = try Self.text("docs/commands.md")
        #expect(page.hasSuffix("\n\n\(table)"), "docs/commands.md lacks:\n\(table)")
    }

    @Test("docs/commands.md has every environment variable that a command reads, and no others")
    func variables() throws {
        let sources = Self.repository.appendingPathComponent("Sources/bus-node")
        let paths = try FileManager.default.subpathsOfDirectory(atPath: sources.path)
        let code = try paths.filter { $0.hasSuffix(".swift") }.map { path in
            try String(contentsOf: sources.appendingPathComponent(path), encoding: .utf8)
        }
        func names(in text: String) -> Set<String> {
            Set(text.matches(of: #/BUS_NODE_[A-Z_]+/#).map { String($0.output) })
        }
        let page = try Self.text("docs/commands.md")
        #expect(names(in: page) == names(in: code.joined(separator: "\n")))
    }

    /// Those of every command, and of the programs in Examples.
    private static let otherOptions: Set = ["--certificate", "--help", "--parent", "--secret"]

    @Test("An option in a sentence is one that its command has", arguments: documents)
    func options(document: String) throws {
        let rows = try Self.rows()
        let known = Set(rows.flatMap(\.options)).union(Self.otherOptions)
        let prose = try Self.text(document)
            .replacing(#/```.*?```/#.dotMatchesNewlines(), with: "")
            .split(separator: "\n").filter { !$0.hasPrefix("    ") }.joined(separator: "\n")
        for code in prose.matches(of: #/`([^`\n]+)`/#).map({ $0.1 }) {
            var words = code.split(separator: " ").map { String($0) }
            if words.first == "bus-node" { words.removeFirst() }
            let own = rows.filter { words.starts(with: $0.name.components(separatedBy: " ")) }
            guard words.first?.hasPrefix("--") == true || !own.isEmpty else { continue }
            let allowed = own.isEmpty ? known : Set(own.flatMap(\.options))
            let options = words.prefix { $0 != "--" }.filter { $0.contains(#/^--[a-z]/#) }
            #expect(allowed.isSuperset(of: options), "\(code)")
        }
    }

    // MARK: Exit statuses

    @Test("docs/operations.md has every exit status, and no others")
    func exitStatuses() throws {
        let text = try Self.text("docs/operations.md")
        let section = try #require(text.components(separatedBy: "\n## Exit statuses\n").last)
        let rows = section.split(separator: "\n").drop { !$0.hasPrefix("| --- ") }.dropFirst()
            .prefix { $0.hasPrefix("|") }
        let statuses = rows.map { row in
            row.split(separator: "|")[0].trimmingCharacters(in: .whitespaces)
        }
        let known = ExitStatus.allCases.map { "\($0.rawValue)" }
        // Of commands under `exec`, as shells have them.
        #expect(statuses == known + ["126, 127", "128 + N"])
        let final = ExitStatus.allCases.filter(\.isFinal).map { "\($0.rawValue)" }
        #expect(text.contains("cannot run (exit \(final.joined(separator: ", ")))"))
    }
}
