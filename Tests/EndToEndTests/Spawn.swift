import CSpawn
import Foundation
import Glibc

/// The system's `posix_spawn`: starts a program and returns how it ended. Foundation's `Process`
/// serves all its children from one run loop, which has ended a whole test run by a trap.
enum Spawn {
    /// A pipe whose ends no other child inherits.
    struct Pipe {
        let reading: FileHandle
        let writing: FileHandle

        init() throws {
            var ends: [Int32] = [-1, -1]
            try check(spawn_pipe(&ends))
            reading = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
            writing = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
        }
    }

    /// The child has these three descriptors and no others, and leads a process group of its own.
    static func start(
        _ program: String, _ arguments: [String], environment: [String: String],
        folder: String? = nil, input: FileHandle, output: FileHandle, errors: FileHandle
    ) throws -> pid_t {
        var pid: pid_t = 0
        let descriptors = [input, output, errors].map(\.fileDescriptor)
        try withCStrings([program] + arguments) { arguments in
            try withCStrings(environment.map { "\($0)=\($1)" }) { environment in
                try check(
                    spawn_start(&pid, program, arguments, environment, folder, descriptors))
            }
        }
        return pid
    }

    /// Waits for its end: the exit code, or 128 + N for signal N.
    static func ending(of pid: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0 {
            guard errno == EINTR else { return -1 }
        }
        let signal = status & 0x7f
        return signal == 0 ? (status >> 8) & 0xff : 128 + signal
    }

    private static func check(_ status: Int32) throws {
        guard status == 0 else { throw POSIXError(POSIXErrorCode(rawValue: status) ?? .EIO) }
    }

    private static func withCStrings(
        _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) throws -> Void
    ) rethrows {
        let copies = texts.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        try body(copies + [nil])
    }
}
