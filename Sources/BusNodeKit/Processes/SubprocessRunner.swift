import ErrorBus
import Foundation
import Glibc
import Subprocess
import Synchronization
import SystemPackage

/// The runner of the commands of rules and presenters. Each command has a time limit, its own
/// process group and a mark, so that its end also ends the processes that it started.
struct SubprocessRunner: CommandRunner {
    /// The most bytes of output kept; the rest is read and dropped.
    static let outputMax = 64 * 1024
    static let errorTailMax = 4 * 1024

    /// The folder in which commands run: the topology file's. Nil: that of this process.
    let folder: String?

    struct TimedOut: LocalizedError {
        let command: String
        let limit: Duration
        var errorDescription: String? { "\(command) did not end within \(limit)." }
    }

    func run(
        _ command: [String], environment: [String: String], input: [UInt8], timeLimit: Duration
    ) async throws -> CommandResult {
        guard let program = command.first else {
            throw Failure(.badConfiguration, "an empty command")
        }
        let mark = UUID().uuidString
        var environment = environment
        environment[CommandTree.markName] = CommandTree.marks(adding: mark)
        var options = PlatformOptions()
        options.processGroupID = 0
        options.teardownSequence = [
            .gracefulShutDown(
                toProcessGroup: true, allowedDurationToNextStep: ProcessGroups.farewell)
        ]
        // A path from the folder of this process: the child is in its own when it looks for it.
        let here = FileManager.default.currentDirectoryPath
        let configuration = Configuration(
            executable: program.contains("/")
                ? .path(.init(FilePath.resolve(program, in: here))) : .name(program),
            arguments: Arguments(
                executablePathOverride: program, remainingValues: Array(command.dropFirst())),
            environment: .inherit.updating(
                Dictionary(uniqueKeysWithValues: environment.map { (.init(stringLiteral: $0), $1) })
            ),
            workingDirectory: folder.flatMap { $0.isEmpty ? nil : .init($0) },
            platformOptions: options)
        return try await withThrowingTaskGroup(of: CommandResult.self) { group in
            group.addTask { try await Self.run(configuration, mark: mark, input: input) }
            group.addTask {
                try await ContinuousClock().sleepInSteps(for: timeLimit)
                throw TimedOut(command: program, limit: timeLimit)
            }
            defer { group.cancelAll() }
            guard let result = try await group.next() else { throw CancellationError() }
            return result
        }
    }

    /// Runs a command. Does not wait for the pipes beyond the command's own end: a server that it
    /// started in the background may hold them.
    private static func run(
        _ configuration: Configuration, mark: String, input: [UInt8]
    ) async throws -> CommandResult {
        let inputFile = try self.inputFile(input)
        let output: OutputPipe
        let errors: OutputPipe
        do {
            output = try OutputPipe(keeping: .first(outputMax))
        } catch {
            try? inputFile.close()
            throw error
        }
        do {
            errors = try OutputPipe(keeping: .last(errorTailMax))
        } catch {
            try? inputFile.close()
            try? output.writeEnd.close()
            throw error
        }
        let result = try await ProcessGroups.ofThisProcess.tracked { started in
            let result = try await Subprocess.run(
                configuration,
                input: .fileDescriptor(inputFile, closeAfterSpawningProcess: true),
                output: .fileDescriptor(output.writeEnd, closeAfterSpawningProcess: true),
                error: .fileDescriptor(errors.writeEnd, closeAfterSpawningProcess: true)
            ) { execution in
                let command = CommandTree(
                    group: execution.processIdentifier.value, mark: mark)
                started(command)
                return command
            }
            // Past its limit: what it started ends with it.
            if Task.isCancelled { await ProcessGroups.waitForEnd(of: result.closureResult) }
            return result
        }
        let status: CommandResult.Status =
            switch result.terminationStatus {
            case .exited(let code): .exited(code)
            case .signaled(let number): .signaled(number)
            }
        let said = String(decoding: await errors.finish(), as: UTF8.self)
        return CommandResult(
            status: status, standardOutput: await output.finish(), standardErrorTail: said)
    }

