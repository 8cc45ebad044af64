/// Open presentations that are one question to a person: the same key, or else the same domain,
/// code and options. Their origins keep their own attempters and results (HRS, coalescing).
public struct InboxGroup: Hashable, Sendable {
    /// What makes two presentations one question. Never a localized text.
    struct Key: Hashable, Sendable {
        let coalesceKey: String?
        let domain: String
        let code: Int?
        let options: [String]

        init(_ report: ErrorReport) {
            coalesceKey = report.coalesceKey
            // With a key, what else differs does not matter, but an answer has to fit them all.
            domain = report.coalesceKey == nil ? report.domain : ""
            code = report.coalesceKey == nil ? report.code : nil
            options = report.options.map(\.id)
        }
    }

    public let number: Int
    /// The open ones, oldest first.
    public let members: [PresentationID]
    /// The oldest open one, which stands for all.
    public let first: InboxItem
    /// The gravest severity among them.
    public let severity: Severity
    /// How many nodes they come from.
    public let originCount: Int
}
