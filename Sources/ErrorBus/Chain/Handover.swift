import Synchronization

/// One handing-over of an error to a responder. The first `presentError` or `forwardError` on
/// that responder takes it and is part of the presentation under way; every other one, there or
/// anywhere else, is a new presentation.
final class Handover: Sendable {
    private let receiver: ResponderIdentity
    private let isTaken = Atomic(false)

    init(to receiver: any Responder) { self.receiver = ResponderIdentity(receiver) }

    /// Whether `responder` is the receiver and the first to ask.
    func take(by responder: any Responder) -> Bool {
        guard ResponderIdentity(responder) == receiver else { return false }
        return !isTaken.exchange(true, ordering: .acquiringAndReleasing)
    }
}
