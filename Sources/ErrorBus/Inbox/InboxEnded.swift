/// The order in which presentations ended, as long as they are kept.
struct InboxEnded: Hashable, Sendable {
    let max: Int
    private var ids: [PresentationID] = []
    private var start = 0

    init(max: Int) { self.max = max }

    /// Adds the latest; returns the one that is kept no longer.
    mutating func append(_ id: PresentationID) -> PresentationID? {
        ids.append(id)
        guard ids.count - start > max else { return nil }
        defer {
            start += 1
            // Now and then, so that each call costs little.
            if start > max { compact() }
        }
        return ids[start]
    }

    mutating func remove(_ id: PresentationID) {
        if let index = ids[start...].firstIndex(of: id) { ids.remove(at: index) }
    }

    private mutating func compact() {
        ids.removeFirst(start)
        start = 0
    }
}
