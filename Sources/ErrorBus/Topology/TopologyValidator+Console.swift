// Consoles and their hooks.
extension TopologyValidator {
    /// A console has users or one token, and beyond loopback requires either.
    mutating func checkConsoles(of node: NodeSettings) {
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
                    "\"\(console.address)\" speaks plain HTTP beyond loopback: who is on the way "
                        + "can read tokens and answers; add tls: { certificate: FILE, key: FILE }, "
                        + "or listen on loopback behind a proxy with TLS")
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

    /// A provider leads people back to the console's `url`, which has to be safe for that.
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
                allowed: "url: https://HOST, as browsers reach this console")
        }
        guard ProviderAddress(url) == nil else { return }
        report(
            "\(consoleField).url", found: "\"\(url)\"",
            allowed: "https://HOST with oidc, or http:// on this machine")
    }

    /// Hooks follow the one console of their node, and link to it.
    mutating func checkHooks(of node: NodeSettings) {
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
        guard console.url == nil, !hasProblems(at: "\(presenters)[\(index)].console.url") else {
            return
        }
        report(
            "\(presenters)[\(index)].console", found: "no url, which links of notify begin with",
            allowed: "url: https://HOST, as browsers reach this console")
    }
}
