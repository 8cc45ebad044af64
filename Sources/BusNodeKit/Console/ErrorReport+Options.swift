import ErrorBus

// A report and its options as people know them.
extension ErrorReport {
    /// The description; the domain and the code in place of an empty one. Not escaped.
    var heading: String {
        guard description.allSatisfy(\.isWhitespace) else { return description }
        return domain + (code.map { " \($0)" } ?? "")
    }

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
