/// Runs the commands that rules and presenters name. The library starts no processes itself.
public protocol CommandRunner: Sendable {
    /// Runs a command to its end.
    ///
    /// - Parameters:
    ///   - command: Program and arguments; no shell takes part.
    ///   - environment: Added to the environment of this process.
    ///   - input: What the command reads from its standard input.
    ///   - timeLimit: After this, and on cancellation, the command is ended.
    /// - Throws: When it could not be started, or did not end within its limit.
    func run(
        _ command: [String], environment: [String: String], input: [UInt8], timeLimit: Duration
    ) async throws -> CommandResult
}
