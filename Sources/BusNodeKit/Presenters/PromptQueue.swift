import ErrorBus
import Foundation

/// The prompts that wait at a terminal, equal prompts as one group, with the order in which they
/// come to the screen: the most severe first, then the oldest; a prompt that was put off comes
/// after all others.
struct PromptQueue: Hashable {
    struct Member: Hashable {
        let number: Int
        let severity: Severity
        let arrivedAt: ContinuousClock.Instant
    }

    /// A prompt, or a group of prompts, that one choice answers; also the entry on the screen.
    struct Entry: Hashable {
        /// The number of the entry, which stays the same while it waits: a person can later type a
        /// number from a list.
        let number: Int
        let key: CoalescingKey
        /// The members, at least one, oldest first. The first stands on the screen for all.
        var members: [Member]
        /// The round of the entry: higher for an entry that was put off later; 0 for one that never
        /// was.
        var round = 0
        /// Whether the entry was taken out of its group: no equal prompt joins it.
        var isAlone = false

        var severity: Severity { members.map(\.severity).max() ?? .error }

        fileprivate func comesBefore(_ other: Entry) -> Bool {
            if round != other.round { return round < other.round }
            return severity == other.severity
                ? number < other.number : severity > other.severity
        }
    }

    /// The entries that wait behind the one on the screen.
    struct Others: Hashable {
        let count: Int
        let severity: Severity
    }

    /// The entries, in the order of arrival.
    private var entries: [Entry] = []
    private var lastNumber = 0
    /// The number of the entry on the screen.
    private(set) var shown: Int?

    private var shownIndex: Int? { entries.firstIndex { $0.number == shown } }

    /// The prompts of the entry on the screen, oldest first; empty without an entry there.
    var shownMembers: [Member] { shownIndex.map { entries[$0].members } ?? [] }

    /// The entries in the order in which they come, the one on the screen first.
    var ordered: [Entry] {
        entries.sorted { left, right in
            if (left.number == shown) != (right.number == shown) { return left.number == shown }
            return left.comesBefore(right)
        }
    }

    /// The entries behind the one on the screen; nil without any.
    var others: Others? {
        let others = entries.lazy.filter { $0.number != shown }
        return others.map(\.severity).max().map { Others(count: others.count, severity: $0) }
    }

    /// A prompt arrived, and joins those with an equal key. Returns its number; the count begins
    /// again if no prompt waited.
    mutating func arrived(
        _ severity: Severity, _ key: CoalescingKey, at now: ContinuousClock.Instant
    ) -> Int {
        if entries.isEmpty { lastNumber = 0 }
        lastNumber += 1
        let member = Member(number: lastNumber, severity: severity, arrivedAt: now)
        if let index = entries.firstIndex(where: { !$0.isAlone && $0.key == key }) {
            entries[index].members.append(member)
        } else {
            entries.append(Entry(number: lastNumber, key: key, members: [member]))
        }
        return lastNumber
    }

    /// The prompts that a line read at this time answers: the group on the screen without prompts
    /// that came so late that the person could not read the new count.
    func answered(at time: ContinuousClock.Instant) -> [Int] {
        let members = shownMembers
        let known = members.dropFirst().filter {
            time - $0.arrivedAt >= ReturnPause.readingTime
        }
        return (members.prefix(1) + known).map(\.number)
    }

    /// A prompt was answered, or ended otherwise. Returns whether it was on the screen, on which
    /// the rest of its group stays.
    @discardableResult
    mutating func ended(_ number: Int) -> Bool {
        guard let index = entries.firstIndex(where: { $0.members.contains { $0.number == number } })
        else { return false }
        let isShown = entries[index].number == shown
        let wasFirst = entries[index].members.first?.number == number
        entries[index].members.removeAll { $0.number == number }
        if entries[index].members.isEmpty {
            entries.remove(at: index)
            if isShown { shown = nil }
        }
        return isShown && wasFirst
    }

    /// The person answered the entry on the screen: prompts that are left of its group came later,
    /// and wait for their turn.
    mutating func wasAnswered() {
        if let index = shownIndex, let oldest = entries[index].members.first {
            let left = entries[index]
            entries[index] = Entry(number: oldest.number, key: left.key, members: left.members)
        }
        shown = nil
    }

    /// The person opened the group on the screen: each of its prompts stands for itself. False if
    /// it is no group.
    mutating func wasOpened() -> Bool {
        guard let index = shownIndex, entries[index].members.count > 1 else { return false }
        let group = entries[index]
        let alone = group.members.map {
            Entry(number: $0.number, key: group.key, members: [$0], isAlone: true)
        }
        entries.replaceSubrange(index...index, with: alone)
        shown = alone[0].number
        return true
    }

    /// The person joined the prompt on the screen with the others of its group: with the prompts
    /// that were not put off, or with all if this prompt was put off itself. False without others.
    mutating func wasJoined() -> Bool {
        guard let index = shownIndex else { return false }
        let one = entries[index]
        let others = entries.filter {
            $0.key == one.key && $0.number != one.number && (one.round > 0 || $0.round == 0)
        }
        guard !others.isEmpty else { return false }
        entries[index].members = (one.members + others.flatMap(\.members))
            .sorted { $0.number < $1.number }
        entries[index].isAlone = false
        entries.removeAll { others.contains($0) }
        return true
    }

    /// The screen is free: the next entry comes to it. Nil if no entry waits.
    mutating func screenFreed() -> Int? {
        shown = entries.min { $0.comesBefore($1) }?.number
        return shown
    }

    /// The person put off the entry on the screen, which leaves it. False if no other entry waits.
    mutating func wasPutOff() -> Bool {
        guard entries.count > 1, let index = shownIndex else { return false }
        entries[index].round = 1 + (entries.map(\.round).max() ?? 0)
        shown = nil
        return true
    }

    /// The person chose an entry by its number, or the number of one of its prompts: it comes to
    /// the screen. False if no entry has this number.
    mutating func chose(_ number: Int) -> Bool {
        let one = entries.first { entry in
            entry.number == number || entry.members.contains { $0.number == number }
        }
        guard let one else { return false }
        shown = one.number
        return true
    }
}

/// A line at a prompt that answers nothing: it goes to another prompt, opens a group, lists the
/// waiting prompts, or gives the comment of the next answer.
enum PromptCommand: Hashable {
    /// The comment on the next answer; empty to take it back.
    case comment(String)
    /// A note for the people who see the presentation at the console.
    case note(String)
    case next
    case open
    case list
    case show(Int)

    /// The command of a line; nil for any other line.
    init?(_ line: String) {
        let whole = line.trimmingCharacters(in: .whitespacesAndNewlines)
        if whole.hasPrefix("::") {
            self = .note(whole.dropFirst(2).trimmingCharacters(in: .whitespacesAndNewlines))
            return
        }
        if whole.hasPrefix(":") {
            self = .comment(whole.dropFirst().trimmingCharacters(in: .whitespacesAndNewlines))
            return
        }
        let text = line.filter { !$0.isWhitespace }
        switch text {
        case "+": self = .next
        case "*": self = .open
        case "#": self = .list
        default:
            guard text.first == "#", let number = Int(text.dropFirst()) else { return nil }
            self = .show(number)
        }
    }
}
