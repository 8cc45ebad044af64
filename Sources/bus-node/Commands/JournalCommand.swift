import ArgumentParser
import BusNodeKit
import ErrorBus
import Foundation

/// `bus-node journal`: copies of a node's journal.
struct JournalCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "journal", abstract: "Back up and restore the journal of a node.",
        subcommands: [JournalBackup.self, JournalRestore.self])
}

/// The node whose journal a command is for.
struct JournalTarget: ParsableArguments {
    @OptionGroup var target: TopologyNodes

    /// The journal of the only node that has one, and that node.
    func journal() throws -> (path: String, node: NodeName) {
        let (path, nodes) = try target.chosen()
        let found = nodes.compactMap { node in node.journal.map { ($0, node.name) } }
        guard found.count <= 1 else {
            let names = found.map(\.1.description).joined(separator: ", ")
            throw Failure(.usage, "\(path): give --node NAME; nodes with a journal: \(names)")
        }
        guard let first = found.first else {
            let those = target.node.map { "node \($0.shown()) has no journal" }
            throw Failure(
                .badConfiguration,
                "\(path): \(those ?? "no node has a journal") (journal: FILE)")
        }
        return first
    }
}

/// `bus-node journal backup`.
struct JournalBackup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy a journal into a new file, also while its node runs.",
        discussion: """
            The copy is one moment of the journal, whole and checked, with mode 0600. An existing \
            file is not replaced, and a missing folder not made (exit 73). The file and its size \
            are printed.

            Example: bus-node journal backup central.backup --topology topology.yaml
            """)

    @OptionGroup var target: JournalTarget

    @Argument(help: "The file to create.")
    var file: String

    func run() async throws {
        try await orFail {
            let journal = try target.journal()
            try JournalCopy.backUp(journal.path, to: file)
            try StandardOutput.print("backup: \(JournalCopy.shown(file))")
        }
    }
}

/// `bus-node journal restore`.
struct JournalRestore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Put a backup in the place of a stopped node's journal.",
        discussion: """
            Refused while the node runs (exit 75), for another node's backup (exit 78), and for a \
            damaged one (exit 65). The former journal is kept beside it; its new name is printed, \
            as are the journal and its size. Answers that were recorded after the backup are \
            unknown then: their presentations may be shown again.

            Example: bus-node journal restore central.backup --topology topology.yaml
            """)

    @OptionGroup var target: JournalTarget

    @Argument(help: "The backup.")
    var file: String

    func run() async throws {
        try await orFail {
            let journal = try target.journal()
            let former = try JournalCopy.restore(
                file, to: journal.path, of: journal.node, at: .now)
            try StandardOutput.print("journal: \(JournalCopy.shown(journal.path))")
            if let former { try StandardOutput.print("former journal: \(former.shown())") }
        }
    }
}
