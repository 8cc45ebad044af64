import CZMQ
import Glibc

/// An event of a socket's connections, as its monitor reports it.
enum SocketEvent: Hashable, Sendable {
    /// The reason why a handshake failed.
    enum Failure: Hashable, Sendable {
        /// One side has CURVE and the other side has not.
        case otherMechanism
        /// Encrypted bytes cannot be decrypted: they are for another key.
        case otherKey
        /// Another fault of ZMTP.
        case malformed
        /// The connection ended, or the time for the handshake ran out.
        case ended
    }

    /// A connection that a peer made, by its descriptor.
    case accepted(Int32)
    /// A connection that this side made, by its descriptor; its handshake is still to come.
    case made(Int32)
    case succeeded
    /// The authenticator of one side refused the key.
    case refused
    case failed(Failure)
    /// A connection is lost. libzmq closes its descriptor once this event is queued, not before.
    case disconnected(Int32)
    /// All events that were queued so far are read.
    case caughtUp

    /// The event of this number; nil for other events of libzmq: a monitor's last one.
    init?(number: Int32, value: Int32) {
        switch number {
        case ZMQ_EVENT_ACCEPTED: self = .accepted(value)
        case ZMQ_EVENT_CONNECTED: self = .made(value)
        case ZMQ_EVENT_HANDSHAKE_SUCCEEDED: self = .succeeded
        case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL: self = .failed(Failure(value))
        case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH: self = .refused
        case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL: self = .failed(.ended)
        case ZMQ_EVENT_DISCONNECTED: self = .disconnected(value)
        default: return nil
        }
    }
}

extension SocketEvent.Failure {
    /// - Parameter number: One of `ZMQ_PROTOCOL_ERROR_`.
    fileprivate init(_ number: Int32) {
        switch number {
        case ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH: self = .otherMechanism
        case ZMQ_PROTOCOL_ERROR_ZMTP_CRYPTOGRAPHIC: self = .otherKey
        default: self = .malformed
        }
    }
}

extension ConnectionEvent {
    /// The meaning of a connecting socket's event for its link; nil: nothing.
    init?(_ event: SocketEvent) {
        switch event {
        case .made(let descriptor):
            guard let user = PeerConnection(descriptor: descriptor).user,
                PeerConnection.isStranger(user, to: geteuid())
            else { return nil }
            self = .failed(
                "a process of another user (\(user)) listens there, and ipc has no keys; end it, "
                    + "or name a folder that only the node's user may write")
        case .succeeded: self = .connected
        case .disconnected: self = .disconnected
        case .failed(.otherMechanism), .failed(.otherKey), .failed(.malformed), .failed(.ended):
            // Which event one fault has depends on the side that ends the connection first.
            self = .failed(
                "the handshake failed: the other side does not speak ZeroMQ, only one of the two "
                    + "sides has keys, or a key is another one than expected")
        case .refused:
            self = .failed(
                "the other side refuses this node's key: its public file has to be there, and to "
                    + "be read by SIGHUP")
        case .accepted, .caughtUp: return nil
        }
    }

    /// A failure with the public keys of its socket, for the person who compares them.
    func naming(_ keys: ZMQSocket.Keys?) -> ConnectionEvent {
        guard case .failed(let reason) = self, case .connecting(let own, let parent)? = keys
        else { return self }
        return .failed(
            "\(reason) (this node's key: \(own.publicKey), the key expected of the other side: "
                + "\(parent))")
    }
}
