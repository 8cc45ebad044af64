/// What has ended in an inbox, with and without an answer apart: a process may present and withdraw
/// without a pause, and must not push out what people have answered.
struct InboxEnds: Hashable, Sendable {
    private var open = InboxEnded()
    private var answered = InboxEnded()
    /// About the bytes of the reports.
    private var openByteCount = 0
    private var answeredByteCount = 0

    var count: Int { open.count + answered.count }
    var byteCount: Int { openByteCount + answeredByteCount }

    /// - Parameter item: A presentation that has just ended.
    mutating func append(_ item: InboxItem) {
        if item.answer == nil { open.append(item.id) } else { answered.append(item.id) }
        add(item.report.roughByteCount, hasAnswer: item.answer != nil)
    }

    /// - Parameter hadAnswer: Whether the presentation had ended with an answer.
    mutating func remove(_ item: InboxItem, hadAnswer: Bool) {
        if hadAnswer { answered.remove(item.id) } else { open.remove(item.id) }
        add(-item.report.roughByteCount, hasAnswer: hadAnswer)
    }

    /// The one to forget next; nil within the limits. Of the number each sort has a half, and what
    /// the other one leaves free; of the bytes the sort goes that has more.
    func next(_ limits: InboxLimits) -> (id: PresentationID, hasAnswer: Bool)? {
        let isOpen: Bool
        if count > limits.endedMax {
            isOpen = open.count > (limits.endedMax + 1) / 2 || answered.count == 0
        } else if byteCount > limits.endedByteMax {
            isOpen = openByteCount >= answeredByteCount
        } else {
            return nil
        }
        return (isOpen ? open.oldest : answered.oldest).map { (id: $0, hasAnswer: !isOpen) }
    }

    /// Whether there is so much that what is not stored goes as well.
    func isFull(_ limits: InboxLimits) -> Bool {
        count > limits.openMax || byteCount > 4 * limits.endedByteMax
    }

    /// Removes the oldest of one sort.
    mutating func removeOldest(hasAnswer: Bool, of byteCount: Int) {
        if hasAnswer { answered.removeOldest() } else { open.removeOldest() }
        add(-byteCount, hasAnswer: hasAnswer)
    }

    private mutating func add(_ byteCount: Int, hasAnswer: Bool) {
        if hasAnswer { answeredByteCount += byteCount } else { openByteCount += byteCount }
    }
}

extension ErrorReport {
    /// About the bytes that the report takes in memory, without those of its small parts.
    var roughByteCount: Int {
        let texts = Self.texts.reduce(0) { $0 + (self[keyPath: $1.property]?.utf8.count ?? 0) }
        let choices = options.reduce(0) { $0 + $1.roughByteCount }
        let underlying = underlyingErrors.reduce(0) { $0 + $1.roughByteCount }
        let values = [userInfo, unknownKeys].reduce(0) { $0 + JSONValue.object($1).roughByteCount }
        return description.utf8.count + texts + choices + underlying + values
    }
}

extension ErrorReport.Option {
    fileprivate var roughByteCount: Int {
        var count = title.utf8.count + JSONValue.object(unknownKeys).roughByteCount
        for field in fields {
            count += JSONValue.object(field.unknownKeys).roughByteCount
            guard case .choice(let choices) = field.kind else { continue }
            for choice in choices { count += 16 + choice.utf8.count }
        }
        return count
    }
}

extension JSONValue {
    fileprivate var roughByteCount: Int {
        switch self {
        case .null, .bool, .integer, .number: 16
        case .string(let text): 16 + text.utf8.count
        case .array(let elements): elements.reduce(16) { $0 + $1.roughByteCount }
        case .object(let members):
            members.reduce(16) { $0 + 16 + $1.key.utf8.count + $1.value.roughByteCount }
        }
    }
}
