/// The allowances of owners for something that grows back with time. Counted in milliseconds: the
/// time that the taken part needs to grow back.
struct Allowances<Owner: Hashable & Sendable>: Sendable {
    /// The whole allowance of one owner.
    let whole: UInt64
    /// The most owners with less than the whole.
    let ownersMax: Int
    private var wholeAt: [Owner: MonotonicTime] = [:]

    init(whole: UInt64, ownersMax: Int = 4_096) {
        self.whole = whole
        self.ownersMax = ownersMax
    }

    /// The number of owners with less than the whole, as far as noticed.
    var ownerCount: Int { wholeAt.count }

    /// Takes `part` of an owner's allowance; false, without taking it, if less is left.
    mutating func take(_ part: UInt64, of owner: Owner, at now: MonotonicTime) -> Bool {
        if wholeAt[owner] == nil, wholeAt.count >= ownersMax {
            wholeAt = wholeAt.filter { $0.value > now }
            guard wholeAt.count < ownersMax else { return false }
        }
        let back = max(wholeAt[owner] ?? now, now) + part
        guard back.since(now) <= whole else { return false }
        wholeAt[owner] = back
        return true
    }
}
