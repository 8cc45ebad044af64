/// One entry of `presenters:`.
public enum PresenterSettings: Hashable, Sendable {
    /// The rules of a policy file: the first that matches decides.
    case policy(path: String, rules: [Rule])
    /// The terminal the node runs in.
    case terminal
    /// A program: report on its input as JSON, option id on its output.
    case command([String])
    /// A console over HTTP, for people with a browser and for scripts.
    case console(ConsoleSettings)

    /// The key in the file.
    public var kind: String {
        switch self {
        case .policy: "policy"
        case .terminal: "terminal"
        case .command: "command"
        case .console: "console"
        }
    }
}
