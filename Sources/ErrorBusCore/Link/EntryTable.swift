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

    mutating func removeAndShrink(_ id: PresentationID) { boxes.removeAndShrink(id) }
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
