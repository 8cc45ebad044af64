import Glibc
import Synchronization

/// The check for an endpoint that no connection can be made to: a host without an address, a socket
/// file that this user may not connect to. libzmq has both faults too, but it retries endlessly and
/// silently.
enum EndpointCheck {
    /// A closure that gets the fault: for a host on the thread of its lookup, for a file before the
    /// start returns.
    typealias Handler = @Sendable (String) -> Void

    static func start(_ endpoint: Endpoint, failed: @escaping Handler) {
        switch endpoint.address {
        case .tcp(let host, _): HostLookup.start(host, failed: failed)
        case .ipc(let path):
            if let reason = SocketFile.refusal(at: path) { failed(reason) }
        }
    }
}

/// The lookup of a host's address, on a thread of its own.
private final class HostLookup: Sendable {
    /// The most lookups at once; a name server that does not answer holds a thread for up to 30 s.
    private static let runningMax = 8
    private static let runningCount = Atomic<Int>(0)

    private let host: String
    private let handler: EndpointCheck.Handler

    /// Starts a thread for a host that is a name. At the limit it starts none; the link's next
    /// attempt tries again.
    static func start(_ host: String, failed: @escaping EndpointCheck.Handler) {
        guard isName(host) else { return }
        guard runningCount.add(1, ordering: .relaxed).newValue <= runningMax else {
            runningCount.subtract(1, ordering: .relaxed)
            return
        }
        let lookup = Unmanaged.passRetained(HostLookup(host, failed)).toOpaque()
        var handle = pthread_t()
        guard pthread_create(&handle, nil, lookupThread, lookup) == 0 else {
            Unmanaged<HostLookup>.fromOpaque(lookup).release()
            runningCount.subtract(1, ordering: .relaxed)
            return
        }
        pthread_detach(handle)
    }

    private init(_ host: String, _ handler: @escaping EndpointCheck.Handler) {
        self.host = host
        self.handler = handler
    }

    private static func isName(_ host: String) -> Bool {
        var bytes = in_addr()
        return host != "*" && host != "localhost" && !host.contains(":")
            && inet_pton(AF_INET, host, &bytes) != 1
    }

    fileprivate func run() {
        defer { Self.runningCount.subtract(1, ordering: .relaxed) }
        var result: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, nil, nil, &result)
        if let result { freeaddrinfo(result) }
        guard status != 0 else { return }
        let reason = gai_strerror(status).map { String(cString: $0) } ?? "error \(status)"
        handler("host not found: \(host) (\(reason))")
    }
}

/// The entry of the thread. Nonisolated, as a C callback has to be.
private func lookupThread(_ raw: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let raw else { return nil }
    Unmanaged<HostLookup>.fromOpaque(raw).takeRetainedValue().run()
    return nil
}
