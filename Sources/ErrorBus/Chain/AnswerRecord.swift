import Synchronization

/// The record of an answer in the journal: how far it is, for any number of observers.
final class AnswerRecord: Sendable {
    enum Standing: Hashable, Sendable {
        /// There is no answer yet, or the journal is being written.
        case awaited
        /// The journal could not be written; the node tries again, and does not send the answer.
        case delayed
        case recorded
        /// Another answer counts, which was on record; or, without one, the prompt ended first or
        /// the answer was lost with its secrets. Indirect, for the many records without an answer.
        indirect case superseded(by: Answer? = nil)
        /// The presentation ended before the answer could be written.
        case unwritten
        /// The journal refused the answer for good, and the presentation with it.
        case refused

        var isOver: Bool { self != .awaited && self != .delayed }
    }

    typealias Follower = @Sendable (Standing) -> Void

    private struct State {
        var isKept = false
        var standing = Standing.awaited
        var followers: [(number: Int, call: Follower)] = []
        var lastFollower = 0
    }

    private let state = Mutex(State())

    /// Whether a journal gets the answer.
    var isKept: Bool { state.withLock(\.isKept) }
    var standing: Standing { state.withLock(\.standing) }
    /// The number of followers that are still called, for tests.
    var followerCount: Int { state.withLock(\.followers.count) }

    /// Notes that a journal gets the answer.
    func keep() { state.withLock { $0.isKept = true } }

    /// Calls `observer` once, with whether the answer is recorded.
    func observe(_ observer: @escaping @Sendable (_ isRecorded: Bool) -> Void) {
        follow { if $0.isOver { observer($0 == .recorded) } }
    }

    /// Calls `follower` with the standing, unless it is `awaited`, and with each later one. Calls
    /// of two threads may overtake each other.
    ///
    /// - Returns: The number of the follower.
    @discardableResult
    func follow(_ follower: @escaping Follower) -> Int {
        let (known, number) = state.withLock { state in
            state.lastFollower += 1
            let number = state.lastFollower
            if !state.standing.isOver { state.followers.append((number, follower)) }
            return (state.standing, number)
        }
        if known != .awaited { follower(known) }
        return number
    }

    private func unfollow(_ number: Int) {
        state.withLock { state in state.followers.removeAll { $0.number == number } }
    }

    func moved(to standing: Standing) {
        let followers = state.withLock { state in
            guard !state.standing.isOver, state.standing != standing else { return [Follower]() }
            state.standing = standing
            defer { if standing.isOver { state.followers.removeAll() } }
            return state.followers.map { $0.call }
        }
        for follower in followers { follower(standing) }
    }

    func ended(isRecorded: Bool) { moved(to: isRecorded ? .recorded : .superseded()) }

    /// Waits for the end of the record, or for the cancellation of the task. A wait that was given
    /// up leaves no follower: clients may repeat an answer for as long as the disk is full.
    func wait() async {
        let ended = FirstValue<Void>()
        let number = follow { if $0.isOver { ended.offer(()) } }
        defer { unfollow(number) }
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
