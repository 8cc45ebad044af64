import ErrorBus
import Foundation
import Glibc

/// Adds to a node's event log what only a chaos run knows: which prompts are shown, which attempts
/// begin. One line a write, as ``EventLog`` does, so that killing the process loses none.
final class ChaosLog: Sendable {
    private let node: NodeName
    private let descriptor: CInt

    init(_ path: String, node: NodeName) throws(Failure) {
        self.node = node
        descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o640)
        guard descriptor >= 0 else {
            throw Failure(.cannotCreate, "event log \(path): \(String(cString: strerror(errno)))")
        }
    }

    deinit { close(descriptor) }

    func record(_ kind: LedgerEvent.Kind, _ id: PresentationID, _ fields: [String: String] = [:]) {
        var object: [String: JSONValue] = fields.mapValues { .string($0) }
        object["event"] = .string(kind.rawValue)
        object["id"] = .string(id.description)
        object["node"] = .string(node.description)
        object["pid"] = .integer(Int64(getpid()))
        object["time"] = .string(
            Date.now.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
        Terminal.write(JSONValue.object(object).encoded() + [UInt8(ascii: "\n")], to: descriptor)
    }
}
