import Foundation
import Glibc
import SystemPackage

/// The start of a command by `posix_spawn`. The subprocess library resets every signal that is
/// ignored, which a command under `nohup`, or in the background of a script, has to keep.
enum CommandSpawn {
    /// Starts a process with the standard input and output of this one, and no other descriptors.
    ///
    /// - Parameters:
    ///   - words: The name that the process sees, and its arguments.
    ///   - errors: The standard error of the process.
    static func start(
        _ program: [UInt8], _ words: [[UInt8]], environment: [[UInt8]], errors: FileDescriptor
    ) throws(Errno) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, errors.rawValue, STDERR_FILENO)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        // This process ignores them for itself alone, also where it asks at a terminal.
        for signal in ReceivedSignal.ignoredHere { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        let (arguments, variables) = (words.map(copy) + [nil], environment.map(copy) + [nil])
        defer { for text in arguments + variables { free(text) } }
        closeOthersInCommands()
        // The kernel would collect the process, and its status with it.
        if ReceivedSignal.isIgnored(SIGCHLD) { signal(SIGCHLD, SIG_DFL) }
        var process: pid_t = 0
        var number = posix_spawn(
            &process, program.map { CChar(bitPattern: $0) } + [0], &actions, &attributes,
            arguments, variables)
        if number == ENOEXEC, isText(program) {
            // A script without `#!`: the shell runs it, as below every shell, env and nohup.
            let script = [copy(Array("sh".utf8)), copy(program)]
            defer { for text in script { free(text) } }
            let status = posix_spawn(
                &process, "/bin/sh", &actions, &attributes, script + arguments.dropFirst(),
                variables)
            if status == 0 { number = 0 }
        }
        guard number == 0 else { throw Errno(rawValue: number) }
        return process
    }

    /// Returns when the process has ended. The process keeps its id until it is collected.
    static func end(of process: pid_t) async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var information = siginfo_t()
                while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) < 0,
                    errno == EINTR
                {}
                continuation.resume()
            }
        }
    }

    /// The status of a process that has ended.
    static func collect(_ process: pid_t) -> CommandEnding.Status {
        var status: CInt = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        return signal == 0 ? .exited((status >> 8) & 0xFF) : .signaled(signal)
    }

    /// Whether a program is no binary, which no shell can read: its beginning has no zero.
    private static func isText(_ program: [UInt8]) -> Bool {
        let descriptor = open(program.map { CChar(bitPattern: $0) } + [0], O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return true }
        defer { close(descriptor) }
        var start = [UInt8](repeating: 0, count: 256)
        let count = read(descriptor, &start, start.count)
        return !start.prefix(max(0, count)).contains(0)
    }

    private static func copy(_ text: [UInt8]) -> UnsafeMutablePointer<CChar>? {
        strdup(text.map { CChar(bitPattern: $0) } + [0])
    }

    /// Closes, in commands, the descriptors that this process was started with beyond the standard
    /// ones.
    private static func closeOthersInCommands() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        for descriptor in names.compactMap({ CInt($0) }) where descriptor > STDERR_FILENO {
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        }
    }
}
