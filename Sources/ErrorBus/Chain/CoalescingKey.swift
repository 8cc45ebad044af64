/// What makes two errors the same to the one who answers: within a domain the report's own
/// `coalesceKey`, else its code and description; and always the options, since an answer is for
/// the titles and roles that its giver saw. HRS compares domain, code and option titles.
struct CoalescingKey: Hashable, Sendable {
    private enum Cause: Hashable, Sendable {
        case declared(Bytes)
        case described(code: Int?, Bytes)
    }

    private struct Choice: Hashable, Sendable {
        let id: Bytes
        let title: Bytes
        let role: ErrorReport.Option.Role?
        let isDeclaredDefault: Bool
    }

    private let domain: Bytes
    private let cause: Cause
    private let choices: [Choice]

    init(_ report: ErrorReport) {
        domain = Bytes(report.domain)
        cause =
            report.coalesceKey.map { .declared(Bytes($0)) }
            ?? .described(code: report.code, Bytes(report.description))
        choices = report.options.map {
            Choice(
                id: Bytes($0.id), title: Bytes($0.title), role: $0.role,
                isDeclaredDefault: $0.isDeclaredDefault)
        }
    }

    /// A text that is compared and hashed byte by byte. `String` normalizes first, and takes
    /// seconds for some texts of a permitted length.
    private struct Bytes: Hashable, Sendable {
        private let text: String

        init(_ text: String) {
            var text = text
            text.makeContiguousUTF8()
            self.text = text
        }

        static func == (one: Self, other: Self) -> Bool {
            one.text.utf8.elementsEqual(other.text.utf8)
        }

        func hash(into hasher: inout Hasher) {
            // Contiguous since it was made.
            _ = text.utf8.withContiguousStorageIfAvailable { hasher.combine(bytes: .init($0)) }
            hasher.combine(text.utf8.count)
        }
    }
}
