extension Reactor {
    /// A socket with its queue. A class: a copy would hold the queue, and each line would be copied
    /// to grow.
    final class Slot {
        let socket: ZMQSocket
        let receiver: any TransportReceiver
        let monitor: SocketMonitor?
        /// The watch of a listening socket; nil at a connecting one.
        let watch: ListenerWatch?
        var queue: ReceiveQueue
        /// Whether freed memory is given back once all is read and delivered: the receive queue was
        /// full, or libzmq held much.
        var givesBack = false
        /// Whether it ever connected: a later result of its check belongs to the next socket.
        var wasConnected = false
        /// Whether that connection was lost: later events of libzmq are another connection's.
        var isLost = false

        init(
            _ socket: ZMQSocket, _ receiver: any TransportReceiver, _ monitor: SocketMonitor?,
            _ watch: ListenerWatch?
        ) {
            self.socket = socket
            self.receiver = receiver
            self.monitor = monitor
            self.watch = watch
            queue = ReceiveQueue(isOfParent: socket.kind == .dealer)
        }
    }
}
