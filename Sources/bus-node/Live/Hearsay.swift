import ErrorBus

/// What a node's parents say of it: all there is to know of one that listens nowhere.
struct Hearsay {
    private struct Said {
        let parent: NodeName
        let child: ChildStatus?
    }

    private let name: NodeName
    private let said: [Said]

    /// - Throws: When no parent answers, or it has none.
    init(of name: NodeName, in topology: Topology) async throws {
        self.name = name
        let endpoints = topology.parentEndpoints(of: name)
        guard !endpoints.isEmpty else {
            throw Failure(
                .unavailable, "\(name) listens nowhere and has no parent: no node can be asked")
        }
        let answers = await NodeStatus.ask(endpoints)
        said = answers.compactMap { answer in
            guard let status = try? answer.get() else { return nil }
            return Said(parent: status.node, child: status.children.first { $0.name == name })
        }
        guard said.isEmpty else { return }
        let tried = zip(endpoints, answers).compactMap { endpoint, answer -> String? in
            guard case .failure(let failure) = answer else { return nil }
            return "\(endpoint): \(failure)"
        }
        throw Failure(
            .unavailable,
            "\(name) listens nowhere, and no parent of it answers: "
                + tried.joined(separator: "; "))
    }

    /// No parent knows it.
    var isUnknown: Bool { said.allSatisfy { $0.child == nil } }

    var lines: [String] {
        said.enumerated().flatMap { index, said -> [String] in
            let gap = index == 0 ? [] : [""]
            guard let child = said.child else {
                return gap + ["\(said.parent) has no link with \(name)"]
            }
            return gap + ["\(name) listens nowhere; \(said.parent) says of it:", ""]
                + StatusText.table([child])
        }
    }

    var json: JSONValue {
        [
            "node": .string(name.description),
            "parents": .array(
                said.map { said in
                    [
                        "parent": .string(said.parent.description),
                        "child": said.child.map(\.json) ?? .null,
                    ]
                }),
        ]
    }
}