    /// The input as a file without a name instead of a pipe: a command that does not read all of it
    /// neither blocks this process nor breaks a pipe.
    private static func inputFile(_ input: [UInt8]) throws -> FileDescriptor {
        let folder = FileManager.default.temporaryDirectory.path
        var template = Array("\(folder)/bus-node-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw Errno(rawValue: errno) }
        unlink(template)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        let file = FileDescriptor(rawValue: descriptor)
        do {
            try file.writeAll(input)
            try file.seek(offset: 0, from: .start)
        } catch {
            try? file.close()
            throw error
        }
        return file
    }
}

/// A pipe for a command's output: read to the end, kept in part, and passed on if requested.
///
/// ``finish()`` does not wait for the pipe to close: a daemon that the command left behind may hold
/// it open without end. Its output is still read, so that it never blocks.
final class OutputPipe: Sendable {
    /// The part of the output that is kept.
    enum Part: Sendable {
        case first(Int)
        case last(Int)
    }

    let writeEnd: FileDescriptor
    private let readEnd: CInt
    private let part: Part
    /// The descriptor to which all output is copied.
    private let copy: CInt?
    private let kept = Mutex<(bytes: [UInt8], isCut: Bool)>(([], false))
    private let atEnd = DispatchSemaphore(value: 0)
    private let commandEnded = Atomic(false)

    /// - Throws: When no descriptor is left.
    init(keeping part: Part, passingTo copy: CInt? = nil) throws {
        var ends: [CInt] = [0, 0]
        guard pipe(&ends) == 0 else { throw Errno(rawValue: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        readEnd = ends[0]
        writeEnd = FileDescriptor(rawValue: ends[1])
        self.part = part
        self.copy = copy
        Thread.detachNewThread { [self] in readAll() }
    }

    /// The kept output, once everything that the command itself wrote has been read. If the last
    /// part is kept, only whole lines, or a note in place of a line that is too long. Call it after
    /// the command has ended.
    func finish() async -> [UInt8] {
        commandEnded.store(true, ordering: .releasing)
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [self] in
                atEnd.wait()
                continuation.resume()
            }
        }
        let (kept, isCut) = kept.withLock { $0 }
        guard case .last(let count) = part, isCut else { return kept }
        // A line whose beginning is lost may have lost the sign that it has a secret.
        let lines = kept.firstIndex(of: UInt8(ascii: "\n")).map { kept[($0 + 1)...] } ?? []
        guard lines.isEmpty else { return Array(lines) }
        return Array("(a line of more than \(count - 1) bytes was left out)\n".utf8)
    }

    private func readAll() {
        var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        var isEnded = false
        // What the command itself may have written last; nil while it runs.
        var rest: Int?
        while true {
            if rest == nil, commandEnded.load(ordering: .acquiring) { rest = readableCount }
            if !isEnded, let rest, rest <= 0 {
                // The thread goes on for processes that the command left behind.
                isEnded = true
                atEnd.signal()
            }
            guard waitForInput(isEnded ? -1 : 20) else { continue }
            let count = read(readEnd, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            if count <= 0 { break }
            rest = rest.map { $0 - count }
            take(buffer.prefix(count))
        }
        close(readEnd)
        if !isEnded { atEnd.signal() }
    }

    /// The bytes that wait in the pipe.
    private var readableCount: Int {
        var count: CInt = 0
        return ioctl(readEnd, UInt(FIONREAD), &count) == 0 ? Int(count) : 0
    }

    /// Waits for input or the end; returns whether one of them came.
    private func waitForInput(_ milliseconds: CInt) -> Bool {
        var item = pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)
        return poll(&item, 1, milliseconds) > 0
    }

    private func take(_ bytes: ArraySlice<UInt8>) {
        // As the command itself would, which has a reader that may be slow.
        if let copy { Terminal.write(Array(bytes), to: copy, waits: true) }
        kept.withLock { kept in
            switch part {
            case .first(let count):
                kept.bytes += bytes.prefix(max(0, count - kept.bytes.count))
            case .last(let count):
                kept.bytes += bytes
                guard kept.bytes.count > count else { return }
                kept.bytes.removeFirst(kept.bytes.count - count)
                kept.isCut = true
            }
        }
    }
}
