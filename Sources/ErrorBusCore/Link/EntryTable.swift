/// An entry of a table, with a smaller form for its time after its end.
protocol TableEntry: Hashable, Sendable {
    /// All that is still read of an entry whose end is final.
    associatedtype Tombstone: Hashable, Sendable

    /// The smaller form; nil before the end, and where more of the entry may still be read.
    var tombstone: Tombstone? { get }

    /// The entry again. What its smaller form lacks is not read after the end.
    init(_ id: PresentationID, _ tombstone: Tombstone)
}

/// A table of entries by presentation, each on the heap: a hash table keeps room for up to as many
/// again, and moves all of them when it grows.
///
/// Entries that have ended are kept for minutes, many times as many as are open, and so in their
/// smaller form.
struct EntryTable<Entry: TableEntry>: Hashable, Sendable {
    private var boxes: [PresentationID: Boxed<Entry>] = [:]
    private var tombstones: [PresentationID: Boxed<Entry.Tombstone>] = [:]

    var count: Int { boxes.count + tombstones.count }
    var isEmpty: Bool { count == 0 }
    /// The number of entries in their smaller form.
    var tombstoneCount: Int { tombstones.count }
    /// The ids of all other entries, in no order.
    var wholeKeys: some Collection<PresentationID> { boxes.keys }

    /// The ids of entries of a sort that is never kept in the smaller form, as open ones.
    func keys(where isWanted: (Entry) -> Bool) -> [PresentationID] {
        boxes.compactMap { isWanted($0.value.value) ? $0.key : nil }
    }

    /// Collects something of each entry, in no order.
    func compactMap<Value>(_ take: (PresentationID, Entry) -> Value?) -> [Value] {
        boxes.compactMap { take($0.key, $0.value.value) }
            + tombstones.compactMap { take($0.key, Entry($0.key, $0.value.value)) }
    }

    subscript(id: PresentationID) -> Entry? {
        if let box = boxes[id] { return box.value }
        return tombstones[id].map { Entry(id, $0.value) }
    }

    /// Puts an entry in the place of the former one, which it returns: an entry is large to copy.
    mutating func replace(_ id: PresentationID, with entry: consuming Entry) -> Entry? {
        if let tombstone = entry.tombstone {
            let former = self[id]
            boxes.removeAndShrink(id)
            tombstones[id] = Boxed(tombstone)
            return former
        }
        guard let place = boxes.index(forKey: id) else {
            let former = tombstones.removeValue(forKey: id)
            boxes[id] = Boxed(entry)
            return former.map { Entry(id, $0.value) }
        }
        swap(&entry, &boxes.values[place].value)
        return entry
    }

    mutating func removeAndShrink(_ id: PresentationID) {
        boxes.removeAndShrink(id)
        tombstones.removeAndShrink(id)
    }
}

extension Dictionary where Value == Int {
    /// Changes a count; a count of zero is left out.
    mutating func count(_ change: Int, of key: Key) {
        guard let place = index(forKey: key) else {
            if change > 0 { self[key] = change }
            return
        }
        values[place] += change
        if values[place] <= 0 { remove(at: place) }
    }
}

extension Dictionary {
    /// Removes a value. A table that was far larger gives the room of its past back, which a
    /// dictionary never does by itself.
    mutating func removeAndShrink(_ key: Key) {
        self[key] = nil
        guard capacity > 4_096, count < capacity / 8 else { return }
        self = Dictionary(uniqueKeysWithValues: Array(self))
    }
}
