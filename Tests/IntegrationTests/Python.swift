import Foundation

@testable import ErrorBus

/// Runs a client of Examples/clients with the Python that scripts/python finds.
enum Python {
    struct Failed: Error {
        let status: Int32
        let output: String
    }

    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// What the client printed: one JSON object.
    static func run(_ script: String, _ arguments: String...) async throws -> [String: JSONValue] {
        let process = Process()
        process.executableURL = root.appendingPathComponent("scripts/python")
        process.arguments =
            [root.appendingPathComponent("Examples/clients/\(script)").path] + arguments
        let output = Pipe()
        process.standardOutput = output
        return try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { process in
                let text = output.fileHandleForReading.readDataToEndOfFile()
                continuation.resume(
                    with: Result {
                        guard process.terminationStatus == 0,
                            case .object(let object) = try JSONValue.parse(Array(text))
                        else {
                            throw Failed(
                                status: process.terminationStatus,
                                output: String(decoding: text, as: UTF8.self))
                        }
                        return object
                    })
            }
            do { try process.run() } catch {
                process.terminationHandler = nil
                continuation.resume(throwing: error)
            }
        }
    }
}
