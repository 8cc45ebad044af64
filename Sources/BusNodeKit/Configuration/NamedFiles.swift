import ErrorBus
import Foundation
import Glibc

/// The files that a topology names and only a running node opens, checked in advance.
package struct NamedFiles {
    package struct Finding {
        package let problem: ConfigurationProblem
        package let status: ExitStatus
    }

    private let topology: Topology
    private let path: String
    private let root: ConfigurationNode?

    /// - Parameter path: The topology's file, for messages.
    package init(_ topology: Topology, _ path: String) {
        self.topology = topology
        self.path = path
        root = try? YAMLConfiguration.read(path)
    }

    /// Problems that keep a node from starting, or a presenter from answering, in the order of the
    /// lines.
    package var problems: [Finding] {
        let findings =
            keys
            + topology.settings.flatMap { node in
                tokens(of: node) + answerLinks(of: node) + missingPrograms(of: node)
                    + stores(of: node)
            }
        return findings.sorted {
            $0.problem.location.precedes($1.problem.location, startingWith: path)
        }
    }

    /// Files that this user cannot write here; the node's own user may.
    package var warnings: [ConfigurationWarning] {
        topology.settings.flatMap { node in
            [("journal", node.journal), ("events", node.events)].compactMap { key, file in
                guard let file, let hindrance = FilePath.hindrance(to: file) else { return nil }
                return ConfigurationWarning(
                    at: location(["nodes", "\(node.name)", key]),
                    field: "nodes.\(node.name).\(key)",
                    message: "\(file.shown()) cannot be written here: \(hindrance)")
            }
        }
    }

    // MARK: Journal and ledger

    /// A folder or another file at the path of a journal or a ledger.
    private func stores(of node: TopologyNode) -> [Finding] {
        func finding(_ key: String, _ file: String, _ found: String, _ allowed: String) -> Finding {
            let problem = ConfigurationProblem(
                at: location(["nodes", "\(node.name)", key]), field: "nodes.\(node.name).\(key)",
                found: "\(found) (\(file.shown()))", allowed: allowed)
            return Finding(problem: problem, status: .badConfiguration)
        }
        var findings: [Finding] = []
        if let file = node.journal, let status = FileStatus(file) {
            if !status.isFile {
                findings.append(finding("journal", file, status.kind, "a file, or no file yet"))
            } else if !JournalFiles.mayBeJournal(file) {
                let allowed = "a journal, or no file yet: move this one away"
                findings.append(finding("journal", file, "a file that is no journal", allowed))
            }
        }
        if let file = node.events, let status = FileStatus(file),
            status.isFolder || status.isPipeOrSocket
        {
            findings.append(finding("events", file, status.kind, "a file, or no file yet"))
        }
        return findings
    }

    // MARK: Keys

    /// The problems of the public keys of all nodes, and of the secrets that are on this machine.
    private var keys: [Finding] {
        guard let path = topology.keys else { return [] }
        let folder = KeyFolder(path)
        var failures: [Failure] = []
        func check(_ work: () throws(Failure) -> Void) {
            do throws(Failure) { try work() } catch { failures.append(error) }
        }
        check { () throws(Failure) in
            let found = try folder.publicKeys()
            let nodes = topology.settings.map(\.name)
            for name in nodes where found.known[name] == nil {
                failures.append(
                    Failure(
                        .noInput,
                        "key \(folder.publicFile(of: name).shown()): is missing"
                            + KeyFolder.remedy))
            }
            for name in found.known.keys.sorted(by: { $0.description < $1.description }) {
                let secret = folder.secretFile(of: name)
                // A client's pair may belong to another user of this machine.
                guard FileStatus(secret) != nil,
                    nodes.contains(name) || access(secret, R_OK) == 0
                else { continue }
                check { () throws(Failure) in _ = try folder.pair(of: name, among: found) }
            }
            _ = try folder.signers(of: topology, among: found.signers)
        }
        return failures.map { failure in
            let problem = ConfigurationProblem(
                at: location(["keys"]), field: "keys", saying: failure.text)
            return Finding(problem: problem, status: failure.status)
        }
    }

    // MARK: Tokens, secrets and authorities

    private func tokens(of node: TopologyNode) -> [Finding] {
        node.presenters.enumerated().compactMap { index, presenter in
            guard case .console(let console) = presenter else { return nil }
            func finding(
                _ key: String, _ file: String, _ remedy: String? = nil,
                _ read: (String) throws(FileRefusal) -> Void
            ) -> Finding? {
                unusable(
                    file, at: place("presenters", index, of: node.name, ["console", key]),
                    field: "nodes.\(node.name).presenters[\(index)].console.\(key)",
                    remedy: remedy, read: read)
            }
            if let finding = certificate(of: console, index, node.name) { return finding }
            if let file = console.proxy?.secretFile,
                let finding = unusable(
                    file,
                    at: place("presenters", index, of: node.name, ["console", "proxy", "secret"]),
                    field: "nodes.\(node.name).presenters[\(index)].console.proxy.secret")
            {
                return finding
            }
            if let file = console.oidc?.clientSecretFile,
                let finding = unusable(
                    file,
                    at: place(
                        "presenters", index, of: node.name, ["console", "oidc", "clientSecret"]),
                    field: "nodes.\(node.name).presenters[\(index)].console.oidc.clientSecret",
                    read: { file throws(FileRefusal) in
                        _ = try ConsoleSignIn.secret(reading: file)
                    })
            {
                return finding
            }
            if let file = console.usersFile {
                return finding("users", file, "bus-node users add makes it") {
                    file throws(FileRefusal) in _ = try ConsoleUsers.read(file)
                }
            }
            return console.tokenFile.flatMap { file in
                finding("token", file) { file throws(FileRefusal) in
                    _ = try ConsoleToken(reading: file)
                }
            }
        }
            + node.notify.enumerated().compactMap { index, hook in
                guard let file = hook.secretFile else { return nil }
                return unusable(
                    file, at: place("notify", index, of: node.name, ["secret"]),
                    field: "nodes.\(node.name).notify[\(index)].secret")
            }
            + node.notify.enumerated().compactMap { index, hook in
                guard let file = hook.authorityFile else { return nil }
                return unusable(
                    file, at: place("notify", index, of: node.name, ["ca"]),
                    field: "nodes.\(node.name).notify[\(index)].ca"
                ) { file throws(FileRefusal) in _ = try Authorities(reading: file) }
            }
    }

    // MARK: Links that answer

    /// The problems of the key of the links, and of the users who answer by them.
    private func answerLinks(of node: TopologyNode) -> [Finding] {
        node.presenters.enumerated().flatMap { index, presenter -> [Finding] in
            guard case .console(let console) = presenter, let key = console.linkKeyFile else {
                return []
            }
            let unusableKey = unusable(
                key, at: place("presenters", index, of: node.name, ["console", "linkKey"]),
                field: "nodes.\(node.name).presenters[\(index)].console.linkKey")
            // A file of users that cannot be used is a finding of its own.
            let users = console.usersFile.flatMap { try? ConsoleUsers.read($0).users }
            let unfit = users.map { users in
                node.notify.enumerated().compactMap { unfitUser(of: $1, $0, node.name, users) }
            }
            return (unusableKey.map { [$0] } ?? []) + (unfit ?? [])
        }
    }

    private func unfitUser(
        of hook: HookSettings, _ index: Int, _ node: NodeName, _ users: [ConsoleUser]
    ) -> Finding? {
        guard let name = hook.answerLinks?.user else { return nil }
        let user = users.first { $0.name == name }
        if let user, user.permissions.contains(.answer) { return nil }
        let found = user.map { "who may \($0.permissionText)" } ?? "no user of the console"
        let problem = ConfigurationProblem(
            at: place("notify", index, of: node, ["answerLinks", "as"]),
            field: "nodes.\(node).notify[\(index)].answerLinks.as",
            found: "\"\(name.shown())\", \(found)",
            allowed: "a name in the console's file of users, with the permission to answer "
                + "(bus-node users add)")
        return Finding(problem: problem, status: .badConfiguration)
    }

    // MARK: Certificates

    private func certificate(
        of console: ConsoleSettings, _ index: Int, _ node: NodeName
    ) -> Finding? {
        guard let tls = console.tls else { return nil }
        do throws(ConsoleCertificate.Refusal) {
            _ = try ConsoleCertificate.read(tls)
            return nil
        } catch {
            return unusable(
                error.file,
                at: place("presenters", index, of: node, ["console", "tls", error.key]),
                field: "nodes.\(node).presenters[\(index)].console.tls.\(error.key)"
            ) { _ throws(FileRefusal) in throw error.refusal }
        }
    }

    private func unusable(
        _ file: String, at location: ConfigurationLocation, field: String, remedy: String? = nil,
        read: (String) throws(FileRefusal) -> Void = { file throws(FileRefusal) in
            _ = try ConsoleToken(reading: file)
        }
    ) -> Finding? {
        do throws(FileRefusal) {
            try read(file)
            return nil
        } catch {
            let isUnreadable = error.status == .noInput
            let hint = "the file cannot be read: \(error.found)"
            let remedy = error.isMissing ? remedy.map { "; \($0)" } ?? "" : ""
            let problem = ConfigurationProblem(
                at: location, field: field,
                found: isUnreadable ? "\"\(file.shown())\"" : "\(error.found) (\(file.shown()))",
                allowed: error.allowed ?? "a file that only its owner can read",
                hint: isUnreadable ? hint + remedy : nil)
            return Finding(problem: problem, status: error.status)
        }
    }

    // MARK: Programs

    /// The programs of a node's presenters and rules that cannot be run.
    package func missingPrograms(of node: TopologyNode) -> [Finding] {
        var findings = programs(of: node.responders, "nodes.\(node.name).responders", in: path)
        for (index, presenter) in node.presenters.enumerated() {
            switch presenter {
            case .command(let words):
                let finding = missing(
                    words, at: place("presenters", index, of: node.name, ["command"]),
                    field: "nodes.\(node.name).presenters[\(index)].command")
                findings += finding.map { [$0] } ?? []
            case .policy(let file, let rules): findings += programs(of: rules, "rules", in: file)
            case .terminal, .console: break
            }
        }
        return findings
    }

    private func programs(of rules: [Rule], _ list: String, in file: String) -> [Finding] {
        rules.flatMap { rule in
            rule.actions.compactMap { action in
                guard case .addOption(let option) = action else { return nil }
                return missing(
                    option.run,
                    at: ConfigurationLocation(file: file, line: rule.line ?? 1, column: 1),
                    field: "\(list)[\(rule.position - 1)].addOption.run")
            }
        }
    }

    private func missing(
        _ words: [String], at location: ConfigurationLocation, field: String
    ) -> Finding? {
        guard let program = words.first else { return nil }
        let folders = ProgramSearch.path(in: RawArguments.environment ?? [])
        let result = ProgramSearch.find(Array(program.utf8), path: folders)
        guard case .missing(let reason, let exitCode) = result else { return nil }
        let problem = ConfigurationProblem(
            at: location, field: field, found: "\"\(program.shown())\"",
            allowed: "a program that can be run", hint: reason)
        return Finding(problem: problem, status: exitCode == 127 ? .noInput : .badConfiguration)
    }

    // MARK: Places

    /// The location in the file of a key of an entry of one of the node's lists.
    private func place(
        _ list: String, _ index: Int, of node: NodeName, _ keys: [String]
    ) -> ConfigurationLocation {
        let field = ["nodes", node.description, list]
        guard case .sequence(let elements)? = field.reduce(root, { $0?[$1] })?.value,
            elements.indices.contains(index)
        else { return location(field) }
        return keys.reduce(elements[index]) { $0[$1] ?? $0 }.location
    }

    private func location(_ keys: [String]) -> ConfigurationLocation {
        keys.reduce(root) { $0?[$1] }?.location
            ?? ConfigurationLocation(file: path, line: 1, column: 1)
    }
}

extension ConfigurationNode {
    fileprivate subscript(key: String) -> ConfigurationNode? {
        guard case .mapping(let entries) = value else { return nil }
        return entries.first { $0.key == key }?.value
    }
}
