import ErrorBus

// Consoles and their hooks.
extension TopologyValidator {
    /// Checks that a console has users or one token, and beyond loopback one of the two files.
    mutating func checkConsoles(of node: TopologyNode) {
        for (index, presenter) in node.presenters.enumerated() {
            guard case .console(let console) = presenter else { continue }
            let field = "nodes.\(node.name).presenters[\(index)].console"
            if console.tokenFile != nil, console.usersFile != nil {
                report(
                    "\(field).token", found: "token and users",
                    allowed: "users, each with a token, or one token that all share")
            }
            if console.proxy != nil, console.usersFile == nil {
                report(
                    "\(field).proxy", found: "proxy without users",
                    allowed: "users: file:PATH beside it, with the names that the proxy gives")
            }
            checkProvider(of: console, field)
            if !console.listen.isLocal, console.tls == nil {
                warn(
                    "\(field).listen",
                    "\"\(console.address)\" speaks plain HTTP beyond loopback: every host on the "
                        + "way can read tokens and answers; add tls: { certificate: FILE, key: "
                        + "FILE }, or listen on loopback behind a proxy with TLS")
            }
            guard !console.listen.isLocal, console.tokenFile == nil, console.usersFile == nil
            else { continue }
            report(
                "\(field).listen",
                found: "\"\(console.address)\", open to other machines without a token",
                allowed: "a loopback host such as 127.0.0.1, or any host with users: file:PATH "
                    + "or token: file:PATH")
        }
    }

    /// Checks the console's `url`, to which a provider leads people back, so that it has to be
    /// safe.
    private mutating func checkProvider(of console: ConsoleSettings, _ consoleField: String) {
        guard console.oidc != nil else { return }
        let field = "\(consoleField).oidc"
        if console.usersFile == nil {
            report(
                field, found: "oidc without users",
                allowed: "users: file:PATH beside it, with the names that the provider gives")
        }
        if console.proxy != nil {
            report(field, found: "oidc and proxy", allowed: "one of them")
        }
        guard let url = console.url else {
            // One that cannot be used is reported already.
            guard !hasProblems(at: "\(consoleField).url") else { return }
            return report(
                field, found: "no url of the console, to which the provider leads people back",
                allowed: "url: https://HOST, or http:// on this machine, as browsers reach this "
                    + "console")
        }
        guard ProviderAddress(url) == nil else { return }
        report(
            "\(consoleField).url", found: "\"\(url)\"",
            allowed: "https://HOST with oidc, or http:// on this machine")
    }

    /// Checks the hooks, which follow the one console of their node, and link to it.
    mutating func checkHooks(of node: TopologyNode) {
        let presenters = "nodes.\(node.name).presenters"
        guard !node.notify.isEmpty, !hasProblems(at: presenters) else { return }
        let consoles = node.presenters.enumerated().compactMap { index, presenter in
            if case .console(let console) = presenter { (index, console) } else { nil }
        }
        guard let (index, console) = consoles.first, consoles.count == 1 else {
            return report(
                "nodes.\(node.name).notify", found: "\(consoles.count) consoles at this node",
                allowed: "one console among its presenters")
        }
        let field = "\(presenters)[\(index)].console"
        if console.url == nil, !hasProblems(at: "\(field).url") {
            report(
                field, found: "no url, which links of notify begin with",
                allowed: "url: http://HOST or https://HOST, as browsers reach this console")
        }
        checkAnswerLinks(of: node, at: console, field)
    }

    /// Checks the links that answer: they need a user, a key of their own, an address at which
    /// strangers cannot read them, and a journal with the used links.
    private mutating func checkAnswerLinks(
        of node: TopologyNode, at console: ConsoleSettings, _ consoleField: String
    ) {
        guard let index = node.notify.firstIndex(where: { $0.answerLinks != nil }) else { return }
        let field = "nodes.\(node.name).notify[\(index)].answerLinks"
        if console.usersFile == nil {
            report(
                field, found: "answerLinks at a console without users",
                allowed: "users: file:PATH at the console, with the name of as")
        }
        if node.journal == nil {
            report(
                field, found: "answerLinks at a node without a journal",
                allowed: "journal: FILE at the node, by which a link is used once, also after a "
                    + "restart")
        }
        if let url = console.url, ProviderAddress(url) == nil {
            report(
                "\(consoleField).url", found: "\"\(url)\"",
                allowed: "https://HOST with answerLinks, or http:// on this machine")
        }
        guard let key = console.linkKeyFile.map(FilePath.normal) else {
            return report(
                field, found: "answerLinks at a console without linkKey",
                allowed: "linkKey: file:PATH at the console, a file of its own")
        }
        let others =
            node.notify.map(\.secretFile) + [
                console.tokenFile, console.usersFile, console.proxy?.secretFile,
                console.oidc?.clientSecretFile,
            ]
        guard others.contains(where: { $0.map(FilePath.normal) == key }) else { return }
        report(
            "\(consoleField).linkKey", found: "a file that holds another secret as well",
            allowed: "a file of its own: with its content anyone can make links")
    }
}
