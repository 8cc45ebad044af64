import ErrorBus

/// The open members of a group, for a person about to answer all of them: how many they are and
/// in what they differ.
struct InboxMembers: Sendable {
    /// Oldest first.
    let entries: [InboxEntry]
    /// How many texts they have; above 1 they are not one error to a reader.
    let descriptionCount: Int

    /// - Parameter entries: Of one group; what is no longer open is left out.
    init(_ entries: some Sequence<InboxEntry>) {
        self.entries = entries.filter(\.isOpen).sorted { $0.comesBefore($1) }
        descriptionCount = Set(self.entries.map(\.description)).count
    }

    var count: Int { entries.count }
    var differ: Bool { descriptionCount > 1 }

    /// Whether the option loses something that cannot be had back, at any of them.
    func isDestructive(_ option: String) -> Bool {
        entries.contains { entry in
            entry.options.contains { $0.id == option && $0.role == .destructive }
        }
    }

    /// What they have in common, and what varies. Not escaped.
    var facts: [String] {
        let origins = Set(entries.map(\.origin))
        let severities = Dictionary(grouping: entries, by: \.severity).mapValues(\.count)
            .sorted { $0.key > $1.key }
        return [
            "\(count) presentations",
            differ ? "\(descriptionCount) descriptions" : "one description",
            origins.count == 1 ? "from \(origins.first ?? "")" : "\(origins.count) origins",
            severities.count == 1
                ? "all \(severities[0].key)"
                : severities.map { "\($1) \($0)" }.joined(separator: ", "),
        ]
    }
}
