extension ErrorReport {
    /// A choice as people and answers see it: an id, a title and a role. What choosing it does is
    /// known only to the process that owns it.
    public struct Option: Hashable, Sendable {
        /// What a choice means to a presenter. AppKit infers these from a button's title;
        /// titles can be translated, so here they are declared.
        public enum Role: String, Sendable, CaseIterable {
            /// The expected choice: what Return takes.
            case `default`
            /// Gives up: what Escape takes. Recovers nothing.
            case cancel
            /// Loses something that cannot be had back: never taken without being named.
            case destructive
        }

        /// Stable, language-neutral, unique within its report: what an answer names.
        public var id: String
        /// What people read; may be rewritten or translated on the way.
        public var title: String
        public var role: Role?
        /// Declared default although its role says something else, as for a destructive choice
        /// that Return takes.
        public var isDeclaredDefault: Bool
        /// Keys this version does not know, kept as they came.
        public var unknownKeys: [String: JSONValue]

        public init(id: String, title: String, role: Role? = nil, isDeclaredDefault: Bool = false) {
            self.id = id
            self.title = title
            self.role = role
            self.isDeclaredDefault = isDeclaredDefault || role == .default
            self.unknownKeys = [:]
        }
    }
}

extension [ErrorReport.Option] {
    /// The choice that bare Return takes: the declared one, else the first without a role. A
    /// destructive choice only when it is declared.
    public var defaultOption: ErrorReport.Option? {
        first(where: \.isDeclaredDefault) ?? first { $0.role == nil }
    }
}
