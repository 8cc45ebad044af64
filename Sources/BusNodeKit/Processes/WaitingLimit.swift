import ErrorBus
import Foundation
import Glibc
package import Logging

/// The limit on the processes of the same command that wait for an answer at a time. Each process
/// holds the lock of one of as many numbered files. The system gives up the lock of a process that
/// dies, so no count can be out of date.
package struct WaitingLimit: Sendable {
    /// The limits that can be chosen: a process tries one file after another.
    package static let allowed = 1...1_000
    /// The limit without a terminal at standard input, if none is chosen.
    package static let countMaxWithoutTerminal = 20
    /// The most tries to open one file that others remove: each time a process has freed its place.
    private static let tryMax = 100

    /// The decision whether a process may wait.
    enum Admission: Sendable {
        case admitted(Place)
        /// As many processes as the limit already wait.
        case full
        /// The files cannot be used: every process may wait.
        case unlimited
    }

    /// The place of a waiting process.
    struct Place: Sendable {
        fileprivate let descriptor: CInt
        fileprivate let path: String

        /// Frees the place, once.
        func release() {
            // While the lock is held: a file that is there later may be that of another process.
            unlink(path)
            // Closing is not enough while a process that is being started has a copy.
            flock(descriptor, LOCK_UN)
            close(descriptor)
        }
    }

    let countMax: Int
    private let folder: String
    private let logger: Logger

    /// - Parameter folder: The folder of the files, which is made if it is missing.
    package init(countMax: Int, folder: String = WaitingLimit.folder(), logger: Logger) {
        self.countMax = countMax
        self.folder = folder
        self.logger = logger
    }

    /// A folder of this user that is empty after a restart of the machine.
    package static func folder(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> String {
        let runtime = environment["XDG_RUNTIME_DIR"] ?? ""
        // After `su` and `sudo` it may be that of another user.
        let isOwn = runtime.hasPrefix("/") && FileStatus(runtime)?.owner == geteuid()
        return "\(isOwn ? runtime : "/tmp")/errorbus-\(geteuid())"
    }

    func admission(of command: ReportDigest) -> Admission {
        do throws(FileRefusal) {
            try makeFolder()
            for number in 1...countMax {
                if let place = try place("\(folder)/waiting-\(command)-\(number)") {
                    return .admitted(place)
                }
            }
            return .full
        } catch {
            logger.warning(
                "--max-waiting has no effect: any number of processes may wait",
                metadata: [
                    "folder": "\(folder)", "found": "\(error.found)",
                    "allowed": "\(error.allowed ?? "a folder that this user can write")",
                ])
            return .unlimited
        }
    }

    /// The place of a file; nil if another process has it.
    private func place(_ path: String) throws(FileRefusal) -> Place? {
        for _ in 1...Self.tryMax {
            let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw Self.refusal(errno) }
            let problem = flock(descriptor, LOCK_EX | LOCK_NB) == 0 ? 0 : errno
            // A process that frees the place in between removes the file, and the next process
            // makes a new one, which this lock is not on.
            let isRemoved = FileStatus(descriptor: descriptor)?.nameCount == 0
            if problem == 0, !isRemoved { return Place(descriptor: descriptor, path: path) }
            close(descriptor)
            guard problem == 0 || problem == EWOULDBLOCK else { throw Self.refusal(problem) }
            if !isRemoved { return nil }
        }
        throw FileRefusal(status: .cannotCreate, found: "files that are removed at once")
    }

    private func makeFolder() throws(FileRefusal) {
        if mkdir(folder, 0o700) == 0 { return }
        guard errno == EEXIST else { throw Self.refusal(errno) }
        // Others may write into the folder around it, and make this one first.
        guard let status = FileStatus(link: folder), status.isFolder, status.isPrivate,
            status.owner == geteuid()
        else {
            throw FileRefusal(
                status: .cannotCreate, found: "a link, or what others own or may use",
                allowed: "a folder of this user with mode 0700")
        }
    }

    private static func refusal(_ number: CInt) -> FileRefusal {
        FileRefusal(status: .cannotCreate, number: number)
    }
}
