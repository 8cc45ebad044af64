/// The key of equal errors, which one answer may serve: the report's `coalesceKey` within its
/// domain, else domain, code and description; and always the options, since the author answered the
/// titles and roles on the screen. HRS compares domain, code and option titles.
package struct CoalescingKey: Hashable, Sendable {
    private enum Cause: Hashable, Sendable {
        case declared(Bytes)
        case described(code: Int?, Bytes)
    }

    private struct Choice: Hashable, Sendable {
        let id: Bytes
        let title: Bytes
        let role: ErrorReport.Option.Role?
        let isDeclaredDefault: Bool
        let needsSignature: Bool
        let needsTwoPeople: Bool
        /// The fields as JSON; empty without fields.
        let fields: [UInt8]

        /// The needs of the option, a signature or two people, in words.
        var needs: String {
            [needsSignature ? "signed" : "", needsTwoPeople ? "twoPeople" : ""]
                .filter { !$0.isEmpty }.joined(separator: " ")
        }
    }

    private let domain: Bytes
    private let cause: Cause
    private let choices: [Choice]

    package init(_ report: ErrorReport) {
        domain = Bytes(report.domain)
        cause =
            report.coalesceKey.map { .declared(Bytes($0)) }
            ?? .described(code: report.code, Bytes(report.description))
        choices = report.options.map {
            Choice(
                id: Bytes($0.id), title: Bytes($0.title), role: $0.role,
                isDeclaredDefault: $0.isDeclaredDefault, needsSignature: $0.needsSignature,
                needsTwoPeople: $0.needsTwoPeople,
                fields: $0.fields.isEmpty
                    ? [] : JSONValue.array($0.fields.map(\.json)).encoded())
        }
    }

    /// The key as text: equal for equal keys, in every process.
    package var text: String {
        var parts = causeParts
        for choice in choices {
            parts += [
                choice.id.text, choice.title.text, choice.role?.rawValue ?? "",
                "\(choice.isDeclaredDefault)", choice.needs,
            ]
            if !choice.fields.isEmpty {
                parts.append(String(decoding: choice.fields, as: UTF8.self))
            }
        }
        return Self.joined(parts)
    }

    /// The text of the cause: equal for errors of one cause, whatever their options.
    package var causeText: String { Self.joined(causeParts) }

    private var causeParts: [String] {
        switch cause {
        case .declared(let key): [domain.text, "key", key.text]
        case .described(let code, let text):
            [domain.text, "code", code.map(String.init) ?? "", text.text]
        }
    }

    /// The parts with their lengths, so that text moved from one part to the next makes a
    /// difference.
    private static func joined(_ parts: [String]) -> String {
        parts.map { "\($0.utf8.count):\($0)" }.joined()
    }

    /// A text compared and hashed by its bytes. `String` normalizes first, which takes seconds for
    /// some texts of a permitted length.
    private struct Bytes: Hashable, Sendable {
        let text: String

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
