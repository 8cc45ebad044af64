/// A value on the heap, shared by its copies until one of them is changed.
///
/// An outcome or a context passes through a dozen nested async calls, and each call keeps several
/// while the presentation waits: without boxes they took a third of the memory of an open
/// presentation.
///
/// Inlinable, so that another module reads a field in place: it would copy the whole value out for
/// each field that it reads.
package struct Boxed<Value: Sendable>: Sendable {
    // Changed only by its single owner.
    @usableFromInline
    final class Storage: @unchecked Sendable {
        @usableFromInline var value: Value

        @inlinable init(_ value: Value) { self.value = value }
    }

    @usableFromInline var storage: Storage

    @inlinable package init(_ value: Value) { storage = Storage(value) }

    @inlinable package var value: Value {
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
