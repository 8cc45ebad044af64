/// A choice that a rule adds, with the command that this node runs when it is chosen.
public struct AddedOption: Hashable, Sendable {
    public let id: String
    public let title: String
    public let role: ErrorReport.Option.Role?
    /// Program and arguments, without a shell; exit 0 means recovered. Empty only for a choice
    /// that recovers nothing (role `cancel`).
    public let run: [String]

    public init(id: String, title: String, role: ErrorReport.Option.Role? = nil, run: [String]) {
        self.id = id
        self.title = title
        self.role = role
        self.run = run
    }
}
