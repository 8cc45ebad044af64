import ErrorBus

/// One line of a process's log, as far as the checks go.
struct LedgerEvent: Hashable, Sendable {
    enum Kind: String, Hashable, Sendable {
        // Those of the library.
        case report, present, decide, done, change, complete
        /// A life of a process begins; the id says nothing.
        case start
        /// The automatic presenter shows a question.
        case prompt
        /// The question is no longer shown.
        case gone
        /// An option's attempt began in its owner.
        case attempt
    }

    /// One life of a process.
    struct Life: Hashable, Sendable {
        let node: String
        let pid: Int64
    }

    let kind: Kind
    let id: String
    var life: Life
    /// Seconds of the day in UTC, for pictures.
    var time = 0.0
    var option = ""
    var answer = ""
    var reason = ""
    /// What a presentation offers to its presenter.
    var options: [String] = []
    /// What came of a decision.
    var result = ""
    var didRecover = false
    /// A decision of an earlier life, written down once more.
    var isRestored = false

    init(_ kind: Kind, _ id: String, _ life: Life) {
        self.kind = kind
        self.id = id
        self.life = life
    }

    /// Nil for a line that is no event: cut off by the death of its writer, or of another sort.
    init?(line: some Collection<UInt8>) {
        guard case .object(let fields)? = try? JSONValue.parse(Array(line)),
            let kind = fields["event"]?.stringValue.flatMap(Kind.init),
            let id = fields["id"]?.stringValue, let node = fields["node"]?.stringValue,
            let pid = fields["pid"]?.integerValue
        else { return nil }
        self.init(kind, id, Life(node: node, pid: pid))
        time = fields["time"]?.stringValue.flatMap(Self.secondOfDay) ?? 0
        option = fields["option"]?.stringValue ?? ""
        answer = fields["answer"]?.stringValue ?? ""
        reason = fields["reason"]?.stringValue ?? ""
        options = fields["options"]?.stringValue?.split(separator: ",").map(String.init) ?? []
        result = fields["result"]?.stringValue ?? ""
        didRecover = fields["didRecover"]?.stringValue == "true"
        isRestored = fields["restored"] != nil
    }

    /// Of `2026-01-31T12:34:56.789Z`.
    private static func secondOfDay(_ text: String) -> Double? {
        let parts = text.dropFirst(11).dropLast().split(separator: ":").compactMap { Double($0) }
        return parts.count == 3 ? parts[0] * 3_600 + parts[1] * 60 + parts[2] : nil
    }
}
