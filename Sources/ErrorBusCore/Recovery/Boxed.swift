/// A value on the heap, shared by its copies until one of them is changed.
///
/// An outcome or a context passes through a dozen nested async calls, and each call keeps several
/// while the presentation waits: without boxes they took a third of the memory of an open
/// presentation.
package struct Boxed<Value: Sendable>: Sendable {
    // Changed only by its single owner.
    private final class Storage: @unchecked Sendable {
        var value: Value

        init(_ value: Value) { self.value = value }
    }

    private var storage: Storage

    package init(_ value: Value) { storage = Storage(value) }

    package var value: Value {
        _read { yield storage.value }
        _modify {
            if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.value) }
            yield &storage.value
        }
    }
}

extension Boxed: Equatable where Value: Equatable {
    package static func == (left: Self, right: Self) -> Bool {
        left.storage === right.storage || left.value == right.value
    }
}

extension Boxed: Hashable where Value: Hashable {
    package func hash(into hasher: inout Hasher) { hasher.combine(value) }
}
