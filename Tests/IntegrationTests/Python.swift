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
        let file = root.appendingPathComponent("Examples/clients/\(script)").path
        let (status, text) = try await print([file] + arguments)
        guard status.isSuccess, case .object(let object) = try JSONValue.parse(Array(text.utf8))
        else { throw Failed(status: status, output: text) }
        return object
    }

    /// What a program of a few lines printed, without the end of the last one.
    static func run(lines: String, _ arguments: String...) async throws -> String {
        let (status, text) = try await print(["-c", lines] + arguments)
        guard status.isSuccess else { throw Failed(status: status, output: text) }
        return text.trimmingCharacters(in: .newlines)
    }

    private static func print(
        _ arguments: [String]
    ) async throws -> (status: TerminationStatus, text: String) {
        let result = try await Subprocess.run(
            .path(FilePath(root.appendingPathComponent("scripts/python").path)),
            arguments: Arguments(arguments),
            output: .string(limit: 1 << 20), error: .currentStandardError)
        return (result.terminationStatus, result.standardOutput)
    }
}
