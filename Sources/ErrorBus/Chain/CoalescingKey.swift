/// The key of equal errors, which one answer may serve: the report's `coalesceKey` within its
/// domain, else domain, code and description; and always the options, since an answer was given to
/// the titles and roles on the screen. HRS compares domain, code and option titles.
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

    /// A text compared and hashed by its bytes. `String` normalizes first, which takes seconds for
    /// some texts of a permitted length.
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
            // Contiguous since `init`.
            _ = text.utf8.withContiguousStorageIfAvailable { hasher.combine(bytes: .init($0)) }
            hasher.combine(text.utf8.count)
        }
    }
}
