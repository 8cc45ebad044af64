import Foundation
import Glibc
import Synchronization
import Testing

/// A process of this test, ended with it, also when it crashes.
final class Launched: Sendable {
    /// What its standard input is.
    enum Input {
        case none
        case text(String)
        case terminal(Pty)
        /// The terminal is its output as well.
        case screen(Pty)
    }

    /// `bus-node` is built beside the test bundle.
    static let busNode: String = {
        let here =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
            ?? CommandLine.arguments[0]
        return URL(fileURLWithPath: here).deletingLastPathComponent()
            .appendingPathComponent("bus-node").path
    }()

    let pid: pid_t
    let output = Observed("")
    let errors = Observed("")
    private let pipes: [ReadPipe]
    /// 128 + N for signal N.
    private let status = Observed<Int32?>(nil)

    init(
        _ arguments: [String], program: String = Launched.busNode, input: Input = .none,
        folder: String? = nil, environment: [String: String] = [:]
    ) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment
            .filter { !$0.key.hasPrefix("BUS_NODE") }
            // A process that a test kills has nothing to explain.
            .merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
            .merging(environment) { $1 }
        if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
        let (out, err) = (Pipe(), Pipe())
        process.standardOutput = out
        process.standardError = err
        var feed: (FileHandle, String)?
        switch input {
        case .none: process.standardInput = FileHandle.nullDevice
        case .text(let text):
            let pipe = Pipe()
            process.standardInput = pipe
            feed = (pipe.fileHandleForWriting, text)
        case .terminal(let pty):
            process.standardInput = pty.child
            process.standardError = pty.child
        case .screen(let pty):
            process.standardInput = pty.child
            process.standardOutput = pty.child
            process.standardError = pty.child
        }
        let pipes = [
            ReadPipe(out.fileHandleForReading, into: output),
            ReadPipe(err.fileHandleForReading, into: errors),
        ]
        self.pipes = pipes
        process.terminationHandler = { [status] process in
            Survivors.ended(process.processIdentifier)
            let code =
                process.terminationReason == .exit
                ? process.terminationStatus : 128 + process.terminationStatus
            // All that it said is there before its end is seen.
            for pipe in pipes { pipe.readWhatIsThere() }
            status.update { $0 = code }
        }
        try process.run()
        pid = process.processIdentifier
        Survivors.began(pid)
        for pipe in pipes { pipe.readToTheEnd() }
        if let (handle, text) = feed {
            try handle.write(contentsOf: Data(text.utf8))
            try handle.close()
        }
    }

    deinit { if status.value == nil { kill(pid, SIGKILL) } }

    func send(_ signal: Int32) { kill(pid, signal) }

    /// How it ended.
    func ending(sourceLocation: SourceLocation = #_sourceLocation) async throws -> Int32 {
        let hasEnded = await status.becomes { $0 != nil }
        try #require(
            hasEnded, "still runs after \(patience) s; it said: \(errors.value)",
            sourceLocation: sourceLocation)
        return try #require(status.value)
    }

    /// Sends SIGTERM, and returns how long it took to end, with 0.
    func goesDown(sourceLocation: SourceLocation = #_sourceLocation) async throws -> Duration {
        let begin = ContinuousClock.now
        send(SIGTERM)
        #expect(try await ending(sourceLocation: sourceLocation) == 0)
        return ContinuousClock.now - begin
    }

    /// Whether it says this on standard error.
    func says(_ text: String) async -> Bool {
        await errors.becomes { $0.contains(text) }
    }

    /// Whether it prints this on standard output.
    func prints(_ text: String) async -> Bool {
        await output.becomes { $0.contains(text) }
    }
}

/// What a process writes into a pipe, read as it comes.
private final class ReadPipe: Sendable {
    private let handle: FileHandle
    private let text: Observed<String>
    private let isAtEnd = Mutex(false)

    init(_ handle: FileHandle, into text: Observed<String>) {
        self.handle = handle
        self.text = text
    }

    /// On a thread of its own, until no process holds the other end.
    func readToTheEnd() {
        Thread.detachNewThread { [self] in
            var writer = pollfd(fd: handle.fileDescriptor, events: Int16(POLLIN), revents: 0)
            repeat { _ = poll(&writer, 1, -1) } while readWhatIsThere()
        }
    }

    /// Without waiting for more; false at the end.
    @discardableResult
    func readWhatIsThere() -> Bool {
        isAtEnd.withLock { isAtEnd in
            var buffer = [UInt8](repeating: 0, count: 16_384)
            var writer = pollfd(fd: handle.fileDescriptor, events: Int16(POLLIN), revents: 0)
            while !isAtEnd, poll(&writer, 1, 0) > 0 {
                let count = read(handle.fileDescriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                isAtEnd = count <= 0
                let piece = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
                if !isAtEnd { text.update { $0 += piece } }
            }
            return !isAtEnd
        }
    }
}
