import Synchronization

/// Whether the answer to a question is on record; told once, to any number.
final class AnswerRecord: Sendable {
    typealias Observer = @Sendable (_ isRecorded: Bool) -> Void

    private struct State {
        var isRecorded: Bool?
        var observers: [Observer] = []
    }

    private let state = Mutex(State())

    func observe(_ observer: @escaping Observer) {
        let known = state.withLock { state in
            if state.isRecorded == nil { state.observers.append(observer) }
            return state.isRecorded
        }
        if let known { observer(known) }
    }

    func ended(isRecorded: Bool) {
        let observers = state.withLock { state in
            guard state.isRecorded == nil else { return [Observer]() }
            state.isRecorded = isRecorded
            defer { state.observers.removeAll() }
            return state.observers
        }
        for observer in observers { observer(isRecorded) }
    }
}
