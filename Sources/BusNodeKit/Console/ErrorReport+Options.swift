import ErrorBus

// The options of a report as people know them.
extension ErrorReport {
    /// The title of an option; nil for an option without one, or one that the report does not have.
    func title(of option: String) -> String? {
        let title = options.first { $0.id == option }?.title ?? ""
        return title.allSatisfy(\.isWhitespace) ? nil : title
    }

    /// An option of a report by its title and its id, as “Try again” (retry); by its id alone if
    /// that is all that is known. Not escaped.
    static func name(of option: String, in report: ErrorReport?) -> String {
        guard let title = report?.title(of: option), title != option else { return option }
        return "“\(title)” (\(option))"
    }
}
