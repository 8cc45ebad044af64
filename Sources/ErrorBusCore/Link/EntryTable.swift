/// A table of entries by presentation, each on the heap: a hash table keeps room for up to as many
/// again, and moves all of them when it grows.
struct EntryTable<Entry: Hashable & Sendable>: Hashable, Sendable {
    private var boxes: [PresentationID: Boxed<Entry>] = [:]

    var count: Int { boxes.count }
    var isEmpty: Bool { boxes.isEmpty }
    var keys: some Collection<PresentationID> { boxes.keys }
    var values: some Collection<Entry> { boxes.values.lazy.map(\.value) }

    func keys(where isWanted: (Entry) -> Bool) -> [PresentationID] {
        boxes.compactMap { isWanted($0.value.value) ? $0.key : nil }
    }

    subscript(id: PresentationID) -> Entry? {
        get { boxes[id]?.value }
        set {
            if let newValue {
                boxes[id, default: Boxed(newValue)].value = newValue
            } else {
                boxes[id] = nil
            }
        }
    }

    /// Puts an entry in the place of the former one, which it returns: an entry is large to copy.
    mutating func replace(_ id: PresentationID, with entry: consuming Entry) -> Entry? {
        guard let place = boxes.index(forKey: id) else {
            boxes[id] = Boxed(entry)
            return nil
        }
        swap(&entry, &boxes.values[place].value)
        return entry
    }

    mutating func removeAndShrink(_ id: PresentationID) { boxes.removeAndShrink(id) }
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
