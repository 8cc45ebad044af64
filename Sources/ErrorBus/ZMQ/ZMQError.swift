import CZMQ

/// libzmq's error numbers as text.
enum ZMQError {
    static func text(_ number: Int32) -> String {
        zmq_strerror(number).map { String(cString: $0) } ?? "error \(number)"
    }
}
