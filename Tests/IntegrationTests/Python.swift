import Foundation
import Subprocess
import SystemPackage

@testable import ErrorBus
@testable import ErrorBusCore

/// Runs a client of Examples/clients with the Python that scripts/python finds.
enum Python {
    struct Failed: Error {
        let status: TerminationStatus
        let output: String
    }

    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// What the client printed: one JSON object.
    static func run(_ script: String, _ arguments: String...) async throws -> [String: JSONValue] {
        let result = try await Subprocess.run(
            .path(FilePath(root.appendingPathComponent("scripts/python").path)),
            arguments: Arguments(
                [root.appendingPathComponent("Examples/clients/\(script)").path] + arguments),
            output: .string(limit: 1 << 20), error: .currentStandardError)
        let text = result.standardOutput
        guard result.terminationStatus.isSuccess,
            case .object(let object) = try JSONValue.parse(Array(text.utf8))
        else { throw Failed(status: result.terminationStatus, output: text) }
        return object
    }
}
