import Glibc
import Synchronization

/// Finds out that a host has no address. libzmq looks hosts up as well, and without an address it
/// tries for ever without a word.
final class HostLookup: Sendable {
    /// Called on the lookup's thread with what is wrong.
    typealias Handler = @Sendable (String) -> Void

    /// A name server that does not answer holds a thread for up to half a minute.
    private static let runningMax = 8
    private static let runningCount = Atomic<Int>(0)

    private let host: String
    private let handler: Handler

    /// Starts a thread for an endpoint whose host is a name. Above eight at once none is started:
    /// the next try of the link has the next one.
    static func start(_ endpoint: Endpoint, failed: @escaping Handler) {
        guard case .tcp(let host, _) = endpoint.address, isName(host) else { return }
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

    private init(_ host: String, _ handler: @escaping Handler) {
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

/// A C callback has to be nonisolated.
private func lookupThread(_ raw: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let raw else { return nil }
    Unmanaged<HostLookup>.fromOpaque(raw).takeRetainedValue().run()
    return nil
}
