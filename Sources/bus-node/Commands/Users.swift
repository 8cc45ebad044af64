import ArgumentParser
import BusNodeKit
import ErrorBus

/// `bus-node users`: the users of a console.
struct Users: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "users",
        abstract: "Add, list and remove the users of a console.",
        discussion: """
            A console with `users: file:FILE` in the topology admits the users of that file, each \
            by a token, or named by its proxy or identity provider. The file has only hashes of \
            the tokens. A running console reads a changed file with the next request: a removed \
            user is out at once.

            Example: bus-node users add users.txt anna --may answer,silence
            """,
        subcommands: [UsersAdd.self, UsersList.self, UsersRemove.self])

    /// - Throws: When the text is not the name of a user.
    static func checked(_ name: String) throws(Failure) -> String {
        guard ConsoleUser.isName(name) else {
            throw Failure(
                .usage, "NAME: found \"\(name.shown())\", allowed: \(ConsoleUser.nameAllowed)")
        }
        return name
    }
}

/// `bus-node users add`.
struct UsersAdd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add a user, and print the token.",
        discussion: """
            Prints the user's token once; the file has only its hash. A user who is already in the \
            file gets these permissions and a new token; the former token admits no one. Makes the \
            file when it is missing. Exits 73 when it cannot be written, 75 while another command \
            changes it, 78 when it is invalid or has its 1,000 users already.

            Everyone in the file sees everything. --may adds: answer (answer, claim, undo), \
            destructive (choose destructive options), silence (make and end silences), administer \
            (send messages of hooks again, save views for everyone). --may nothing shuts a user \
            out, also a person whom a group of the identity provider would admit, and prints \
            nothing.

            With --proxy the user has no token and nothing is printed: the console's proxy or \
            identity provider (`proxy:` or `oidc:` in the topology) has to name this user, after \
            its own sign-in. A former token of the user admits no one. The proxy or the provider \
            may also name users who have a token.

            Example: bus-node users add users.txt anna --may answer,silence
            """)

    @Argument(help: "The file of users.")
    var file: String

    @Argument(help: "The user's name, which is recorded with each answer.")
    var name: String

    @Option(
        help: "What the user may do: nothing, see, or answer, destructive, silence, administer.")
    var may = "see"

    @Flag(help: "The user gets no token, and signs in by the console's proxy or provider alone.")
    var proxy = false

    func run() async throws {
        try await orFail {
            if may == ConsoleUser.nothing {
                return try UserFile(file).shutOut(try Users.checked(name))
            }
            guard let permissions = ConsoleUser.permissions(may) else {
                throw Failure(
                    .usage,
                    "--may: found \"\(may.shown())\", allowed: \(ConsoleUser.permissionsAllowed)")
            }
            let name = try Users.checked(name)
            if proxy { return try UserFile(file).addProxied(name, permissions) }
            let token = try UserFile(file).add(name, permissions)
            try StandardOutput.print([token])
        }
    }
}

/// `bus-node users list`.
struct UsersList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the users and what each may do.",
        discussion: "Example: bus-node users list users.txt")

    @Argument(help: "The file of users.")
    var file: String

    func run() async throws {
        try await orFail {
            let users = try UserFile(file).users()
            try StandardOutput.print(
                users.map {
                    "\($0.name)  \($0.permissionText)" + ($0.isOnlyProxied ? "  proxy" : "")
                })
        }
    }
}

/// `bus-node users remove`.
struct UsersRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a user: the token admits no one from then on.",
        discussion: """
            Pages that are open with the token end as well. Exits 1 when the file has no such user.

            Example: bus-node users remove users.txt anna
            """)

    @Argument(help: "The file of users.")
    var file: String

    @Argument(help: "The user's name.")
    var name: String

    func run() async throws {
        try await orFail { try UserFile(file).remove(name) }
    }
}
