/// Deadlines of what shares a limit, as presentations or children, in a line for each account.
/// Above the limit the account that has the most loses its earliest: none pushes out what others
/// need.
struct SharedDeadlines<Key: Hashable & Sendable>: Sendable {
    typealias Account = DownlinkEntry.Account

    private var lines: [Account: DeadlineQueue<Key>] = [:]
    /// The earliest time of each line.
    private var dues = DeadlineQueue<Account>()
    /// The number of keys in each line, negative: the longest line comes first.
    private var sizes = RankedQueue<Account, Int>()
    /// The number of keys with a time.
    private(set) var count = 0

    /// The earliest time planned.
    var next: MonotonicTime? { dues.next }

    /// The number of accounts with a line.
    var accountCount: Int { lines.count }

    func count(of account: Account) -> Int { lines[account]?.count ?? 0 }

    /// Plans a key for `time`, replacing an earlier plan of this account; nil removes it.
    mutating func plan(_ key: Key, of account: Account, at time: MonotonicTime?) {
        guard let place = lines.index(forKey: account) else {
            guard time != nil else { return }
            lines[account, default: .init()].plan(key, at: time)
            return changed(account, from: 0)
        }
        // By its place: each look by the account hashes a name.
        let (former, next) = (lines.values[place].count, lines.values[place].next)
        lines.values[place].plan(key, at: time)
        guard lines.values[place].count != former || lines.values[place].next != next else {
            return
        }
        changed(account, from: former)
    }

    /// Removes and returns the next key due at `now` or before.
    mutating func pop(at now: MonotonicTime) -> Key? {
        guard let account = dues.pop(at: now) else { return nil }
        return popFirst(of: account)
    }

    /// Removes and returns the earliest key of the account that has the most.
    mutating func popOfMost() -> Key? {
        guard let account = sizes.popFirst() else { return nil }
        return popFirst(of: account)
    }

    /// Removes and returns the earliest key of an account.
    mutating func popFirst(of account: Account) -> Key? {
        let former = count(of: account)
        let key = lines[account]?.popFirst()
        changed(account, from: former)
        return key
    }

    private mutating func changed(_ account: Account, from former: Int) {
        let line = lines[account]
        let size = line?.count ?? 0
        count += size - former
        dues.plan(account, at: line?.next)
        sizes.plan(account, at: size > 0 ? -size : nil)
        if size == 0 { lines.removeAndShrink(account) }
    }
}
