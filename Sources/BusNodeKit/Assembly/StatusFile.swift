package import ErrorBus
import Foundation
import Glibc

/// A small JSON file about a running node, written again every second: how full its tables are. One
/// that grows old is a node that hangs.
package struct StatusFile: Sendable {
    static let interval: Duration = .seconds(1)

    let path: String

    /// Takes away a file left over from an earlier life, and shows that a new one can be made.
    package init(_ path: String) throws(Failure) {
        self.path = path
        unlink(path)
        guard FileManager.default.createFile(atPath: temporary, contents: nil) else {
            throw Failure(
                .cannotCreate, "--status-file \(path): \(String(cString: strerror(errno)))")
        }
        unlink(temporary)
    }

    private var temporary: String { path + ".\(getpid())" }

    /// Writes it until the task is cancelled, then takes it away. A disk that is full costs the
    /// file its freshness and the node nothing.
    package func keep(_ node: Node) async {
        while !Task.isCancelled {
            write(node.name, await node.tableSizes)
            try? await Task.sleep(for: Self.interval)
        }
        unlink(path)
    }

    /// All entries of all tables together, children aside; nil when there is no such file.
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
        let content = Data(object.encoded() + [UInt8(ascii: "\n")])
        // The name appears with its content: a reader never gets half of it.
        if FileManager.default.createFile(atPath: temporary, contents: content) {
            rename(temporary, path)
        }
    }
}
