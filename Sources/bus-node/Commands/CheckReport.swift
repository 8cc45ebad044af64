import ErrorBus

/// What `check --json` prints.
struct CheckReport: Encodable {
    struct Finding: Encodable {
        let file: String
        let line: Int
        let column: Int
        let field: String
        var found: String?
        var allowed: String?
        var hint: String?
        let message: String
    }

    struct Node: Encodable {
        let name: String
        let next: [String]
        let listen: [String]
        let presenters: [String]
        let rules: Int
    }

    let valid: Bool
    var problems: [Finding] = []
    var warnings: [Finding] = []
    var nodes: [Node] = []

    init(_ loaded: LoadedTopology) {
        valid = true
        warnings = loaded.warnings.map(Finding.init)
        nodes = loaded.topology.settings.map(Node.init)
    }

    init(_ failure: ConfigurationFailure) {
        valid = false
        switch failure {
        case .unreadable(let path, let reason):
            problems = [
                Finding(
                    file: path, line: 0, column: 0, field: "", found: reason,
                    allowed: "a file that can be read", message: failure.description)
            ]
        case .invalid(let problems, let warnings):
            self.problems = problems.map(Finding.init)
            self.warnings = warnings.map(Finding.init)
        }
    }
}

extension CheckReport.Finding {
    init(_ problem: ConfigurationProblem) {
        self.init(
            file: problem.location.file, line: problem.location.line,
            column: problem.location.column, field: problem.field, found: problem.found,
            allowed: problem.allowed, hint: problem.hint, message: problem.description)
    }

    init(_ warning: ConfigurationWarning) {
        self.init(
            file: warning.location.file, line: warning.location.line,
            column: warning.location.column, field: warning.field, message: warning.message)
    }
}

extension CheckReport.Node {
    init(_ node: NodeSettings) {
        self.init(
            name: node.name.description, next: node.next.map(\.description),
            listen: node.listen.map(\.description), presenters: node.presenters.map(\.kind),
            rules: node.responders.count)
    }
}
