import ErrorBus

// What the two sides of a link owe each other, and those without one.

extension Checker {
    static let onLinks = [
        bareWord, fairTurns, fairShares, wayKept, repliedAtStop, partsInOrder, lostKept,
    ]
}

extension Forgery {
    static let onLinks = [
        bareWord, fairTurns, fairShares, wayKept, repliedAtStop, partsInOrder, lostKept,
    ]
}
