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
        let (out, err) = (try Spawn.Pipe(), try Spawn.Pipe())
        let none = FileHandle(forReadingAtPath: "/dev/null")
        var ends = (input: try #require(none), output: out.writing, errors: err.writing)
        var feed: (FileHandle, String)?
        switch input {
        case .none: break
        case .text(let text):
            let pipe = try Spawn.Pipe()
            ends.input = pipe.reading
            feed = (pipe.writing, text)
        case .terminal(let pty): (ends.input, ends.errors) = (pty.child, pty.child)
        case .screen(let pty): ends = (pty.child, pty.child, pty.child)
        }
        let pipes = [ReadPipe(out.reading, into: output), ReadPipe(err.reading, into: errors)]
        self.pipes = pipes
        let pid = try Spawn.start(
            program, arguments,
            environment: ProcessInfo.processInfo.environment
                .filter { !$0.key.hasPrefix("BUS_NODE") }
                // A process that a test kills has nothing to explain.
                .merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
                .merging(environment) { $1 },
            folder: folder, input: ends.input, output: ends.output, errors: ends.errors)
        self.pid = pid
        Survivors.began(pid)
        // Only the child's copies are left: when it ends, so does the reading.
        for pipe in [out, err] { try pipe.writing.close() }
        Thread.detachNewThread { [status] in
            let code = Spawn.ending(of: pid)
            Survivors.ended(pid)
            // All that it said is there before its end is seen.
            for pipe in pipes { pipe.readWhatIsThere() }
            status.update { $0 = code }
        }
        for pipe in pipes { pipe.readToTheEnd() }
        if let (handle, text) = feed {
            try handle.write(contentsOf: Data(text.utf8))
            try handle.close()
        }
    }

    /// A call of bus-node that leads the session and the foreground of a terminal, and its process.
    static func inForeground(
        of pty: Pty, after command: String = ":", _ arguments: [String]
    ) async throws -> (Launched, pid_t) {
        let script = "\(command); echo process $$; exec \"$0\" \"$@\""
        let launched = try Launched(
            ["--ctty", "--wait", "sh", "-c", script, busNode] + arguments,
            program: "/usr/bin/setsid", input: .terminal(pty))
        #expect(await launched.prints("\n"), "\(launched.errors.value) \(pty.screen.value)")
        let line = try #require(launched.output.value.split(separator: "\n").first)
        return (launched, try #require(pid_t(line.dropFirst("process ".count))))
    }

    /// A call of bus-node whose output goes into a pipe without a reader, which this makes.
    static func withoutReader(_ command: String, pipe: String) throws -> Launched {
        let script =
            "mkfifo \(pipe); exec 3<>\(pipe) 4>\(pipe) 3<&-; exec \"$0\" \(command) >&4"
        return try Launched(["-c", script, busNode], program: "/bin/sh")
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

    /// Whether it says this on standard error, so many times.
    func says(_ text: String, times: Int = 1) async -> Bool {
        await errors.becomes { $0.components(separatedBy: text).count > times }
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
