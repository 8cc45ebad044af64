import ErrorBus

/// The prompts that wait at a terminal: which one is on the screen, and which comes next. The most
/// severe comes first, of these the oldest; one that was put off comes after all others.
struct PromptQueue: Hashable {
    /// A prompt that waits, the one on the screen among them.
    struct Entry: Hashable {
        /// Stays the same while the prompt waits: what was read in a list can be typed later.
        let number: Int
        let severity: Severity
        /// Higher for one that was put off later; 0 for one that never was.
        var round = 0

        fileprivate func comesBefore(_ other: Entry) -> Bool {
            if round != other.round { return round < other.round }
            return severity == other.severity
                ? number < other.number : severity > other.severity
        }
    }

    /// The prompts that wait behind the one on the screen.
    struct Others: Hashable {
        let count: Int
        let severity: Severity
    }

    /// In the order of arrival.
    private var entries: [Entry] = []
    private var lastNumber = 0
    /// The number of the prompt on the screen.
    private(set) var shown: Int?

    var count: Int { entries.count }

    /// In the order in which they come, the one on the screen first.
    var ordered: [Entry] {
        entries.sorted { left, right in
            if (left.number == shown) != (right.number == shown) { return left.number == shown }
            return left.comesBefore(right)
        }
    }

    /// Nil without any.
    var others: Others? {
        let others = entries.lazy.filter { $0.number != shown }
        return others.map(\.severity).max().map { Others(count: others.count, severity: $0) }
    }

    /// A prompt arrived. Returns its number; the count begins again when none waited.
    mutating func arrived(_ severity: Severity) -> Int {
        if entries.isEmpty { lastNumber = 0 }
        lastNumber += 1
        entries.append(Entry(number: lastNumber, severity: severity))
        return lastNumber
    }

    /// A prompt was answered, or ended otherwise. Returns whether it was on the screen.
    @discardableResult
    mutating func ended(_ number: Int) -> Bool {
        entries.removeAll { $0.number == number }
        guard shown == number else { return false }
        shown = nil
        return true
    }

    /// The screen is free: the next prompt comes to it. Nil when none waits.
    mutating func screenFreed() -> Int? {
        shown = entries.min { $0.comesBefore($1) }?.number
        return shown
    }

    /// The person put off the prompt on the screen: it leaves it. False when no other one waits.
    mutating func wasPutOff() -> Bool {
        guard entries.count > 1, let index = entries.firstIndex(where: { $0.number == shown })
        else { return false }
        entries[index].round = 1 + (entries.map(\.round).max() ?? 0)
        shown = nil
        return true
    }

    /// The person chose a prompt, which comes to the screen. False when none has this number.
    mutating func chose(_ number: Int) -> Bool {
        guard entries.contains(where: { $0.number == number }) else { return false }
        shown = number
        return true
    }
}

/// A line at a prompt that answers nothing: it goes to another prompt, or lists those that wait.
enum PromptCommand: Hashable {
    case next
    case list
    case show(Int)

    /// Nil for any other line.
    init?(_ line: String) {
        let text = line.filter { !$0.isWhitespace }
        switch text {
        case "+": self = .next
        case "#": self = .list
        default:
            guard text.first == "#", let number = Int(text.dropFirst()) else { return nil }
            self = .show(number)
        }
    }
}
