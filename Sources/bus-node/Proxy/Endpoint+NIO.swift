import ErrorBus
import NIOCore
import NIOPosix

extension ClientBootstrap {
    func connect(to endpoint: Endpoint) -> EventLoopFuture<any Channel> {
        switch endpoint.address {
        case .tcp(let host, let port):
            channelOption(.tcpOption(.tcp_nodelay), value: 1).connect(host: host, port: Int(port))
        case .ipc(let path): connect(unixDomainSocketPath: path)
        }
    }
}

extension ServerBootstrap {
    /// Listens. The socket file of a process that is gone is replaced; another file is not.
    func bind(to endpoint: Endpoint) -> EventLoopFuture<any Channel> {
        switch endpoint.address {
        case .tcp(let host, let port):
            serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                .bind(host: host == "*" ? "0.0.0.0" : host, port: Int(port))
        case .ipc(let path):
            bind(unixDomainSocketPath: path, cleanupExistingSocketFile: true)
        }
    }
}

extension Endpoint {
    /// The endpoint with the port that the system has chosen.
    func bound(to address: SocketAddress?) throws -> Endpoint {
        guard case .tcp(let host, 0) = self.address, let port = address?.port else { return self }
        return try Endpoint("tcp://\(host.contains(":") ? "[\(host)]" : host):\(port)")
    }
}
