import Synchronization

extension Message.Present {
    /// The payload, without what it says that others changed than those whom it came through: a
    /// child puts no words into the mouths of its parents. Byte for byte where it says no such.
    var payloadFromBelow: Frame {
        guard ErrorReport.mayHaveChanges(payload), let sent = try? ErrorReport(payload: payload)
        else { return payload }
        var report = sent
        report.dropChanges(notBy: path)
        return report == sent ? payload : report.payload()
    }
}

/// What the wire said about the presentation that this task carries for a child. Travels beside
/// the error, so that a responder may replace the error and the next hop still gets the same id,
/// origin, path and digest.
final class ForwardedPresentation: Sendable {
    @TaskLocal static var current: ForwardedPresentation?

    let present: Message.Present
    let deadline: MonotonicTime?
    private let withdrawReason = Mutex<Message.WithdrawReason?>(nil)

    init(_ offer: DownlinkOffer) {
        present = offer.present
        deadline = offer.deadline
    }

    /// Why the next hop is to drop it; nil while it is not given up below.
    var withdrawal: Message.WithdrawReason? { withdrawReason.withLock { $0 } }

    /// The child, or its hop, gave it up. At shutdown nothing is said: the child asks again.
    func cancelled(_ reason: DownlinkAction.Outcome) {
        withdrawReason.withLock { withdrawal in
            withdrawal =
                switch reason {
                case .withdrawn: .origin
                // This hop's clock says so; only the origin's own word is final.
                case .abandoned, .expired: .abandoned
                case .shutDown: nil
                }
        }
    }
}
