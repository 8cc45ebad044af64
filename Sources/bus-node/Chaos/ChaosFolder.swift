import ErrorBus
import Foundation
import Glibc

/// Where a run keeps its logs and sockets.
struct ChaosFolder: Sendable {
    let path: String

    init(path: String) { self.path = path }

    /// A new folder, short enough for the sockets in it.
    static func make() throws -> ChaosFolder {
        var template = Array("/tmp/bus-node-chaos-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw Failure(.cannotCreate, "/tmp: \(String(cString: strerror(errno)))")
        }
        return ChaosFolder(
            path: String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        )
    }

    func log(of node: NodeName) -> String { "\(path)/\(node).jsonl" }

    func journal(of node: NodeName) -> String { "\(path)/\(node).sqlite" }

    func readyFile(of node: NodeName) -> String { "\(path)/\(node).ready" }

    func statusFile(of node: NodeName) -> String { "\(path)/\(node).status" }

    func isReady(_ node: NodeName) -> Bool {
        FileManager.default.fileExists(atPath: readyFile(of: node))
    }

    func remove() { try? FileManager.default.removeItem(atPath: path) }

    /// This very program, for the processes of the run.
    static var ownProgram: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
            ?? CommandLine.arguments[0]
    }
}
