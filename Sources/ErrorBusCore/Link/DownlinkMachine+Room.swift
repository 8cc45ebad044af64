// The room of a node for presentations: for a number of them while they are open, and for the bytes
// of their reports until they are settled, since a report is kept as long. A PRESENT without room
// is refused before anything of it is kept.
extension DownlinkMachine {
    /// The refusal above a limit: every queue is bounded (section 11).
    func overLimit(_ entry: DownlinkEntry, of holder: KeyHolder?) -> Message.Reject? {
        tooManyOpen(entry, of: holder) ?? tooManyBytes(entry, of: holder)
    }

    private func tooManyOpen(_ entry: DownlinkEntry, of holder: KeyHolder?) -> Message.Reject? {
        let id = entry.id
        if let name = entry.child, let most = children[name]?.openMax,
            openOfChild[name] ?? 0 >= most
        {
            return Message.Reject(
                .busy, "\(most) presentations of \(name) are open; no more are allowed", id: id,
                retryMilliseconds: 1_000)
        }
        let count = openOfAccount[entry.account] ?? 0
        if let holder, !holder.isRelay, count >= limits.openPerKeyMax {
            return Message.Reject(
                .busy,
                "\(count) presentations of the key of \(holder.name) are open; no more are allowed",
                id: id, retryMilliseconds: 1_000)
        }
        let free = limits.openPerNodeMax - openCount
        let share = free / (openOfAccount.count + 1)
        guard free > limits.sharedOpenCount || count < share else {
            let who = entry.account.words
            return Message.Reject(
                .busy,
                "\(openCount) of \(limits.openPerNodeMax) presentations are open here, \(count) of "
                    + "\(who); at most \(share) of \(who) are allowed now",
                id: id, retryMilliseconds: 2_000)
        }
        return nil
    }

    private func tooManyBytes(_ entry: DownlinkEntry, of holder: KeyHolder?) -> Message.Reject? {
        let held = byteCountOfAccount[entry.account] ?? 0
        let needed = held + entry.byteCount
        if let holder, !holder.isRelay, needed > limits.reportBytesPerKeyMax {
            return Message.Reject(
                .busy,
                "reports of the key of \(holder.name) that are not settled take \(held) bytes; at "
                    + "most \(limits.reportBytesPerKeyMax) are allowed",
                id: entry.id, retryMilliseconds: 1_000)
        }
        let free = limits.reportBytesPerNodeMax - byteCount
        let share = free / (byteCountOfAccount.count + 1)
        guard free - entry.byteCount >= limits.sharedReportBytes || needed <= share else {
            let who = entry.account.words
            return Message.Reject(
                .busy,
                "reports take \(byteCount) of \(limits.reportBytesPerNodeMax) bytes here, those "
                    + "of \(who) \(held); at most \(share) of \(who) are allowed now",
                id: entry.id, retryMilliseconds: 2_000)
        }
        return nil
    }

    /// The refusal of a large report of a key that is no relay's, if the key has presented as much
    /// as it may for now; otherwise the report counts.
    mutating func tooFast(
        _ entry: DownlinkEntry, of holder: KeyHolder?, at now: MonotonicTime
    ) -> Message.Reject? {
        let pause = UInt64(entry.byteCount * 1_000 / limits.largeReportBytesPerSecond)
        guard let holder, !holder.isRelay, entry.byteCount > limits.largeReportBytesMin,
            !largeReports.take(pause, of: holder.name, at: now)
        else { return nil }
        return Message.Reject(
            .busy,
            "the key of \(holder.name) presented \(limits.largeReportBytesMax) bytes in large "
                + "reports; \(limits.largeReportBytesPerSecond) more are allowed in a second",
            id: entry.id, retryMilliseconds: max(1_000, pause))
    }

    /// Counts the bytes of an entry's report, if the entry is not settled.
    mutating func countBytes(
        _ former: DownlinkEntry.Counted?, now entry: DownlinkEntry.Counted?
    ) {
        let (was, isNow) = (former?.heldByteCount ?? 0, entry?.heldByteCount ?? 0)
        guard was != isNow || former?.account != entry?.account else { return }
        if let former { countBytes(-was, of: former.account) }
        if let entry { countBytes(isNow, of: entry.account) }
    }

    private mutating func countBytes(_ change: Int, of account: DownlinkEntry.Account) {
        guard change != 0 else { return }
        byteCount += change
        byteCountOfAccount.count(change, of: account)
    }
}

extension DownlinkEntry.Account {
    /// The account in a refusal.
    fileprivate var words: String {
        switch self {
        case .key(let name): "the key of \(name)"
        case .child(let name): name.description
        case .others: "clients without a link"
        }
    }
}
