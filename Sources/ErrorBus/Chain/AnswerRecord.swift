import Synchronization

/// The record of an answer in the journal: how far it is, for any number of observers.
final class AnswerRecord: Sendable {
    enum Standing: Hashable, Sendable {
        /// There is no answer yet, or the journal is being written.
        case awaited
        /// The journal could not be written; the node tries again, and does not send the answer.
        case delayed
        case recorded
        /// The prompt ended first, another answer counts, or the answer was lost with its secrets.
        case superseded
        /// The presentation ended before the answer could be written, or the journal refused it.
        case unwritten

        var isOver: Bool { self != .awaited && self != .delayed }
    }

    typealias Follower = @Sendable (Standing) -> Void

    private struct State {
        var isKept = false
        var standing = Standing.awaited
        var followers: [Follower] = []
    }

    private let state = Mutex(State())

    /// Whether a journal gets the answer.
    var isKept: Bool { state.withLock(\.isKept) }
    var standing: Standing { state.withLock(\.standing) }

    /// Notes that a journal gets the answer.
    func keep() { state.withLock { $0.isKept = true } }

    /// Calls `observer` once, with whether the answer is recorded.
    func observe(_ observer: @escaping @Sendable (_ isRecorded: Bool) -> Void) {
        follow { if $0.isOver { observer($0 == .recorded) } }
    }

    /// Calls `follower` with the standing, unless it is `awaited`, and with each later one. Calls
    /// of two threads may overtake each other.
    func follow(_ follower: @escaping Follower) {
        let known = state.withLock { state in
            if !state.standing.isOver { state.followers.append(follower) }
            return state.standing
        }
        if known != .awaited { follower(known) }
    }

    func moved(to standing: Standing) {
        let followers = state.withLock { state in
            guard !state.standing.isOver, state.standing != standing else { return [Follower]() }
            state.standing = standing
            defer { if standing.isOver { state.followers.removeAll() } }
            return state.followers
        }
        for follower in followers { follower(standing) }
    }

    func ended(isRecorded: Bool) { moved(to: isRecorded ? .recorded : .superseded) }

    /// Waits for the end of the record, or for the cancellation of the task.
    func wait() async {
        let ended = FirstValue<Void>()
        observe { _ in ended.offer(()) }
        await withTaskCancellationHandler {
            await ended.value
        } onCancel: {
            ended.offer(())
        }
    }
}

/// The results that wait to be written, and their retries.
final class UnwrittenResults: Sendable {
    let max: Int
    /// The pauses 1, 2, 4 .. 60 s, for a day in all.
    static var pauses: some Sequence<Duration> & Sendable {
        (0..<1_445).lazy.map { .seconds(Swift.min(60, 1 << Swift.min($0, 6))) }
    }

    private let count = Atomic(0)

    init(max: Int) { self.max = max }

    /// Takes a place; false when the limit is reached.
    func enter() -> Bool {
        guard count.add(1, ordering: .relaxed).newValue > max else { return true }
        leave()
        return false
    }

    func leave() { count.subtract(1, ordering: .relaxed) }
}
