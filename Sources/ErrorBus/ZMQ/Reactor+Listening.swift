// What a reactor reports of peers that exchange no message, to the receivers of its listening
// sockets.
extension Reactor {
    /// The time from one report of failed connections to the next.
    private static let failurePauseMilliseconds: UInt64 = 1_000

    func deliverNewsOfKeys() {
        guard let keys, case let news = keys.takeNews() else { return }
        let listening = slots.values.first { $0.socket.kind == .router }
        for key in news.refused { listening?.receiver.refused(key) }
        guard news.isReplaced else { return }
        listening?.receiver.replaced(keys.ring)
        for (id, slot) in slots where !keys.accepts(slot.socket) {
            slot.receiver.changed(.failed("the keys of that link were replaced"), on: id)
        }
    }

    /// Reports the connections that failed since the last report, and a lack of descriptors.
    ///
    /// libzmq's own event of that lack comes 200 000 times a second while a connection waits.
    func deliverFailedConnections() {
        let now = now
        guard now >= nextFailures else { return }
        nextFailures = now + Self.failurePauseMilliseconds
        let listening = slots.values.filter { $0.watch != nil }
        for slot in listening {
            for failed in slot.watch?.takeFailed() ?? [] { slot.receiver.failed(failed) }
        }
        if let slot = listening.first, !ProcessFiles.hasRoom {
            slot.receiver.failed(FailedConnections(.noDescriptors, from: nil))
        }
    }
}
