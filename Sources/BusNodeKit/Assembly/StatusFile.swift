package import ErrorBus
import Foundation
import Glibc

/// A JSON file with the table sizes of a running node, rewritten every second. An old file means
/// that the node hangs.
package struct StatusFile: Sendable {
    static let interval: Duration = .seconds(1)

    private let file: PublishedFile

    /// Removes a file left by an earlier life, and verifies that a new one can be created.
    ///
    /// - Throws: When something other than a file is at the path, or no file can be created there.
    package init(_ path: String) throws(Failure) {
        file = PublishedFile(path, option: "--status-file") { content in
            (try? JSONValue.parse(Array(content))["pid"]?.integerValue)
                .flatMap { pid_t(exactly: $0) }
        }
        try file.prepare()
    }

    /// Writes the file until the task is cancelled, then removes it. On a full disk the file gets
    /// old; the node is not affected.
    package func keep(_ node: Node) async {
        while !Task.isCancelled {
            write(node.name, await node.tableSizes)
            try? await Task.sleep(for: Self.interval)
        }
        file.remove()
    }

    /// All entries of all tables, without children; nil when there is no such file.
    package static func entryCount(in path: String) -> Int? {
        guard let data = FileManager.default.contents(atPath: path),
            case .object(let tables)? = try? JSONValue.parse(Array(data))["tables"]
        else { return nil }
        return tables.reduce(0) { sum, table in
            table.key == "children" ? sum : sum + Int(table.value.integerValue ?? 0)
        }
    }

    func write(_ name: NodeName, _ sizes: TableSizes) {
        let tables = sizes.rows.map { ($0.name, JSONValue.integer(Int64($0.count))) }
        let object: JSONValue = [
            "node": .string(name.description), "pid": .integer(Int64(getpid())),
            "tables": .object(Dictionary(uniqueKeysWithValues: tables)),
            "time": .string(TimeText.now),
        ]
        file.write(Data(object.encoded() + [UInt8(ascii: "\n")]))
    }
}
