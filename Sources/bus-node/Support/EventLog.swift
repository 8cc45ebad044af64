import ErrorBus
import Foundation
import Glibc
import Synchronization

/// The ledger of one node: one JSON object a line, appended with one write each, so that a killed
/// process loses no line it had written.
final class EventLog: AuditLog {
    private let node: NodeName
    private let descriptor: CInt
    private let sequence = Atomic<Int>(0)

    /// - Throws: When the file or its folder cannot be made.
    init(_ path: String, node: NodeName) throws(Failure) {
        self.node = node
        let folder = (path as NSString).deletingLastPathComponent
        if !folder.isEmpty {
            try? FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
        }
        descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o640)
        guard descriptor >= 0 else {
            throw Failure(.cannotCreate, "event log \(path): \(String(cString: strerror(errno)))")
        }
    }

    deinit { close(descriptor) }

    func record(_ event: AuditEvent) {
        var object: [String: JSONValue] = event.fields.mapValues { .string($0) }
        object["event"] = .string(event.kind.rawValue)
        object["id"] = .string(event.id.description)
        object["node"] = .string(node.description)
        object["time"] = .string(
            Date.now.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
        object["pid"] = .integer(Int64(getpid()))
        object["sequence"] = .integer(Int64(sequence.add(1, ordering: .relaxed).newValue))
        Terminal.write(JSONValue.object(object).encoded() + [UInt8(ascii: "\n")], to: descriptor)
    }
}
