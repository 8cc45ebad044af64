import ArgumentParser
import Foundation
import Testing

@testable import BusNodeKit
@testable import bus_node

/// Every command in the documents is one that bus-node takes.
struct DocumentedCommandsTests {
    private static let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private static let documents = [
        "README.md", "docs/topology.md", "docs/policies.md", "docs/operations.md",
        "docs/console.md",
    ]

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
        let commands = try Self.commands(in: document)
        #expect(!commands.isEmpty)
        for words in commands {
            #expect(throws: Never.self, "\(words.joined(separator: " "))") {
                _ = try BusNode.parseAsRoot(RawArguments.toParse(words))
            }
        }
    }
}
