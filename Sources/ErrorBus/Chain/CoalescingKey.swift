/// What makes two errors the same question: the report's own `coalesceKey`, else its domain, code
/// and option ids. HRS compares domain, code and option titles; titles may be translated.
struct CoalescingKey: Hashable, Sendable {
    private enum Form: Hashable, Sendable {
        case declared(String)
        case described(domain: String, code: Int?, options: [String])
    }

    private let form: Form

    init(_ report: ErrorReport) {
        if let key = report.coalesceKey {
            form = .declared(key)
        } else {
            form = .described(
                domain: report.domain, code: report.code, options: report.options.map(\.id))
        }
    }
}
