import ErrorBus
import Foundation
import Glibc

/// The file of a console's users, as the command `users` changes it. Comments stay.
package struct UserFile: Sendable {
    private static let heading =
        "# Users of a console: name, permissions, hash of the token, or proxy for none. "
        + "See bus-node users --help.\n"

    package let path: String
    /// The file itself, if the path is a link to it.
    private let target: String

    package init(_ path: String) {
        self.path = path
        target = URL(filePath: path).resolvingSymlinksInPath().path
    }

    /// The users, in the order of the file.
    package func users() throws(Failure) -> [ConsoleUser] {
        do throws(FileRefusal) { return try ConsoleUsers.read(path).users } catch {
            throw failure(error)
        }
    }

    /// Adds a user, or gives the user of that name other permissions and another token. Makes the
    /// file if there is none.
    ///
    /// - Returns: The token, which only its user has from now on.
    package func add(
        _ name: String, _ permissions: Set<ConsolePermission>
    ) throws(Failure) -> String {
        let token = ConsoleToken.generated().text
        try put(ConsoleUser(name: name, permissions: permissions, token: token))
        return token
    }

    /// Adds a user without a token, whom a proxy has to name. The token of an earlier user of that
    /// name admits no one from then on.
    package func addProxied(
        _ name: String, _ permissions: Set<ConsolePermission>
    ) throws(Failure) {
        try put(ConsoleUser(name: name, permissions: permissions, tokenHash: nil))
    }

    /// Shuts a user out, also one whom groups of an identity provider would admit.
    package func shutOut(_ name: String) throws(Failure) {
        try put(ConsoleUser(name: name, permissions: [], tokenHash: nil, isShutOut: true))
    }

    private func put(_ user: ConsoleUser) throws(Failure) {
        let line = ConsoleUsers.line(user)
        try exclusively { () throws(Failure) in
            guard FileStatus(target) != nil else {
                return try change { () throws(FileRefusal) in
                    try PrivateFile.create(target, Self.heading + line + "\n", mode: 0o600)
                }
            }
            var lines = try lines()
            if let index = lines.firstIndex(where: { ConsoleUsers.name(in: $0) == user.name }) {
                lines[index] = line[...]
            } else {
                lines.append(line[...])
            }
            try write(lines)
        }
    }

    /// Removes a user, whose token admits no one from then on.
    package func remove(_ name: String) throws(Failure) {
        try exclusively { () throws(Failure) in
            let lines = try lines()
            let others = lines.filter { ConsoleUsers.name(in: $0) != name }
            guard others.count < lines.count else {
                throw Failure(.declined, "\(path.shown()): no user \(name.shown())")
            }
            try write(others)
        }
    }

    /// Does the work while no other command changes a file of the folder: a command that read the
    /// file before this change would undo it.
    private func exclusively(_ work: () throws(Failure) -> Void) throws(Failure) {
        let folder = URL(filePath: target).deletingLastPathComponent().path
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw failure(FileRefusal(status: .noInput, number: errno))
        }
        defer {
            // A process that is being started elsewhere in this one may hold the descriptor a
            // moment longer, and with it the lock.
            flock(descriptor, LOCK_UN)
            close(descriptor)
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else {
            throw Failure(
                .temporaryFailure,
                "users \(path.shown()): another command changes it now; run this one again")
        }
        try work()
    }

    /// The lines of a valid file.
    private func lines() throws(Failure) -> [Substring] {
        do throws(FileRefusal) {
            let text = try ConsoleUsers.text(of: target)
            _ = try ConsoleUsers.list(text)
            return text.split(whereSeparator: \.isNewline)
        } catch {
            throw failure(error)
        }
    }

    /// Replaces the file, unless no console could use it from then on.
    private func write(_ lines: [Substring]) throws(Failure) {
        let text = lines.joined(separator: "\n") + "\n"
        do throws(FileRefusal) { try ConsoleUsers.check(text) } catch {
            throw Failure(
                error.status,
                "users \(path.shown()): not changed: \(error.text); remove users or comments first")
        }
        try change { () throws(FileRefusal) in
            try PrivateFile.replace(target, text, mode: 0o600)
        }
    }

    private func change(_ work: () throws(FileRefusal) -> Void) throws(Failure) {
        do throws(FileRefusal) { try work() } catch { throw failure(error) }
    }

    private func failure(_ refusal: FileRefusal) -> Failure {
        Failure(refusal.status, "users \(path.shown()): \(refusal.text)")
    }
}
