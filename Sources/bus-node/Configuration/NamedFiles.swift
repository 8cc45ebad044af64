import ErrorBus

/// What a topology names and only a running node opens: it is tried before.
enum NamedFiles {
    /// What `run` would not start with: the first decides the exit status, as there.
    static func problems(
        of topology: Topology, _ path: String
    ) -> [(problem: ConfigurationProblem, status: ExitStatus)] {
        let root = try? YAMLConfiguration.read(path)
        return topology.settings.flatMap { node in
            node.presenters.enumerated().compactMap { index, presenter in
                guard case .console(let console) = presenter, let file = console.tokenFile else {
                    return nil
                }
                do throws(ConsoleToken.Refusal) {
                    _ = try ConsoleToken(reading: file)
                    return nil
                } catch {
                    let allowed = error.allowed ?? "a file that only its owner can read"
                    let problem = ConfigurationProblem(
                        at: place(of: index, of: node.name, in: root)
                            ?? ConfigurationLocation(file: path, line: 1, column: 1),
                        field: "nodes.\(node.name).presenters[\(index)].console.token",
                        found: "\(error.found) (\(file.shown()))", allowed: allowed)
                    return (problem, error.status)
                }
            }
        }
    }

    /// Where a console's token is written.
    private static func place(
        of index: Int, of node: NodeName, in root: ConfigurationNode?
    ) -> ConfigurationLocation? {
        let presenters = root?["nodes"]?[node.description]?["presenters"]
        guard let presenters else { return nil }
        guard case .sequence(let elements) = presenters.value else {
            return (presenters["console"]?["token"] ?? presenters).location
        }
        guard elements.indices.contains(index) else { return presenters.location }
        return (elements[index]["console"]?["token"] ?? elements[index]).location
    }
}

extension ConfigurationNode {
    fileprivate subscript(key: String) -> ConfigurationNode? {
        guard case .mapping(let entries) = value else { return nil }
        return entries.first { $0.key == key }?.value
    }
}
